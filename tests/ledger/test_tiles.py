"""L7, L23: the tree of RFC 6962 and its tiles, against known roots and other programs."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from casino.errors import FileError
from casino.ledger.tlog import merkle, tiles
from tests.ledger.tile_reader import checked, tree_hash
from tests.ledger.tile_server import KEY, files_of, invented, root_of, serving

GO = shutil.which("go")
GO_PACKAGES = Path("/usr/share/gocode/src/golang.org/x/mod/sumdb/tlog")
"""Where Debian's golang-golang-x-mod-dev puts the Go project's own code for such logs."""
SIZES = [0, 1, 2, 255, 256, 257, 511, 512, 1000, 70_000]


@cache
def tiled(size: int) -> tuple[list[bytes], dict[str, bytes]]:
    leaves = invented(size)
    return leaves, files_of(leaves)


@pytest.mark.parametrize("size", SIZES)
def test_l23_independent_reader_reads_the_tiles(size: int) -> None:
    leaves, files = tiled(size)
    assert checked(files.__getitem__, KEY.public.text()) == leaves


@pytest.mark.skipif(not GO or not GO_PACKAGES.is_dir(), reason="go and golang.org/x/mod missing")
def test_l23_go_tlog_reads_the_tiles(tmp_path: Path) -> None:
    program = Path(__file__).parent / "go" / "tiles.go"
    places = {"GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOFLAGS": ""}
    env = {**os.environ, **places, "GOCACHE": str(tmp_path / "go")}
    for size in (1, 256, 700):
        with serving(files_of(invented(size))) as address:
            line = [str(GO), "run", str(program), address, KEY.public.text()]
            result = subprocess.run(line, env=env, capture_output=True, text=True, check=False)
        assert (result.stdout, result.stderr) == (f"{size}\n", "")


@pytest.mark.parametrize("place", [0, 7, 999, 1000, 1_234_067, 10**9])
@pytest.mark.parametrize("level", [None, 0, 5, 63])
@pytest.mark.parametrize("width", [1, 255, 256])
def test_l23_tile_path_round_trips(level: int | None, place: int, width: int) -> None:
    tile = tiles.Tile(level, place, width)
    assert tile.end == (256 * place + width) * 256 ** (level or 0)
    assert tiles.parse_tile(tile.path()) == tile


@pytest.mark.parametrize(
    "path",
    [
        "", "tile/0/1", "tile/00/001", "tile/64/001", "tile/-1/001", "tile/0/x000/001",
        "tile/0/001/002", "tile/0/001.p/0", "tile/0/001.p/256", "tile/0/001.p/300",
        "tile/0/001.p/01", "tile/0/٠٠١", "tile/entry/001", "tile/0/001 ",
        "tile/0/" + "x001/" * 200 + "001",
    ],
)  # fmt: skip
def test_l23_malformed_tile_path_is_refused(path: str) -> None:
    with pytest.raises(FileError, match="is not a tile"):
        tiles.parse_tile(path)


@pytest.mark.parametrize("size", [1, 300, 1000, 70_000])
def test_l23_consistency_proofs_are_built_from_tiles(size: int) -> None:
    leaves, files = tiled(size)
    subtree = tiles.subtree_reader(
        size, lambda tile: tiles.tile_rows(tiles.decode_hashes(files[tile.path()], tile.width))
    )
    for old in {1, size // 2, size - 1} - {0}:
        proof = merkle.consistency_proof(old, size, subtree)
        assert merkle.verify_consistency(old, size, proof, root_of(leaves[:old]), root_of(leaves))


@pytest.mark.parametrize(
    "spoil", [lambda d: d[:-1], lambda d: d + b"\0", lambda d: b"\xff" + d[1:]]
)
def test_l23_truncated_or_extended_bundle_is_refused(spoil) -> None:  # type: ignore[no-untyped-def]
    leaves = invented(5)
    data = tiles.encode_bundle(leaves)
    assert tiles.decode_bundle(data, 5) == leaves
    for given, width in ((spoil(data), 5), (data, 4), (data, 6)):
        with pytest.raises(FileError, match="fetch it again"):
            tiles.decode_bundle(given, width)


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
    return tree_hash([merkle.leaf_hash(leaf) for leaf in leaves])


def reader(leaves: list[bytes]) -> merkle.Subtree:
    return lambda level, place: plain_root(leaves[place << level : (place + 1) << level])


def test_l7_roots_match_certificate_transparency_vectors() -> None:
    tree = merkle.Frontier()
    for leaf, root in zip(LEAVES, ROOTS, strict=True):
        tree.extend([merkle.leaf_hash(leaf)])
        assert tree.root().hex() == root
    assert merkle.Frontier().root() == merkle.EMPTY_ROOT


@pytest.mark.parametrize("size", range(1, 34))
def test_l7_only_correct_proofs_of_small_trees_verify(size: int) -> None:
    leaves = [bytes([number]) for number in range(size)]
    read, root = reader(leaves), plain_root(leaves)
    for number, leaf in enumerate(leaves):
        path = merkle.inclusion_proof(number, size, read)
        assert merkle.verify_inclusion(merkle.leaf_hash(leaf), number, size, path, root)
        assert not merkle.verify_inclusion(merkle.leaf_hash(b"x"), number, size, path, root)
        assert not merkle.verify_inclusion(
            merkle.leaf_hash(leaf), number, size, [*path, root], root
        )
        assert not merkle.verify_inclusion(merkle.leaf_hash(leaf), size, size, path, root)
        if path:
            assert not merkle.verify_inclusion(merkle.leaf_hash(leaf), number, size, path[1:], root)
            assert not merkle.verify_inclusion(merkle.leaf_hash(leaf), number ^ 1, size, path, root)
    for old in range(size + 1):
        before = plain_root(leaves[:old])
        hashes = merkle.consistency_proof(old, size, read)
        assert merkle.verify_consistency(old, size, hashes, before, root)
        assert not merkle.verify_consistency(old, size, [*hashes, root], before, root)
        if 0 < old < size:
            assert not merkle.verify_consistency(old, size, hashes, merkle.leaf_hash(b"x"), root)
            assert not merkle.verify_consistency(old, size, hashes[:-1], before, root)


def test_l7_complete_subtrees_of_every_eighth_level_are_stored() -> None:
    tree, nodes = merkle.Frontier(), {}
    for number in range((1 << 2 * merkle.TILE) + 300):
        for level, place, found in tree.extend([merkle.leaf_hash(str(number).encode())]):
            assert (place + 1) << level == number + 1
            nodes[level, place] = found
    assert sorted(nodes) == [(8, place) for place in range(257)] + [(16, 0)]
    assert tree_hash([nodes[8, place] for place in range(256)]) == nodes[16, 0]


def test_hash_must_have_32_bytes() -> None:
    with pytest.raises(FileError, match="32 bytes"):
        merkle.parse_hash(b"short")
    assert merkle.verify_inclusion(bytes(32), -1, 3, [], bytes(32)) is False
    for old in (4, 2, -1):
        assert merkle.verify_consistency(old, 3, [], bytes(32), bytes(32)) is False
    assert merkle.verify_consistency(3, 4, [], bytes(32), bytes(32)) is False
    for size, width in ((31, 1), (64, 1), (32, 2)):
        with pytest.raises(FileError, match=f"{size} bytes, not 32 for each of {width} hashes"):
            tiles.decode_hashes(bytes(size), width)


def test_l7_proof_with_surplus_hashes_is_refused() -> None:
    # The roots are chosen so that the hashes fit: only their number is wrong.
    a, b, c, d, join = *(bytes([n]) * 32 for n in range(4)), merkle.node_hash
    assert merkle.verify_inclusion(a, 0, 1, [b], join(b, a)) is False
    old, new = join(d, join(c, a)), join(d, join(c, join(a, b)))
    assert merkle.verify_consistency(3, 4, [a, b, c, d], old, new) is False
