"""HTTP client for a log served as C2SP `tlog-tiles`; callers must verify what it returns."""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from email.message import Message
from functools import lru_cache
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from itertools import islice
from typing import Final
from urllib.parse import urlsplit

from casino.errors import FileError, UnreachableError, no_casino
from casino.ledger import tlog
from casino.ledger.tlog import WIDTH, Hash, Subtree, Tile

CONNECTIONS: Final = 4
TIMEOUT_SECONDS: Final = 20
MAX_BODY_BYTES: Final = 32 << 20
_MAX_NOTE_BYTES: Final = 64 << 10
_AHEAD: Final = 64  # bundles requested in advance
_TILES_KEPT: Final = 512
_FOUND: Final = 200
_BUSY: Final = (429, 503)

MAX_RETRIES: Final = 30
WAIT_SECONDS: Final = 2
MAX_WAIT_SECONDS: Final = 60  # the longest `Retry-After` that is honoured


class TileClient:
    """Client for the log at an address, with a few parallel connections.

    If the server limits requests, the client calls `wait` with a number of seconds and tries again,
    so that millions of leaves can be read without errors and without overload.
    """

    def __init__(self, address: str, wait: Callable[[int], object]) -> None:
        self.address = address if address.endswith("/") else f"{address}/"
        parts = urlsplit(self.address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise FileError(f"{address} is not an address: begin it with http:// or https://")
        self._parts = parts
        self._wait = wait
        self._idle: deque[HTTPConnection] = deque()
        self._rows = lru_cache(_TILES_KEPT)(self._read_rows)

    def checkpoint(self) -> str:
        """Fetch the newest published checkpoint, without verifying it."""
        body = self.get("checkpoint", _MAX_NOTE_BYTES)
        try:
            return body.decode("utf-8")
        except UnicodeDecodeError:
            raise FileError(f"{self.address}checkpoint is not text") from None

    def leaves(self, first: int, end: int) -> Iterator[bytes]:
        """Yield the leaves from `first` up to `end` (excluded), fetching bundles in advance."""
        indexes = range(first // WIDTH, -(-end // WIDTH) if first < end else 0)
        bundles = (Tile(None, index, min(WIDTH, end - index * WIDTH)) for index in indexes)
        skipped = first % WIDTH
        with ThreadPoolExecutor(CONNECTIONS) as threads:
            waiting = deque(threads.submit(self._bundle, tile) for tile in islice(bundles, _AHEAD))
            while waiting:
                leaves = waiting.popleft().result()
                waiting += [threads.submit(self._bundle, tile) for tile in islice(bundles, 1)]
                yield from leaves[skipped:]
                skipped = 0

    def subtree(self, size: int) -> Subtree:
        """Return a function that reads complete subtrees of a tree of this size."""
        return tlog.subtree_reader(size, self._rows)

    def get(self, path: str, most: int = MAX_BODY_BYTES) -> bytes:
        """Fetch a path under the base URL; wait and retry while the server limits requests."""
        for retries in reversed(range(MAX_RETRIES + 1)):
            status, headers, body = self._fetch(path, most)
            if status not in _BUSY or not retries:
                break
            later = headers.get("Retry-After", "")
            is_number = later.isascii() and later.isdigit()
            self._wait(min(int(later[:9]) if is_number else WAIT_SECONDS, MAX_WAIT_SECONDS))
        if status != _FOUND:
            fault = "is not available" if status in _BUSY else "cannot be read"
            text = f"{self.address}{path} {fault} (status {status})"
            is_foreign = (status, path) == (404, "checkpoint")  # every casino has one
            advice = "check the address" if is_foreign else "try again later"
            raise UnreachableError(f"{text}: {advice}")
        return _unpacked(body, most, path) if headers.get("Content-Encoding") == "gzip" else body

    def _fetch(self, path: str, most: int) -> tuple[int, Message, bytes]:
        """Return the status, headers and body of a response."""
        # The server may have closed an idle connection, so a failed request is sent once more.
        for again in (True, False):
            connection = self._connection()
            try:
                connection.request(
                    "GET", self._parts.path + path, headers={"Accept-Encoding": "gzip"}
                )
                answer = connection.getresponse()
                body: bytes = answer.read(most + 1)
                break
            except (OSError, HTTPException) as error:
                connection.close()
                if not again:
                    raise no_casino(self.address, error) from None
        if len(body) > most:
            connection.close()
            raise FileError(f"{self.address}{path} is longer than {most} bytes")
        # The body is read completely, so the connection can be reused, whatever the status.
        self._idle.append(connection)
        return answer.status, answer.headers, body

    def forget_tiles(self) -> None:
        """Drop all cached tiles after they turned out to be false."""
        self._rows.cache_clear()

    def close(self) -> None:
        """Close all connections."""
        while self._idle:
            self._idle.pop().close()

    def _connection(self) -> HTTPConnection:
        try:
            return self._idle.pop()
        except IndexError:
            kind = HTTPSConnection if self._parts.scheme == "https" else HTTPConnection
            return kind(self._parts.netloc, timeout=TIMEOUT_SECONDS)

    def _bundle(self, tile: Tile) -> list[bytes]:
        data, width = self._resource(tile)
        return tlog.decode_bundle(data, width)[: tile.width]

    def _read_rows(self, tile: Tile) -> list[list[Hash]]:
        data, width = self._resource(tile)
        return tlog.tile_rows(tlog.decode_hashes(data, width)[: tile.width])

    def _resource(self, tile: Tile) -> tuple[bytes, int]:
        """Return a tile's bytes and width; a full tile may have replaced a partial one."""
        try:
            return self.get(tile.path()), tile.width
        except UnreachableError:
            if tile.width < WIDTH:
                with suppress(UnreachableError):
                    return self.get(tile._replace(width=WIDTH).path()), WIDTH
            raise


def _unpacked(body: bytes, most: int, path: str) -> bytes:
    """Decompress a body, and refuse one that expands to more than `most` bytes."""
    stream = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        data = stream.decompress(body, most + 1)
    except zlib.error as error:
        raise FileError(f"{path} is not valid gzip: {error}") from None
    if len(data) > most:
        raise FileError(f"{path} is longer than {most} bytes")
    return data
