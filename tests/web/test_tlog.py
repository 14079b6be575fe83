"""L23: the log of a running casino as tiles, read by programs that share no code with it."""

from __future__ import annotations

import gzip

import pytest

from casino.ledger.log_reader import LogReader
from tests.ledger.tile_reader import checked, name_of, opened
from tests.web.server import Server, fetch


@pytest.fixture(scope="module")
def busy(server: Server) -> Server:
    """The casino once its log has more than one tile of signed leaves."""
    while size(server) <= 600:
        server.play("fast")
    return server


def size(server: Server) -> int:
    reply = fetch(server.url, "/log/checkpoint")
    return int(reply.text.split("\n")[1]) if reply.status == 200 else 0


def key(server: Server) -> str:
    return server.house.service.ledger.key.public.text()


def test_l23_a_second_implementation_reads_a_running_log(busy: Server) -> None:
    note = fetch(busy.url, "/log/checkpoint")
    busy.play("fast")

    def get(path: str) -> bytes:
        # The log has grown since: what is read is what the first checkpoint covers.
        reply = note if path == "checkpoint" else fetch(busy.url, f"/log/{path}")
        assert reply.status == 200, path
        return reply.body

    leaves = checked(get, key(busy))
    log: LogReader = busy.house.service.ledger.reader()
    assert leaves == [leaf.body for leaf in log.leaves(0, len(leaves))]
    assert len(leaves) > 256


def test_l23_only_signed_leaves_are_served(busy: Server) -> None:
    count, _ = opened(fetch(busy.url, "/log/checkpoint").text, key(busy))
    later = count // 256 + 50
    for path in (name_of("0", later, 256), name_of("entries", later, 1)):
        assert fetch(busy.url, f"/log/{path}").status == 404
    for path in ("tile/0/1", "tile/x/000", "tile/entries/000.p/256", "nothing", "tile/0/000/"):
        reply = fetch(busy.url, f"/log/{path}")
        assert (reply.status, "is not a tile" in reply.text) == (404, True), path


def test_l23_tiles_are_immutable_and_cacheable(busy: Server) -> None:
    tile = fetch(busy.url, "/log/tile/0/000")
    assert (tile.status, len(tile.body)) == (200, 8192)
    assert tile.headers["Content-Type"] == "application/octet-stream"
    assert "immutable" in tile.headers["Cache-Control"]
    assert tile.headers["Access-Control-Allow-Origin"] == "*"
    headers = fetch(busy.url, "/log/checkpoint").headers
    assert headers["Cache-Control"] == "no-cache"
    assert headers["Content-Type"] == "text/plain; charset=utf-8"
    assert fetch(busy.url, "/log/tile/0/000.p/7").body == tile.body[: 7 * 32]


def test_l23_entry_bundles_are_compressed_on_request(busy: Server) -> None:
    plain = fetch(busy.url, "/log/tile/entries/000")
    packed = fetch(busy.url, "/log/tile/entries/000", Accept_Encoding="gzip")
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body)
