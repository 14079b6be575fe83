"""The tree of a log that is followed, grown by ranges or single leaves."""

from __future__ import annotations

from casino.audit.range import SIZE
from casino.ledger.tlog.merkle import Frontier, Hash, fold, leaf_hash


class RangeTree:
    """The hashes of a log as far as it was read: whole ranges, and the growing one."""

    def __init__(self, ranges: Frontier | None = None, part: Frontier | None = None) -> None:
        self.ranges = ranges or Frontier()
        self.part = part or Frontier()

    @property
    def size(self) -> int:
        """The number of leaves."""
        return self.ranges.size * SIZE + self.part.size

    @property
    def root(self) -> Hash:
        """The root."""
        return fold([*self.ranges.hashes, *self.part.hashes])

    def copy(self) -> RangeTree:
        """Return an independent copy."""
        return RangeTree(self.ranges.copy(), self.part.copy())

    def append_range(self, leaves: int, subtrees: list[Hash]) -> Hash | None:
        """Append a range, or its beginning, by its complete subtrees; return a whole one's hash."""
        if leaves < SIZE:
            self.part = Frontier(leaves, subtrees)
            return None
        self.ranges.append(subtrees[0])
        return subtrees[0]

    def append(self, leaves: list[bytes]) -> Hash | None:
        """Append leaves to the growing range; return its hash once it is whole."""
        self.part.extend([leaf_hash(leaf) for leaf in leaves])
        if self.part.size < SIZE:
            return None
        (whole,) = self.part.hashes
        self.ranges.append(whole)
        self.part = Frontier()
        return whole
