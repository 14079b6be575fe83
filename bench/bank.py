"""The bank: durable transfers beside a bare group-commit writer, and the speed of the audit.

Run it with `make bench`, or, from the project's folder, `python -m bench.bank`.

The bare writer is the least that can be called a ledger: the same threads, queue and group
commit, and for each transfer its id, an entry, two postings and two balances. It has no
leaves, no tree, no guards, and knows nothing of what it stores.
"""

from __future__ import annotations

import itertools
import queue
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from casino.bank import ledger
from casino.bank.audit import FileSource, audit
from casino.bank.bank import Bank, grant
from casino.bank.transaction import Answer, Transaction
from casino.gallery import Move, Posting
from tests.bank.night import Night, SimulatedClock, open_bank

Send = Callable[[int, int], Future[Any]]

HOLD = Move("hold", (Posting("wallet", "ann", -1), Posting("escrow", "ann", 1)))


class BareWriter:
    """Transfers between two accounts, all that wait in one transaction that waits for the disk."""

    def __init__(self, path: Path) -> None:
        self.queue: queue.SimpleQueue[tuple[str, Future[int]] | None] = queue.SimpleQueue()
        self.runs = itertools.count()
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

    def send(self, client: int, turn: int) -> Future[int]:
        """Queue a transfer."""
        future: Future[int] = Future()
        self.queue.put((f"{next(self.runs)}.{client}.{turn}", future))
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


def transfers(send: Send, clients: int, seconds: float) -> tuple[float, float]:
    """Transfers a second, each durable before its client's next, and the 99th percentile."""
    laps: list[list[float]] = [[] for _ in range(clients)]
    until = time.perf_counter() + seconds

    def client(number: int) -> None:
        turn = 0
        while (started := time.perf_counter()) < until:
            send(number, turn).result()
            laps[number].append(time.perf_counter() - started)
            turn += 1

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    taken = sorted(lap for one in laps for lap in one)
    return len(taken) / (time.perf_counter() - started), 1000 * taken[len(taken) * 99 // 100]


def our_send(bank: Bank, run: str) -> Send:
    """Our bank's transfer: a hold, with its id, entry, leaf, tree and guards."""

    def work(tx: Transaction) -> Answer:
        return {"entry": tx.post(ledger.game_entry("t1-000001", HOLD))}

    return lambda client, turn: bank.submit(work, f"{run}.{client}.{turn}", b"1")


def compare(folder: Path, seconds: float, rounds: int) -> Table:
    """Both writers in turn at each number of clients; the ratio is of the medians."""
    bank = Bank(folder / "bank.db", lambda: time.time_ns() // 1_000_000)
    grant(bank, "ann", 10**12, "ann").result()
    bare = BareWriter(folder / "bare.db")
    table = Table("clients", "ours /s", "p99 ms", "bare /s", "p99 ms", "ours / bare")
    for clients in (1, 8, 64, 256):
        ours, theirs = [], []
        for number in range(rounds):
            theirs.append(transfers(bare.send, clients, seconds))
            ours.append(transfers(our_send(bank, f"{clients}.{number}"), clients, seconds))
        mine, other = sorted(ours)[rounds // 2], sorted(theirs)[rounds // 2]
        table.add_row(
            str(clients),
            f"{mine[0]:,.0f}",
            f"{mine[1]:.1f}",
            f"{other[0]:,.0f}",
            f"{other[1]:.1f}",
            f"{mine[0] / other[0]:.2f}",
        )
    bare.close()
    bank.close()
    return table


def play(folder: Path, games: int) -> tuple[Path, float]:
    """A file of whole games, and how many a second were played and made durable step by step."""
    path = folder / "night.db"
    bank = open_bank(path, SimulatedClock())
    night = Night(bank, bettors=10)
    started = time.perf_counter()
    for _ in range(games):
        night.play_game()
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


@click.command(epilog="Example: python -m bench.bank --games 2000")
@click.option("--games", default=2_000, help="How many games the audited file holds.")
@click.option("--seconds", default=2.0, help="How long each writer runs at a time.")
@click.option("--rounds", default=3, help="How often, in turn.")
def main(games: int, seconds: float, rounds: int) -> None:
    """Measure the writer and the audit."""
    console = Console()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        console.print(compare(folder, seconds, rounds))
        path, rate = play(folder, games)
        console.print(f"one table plays {rate:,.0f} games /s, each step durable by itself")
        console.print(audits(path))


if __name__ == "__main__":
    main()
