"""How soon `casino follow --once` has caught up with a long log without games.

It fetches every leaf, proves it to be under the signed checkpoint, and audits it. A process that
holds all tiles in memory serves them, bundles packed as a casino packs them.
"""

from __future__ import annotations

import gzip
import json
import multiprocessing
import socketserver
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from bench._process import WATCHED_COLUMNS, watch, watched_cells
from bench._timing import number_table
from bench.audit import fill
from casino.ledger.storage.location import open_log
from casino.ledger.tlog.tiles import WIDTH, Tile, encode_bundle

MISSING = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


def tiles_of(size: int, level: int | None) -> Iterator[Tile]:
    row = size // WIDTH ** (level or 0)
    for index in range(-(-row // WIDTH)):
        yield Tile(level, index, min(WIDTH, row - index * WIDTH))


def read_answers(path: Path) -> dict[bytes, bytes]:
    """Return the answer to each path that a follower may ask for."""
    log = open_log(path)
    checkpoint = log.checkpoint()
    assert checkpoint is not None, "nothing is signed yet"
    answers = {b"checkpoint": http_answer(checkpoint.note.encode())}
    for tile in tiles_of(checkpoint.size, None):
        bundle = encode_bundle(leaf.body for leaf in log.leaves(tile.first, tile.width))
        packed = http_answer(gzip.compress(bundle, 1), b"Content-Encoding: gzip\r\n")
        answers[tile.path().encode()] = packed
    level = 0
    while checkpoint.size >> level * (WIDTH.bit_length() - 1):
        for tile in tiles_of(checkpoint.size, level):
            answers[tile.path().encode()] = http_answer(b"".join(log.tile(tile)))
        level += 1
    return answers


def http_answer(body: bytes, header: bytes = b"") -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n%b\r\n%b" % (len(body), header, body)


class Handler(socketserver.StreamRequestHandler):
    """Answers the requests of a connection, one after another."""

    answers: dict[bytes, bytes]

    def handle(self) -> None:
        while line := self.rfile.readline():
            while self.rfile.readline().strip():
                pass
            path = line.split()[1].removeprefix(b"/log/")
            self.wfile.write(self.answers.get(path, MISSING))


class TileServer(socketserver.ThreadingTCPServer):
    daemon_threads = True


def follow_table(address: str, rounds: int) -> Table:
    """Follow a log from its beginning, again and again."""
    runs = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as state:
            command = ["-m", "casino", "follow", address, "--once", "--json", "--state", state]
            runs.append(watch([sys.executable, *command]))
    reports = [json.loads(run.output) for run in runs]
    assert not any(report["findings"] for report in reports), reports[0]["findings"][:3]
    leaves = reports[0]["leaves"]
    table = number_table("casino follow --once", "leaves", *WATCHED_COLUMNS)
    table.add_row(f"{leaves:,}", *watched_cells(runs, leaves))
    return table


@click.command(epilog="Example: python -m bench.follow --leaves 10000000")
@click.option("--leaves", default=1_000_000, show_default=True, help="Length of the log.")
@click.option("--rounds", default=3, show_default=True, help="How often it is followed.")
def main(leaves: int, rounds: int) -> None:
    """Measure how soon a follower has caught up."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "casino.db"
        fill(path, leaves)
        Handler.answers = read_answers(path)
        with TileServer(("127.0.0.1", 0), Handler) as server:
            fork = multiprocessing.get_context("fork")
            process = fork.Process(target=server.serve_forever, daemon=True)
            process.start()
            port = server.server_address[1]
            Console().print(follow_table(f"http://127.0.0.1:{port}/", rounds))
            process.terminate()
            process.join()


if __name__ == "__main__":
    main()
