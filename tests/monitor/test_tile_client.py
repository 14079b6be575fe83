"""L23: another casino's log over HTTP: bounded responses, reused connections, retries."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from casino.errors import FileError, UnreachableError
from casino.ledger.tlog.merkle import leaf_hash, node_hash
from casino.ledger.tlog.tiles import Tile
from casino.monitor.tile_client import TileClient
from tests.ledger.tile_server import files_of, invented, root_of


class Server(ThreadingHTTPServer):
    """Serves files from memory, counts connections, and records the requested paths."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.packed: set[str] = set()
        self.asked: list[str] = []
        self.connections = 0
        self.answers_a_connection = 10**6
        self.busy: list[tuple[int, str]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/log"


class Handler(BaseHTTPRequestHandler):
    """Answers with a file or 404, and closes the connection after a number of answers."""

    protocol_version = "HTTP/1.1"
    server: Server

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1
        self.left = self.server.answers_a_connection

    def do_GET(self) -> None:
        if self.left == 0:
            self.close_connection = True
            return
        self.left -= 1
        path = self.path.removeprefix("/log/")
        self.server.asked.append(path)
        data = self.server.files.get(path)
        status, later = self.server.busy.pop() if self.server.busy else (200, "")
        self.send_response(404 if data is None else status)
        if later:
            self.send_header("Retry-After", later)
        if path in self.server.packed:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(data or b"")))
        self.end_headers()
        self.wfile.write(data or b"")

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def waits() -> list[int]:
    return []


@pytest.fixture
def remote(server: Server, waits: list[int]) -> Iterator[TileClient]:
    remote = TileClient(server.address, waits.append)
    yield remote
    remote.close()


@pytest.mark.parametrize("address", ["", "the.casino", "ftp://the.casino", "http://", "//x/y"])
def test_the_address_must_be_a_full_url(address: str) -> None:
    with pytest.raises(FileError, match="begin it with http:// or https://"):
        TileClient(address, time.sleep)
    assert TileClient("https://the.casino/log", time.sleep).address == "https://the.casino/log/"
    assert TileClient("http://the.casino/", time.sleep).address == "http://the.casino/"


def test_l23_connections_are_reused(server: Server, remote: TileClient) -> None:
    server.files["a"] = b"first"
    assert remote.get("a") == b"first"
    with pytest.raises(
        UnreachableError, match=r"/log/b cannot be read \(status 404\): try again later"
    ):
        remote.get("b")
    with pytest.raises(UnreachableError, match=r"status 404\): check the address"):
        remote.checkpoint()
    assert remote.get("a") == b"first"
    assert (server.connections, server.asked) == (1, ["a", "b", "checkpoint", "a"])
    remote.close()
    server.answers_a_connection = 1
    assert remote.get("a") == remote.get("a") == b"first"
    assert server.connections == 3


def test_l25_a_server_that_does_not_answer_is_unreachable(
    server: Server, remote: TileClient
) -> None:
    server.answers_a_connection = 0
    with pytest.raises(UnreachableError, match="no casino responds at .*/log/:"):
        remote.get("a")
    assert server.connections == 2


def test_l25_retries_follow_the_retry_after_header(
    server: Server, remote: TileClient, waits: list[int]
) -> None:
    leaves = invented(600)
    server.files |= files_of(leaves)
    server.busy = [(503, "100000"), (429, "7"), (429, "2")]
    assert list(remote.leaves(0, 600)) == leaves
    assert sorted(waits) == [2, 7, 60]
    assert len(server.asked) == 3 + 3, "each bundle once, and again whatever was refused"


@pytest.mark.parametrize("is_packed", [False, True])
def test_l25_oversized_responses_are_refused(
    server: Server, remote: TileClient, is_packed: bool
) -> None:
    data = bytes(1_000)
    server.files["a"] = gzip.compress(data) if is_packed else data
    server.packed = {"a"} if is_packed else set()
    assert remote.get("a", 1_000) == data
    with pytest.raises(FileError, match=r"a is longer than 999 bytes") as refused:
        remote.get("a", 999)
    assert not isinstance(refused.value, UnreachableError), "to ask later would change nothing"
    assert remote.get("a", 1_000) == data
    server.files["a"] = b"nothing packed"
    if is_packed:
        with pytest.raises(FileError, match="a is not valid gzip"):
            remote.get("a")


@pytest.mark.parametrize(
    ("first", "end"), [(0, 600), (255, 257), (256, 512), (511, 600), (599, 600), (256, 256)]
)
def test_l23_a_range_of_leaves_is_read(
    server: Server, remote: TileClient, first: int, end: int
) -> None:
    leaves = invented(600)
    server.files |= files_of(leaves[:end])
    assert list(remote.leaves(first, end)) == leaves[first:end]
    assert len(server.asked) == -(-end // 256) - first // 256


def test_l23_hash_tiles_are_cached(server: Server, remote: TileClient) -> None:
    leaves = invented(600)
    server.files |= files_of(leaves)
    subtree = remote.subtree(600)
    assert subtree(0, 3) == leaf_hash(leaves[3])
    assert subtree(1, 1) == node_hash(leaf_hash(leaves[2]), leaf_hash(leaves[3]))
    assert subtree(8, 1) == root_of(leaves[256:512])
    assert sorted(server.asked) == ["tile/0/000", "tile/1/000.p/2"]
    remote.forget_tiles()
    assert subtree(0, 3) == leaf_hash(leaves[3])
    assert server.asked.count("tile/0/000") == 2


def test_l23_a_completed_partial_tile_is_read_from_the_full_one(
    server: Server, remote: TileClient
) -> None:
    leaves = invented(256)
    server.files |= files_of(leaves)
    assert list(remote.leaves(0, 200)) == leaves[:200]
    assert server.asked == [Tile(None, 0, 200).path(), "tile/entries/000"]
    server.files.clear()
    with pytest.raises(UnreachableError, match=r"tile/entries/000.p/200 cannot be read"):
        list(remote.leaves(0, 200))
