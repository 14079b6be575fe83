"""Encrypt what must survive a restart but may not be seen, with the casino's master secret.

A reader of the casino's file, its WAL or a copy sees no hidden card. Without the master secret
nothing can be decrypted: such a game is void.

>>> box = encrypt(bytes(32), "t1-000001", 1, 4, bytes(12), b"X7H8D")
>>> decrypt(bytes(32), "t1-000001", 1, 4, box)
b'X7H8D'
"""

from __future__ import annotations

import os
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from casino.errors import FileError
from casino.fairness.rng import hmac_sha256

NONCE_BYTES: Final = 12


def fresh_nonce() -> bytes:
    """Return a nonce from the operating system's secure generator; no two boxes may share one."""
    return os.urandom(NONCE_BYTES)


def encrypt(master: bytes, game: str, deal: int, number: int, nonce: bytes, secret: bytes) -> bytes:
    """Encrypt a secret of a game; return the nonce and the ciphertext.

    `deal` and `number` say where it belongs; deal 0 is the game itself.
    """
    return nonce + _cipher(master, game).encrypt(nonce, secret, _place(game, deal, number))


def decrypt(master: bytes, game: str, deal: int, number: int, box: bytes) -> bytes:
    """Return the secret in a box; refuse one of another master or place, or a changed one."""
    nonce, closed = box[:NONCE_BYTES], box[NONCE_BYTES:]
    try:
        return _cipher(master, game).decrypt(nonce, closed, _place(game, deal, number))
    except (InvalidTag, ValueError):
        text = f"{game}: its secret {deal}.{number} cannot be opened with this master"
        raise FileError(text) from None


def _cipher(master: bytes, game: str) -> ChaCha20Poly1305:
    return ChaCha20Poly1305(hmac_sha256(master, f"file|{game}".encode("ascii")))


def _place(game: str, deal: int, number: int) -> bytes:
    """Bind a box to its place, so that it cannot be moved to another."""
    return f"{game}|{deal}|{number}".encode("ascii")
