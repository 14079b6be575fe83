"""The bank: durable transfers beside a bare group-commit writer.

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

import queue
import sqlite3
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

from casino.betting import AccountChange, MoneyMove
from casino.ledger import accounts
from casino.ledger.ledger import Ledger, grant
from casino.ledger.transaction import Answer, Transaction

Send = Callable[[int, int], Future[Any]]
Drive = Callable[[Send, int, float], list[float]]

HOLD = MoneyMove("hold", (AccountChange("wallet", "ann", -1), AccountChange("escrow", "ann", 1)))


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


def our_send(bank: Ledger, run: str) -> Send:
    """Our bank's transfer: a hold, with its id, entry, leaf, tree and guards."""

    def work(tx: Transaction) -> Answer:
        return {"entry": tx.post(accounts.escrow_entry("t1-000001", *HOLD))}

    return lambda client, turn: bank.submit(work, f"{run}.{client}.{turn}", b"1")


def bare_send(bare: BareWriter, run: str) -> Send:
    """The bare writer's transfer, under the very ids that ours are sent with."""
    return lambda client, turn: bare.send(f"{run}.{client}.{turn}")


def compare(folder: Path, seconds: float, rounds: int) -> Table:
    """Both writers in turn at each number of clients; the ratio is of the medians."""
    bank = Ledger(folder / "bank.db", lambda: time.time_ns() // 1_000_000)
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


@click.command(epilog="Example: python -m bench.bank --rounds 5")
@click.option("--seconds", default=2.0, help="How long each writer runs at a time.")
@click.option("--rounds", default=3, help="How often, in turn.")
def main(seconds: float, rounds: int) -> None:
    """Measure the writer."""
    with tempfile.TemporaryDirectory() as name:
        Console().print(compare(Path(name), seconds, rounds))


if __name__ == "__main__":
    main()
