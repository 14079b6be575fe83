"""The expert's tables: packed into one file of the package, read without a compiler.

A file is a line of JSON, which says what is in it, and then compressed bytes: for every score
the elder's and the dealer's words, how many cards each takes, what numbers of cards taken tell of
a hand, the tricks of all open positions under both laws of play, what each score is worth, and how
the rest of a deal goes from each position.
"""

from __future__ import annotations

import json
import lzma
from functools import cache
from importlib.resources import files
from pathlib import Path
from struct import unpack as unpack_numbers
from typing import Final, NamedTuple

from casino.analysis import positions
from casino.errors import BadInput
from casino.expert.card_play import REST, WHOLE, Brain
from casino.expert.hands import KINDS, kinds
from casino.expert.open_cards import OpenCards
from casino.expert.stages import GAMES, MOST, TAKES, TARGET, WORDS, game_of

SHIPPED: Final = "tables.xz"
VERSION: Final = 2
OUTCOMES: Final = 6
"""How a game ends: the elder of this deal wins 1, 2 or 3 stakes, or the dealer does."""

RESTS: Final = 13_461
"""Positions with up to four cards a side; they stand before those with five."""

SIZES: Final = {
    "words": GAMES * WORDS * KINDS,
    "takes": GAMES * TAKES * KINDS,
    "drawn": 2 * MOST * KINDS,
    "strict": 81_501,
    "ordinary": 81_501,
    "worth": 4 * GAMES * OUTCOMES,
    "rests": REST * RESTS,
}


class Packed(NamedTuple):
    """The parts of a file of tables, as bytes."""

    words: bytes
    takes: bytes
    drawn: bytes
    strict: bytes
    ordinary: bytes
    worth: bytes
    rests: bytes


def pack(packed: Packed, about: dict[str, object]) -> bytes:
    """A file of tables."""
    head = json.dumps({"version": VERSION, **about}, sort_keys=True)
    return head.encode() + b"\n" + lzma.compress(b"".join(packed), preset=9 | lzma.PRESET_EXTREME)


def unpack(body: bytes, name: str) -> Packed:
    """The parts of a file of tables."""
    try:
        head, _, rest = body.partition(b"\n")
        good = json.loads(head)["version"] == VERSION
        data = lzma.decompress(rest)
    except (ValueError, KeyError, TypeError, lzma.LZMAError):
        good, data = False, b""
    if not good or len(data) != sum(SIZES.values()):
        raise BadInput(f"{name}: is not a file of tables of this version: solve it again")
    parts, at = [], 0
    for size in SIZES.values():
        parts.append(data[at : at + size])
        at += size
    return Packed(*parts)


@cache
def packed(file: Path | None = None) -> Packed:
    """The tables of a file; those of the package if none is named."""
    if file is None:
        return unpack((files("casino.expert") / SHIPPED).read_bytes(), SHIPPED)
    try:
        return unpack(file.read_bytes(), str(file))
    except OSError as error:
        raise BadInput(f"{file}: cannot be read ({error.strerror}): name another file") from None


def shipped_leaves() -> list[float]:
    """How the shipped solution valued hands: see `solve.Leaves`, here row by row."""
    head, _, _ = (files("casino.expert") / SHIPPED).read_bytes().partition(b"\n")
    leaves: list[float] = json.loads(head)["leaves"]
    return leaves


@cache
def leaves() -> list[int]:
    """The same, row by row of six, in parts of `WHOLE`."""
    return [round(WHOLE * share) for share in shipped_leaves()]


@cache
def brain(strict: bool, file: Path | None = None) -> Brain:
    """The expert's tables for plain Python."""
    found = packed(file)
    starts, _ = positions.starts()
    tricks = found.strict if strict else found.ordinary
    table = OpenCards(positions.suits(), starts, positions.ranks(), tricks)
    rests = found.rests if strict else ordinary_rests(found)
    return Brain(kinds(), table, found.words, found.takes, found.drawn, elder_wins(found), rests)


def ordinary_rests(found: Packed) -> bytes:
    """The rests under the ordinary law of play: the mean of those strict ones that are alike.

    The expert's games were counted under the strict law; alike are positions in which open cards
    give the leader as many of as many tricks.
    """
    rows = [found.rests[at : at + REST] for at in range(0, REST * RESTS, REST)]
    sizes = [size for size in range(REST + 1) for _ in range(positions.number(size))]
    alike: dict[tuple[int, int], list[bytes]] = {}
    for size, tricks, row in zip(sizes, found.strict, rows, strict=False):
        alike.setdefault((size, tricks), []).append(row)
    means = {
        key: bytes(sum(column) // len(some) for column in zip(*some, strict=True))
        for key, some in alike.items()
    }
    return b"".join(means[key] for key in zip(sizes, found.ordinary, strict=False))


def outcomes(found: Packed) -> list[tuple[int, ...]]:
    """How a game ends from each score, in parts of `WHOLE`, by `game_of`."""
    numbers = unpack_numbers(f"<{GAMES * OUTCOMES}i", found.worth)
    return [numbers[at : at + OUTCOMES] for at in range(0, len(numbers), OUTCOMES)]


def elder_wins(found: Packed) -> list[int]:
    """The elder's chance to win before a turn-up, in parts of `WHOLE`, at every score."""
    wins = [sum(row[:3]) for row in outcomes(found)]
    # One turn-up in eight is a king; if the dealer reaches the target by it, the elder has lost.
    pairs = [(elder, dealer) for elder in range(TARGET) for dealer in range(TARGET)]
    return [
        (
            7 * wins[game_of(elder, dealer, TARGET, False)]
            + (wins[game_of(elder, dealer + 1, TARGET, True)] if dealer + 1 < TARGET else 0)
        )
        // 8
        for elder, dealer in pairs
    ]
