"""Serve a log of invented leaves as tiles from memory, or any responses over HTTP."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from casino.ledger.tlog import tiles
from casino.ledger.tlog.merkle import Frontier, Subtree, leaf_hash, node_hash
from casino.ledger.tlog.note import SigningKey, sign_checkpoint

KEY = SigningKey.from_seed("example.org/tiled", bytes(range(32)))


def invented(size: int) -> list[bytes]:
    return [b'{"n":%d%s}' % (n, b" " * (n * n % 300)) for n in range(size)]


def subtree_of(leaves: list[bytes]) -> Subtree:
    rows = [[leaf_hash(leaf) for leaf in leaves]]
    while len(rows[-1]) > 1:
        pairs = zip(rows[-1][::2], rows[-1][1::2], strict=False)
        rows.append([node_hash(left, right) for left, right in pairs])
    return lambda level, place: rows[level][place]


def root_of(leaves: list[bytes]) -> bytes:
    tree = Frontier()
    for leaf in leaves:
        tree.extend([leaf_hash(leaf)])
    return tree.root()


def tiles_of(size: int, level: int | None) -> Iterator[tiles.Tile]:
    row = size >> 8 * (level or 0)
    for place in range(-(-row // 256)):
        yield tiles.Tile(level, place, min(256, row - place * 256))


def files_of(leaves: list[bytes], key: SigningKey = KEY) -> dict[str, bytes]:
    size = len(leaves)
    subtree = subtree_of(leaves)
    files = {"checkpoint": sign_checkpoint(key, size, root_of(leaves)).encode()}
    for tile in tiles_of(size, None):
        files[tile.path()] = tiles.encode_bundle(leaves[tile.first : tile.first + tile.width])
    level = 0
    while size >> 8 * level:
        for tile in tiles_of(size, level):
            row = range(tile.first, tile.first + tile.width)
            files[tile.path()] = b"".join(subtree(8 * level, place) for place in row)
        level += 1
    return files


def serving(files: Mapping[str, bytes]) -> AbstractContextManager[str]:
    def respond(path: str, _: bytes) -> tuple[int, bytes]:
        data = files.get(path.lstrip("/"))
        return (404, b"") if data is None else (200, data)

    return listening(respond)


@contextmanager
def listening(respond: Callable[[str, bytes], tuple[int, bytes]]) -> Iterator[str]:
    """Serve the status and the bytes that `respond` returns for a path and a body."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, data = respond(self.path, body)
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_POST = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
