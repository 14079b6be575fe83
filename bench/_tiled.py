"""A log's tiles served from memory over HTTP by as little as can be: `python -m bench._tiled FILE`.

Bundles are packed beforehand, as a casino packs them. The first line it prints is its address.
"""

from __future__ import annotations

import gzip
import socketserver
import sys
from collections.abc import Iterator
from pathlib import Path

from casino.ledger.ledger import open_log
from casino.ledger.tlog.tiles import WIDTH, Tile, encode_bundle, hash_tile


def tiles_of(size: int, level: int | None) -> Iterator[Tile]:
    """The tiles of a level of a tree, or its bundles."""
    row = size // WIDTH ** (level or 0)
    for place in range(-(-row // WIDTH)):
        yield Tile(level, place, min(WIDTH, row - place * WIDTH))


def files_of(path: Path) -> dict[bytes, bytes]:
    """The answer to each path that a follower asks for."""
    log = open_log(path)
    newest = log.checkpoint()
    assert newest is not None, "nothing is signed yet"
    size = newest.size
    files = {b"checkpoint": _answer(newest.note.encode())}
    for tile in tiles_of(size, None):
        data = encode_bundle(leaf.body for leaf in log.leaves(tile.first, tile.width))
        packed = _answer(gzip.compress(data, 1), b"Content-Encoding: gzip\r\n")
        files[tile.path().encode()] = packed
    level = 0
    while size >> level * (WIDTH.bit_length() - 1):
        for tile in tiles_of(size, level):
            files[tile.path().encode()] = _answer(hash_tile(tile, log.subtree))
        level += 1
    return files


def _answer(body: bytes, header: bytes = b"") -> bytes:
    """A whole answer."""
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n%b\r\n%b" % (len(body), header, body)


class Handler(socketserver.StreamRequestHandler):
    """Answers one request after the other on a connection."""

    files: dict[bytes, bytes]

    def handle(self) -> None:
        """Until the other side has enough."""
        while line := self.rfile.readline():
            while self.rfile.readline().strip():
                pass
            path = line.split()[1].removeprefix(b"/log/")
            missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
            self.wfile.write(self.files.get(path, missing))


def main() -> None:
    """Serve until ended."""
    Handler.files = files_of(Path(sys.argv[1]))
    socketserver.ThreadingTCPServer.daemon_threads = True
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}/", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
