"""The bank: durable transfers beside a bare group-commit writer, and the speed of the audit.

Run it with `make bench`, or, from the project's folder, `python -m bench.bank`.

The bare writer is the least that can be called a ledger: the same threads, queue and group
commit, and for each transfer the same id, an entry, two postings and two balances. It has no
leaves, no tree, no guards, and knows nothing of what it stores.

Clients are threads, as they are in front of a table, or, in the last row, all on one thread
that serves them in turn: the difference is what 256 threads pay for sharing one interpreter.
Both ratios move with whatever else the machine does, that of the rates more than that of CPU
time: take them as of one run, on a quiet machine, and not to the second digit.
"""

from __future__ import annotations

import json
import queue
import resource
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple

import click
from rich.console import Console
from rich.table import Table

from casino.bank import events, ledger
from casino.bank.audit import FileSource, audit
from casino.bank.bank import Bank, grant
from casino.bank.transaction import Answer, Transaction
from casino.gallery import Move, Posting
from tests.bank import night
from tests.bank.night import Night, SimulatedClock, open_bank

Send = Callable[[int, int], Future[Any]]
Drive = Callable[[Send, int, float], list[float]]

HOLD = Move("hold", (Posting("wallet", "ann", -1), Posting("escrow", "ann", 1)))


class BareWriter:
    """Transfers between two accounts, all that wait in one transaction that waits for the disk."""

    def __init__(self, path: Path) -> None:
        self.queue: queue.SimpleQueue[tuple[str, Future[int]] | None] = queue.SimpleQueue()
        self.connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        for statement in (
            "PRAGMA journal_mode = WAL",
            "PRAGMA synchronous = FULL",
            "CREATE TABLE account (name TEXT PRIMARY KEY, balance INTEGER CHECK (balance >= 0))",
            "CREATE TABLE command (id TEXT PRIMARY KEY, answer BLOB)",
            "CREATE TABLE entry (n INTEGER PRIMARY KEY, move TEXT, game TEXT)",
            "CREATE TABLE posting (entry INTEGER, account TEXT, cents INTEGER)",
            "INSERT INTO account VALUES ('ann', 1000000000), ('pot', 0)",
        ):
            self.connection.execute(statement)
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def send(self, name: str) -> Future[int]:
        """Queue a transfer."""
        future: Future[int] = Future()
        self.queue.put((name, future))
        return future

    def close(self) -> None:
        """Finish and close."""
        self.queue.put(None)
        self.thread.join()
        self.connection.close()

    def _run(self) -> None:
        """Commit what waits, together, until closed."""
        execute = self.connection.execute
        while True:
            jobs = [self.queue.get()]
            while not self.queue.empty() and len(jobs) < 1024:
                jobs.append(self.queue.get())
            execute("BEGIN IMMEDIATE")
            for job in jobs:
                if job is not None:
                    self._transfer(job[0])
            execute("COMMIT")
            for job in jobs:
                if job is not None:
                    job[1].set_result(1)
            if None in jobs:
                return

    def _transfer(self, name: str) -> None:
        """One transfer, its id looked up, whole or not at all."""
        execute = self.connection.execute
        execute("SAVEPOINT one")
        if execute("SELECT answer FROM command WHERE id = ?", (name,)).fetchone() is None:
            execute("INSERT INTO command VALUES (?, ?)", (name, b"{}"))
            execute("UPDATE account SET balance = balance - 1 WHERE name = ?", ("ann",))
            execute("UPDATE account SET balance = balance + 1 WHERE name = ?", ("pot",))
            entry = execute("INSERT INTO entry (move, game) VALUES ('hold', 't1')").lastrowid
            posting = "INSERT INTO posting VALUES (?, ?, ?)"
            self.connection.executemany(posting, ((entry, "ann", -1), (entry, "pot", 1)))
        execute("RELEASE one")


class Speed(NamedTuple):
    """Transfers a second, the 99th percentile of their times, and the CPU time of each."""

    rate: float
    p99_ms: float
    cpu_us: float


def speed(drive: Drive, send: Send, clients: int, seconds: float) -> Speed:
    """How quickly a writer serves its clients, each of whom waits for every answer."""
    started, cpu = time.perf_counter(), time.process_time()
    laps = sorted(drive(send, clients, seconds))
    taken, cpu = time.perf_counter() - started, time.process_time() - cpu
    return Speed(len(laps) / taken, 1e3 * laps[len(laps) * 99 // 100], 1e6 * cpu / len(laps))


def on_threads(send: Send, clients: int, seconds: float) -> list[float]:
    """The times of transfers, every client a thread."""
    laps: list[list[float]] = [[] for _ in range(clients)]
    until = time.perf_counter() + seconds

    def client(number: int) -> None:
        turn = 0
        while (started := time.perf_counter()) < until:
            send(number, turn).result()
            laps[number].append(time.perf_counter() - started)
            turn += 1

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [lap for one in laps for lap in one]


def on_one_thread(send: Send, clients: int, seconds: float) -> list[float]:
    """The times of transfers, one thread serving all clients in turn."""
    laps: list[float] = []
    until = time.perf_counter() + seconds
    waiting = deque((time.perf_counter(), number, send(number, 0)) for number in range(clients))
    while waiting:
        started, number, future = waiting.popleft()
        future.result()
        now = time.perf_counter()
        laps.append(now - started)
        if now < until:
            waiting.append((now, number, send(number, len(laps))))
    return laps


def our_send(bank: Bank, run: str) -> Send:
    """Our bank's transfer: a hold, with its id, entry, leaf, tree and guards."""

    def work(tx: Transaction) -> Answer:
        return {"entry": tx.post(ledger.game_entry("t1-000001", HOLD))}

    return lambda client, turn: bank.submit(work, f"{run}.{client}.{turn}", b"1")


def bare_send(bare: BareWriter, run: str) -> Send:
    """The bare writer's transfer, under the very ids that ours are sent with."""
    return lambda client, turn: bare.send(f"{run}.{client}.{turn}")


def compare(folder: Path, seconds: float, rounds: int) -> Table:
    """Both writers in turn at each number of clients; the ratio is of the medians."""
    bank = Bank(folder / "bank.db", lambda: time.time_ns() // 1_000_000)
    grant(bank, "ann", 10**12, "ann").result()
    bare = BareWriter(folder / "bare.db")
    table = Table("clients", "ours /s", "p99 ms", "bare /s", "p99 ms", "rate ÷ bare", "CPU ÷ bare")
    drives: list[tuple[Drive, int]] = [(on_threads, clients) for clients in (1, 8, 64, 256)]
    for drive, clients in [*drives, (on_one_thread, 256)]:
        name = f"{clients} {drive.__name__.replace('_', ' ')}"
        ours, theirs = [], []
        for number in range(rounds):
            run = f"{name}.{number}"
            theirs.append(speed(drive, bare_send(bare, run), clients, seconds))
            ours.append(speed(drive, our_send(bank, run), clients, seconds))
        mine, other = sorted(ours)[rounds // 2], sorted(theirs)[rounds // 2]
        table.add_row(
            name,
            f"{mine.rate:,.0f}",
            f"{mine.p99_ms:.1f}",
            f"{other.rate:,.0f}",
            f"{other.p99_ms:.1f}",
            f"{mine.rate / other.rate:.2f}",
            f"{mine.cpu_us / other.cpu_us:.2f}",
        )
    bare.close()
    bank.close()
    return table


def play(folder: Path, games: int) -> tuple[Path, float]:
    """A file of whole games, and how many a second were played and made durable step by step."""
    path = folder / "night.db"
    bank = open_bank(path, SimulatedClock())
    table = Night(bank, bettors=10)
    started = time.perf_counter()
    for _ in range(games):
        table.play_game()
    taken = time.perf_counter() - started
    bank.close()
    return path, games / taken


def audits(path: Path) -> Table:
    """The audit with and without the games, on one process and on all cores."""
    table = Table("audit", "leaves /s", "games /s")
    for name, games, workers in (
        ("checks 1, 2, 5 on one core", False, 1),
        ("checks 1, 2, 5", False, None),
        ("all checks on one core", True, 1),
        ("all checks", True, None),
    ):
        started = time.perf_counter()
        report = audit(FileSource(path), workers=workers, games=games)
        taken = time.perf_counter() - started
        assert report.clean, report.findings[:3]
        table.add_row(name, f"{report.leaves / taken:,.0f}", f"{report.games / taken:,.0f}")
    return table


def fill(path: Path, leaves: int) -> None:
    """A file of many leaves and no game: of each ten, two entries and eight limits."""
    bank = Bank(path, SimulatedClock())

    def work(tx: Transaction) -> Answer:
        for number in range(10):
            player = f"p{tx.next_leaf % 1000}"
            if number < 2:
                tx.post(ledger.grant(player, 100))
            else:
                night.log(tx, events.limit(player, {"day_stake_cents": number}, 0))
        return {}

    for first in range(0, leaves, 10_000):
        futures = [bank.submit(work, f"fill.{n}", b"") for n in range(first, first + 10_000, 10)]
        for future in futures:
            future.result()
    bank.close()


def memory(folder: Path, leaves: int) -> Table:
    """What an audit of logs of different lengths takes: its greatest process, its speed."""
    table = Table("leaves", "greatest process MB", "leaves /s")
    for size in (leaves >> 3, leaves):
        path = folder / f"{size}.db"
        fill(path, size)
        command = [sys.executable, "-m", "casino", "audit", "--json", "--db", str(path)]
        report = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        greatest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
        rate = report["leaves"] / report["seconds"]
        table.add_row(f"{report['leaves']:,}", str(greatest), f"{rate:,.0f}")
    return table


@click.command(epilog="Example: python -m bench.bank --games 2000")
@click.option("--games", default=2_000, help="How many games the audited file holds.")
@click.option("--seconds", default=2.0, help="How long each writer runs at a time.")
@click.option("--rounds", default=3, help="How often, in turn.")
@click.option("--leaves", default=1_000_000, help="How long the longest log is.")
def main(games: int, seconds: float, rounds: int, leaves: int) -> None:
    """Measure the writer and the audit."""
    console = Console()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        console.print(memory(folder, leaves))
        console.print(compare(folder, seconds, rounds))
        path, rate = play(folder, games)
        console.print(f"one table plays {rate:,.0f} games /s, each step durable by itself")
        console.print(audits(path))


if __name__ == "__main__":
    main()
