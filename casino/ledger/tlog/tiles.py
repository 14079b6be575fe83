"""C2SP's `tlog-tiles` format, which represents a log as immutable files of hashes and leaves.

A tile contains 256 consecutive hashes of a stored level (every eighth), or 256 leaves. The last
tile of a row may be partial; its path then states the width. All proofs can be computed from tiles.

>>> parse_tile("tile/0/x001/234.p/7")
Tile(level=0, position=1234, width=7)
>>> Tile(None, 1234067, 256).path()
'tile/entries/x001/x234/067'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from casino.errors import FileError
from casino.ledger.tlog.merkle import TILE, Hash, Subtree, node_hash

WIDTH: Final = 1 << TILE

_MAX_LEVEL: Final = 63
_PATH: Final = re.compile(
    r"tile/(entries|0|[1-9][0-9]?)/((?:x[0-9]{3}/)*)([0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?", re.ASCII
)


class Tile(NamedTuple):
    """A tile of hashes, or a bundle of leaves if `level` is None."""

    level: int | None
    position: int
    width: int = WIDTH

    @property
    def span(self) -> int:
        """The number of leaves under each hash of the tile."""
        return 1 << TILE * (self.level or 0)

    @property
    def first(self) -> int:
        """The index of the tile's first hash or leaf within its row."""
        return self.position * WIDTH

    @property
    def end(self) -> int:
        """The smallest log size at which the tile exists."""
        return (self.first + self.width) * self.span

    def path(self) -> str:
        """Return the tile's path relative to the log's URL."""
        level = "entries" if self.level is None else str(self.level)
        digits = str(self.position)
        digits = digits.zfill(-(-len(digits) // 3) * 3)
        parts = [digits[at : at + 3] for at in range(0, len(digits), 3)]
        name = "/".join([*(f"x{part}" for part in parts[:-1]), parts[-1]])
        return f"tile/{level}/{name}" + ("" if self.width == WIDTH else f".p/{self.width}")


def parse_tile(path: str) -> Tile:
    """Parse a tile's path, or raise `FileError` unless it is canonical."""
    match = _PATH.fullmatch(path[:200])
    if match is None:
        raise FileError(
            f"{path[:60]!r} is not a tile: write tile/LEVEL/NUMBER, then .p/WIDTH if partial"
        )
    level, high, low, width = match.groups()
    index = int(re.sub("[x/]", "", high) + low)
    tile = Tile(None if level == "entries" else int(level), index, int(width or WIDTH))
    if tile.path() != path or (tile.level or 0) > _MAX_LEVEL or tile.width > WIDTH:
        raise FileError(f"{path[:60]!r} is not a tile: its numbers are out of range")
    return tile


def encode_bundle(leaves: Iterable[bytes]) -> bytes:
    """Encode consecutive leaves, each prefixed with its length in two bytes."""
    return b"".join(len(leaf).to_bytes(2, "big") + leaf for leaf in leaves)


def decode_bundle(data: bytes, width: int) -> list[bytes]:
    """Return the leaves of a bundle; raise `FileError` unless there are exactly `width`."""
    leaves: list[bytes] = []
    at = 0
    for _ in range(width):
        end = at + 2 + int.from_bytes(data[at : at + 2], "big")
        leaves.append(data[at + 2 : end])
        at = end
    if at != len(data):
        raise FileError(f"the bundle does not hold {width} whole leaves: fetch it again")
    return leaves


def decode_hashes(data: bytes, width: int) -> list[Hash]:
    """Return the hashes of a tile; raise `FileError` unless there are exactly `width`."""
    if len(data) != 32 * width:
        raise FileError(f"the tile has {len(data)} bytes, not 32 for each of {width} hashes")
    return [data[at : at + 32] for at in range(0, len(data), 32)]


def tile_rows(hashes: list[Hash]) -> list[list[Hash]]:
    """Return the rows of a tile: its hashes, and the nodes above them up to the next tile."""
    rows = [hashes]
    for _ in range(TILE - 1):
        below = rows[-1]
        pairs = zip(below[::2], below[1::2], strict=False)
        rows.append([node_hash(left, right) for left, right in pairs])
    return rows


def subtree_reader(size: int, rows_of: Callable[[Tile], list[list[Hash]]]) -> Subtree:
    """Return a function that finds subtree hashes in the tiles of a log of `size` leaves."""

    def subtree(level: int, index: int) -> Hash:
        row, within = divmod(level, TILE)
        position, at = divmod(index, WIDTH >> within)
        width = min(WIDTH, (size >> TILE * row) - position * WIDTH)
        return rows_of(Tile(row, position, width))[within][at]

    return subtree
