"""L23: the log of a running casino as tiles, read by programs that share no code with it."""

from __future__ import annotations

import gzip
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from casino.ledger.log_reader import LogReader
from tests.ledger.tile_reader import checked, name_of, opened
from tests.web.server import FAST, Server, open_server


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A casino whose fast table has signed more than one tile of leaves."""
    tables = {"fast": {**FAST, "number": 3}}
    with open_server(tmp_path_factory.mktemp("tiles") / "casino.db", tables) as server:
        visitor = server.visitor()
        visitor.join("fast")
        visitor.until(lambda: size(server) > 600)
        visitor.close()
        yield server


def fetch_log(server: Server, path: str, **headers: str) -> tuple[int, bytes, dict[str, str]]:
    """Return status, body and headers of a path below `/log/`."""
    asked = urllib.request.Request(f"{server.url}/log/{path}", headers=headers)
    try:
        with urllib.request.urlopen(asked, timeout=20) as answer:
            return answer.status, answer.read(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read(), dict(error.headers)


def size(server: Server) -> int:
    status, note, _ = fetch_log(server, "checkpoint")
    return int(note.split(b"\n")[1]) if status == 200 else 0


def key(server: Server) -> str:
    return server.house.service.ledger.key.public.text()


def test_l23_a_second_implementation_reads_a_running_log(busy: Server) -> None:
    note = fetch_log(busy, "checkpoint")[1]
    first = {"checkpoint": note}

    def get(path: str) -> bytes:
        # The log goes on growing: what is read is what the first checkpoint covers.
        status, body, _ = (200, first[path], {}) if path in first else fetch_log(busy, path)
        assert status == 200, path
        return body

    leaves = checked(get, key(busy))
    log: LogReader = busy.house.service.ledger.reader()
    assert leaves == [leaf.body for leaf in log.leaves(0, len(leaves))]
    assert len(leaves) > 256


def test_l23_only_signed_leaves_are_served(busy: Server) -> None:
    count, _ = opened(fetch_log(busy, "checkpoint")[1].decode(), key(busy))
    assert fetch_log(busy, name_of("0", count // 256 + 50, 256))[0] == 404
    assert fetch_log(busy, name_of("entries", count // 256 + 50, 1))[0] == 404
    for path in ("tile/0/1", "tile/x/000", "tile/entries/000.p/256", "nothing", "tile/0/000/"):
        status, said, _ = fetch_log(busy, path)
        assert (status, b"names no tile" in said) == (404, True), path


def test_l23_tiles_are_immutable_and_cacheable(busy: Server) -> None:
    status, tile, headers = fetch_log(busy, "tile/0/000")
    assert (status, len(tile)) == (200, 8192)
    assert headers["Content-Type"] == "application/octet-stream"
    assert "immutable" in headers["Cache-Control"]
    assert headers["Access-Control-Allow-Origin"] == "*"
    _, _, headers = fetch_log(busy, "checkpoint")
    assert headers["Cache-Control"] == "no-cache"
    assert headers["Content-Type"] == "text/plain; charset=utf-8"
    partial = fetch_log(busy, "tile/0/000.p/7")[1]
    assert partial == tile[: 7 * 32]


def test_l23_entry_bundles_are_compressed_on_request(busy: Server) -> None:
    plain = fetch_log(busy, "tile/entries/000")[1]
    _, packed, headers = fetch_log(busy, "tile/entries/000", **{"Accept-Encoding": "gzip"})
    assert headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed) == plain
    assert len(packed) < len(plain)
