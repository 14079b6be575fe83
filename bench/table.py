"""The table: durable bets while another table plays, and whole headless games.

Each bet is a command of its own: decided, its chips held, logged and on the disk before it is
answered. A headless game has its commitment, book, deals action by action, settlement and signed
checkpoint, in a file or, where PostgreSQL is installed, in a database of a server started for it.
File and database take turns; the last column is the ratio of their medians.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections import deque
from concurrent.futures import Future
from contextlib import nullcontext
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

import click
from rich.console import Console

from bench._timing import number_table, take_turns
from casino.betting import BetSizeLimits
from casino.ledger.ledger import grant
from casino.ledger.storage.location import LogLocation
from casino.table.domain.commands import OpenGame, PlaceBet
from casino.table.domain.settings import PaceSettings, TableSettings
from casino.table.runtime import simulated_bettors
from casino.table.runtime.casino import Casino, TablePlan
from tools.postgres_server import INITDB, PostgresServer

HABITS = tuple(simulated_bettors.HABITS)
HIGH_LIMITS = BetSizeLimits(1, 10**6, 10**12, 10**12)
NO_PAUSES = PaceSettings(0, 0, 0, 0)
PLAYERS = 200  # who bet
BETTORS = 10  # simulated, at each headless table
PENDING = (1, 16, 128)  # bets in flight
TABLES = (1, 4, 12, 24)


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def bets_a_second(path: Path, seconds: float, pending: int) -> tuple[float, float]:
    """Return bets per second on one table, and events per second of another that plays."""
    plans = [
        TablePlan(TableSettings("t1", limits=HIGH_LIMITS)),
        TablePlan(TableSettings("t2", pace=NO_PAUSES)),
    ]
    casino = Casino(path, plans, now_ms)
    service, is_over = casino.service, threading.Event()
    for number in range(PLAYERS):
        grant(service.ledger, f"p{number}", 10**9, f"p{number}.opening").result()

    def play() -> None:
        while not is_over.is_set():
            casino.croupiers[1].step(now_ms())

    player = threading.Thread(target=play)
    player.start()
    first = service.durable_state("t2").turn
    numbers, placed = count(), 0
    futures: deque[Future[Any]] = deque()
    start = time.perf_counter()
    chain = service.seeds.chain_to_begin(service.durable_state("t1"))
    assert chain is not None
    service.submit(chain).result()
    service.submit(OpenGame("t1", service.seeds.next_seed(service.durable_state("t1")))).result()
    while (taken := time.perf_counter() - start) < seconds:
        while len(futures) < pending:
            number = next(numbers)
            side, bettor = number % 2, number % PLAYERS
            bet = PlaceBet("t1", "t1-000001", f"b{number}", f"p{bettor}", side, 100)
            futures.append(service.submit(bet))
        futures.popleft().result()
        placed += 1
    is_over.set()
    player.join()
    events = service.durable_state("t2").turn - first
    casino.close()
    return placed / taken, events / taken


def games_a_second(location: Path | LogLocation, tables: int, games: int) -> float:
    plans = [
        TablePlan(TableSettings(f"t{number}"), spectators=BETTORS, habits=HABITS)
        for number in range(1, tables + 1)
    ]
    casino = Casino(location, plans, now_ms)
    start = time.perf_counter()
    casino.run_headless(games)
    taken = time.perf_counter() - start
    casino.close()
    return games / taken


@click.command()
@click.option("--seconds", default=4.0, show_default=True, help="How long bets are placed.")
@click.option("--games", default=2_000, show_default=True, help="Headless games of each run.")
@click.option("--rounds", default=3, show_default=True, help="Headless runs of each kind.")
def main(seconds: float, games: int, rounds: int) -> None:
    """Measure the table."""
    shown = number_table("The table", "measured", "setting", "figure", "× file")
    with tempfile.TemporaryDirectory() as name:
        folder, files = Path(name), count()

        def new_path() -> Path:
            return folder / f"{next(files)}.db"

        for pending in PENDING:
            bets, events = bets_a_second(new_path(), seconds, pending)
            setting = f"{pending} in flight"
            shown.add_row("durable bets /s while a table plays", setting, f"{bets:,.0f}", "")
            shown.add_row("  events /s of that table", "", f"{events:,.0f}", "")
        with PostgresServer() if INITDB else nullcontext() as server:
            locations: dict[str, Any] = {"file": new_path}
            if server is not None:
                locations["database"] = lambda: server.place(new_path())

            def run(new_location: Any, tables: int) -> float:
                return games_a_second(new_location(), tables, games)

            for tables in TABLES:
                contestants = [partial(run, new, tables) for new in locations.values()]
                medians = [median(rates) for rates in take_turns(contestants, rounds)]
                for storage, rate in zip(locations, medians, strict=True):
                    setting, ratio = f"{tables} tables, {storage}", rate / medians[0]
                    shown.add_row("headless games /s", setting, f"{rate:,.0f}", f"{ratio:.2f}")
    Console().print(shown)


if __name__ == "__main__":
    main()
