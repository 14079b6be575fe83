"""Commit–reveal of players' contributions to the shuffle.

A contribution is the text a player typed, followed by 16 random bytes in hex. Its commitment is a
hash that also covers the game and the player, so that no one else can use it.

>>> text = make_contribution("alice ", bytes.fromhex("00112233445566778899aabbccddeeff"))
>>> commitment_to("t1-000001", "alice", text)[:16]
'99fb7824bfd8f6f7'
>>> combine([text, "ffeeddccbbaa99887766554433221100"])[:16]
'02009da2f09e79e5'
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from casino.errors import ContributionError

MAX_CUTS: Final = 256  # contributions per game

MAX_TYPED_BYTES: Final = 32  # UTF-8 bytes a person may type into a contribution

SALT_BYTES: Final = 16
MAX_TEXT_LENGTH: Final = MAX_TYPED_BYTES + 2 * SALT_BYTES

_ENDS_IN_SALT: Final = re.compile(rf"[0-9a-f]{{{2 * SALT_BYTES}}}\Z")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def make_contribution(typed: str, salt: bytes) -> str:
    """Append a salt to the typed text; raise `ContributionError` if the result is invalid."""
    return check_contribution(typed + salt.hex())


def check_contribution(text: str) -> str:
    """Return the contribution unchanged, or raise `ContributionError` if it is invalid."""
    typed_bytes = len(contribution_bytes(text)) - 2 * SALT_BYTES
    if not _ENDS_IN_SALT.search(text):
        raise ContributionError(f"cut: the text must end with {2 * SALT_BYTES} digits of 0-9 a-f")
    if typed_bytes > MAX_TYPED_BYTES:
        raise ContributionError(
            f"cut: {typed_bytes} bytes typed are too long: type at most {MAX_TYPED_BYTES}"
        )
    if _CONTROL.search(text):
        raise ContributionError("cut: the text holds a control character: type letters")
    return text


def contribution_bytes(text: str) -> bytes:
    """Encode a contribution in UTF-8; raise `ContributionError` for an unpaired surrogate."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ContributionError(
            "cut: the text holds an unpaired surrogate: send whole characters"
        ) from None


def commitment_to(game: str, player: str, text: str) -> str:
    """Commit to a player's contribution to a game; return the commitment, a SHA-256 in hex."""
    return sha256(f"{game}|{player}|".encode() + contribution_bytes(text)).hexdigest()


def combine(texts: Iterable[str]) -> str:
    """Hash the revealed contributions, given in order of number; return the digest in hex."""
    whole = sha256()
    for text in texts:
        encoded = contribution_bytes(text)
        if len(encoded) > MAX_TEXT_LENGTH:
            raise ContributionError(
                f"cut: {len(encoded)} bytes are too long: send at most {MAX_TEXT_LENGTH}"
            )
        # The length prefix keeps different lists of texts from having the same hash.
        whole.update(len(encoded).to_bytes(2, "big") + encoded)
    return whole.hexdigest()
