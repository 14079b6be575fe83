r"""Merkle tree as in RFC 6962, with incremental append, proofs and their verification.

This module is independent of storage. A tree is extended through its *frontier*, the roots of its
complete subtrees. Proofs read hashes through a function `subtree(level, index)`, which returns the
root over `1 << level` leaves, beginning with leaf `index << level`.

>>> frontier = Frontier()
>>> _ = frontier.extend([leaf_hash(text) for text in (b"", b"\x00", b"\x10")])
>>> frontier.root().hex()[:16]
'aeb6bcfe274b70a1'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Final, TypeAlias

from casino.errors import FileError

Hash: TypeAlias = bytes
Subtree: TypeAlias = Callable[[int, int], Hash]

EMPTY_ROOT: Final = sha256(b"").digest()
TILE: Final = 8  # only every 8th level is stored: one node per 256 of the stored level below


def leaf_hash(leaf: bytes) -> Hash:
    """Return the hash of a leaf's bytes."""
    return sha256(b"\0" + leaf).digest()


def node_hash(left: Hash, right: Hash) -> Hash:
    """Return the hash of a node over its two children."""
    return sha256(b"\1" + left + right).digest()


class Frontier:
    """A growing tree, stored as its size and the roots of its complete subtrees, largest first."""

    __slots__ = ("hashes", "size")

    def __init__(self, size: int = 0, hashes: Sequence[Hash] = ()) -> None:
        self.size = size
        self.hashes = list(hashes)

    def copy(self) -> Frontier:
        """Return an independent copy."""
        return Frontier(self.size, self.hashes)

    def extend(self, leaves: Sequence[Hash]) -> list[tuple[int, int, Hash]]:
        """Append leaf hashes, level by level; return the nodes completed on stored levels."""
        row, index, level = list(leaves), self.size, 0
        self.size += len(row)
        alone: list[Hash] = []
        stored: list[tuple[int, int, Hash]] = []
        while row:
            # The first node is a right child, whose left sibling ends the frontier.
            if index & 1:
                row.insert(0, self.hashes.pop())
            # A last node without a sibling joins the frontier.
            if len(row) & 1:
                alone.append(row.pop())
            # `node_hash` inlined: the writer thread spends its time here.
            row = [
                sha256(b"\1" + left + right).digest()
                for left, right in zip(row[::2], row[1::2], strict=True)
            ]
            index, level = index >> 1, level + 1
            if level % TILE == 0:
                stored += [(level, index + number, node) for number, node in enumerate(row)]
        self.hashes += reversed(alone)
        return stored

    def root(self) -> Hash:
        """Return the root of the tree."""
        return fold(self.hashes)


def fold(hashes: Sequence[Hash]) -> Hash:
    """Combine the roots of complete subtrees, largest first, into the root of the tree."""
    if not hashes:
        return EMPTY_ROOT
    root = hashes[-1]
    for left in reversed(hashes[:-1]):
        root = node_hash(left, root)
    return root


def read_subtrees(low: int, high: int, subtree: Subtree) -> list[Hash]:
    """Read the roots of the complete subtrees over leaves `low` to `high - 1`, largest first.

    A subtree must begin at `low`.
    """
    size, start, hashes = high - low, low, []
    for level in range(size.bit_length() - 1, -1, -1):
        if size >> level & 1:
            hashes.append(subtree(level, start >> level))
            start += 1 << level
    return hashes


def frontier_of(size: int, subtree: Subtree) -> Frontier:
    """Return the frontier of a tree of `size` leaves, reading its complete subtrees."""
    return Frontier(size, read_subtrees(0, size, subtree))


def inclusion_proof(index: int, size: int, subtree: Subtree) -> list[Hash]:
    """Return the proof for leaf `index` in a tree: the sibling hashes from the leaf to the root."""
    low, high, siblings = 0, size, []
    while high - low > 1:
        middle = low + _split(high - low)
        if index < middle:
            siblings.append(range_hash(middle, high, subtree))
            high = middle
        else:
            siblings.append(range_hash(low, middle, subtree))
            low = middle
    return siblings[::-1]


def consistency_proof(old: int, size: int, subtree: Subtree) -> list[Hash]:
    """Return the proof that a tree of `old` leaves is a prefix of the tree of `size` leaves."""
    if old in (0, size):
        return []
    low, high, whole, hashes = 0, size, True, []
    while old != high:
        middle = low + _split(high - low)
        if old <= middle:
            hashes.append(range_hash(middle, high, subtree))
            high = middle
        else:
            hashes.append(range_hash(low, middle, subtree))
            low, whole = middle, False
    if not whole:
        hashes.append(range_hash(low, high, subtree))
    return hashes[::-1]


def verify_inclusion(leaf: Hash, index: int, size: int, proof: Sequence[Hash], root: Hash) -> bool:
    """Return True if a proof shows that a leaf hash is at `index` under a root (RFC 9162)."""
    if not 0 <= index < size:
        return False
    node, sides = leaf, _sides(index, size - 1)
    for is_left, sibling in zip(sides, proof, strict=False):
        node = node_hash(sibling, node) if is_left else node_hash(node, sibling)
    return len(sides) == len(proof) and node == root


def verify_consistency(
    old: int, size: int, proof: Sequence[Hash], old_root: Hash, root: Hash
) -> bool:
    """Return True if a proof shows that the tree under `root` extends the one under `old_root`."""
    if not 0 <= old <= size:
        return False
    if old in (0, size):
        return not proof and old_root == (root if old == size else EMPTY_ROOT)
    hashes = list(proof)
    # For a power of two the proof omits the old root, which is a node itself (RFC 9162).
    if old & (old - 1) == 0:
        hashes.insert(0, old_root)
    if not hashes:
        return False
    position, last = old - 1, size - 1
    while position & 1:
        position, last = position >> 1, last >> 1
    first = second = hashes.pop(0)
    sides = _sides(position, last)
    for is_left, sibling in zip(sides, hashes, strict=False):
        if is_left:
            first, second = node_hash(sibling, first), node_hash(sibling, second)
        else:
            second = node_hash(second, sibling)
    return len(sides) == len(hashes) and first == old_root and second == root


def _sides(position: int, last: int) -> list[bool]:
    """Return, from a node up to the root, whether each sibling is to the left (RFC 9162).

    The node is at `position` in a row whose last node is at `last`.
    """
    sides = []
    while last:
        # A last node without a sibling joins a node on a higher level.
        if position & 1 or position != last:
            sides.append(bool(position & 1))
        position, last = position >> 1, last >> 1
    return sides


def range_hash(low: int, high: int, subtree: Subtree) -> Hash:
    """Return the hash over leaves `low` to `high - 1`; a subtree must begin at `low`."""
    return fold(read_subtrees(low, high, subtree))


def parse_hash(data: bytes) -> Hash:
    """Return untrusted bytes as a hash; raise `FileError` unless there are exactly 32."""
    if len(data) != 32:
        raise FileError(f"a hash has 32 bytes, not {len(data)}")
    return data


def _split(size: int) -> int:
    return 1 << (size - 1).bit_length() - 1
