"""The expert's table file: one shipped with the package, or one made by `casino solve`.

A file is a line of JSON followed by compressed bytes, whose parts are the fields of `PackedTables`.
Reading it needs no compiler.
"""

from __future__ import annotations

import json
import lzma
from functools import cache
from importlib.resources import files
from itertools import accumulate, product
from pathlib import Path
from struct import unpack as unpack_numbers
from typing import Final, NamedTuple

from casino.analysis import dd_index
from casino.ecarte.laws import ALLOWED
from casino.errors import InputError
from casino.solver.policy import infosets
from casino.solver.policy.infosets import BIDS, BUCKETS, LEADS, MOST, TAKES
from casino.solver.policy.play_policy import REST, WHOLE, PolicyTables

SHIPPED: Final = "tables.xz"
VERSION: Final = 3
OUTCOMES: Final = 6  # the elder of this deal wins 1, 2 or 3 stakes, or the dealer does
ENDGAME_POSITIONS: Final = 13_461  # positions with up to four cards a side; those with five follow
MAX_POINTS: Final = max(ALLOWED["target"])  # the highest target that tables can have


class PackedTables(NamedTuple):
    """The parts of a table file as bytes, and the target score it was solved for.

    `bids` and `takes` are the exchange policy, `drawn` the likelihood of hands by cards taken,
    `strict` and `ordinary` the double-dummy tricks under both laws of play, `equity` the outcomes
    by score, and `endgame` and `leads` the statistics of the card play.
    """

    target: int
    bids: bytes
    takes: bytes
    drawn: bytes
    strict: bytes
    ordinary: bytes
    equity: bytes
    endgame: bytes
    leads: bytes


def part_sizes(target: int) -> list[int]:
    """Return the sizes in bytes of a table file's parts."""
    games = infosets.games_to(target)
    sizes = (games * BIDS * BUCKETS, games * TAKES * BUCKETS, 2 * MOST * BUCKETS)
    return [*sizes, 81_501, 81_501, 4 * games * OUTCOMES, REST * ENDGAME_POSITIONS, LEADS * BUCKETS]


def pack(packed: PackedTables, about: dict[str, object]) -> bytes:
    """Return the bytes of a table file; `about` is added to its JSON line."""
    target, *parts = packed
    head = json.dumps({"version": VERSION, "target": target, **about}, sort_keys=True)
    return head.encode() + b"\n" + lzma.compress(b"".join(parts), preset=9 | lzma.PRESET_EXTREME)


def unpack(body: bytes, name: str) -> PackedTables:
    """Parse a table file. Raise `InputError` if it is damaged or has another version."""
    head, _, rest = body.partition(b"\n")
    try:
        header = json.loads(head)
        version, target = header["version"], header.get("target")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(
            f"{name}: is not a file of tables: name one made by casino solve"
        ) from None
    if version != VERSION:
        raise InputError(
            f"{name}: is a file of tables of version {str(version)[:20]}, this is version "
            f"{VERSION}: solve it again"
        )
    lengths = part_sizes(target) if target in range(1, MAX_POINTS + 1) else []
    data = _decompressed(rest)
    if not lengths or len(data) != sum(lengths):
        raise InputError(f"{name}: is not a whole file of tables: solve it again")
    ends = list(accumulate(lengths))
    parts = (data[end - size : end] for size, end in zip(lengths, ends, strict=True))
    return PackedTables(target, *parts)


def _decompressed(data: bytes) -> bytes:
    """Return the decompressed bytes, or b"" if the data is damaged."""
    try:
        return lzma.decompress(data)
    except lzma.LZMAError:
        return b""


@cache
def load_packed(file: Path | None = None) -> PackedTables:
    """Return the parts of a table file, or of the shipped one. Raise `InputError` if unreadable."""
    if file is None:
        return unpack((files("casino.solver") / SHIPPED).read_bytes(), SHIPPED)
    try:
        return unpack(file.read_bytes(), str(file))
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror}): name another file") from None


def shipped_leaves() -> list[float]:
    """Return the shipped solution's trick probabilities, row by row (see `deal_solver.Leaves`)."""
    head, _, _ = (files("casino.solver") / SHIPPED).read_bytes().partition(b"\n")
    leaves: list[float] = json.loads(head)["leaves"]
    return leaves


@cache
def leaf_values() -> list[int]:
    """Return the shipped trick probabilities in rows of six, in units of 1/`WHOLE`."""
    return [round(WHOLE * share) for share in shipped_leaves()]


@cache
def policy_tables(strict: bool, file: Path | None = None) -> PolicyTables:
    """Return the expert's tables for plain Python."""
    packed = load_packed(file)
    index, _ = dd_index.empty_table(strict)
    table = index._replace(tricks=packed.strict if strict else packed.ordinary)
    endgame = packed.endgame if strict else ordinary_endgame(packed)
    parts = (packed.bids, packed.takes, packed.drawn, elder_wins(packed))
    return PolicyTables(infosets.buckets(), table, *parts, endgame, packed.target, packed.leads)


def ordinary_endgame(packed: PackedTables) -> bytes:
    """Return `endgame` for the ordinary law of play, estimated from those of the strict law.

    The expert's games were counted under the strict law only. A position gets the mean of the
    strict positions with the same numbers of cards and double-dummy tricks.
    """
    rows = [packed.endgame[at : at + REST] for at in range(0, REST * ENDGAME_POSITIONS, REST)]
    sizes = [size for size in range(REST + 1) for _ in range(dd_index.count_positions(size))]
    alike: dict[tuple[int, int], list[bytes]] = {}
    for size, tricks, row in zip(sizes, packed.strict, rows, strict=False):
        alike.setdefault((size, tricks), []).append(row)
    means = {
        key: bytes(sum(column) // len(positions) for column in zip(*positions, strict=True))
        for key, positions in alike.items()
    }
    return b"".join(means[key] for key in zip(sizes, packed.ordinary, strict=False))


def outcomes(packed: PackedTables) -> list[tuple[int, ...]]:
    """Return the probabilities of all final results, in units of 1/`WHOLE`, by `game_of` index."""
    numbers = unpack_numbers(f"<{len(packed.equity) // 4}i", packed.equity)
    return [numbers[at : at + OUTCOMES] for at in range(0, len(numbers), OUTCOMES)]


def elder_wins(packed: PackedTables) -> list[int]:
    """Return the elder's win probabilities before the turn-up, by score, in units of 1/`WHOLE`."""
    target, wins = packed.target, [sum(row[:3]) for row in outcomes(packed)]

    def won(elder: int, dealer: int, king: bool) -> int:
        number = infosets.game_of(elder, dealer, target, king, target)
        return wins[number] if dealer < target else 0

    # One turn-up in eight is a king.
    return [
        (7 * won(elder, dealer, False) + won(elder, dealer + 1, True)) // 8
        for elder, dealer in product(range(target), repeat=2)
    ]
