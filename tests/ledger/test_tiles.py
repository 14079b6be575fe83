"""L23: the log as tiles, read by two programs that share no code with it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from casino.errors import FileError
from casino.ledger.tlog.merkle import TILE, consistency_proof, verify_consistency
from casino.ledger.tlog.tiles import (
    WIDTH,
    Tile,
    decode_bundle,
    decode_hashes,
    encode_bundle,
    parse_tile,
    subtree_reader,
)
from tests.ledger.tile_reader import checked
from tests.ledger.tiled import KEY, files_of, invented, root_of, serving

GO = shutil.which("go")
GO_PACKAGES = Path("/usr/share/gocode/src/golang.org/x/mod/sumdb/tlog")
"""Where Debian's golang-golang-x-mod-dev puts the Go project's own code for such logs."""
SIZES = [0, 1, 2, 255, 256, 257, 511, 512, 1000, 70_000]


@pytest.mark.parametrize("size", SIZES)
def test_l23_a_second_implementation_reads_the_tiles(size: int) -> None:
    """A reader written from the C2SP's texts finds every leaf, tile and root to agree."""
    leaves = invented(size)
    files = files_of(leaves)
    assert checked(files.__getitem__, KEY.public.text()) == leaves


@pytest.mark.skipif(not GO or not GO_PACKAGES.is_dir(), reason="go and golang.org/x/mod missing")
@pytest.mark.parametrize("size", [1, 256, 700])
def test_l23_gos_own_code_reads_the_tiles(size: int, tmp_path: Path) -> None:
    """Go's sumdb/tlog proves each leaf and each earlier size by the tiles as they are served."""
    program = Path(__file__).parent / "go" / "tiles.go"
    places = {"GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOFLAGS": ""}
    with serving(files_of(invented(size))) as address:
        result = subprocess.run(
            [str(GO), "run", str(program), address, KEY.public.text()],
            env={**os.environ, **places, "GOCACHE": str(tmp_path / "go")},
            capture_output=True,
            text=True,
            check=False,
        )
    assert (result.stdout, result.stderr) == (f"{size}\n", "")


@pytest.mark.parametrize("place", [0, 7, 999, 1000, 1_234_067, 10**9])
@pytest.mark.parametrize("level", [None, 0, 5, 63])
@pytest.mark.parametrize("width", [1, 255, 256])
def test_l23_a_path_names_one_tile(level: int | None, place: int, width: int) -> None:
    tile = Tile(level, place, width)
    assert parse_tile(tile.path()) == tile


@pytest.mark.parametrize(
    "path",
    [
        "",
        "tile/0/1",
        "tile/00/001",
        "tile/64/001",
        "tile/-1/001",
        "tile/0/x000/001",
        "tile/0/001/002",
        "tile/0/001.p/0",
        "tile/0/001.p/256",
        "tile/0/001.p/300",
        "tile/0/001.p/01",
        "tile/0/٠٠١",
        "tile/entry/001",
        "tile/0/001 ",
        "tile/0/" + "x001/" * 200 + "001",
    ],
)
def test_l23_any_other_path_names_none(path: str) -> None:
    """A second way to write a tile's name is refused: a tile has one address."""
    with pytest.raises(FileError, match="names no tile"):
        parse_tile(path)


def test_l23_a_tile_says_how_many_leaves_it_needs() -> None:
    """Only what a checkpoint covers is served, so a tile knows where it ends."""
    assert Tile(0, 1, 4).end == WIDTH + 4
    assert Tile(None, 0).end == WIDTH
    assert Tile(1, 0, 3).end == 3 * WIDTH
    assert Tile(2, 1).end == 2 << 3 * TILE


@pytest.mark.parametrize("size", [1, 300, 1000, 70_000])
def test_l23_proofs_follow_from_tiles_alone(size: int) -> None:
    """Who has only tiles computes the proof that a log continues an earlier one."""
    leaves = invented(size)
    files = files_of(leaves)
    subtree = subtree_reader(size, lambda tile: decode_hashes(files[tile.path()], tile.width))
    for old in {1, size // 2, size - 1} - {0}:
        proof = consistency_proof(old, size, subtree)
        assert verify_consistency(old, size, proof, root_of(leaves[:old]), root_of(leaves))


@pytest.mark.parametrize(
    "spoil", [lambda d: d[:-1], lambda d: d + b"\0", lambda d: b"\xff" + d[1:]]
)
def test_l23_a_bundle_that_is_cut_or_grown_is_refused(spoil) -> None:  # type: ignore[no-untyped-def]
    leaves = invented(5)
    data = encode_bundle(leaves)
    assert decode_bundle(data, 5) == leaves
    for given, width in ((spoil(data), 5), (data, 4), (data, 6)):
        with pytest.raises(FileError, match="fetch it again"):
            decode_bundle(given, width)


def test_l23_a_tile_of_a_wrong_length_is_refused() -> None:
    with pytest.raises(FileError, match="32"):
        decode_hashes(b"x" * 63, 2)
