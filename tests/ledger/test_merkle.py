"""The tree of RFC 6962: known roots, and every proof of every small tree against a plain one."""

from __future__ import annotations

import pytest

from casino.errors import FileError
from casino.ledger.tlog import merkle
from casino.ledger.tlog.merkle import EMPTY_ROOT, TILE, Frontier, leaf_hash, node_hash

LEAVES = [bytes.fromhex(text) for text in (
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657",
    "606162636465666768696a6b6c6d6e6f",
)]  # fmt: skip
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def plain_root(leaves: list[bytes]) -> bytes:
    if not leaves:
        return EMPTY_ROOT
    if len(leaves) == 1:
        return leaf_hash(leaves[0])
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return node_hash(plain_root(leaves[:split]), plain_root(leaves[split:]))


def reader(leaves: list[bytes]) -> merkle.Subtree:
    return lambda level, place: plain_root(leaves[place << level : (place + 1) << level])


def test_l7_the_roots_are_those_of_certificate_transparency() -> None:
    tree = Frontier()
    for leaf, root in zip(LEAVES, ROOTS, strict=True):
        tree.append(leaf_hash(leaf))
        assert tree.root().hex() == root
    assert Frontier().root() == EMPTY_ROOT


@pytest.mark.parametrize("size", range(1, 34))
def test_l7_every_proof_of_every_small_tree_holds_and_no_other(size: int) -> None:
    """Inclusion of each leaf and consistency with each beginning verify; spoilt ones do not."""
    leaves = [bytes([number]) for number in range(size)]
    read, root = reader(leaves), plain_root(leaves)
    for number, leaf in enumerate(leaves):
        path = merkle.inclusion_proof(number, size, read)
        assert merkle.verify_inclusion(leaf_hash(leaf), number, size, path, root)
        assert not merkle.verify_inclusion(leaf_hash(b"x"), number, size, path, root)
        assert not merkle.verify_inclusion(leaf_hash(leaf), number, size, [*path, root], root)
        assert not merkle.verify_inclusion(leaf_hash(leaf), size, size, path, root)
        if path:
            assert not merkle.verify_inclusion(leaf_hash(leaf), number, size, path[1:], root)
            assert not merkle.verify_inclusion(leaf_hash(leaf), number ^ 1, size, path, root)
    for old in range(size + 1):
        before = plain_root(leaves[:old])
        hashes = merkle.consistency_proof(old, size, read)
        assert merkle.verify_consistency(old, size, hashes, before, root)
        assert not merkle.verify_consistency(old, size, [*hashes, root], before, root)
        if 0 < old < size:
            assert not merkle.verify_consistency(old, size, hashes, leaf_hash(b"x"), root)
            assert not merkle.verify_consistency(old, size, hashes[:-1], before, root)


def test_l7_stored_nodes_are_the_complete_subtrees_of_every_eighth_level() -> None:
    """Appending tells each node of level 8 and 16 once, when its last leaf comes."""
    tree, nodes = Frontier(), {}
    for number in range((1 << 2 * TILE) + 300):
        for level, place, found in tree.append(leaf_hash(str(number).encode())):
            assert (place + 1) << level == number + 1
            nodes[level, place] = found
    assert sorted(nodes) == [(8, place) for place in range(257)] + [(16, 0)]
    below = [nodes[8, place] for place in range(256)]
    pair = Frontier()
    for found in below:
        pair.append(found)
    assert pair.root() == nodes[16, 0]


def test_a_hash_has_32_bytes() -> None:
    with pytest.raises(FileError, match="32 bytes"):
        merkle.parse_hash(b"short")
    assert not merkle.verify_inclusion(bytes(32), -1, 3, [], bytes(32))
    assert not merkle.verify_consistency(4, 3, [], bytes(32), bytes(32))
    assert not merkle.verify_consistency(2, 3, [], bytes(32), bytes(32))
