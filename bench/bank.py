"""The ledger: durable transfers beside a bare group-commit writer.

The bare writer is the minimum that can be called a ledger: the same threads, queue and group
commit, and for each transfer the same id, an entry, two postings and two balances. It has no
leaves, no tree and no checks.

Clients are threads, as in front of a table, or, in the last row, all on one thread that serves them
in turn: the difference is the cost of 256 threads in one interpreter. Both ratios vary with the
load of the machine, that of the rates more than that of the processor time.
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
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import click
from rich.console import Console
from rich.table import Table

from bench._timing import number_table, take_turns
from casino.betting import MoneyMove
from casino.ledger import accounts
from casino.ledger.ledger import Ledger, grant
from casino.ledger.transaction import Answer, Transaction

Send = Callable[[str], Future[Any]]
SendAs = Callable[[int, int], Future[Any]]  # by the numbers of the client and its turn
Drive = Callable[[SendAs, int, float], list[float]]

HOLD = MoneyMove("hold", (("wallet", "ann", -1), ("escrow", "ann", 1)))


class BareWriter:
    """Transfers between two accounts; all that wait share a transaction that waits for the disk."""

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
        future: Future[int] = Future()
        self.queue.put((name, future))
        return future

    def close(self) -> None:
        self.queue.put(None)
        self.thread.join()
        self.connection.close()

    def _run(self) -> None:
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
        execute = self.connection.execute
        execute("SAVEPOINT transfer")
        if execute("SELECT answer FROM command WHERE id = ?", (name,)).fetchone() is None:
            execute("INSERT INTO command VALUES (?, ?)", (name, b"{}"))
            execute("UPDATE account SET balance = balance - 1 WHERE name = ?", ("ann",))
            execute("UPDATE account SET balance = balance + 1 WHERE name = ?", ("pot",))
            entry = execute("INSERT INTO entry (move, game) VALUES ('hold', 't1')").lastrowid
            posting = "INSERT INTO posting VALUES (?, ?, ?)"
            self.connection.executemany(posting, ((entry, "ann", -1), (entry, "pot", 1)))
        execute("RELEASE transfer")


class Speed(NamedTuple):
    """Transfers a second, the 99th percentile of their times, and the processor time of each."""

    rate: float
    p99_ms: float
    cpu_us: float


def on_threads(send: SendAs, clients: int, seconds: float) -> list[float]:
    """Return the times of transfers, each client a thread that waits for every answer."""
    times: list[list[float]] = [[] for _ in range(clients)]
    until = time.perf_counter() + seconds

    def client(number: int) -> None:
        now, numbers = time.perf_counter(), count()
        while not times[number] or now < until:
            started = now
            send(number, next(numbers)).result()
            now = time.perf_counter()
            times[number].append(now - started)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [taken for each in times for taken in each]


def on_one_thread(send: SendAs, clients: int, seconds: float) -> list[float]:
    """Return the times of transfers, one thread serving all clients in turn."""
    times: list[float] = []
    until = time.perf_counter() + seconds
    pending = deque((time.perf_counter(), number, send(number, 0)) for number in range(clients))
    while pending:
        started, number, future = pending.popleft()
        future.result()
        now = time.perf_counter()
        times.append(now - started)
        if now < until:
            pending.append((now, number, send(number, len(times))))
    return times


def ledger_send(ledger: Ledger) -> Send:
    """Return our transfer: a hold, with its id, entry, leaf, tree and checks."""

    def work(tx: Transaction) -> Answer:
        return {"entry": tx.post(accounts.escrow_entry("t1-000001", *HOLD))}

    return lambda name: ledger.submit(work, name, b"1")


def speed(drive: Drive, send: Send, clients: int, seconds: float, runs: count[int]) -> Speed:
    """Measure a writer, each transfer under an id of its own."""
    run = next(runs)
    started, cpu = time.perf_counter(), time.process_time()
    times = sorted(drive(lambda client, turn: send(f"{run}.{client}.{turn}"), clients, seconds))
    taken, cpu = time.perf_counter() - started, time.process_time() - cpu
    return Speed(len(times) / taken, 1e3 * times[len(times) * 99 // 100], 1e6 * cpu / len(times))


def compare(folder: Path, seconds: float, rounds: int) -> Table:
    """Measure both writers in turn for each number of clients; the ratios are of medians."""
    ledger = Ledger(folder / "ledger.db", lambda: time.time_ns() // 1_000_000)
    grant(ledger, "ann", 10**12, "ann").result()
    bare = BareWriter(folder / "bare.db")
    table = number_table(
        "Durable transfers", "clients",
        "ours /s", "p99 ms", "bare /s", "p99 ms", "rate ÷ bare", "CPU ÷ bare",
    )  # fmt: skip
    drives: list[tuple[Drive, int]] = [(on_threads, clients) for clients in (1, 8, 64, 256)]
    runs = count()
    for drive, clients in [*drives, (on_one_thread, 256)]:
        turns = [
            partial(speed, drive, send, clients, seconds, runs)
            for send in (ledger_send(ledger), bare.send)
        ]
        ours, theirs = (sorted(each)[rounds // 2] for each in take_turns(turns, rounds))
        table.add_row(
            f"{clients} {drive.__name__.replace('_', ' ')}",
            f"{ours.rate:,.0f}",
            f"{ours.p99_ms:.1f}",
            f"{theirs.rate:,.0f}",
            f"{theirs.p99_ms:.1f}",
            f"{ours.rate / theirs.rate:.2f}",
            f"{ours.cpu_us / theirs.cpu_us:.2f}",
        )
    bare.close()
    ledger.close()
    return table


@click.command(epilog="Example: python -m bench.bank --rounds 5")
@click.option("--seconds", default=2.0, show_default=True, help="Length of a turn.")
@click.option("--rounds", default=3, show_default=True, help="Turns of each writer.")
def main(seconds: float, rounds: int) -> None:
    """Measure the ledger's writer."""
    with tempfile.TemporaryDirectory() as name:
        Console().print(compare(Path(name), seconds, rounds))


if __name__ == "__main__":
    main()
