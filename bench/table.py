"""The table: durable bets while cards are played, and whole headless games.

Run it with `make bench`, or, from the project's folder, `python -m bench.table`.

Every bet is a command of its own: decided, its chips held, logged, on the disk before it is
answered. A headless game has its commitment, its book, its deals action by action, its
settlement and its signed checkpoint, all in the file; or, where PostgreSQL's programs are there,
in a database of a server that is started for it. File and database take turns, and the last
column is the database's median against the file's.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections import deque
from concurrent.futures import Future
from contextlib import nullcontext
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from casino.betting import BetSizeLimits
from casino.ledger.ledger import grant
from casino.ledger.storage.location import LogLocation
from casino.table.domain.commands import OpenGame, PlaceBet
from casino.table.domain.settings import PaceSettings, TableSettings
from casino.table.runtime import simulated_bettors
from casino.table.runtime.casino import Casino, TablePlan
from casino.table.runtime.table_runner import TableRunner
from tools.postgres_server import INITDB, PostgresServer

HABITS = tuple(simulated_bettors.HABITS)
RICH = BetSizeLimits(1, 10**6, 10**12, 10**12)
AT_ONCE = PaceSettings(0, 0, 0, 0)
BETTORS = 200


def now_ms() -> int:
    """The time."""
    return time.time_ns() // 1_000_000


def play(croupier: TableRunner, stop: threading.Event) -> None:
    """A live table without pauses: a command an action, each waited for."""
    while not stop.is_set():
        croupier.step(now_ms())


def bets_a_second(folder: Path, seconds: float, waiting: int) -> tuple[float, float]:
    """Bets on one table, so many under way at once, while another plays; and its actions."""
    plans = [
        TablePlan(TableSettings("t1", limits=RICH)),
        TablePlan(TableSettings("t2", pace=AT_ONCE)),
    ]
    house = Casino(folder / "bets.db", plans, now_ms)
    stop = threading.Event()
    player = threading.Thread(target=play, args=(house.croupiers[1], stop))
    for bettor in range(BETTORS):
        grant(house.service.ledger, f"p{bettor}", 10**9, f"p{bettor}.opening").result()
    player.start()
    began = house.service.durable_state("t2").turn
    numbers, taken, opened = count(), 0, 0
    under_way: deque[Future[Any]] = deque()
    start = time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds:
        if opened == 0:
            seeds, state = house.service.seeds, house.service.durable_state
            begin = seeds.chain_to_begin(state("t1"))
            assert begin is not None
            house.service.submit(begin).result()
            house.service.submit(OpenGame("t1", seeds.next_seed(state("t1")))).result()
            opened += 1
        while len(under_way) < waiting:
            number = next(numbers)
            side, bettor = number % 2, number % BETTORS
            bet = PlaceBet("t1", "t1-000001", f"b{number}", f"p{bettor}", side, 100)
            under_way.append(house.service.submit(bet))
        under_way.popleft().result()
        taken += 1
    stop.set()
    player.join()
    told = house.service.durable_state("t2").turn - began
    house.close()
    return taken / spent, told / spent


def games_a_second(where: Path | LogLocation, tables: int, bettors: int, games: int) -> float:
    """Whole headless games, all tables together."""
    plans = [
        TablePlan(TableSettings(f"t{number}"), spectators=bettors, habits=HABITS)
        for number in range(1, tables + 1)
    ]
    house = Casino(where, plans, now_ms)
    start = time.perf_counter()
    house.run_headless(games)
    spent = time.perf_counter() - start
    house.close()
    return games / spent


@click.command()
@click.option("--seconds", default=4.0, show_default=True, help="How long bets are placed.")
@click.option("--games", default=2_000, show_default=True, help="Games of each headless night.")
@click.option("--bettors", default=10, show_default=True, help="Spectators at a headless table.")
@click.option("--laps", default=3, show_default=True, help="Nights of each kind.")
def main(seconds: float, games: int, bettors: int, laps: int) -> None:
    """Print the figures of the table."""
    shown = Table("what", "how", "figure", "of the file's", title="The table")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for waiting in (1, 16, 128):
            part = folder / str(waiting)
            part.mkdir()
            bets, told = bets_a_second(part, seconds, waiting)
            shown.add_row(
                "durable bets/s, another table playing", f"{waiting} at once", f"{bets:,.0f}", ""
            )
            shown.add_row("  events/s told by that other table", "", f"{told:,.0f}", "")
        with PostgresServer() if INITDB else nullcontext() as server:
            for tables in (1, 4, 12, 24):
                figures: dict[str, list[float]] = {}
                for lap in range(laps):
                    path = folder / f"{tables}-{lap}.db"
                    places: dict[str, Path | LogLocation] = {"file": path}
                    if server is not None:
                        places["database"] = server.place(path.with_suffix(".pg"))
                    for name, place in places.items():
                        figure = games_a_second(place, tables, bettors, games)
                        figures.setdefault(name, []).append(figure)
                what = f"headless games/s, {bettors} bettors each"
                for name, found in figures.items():
                    ratio = median(found) / median(figures["file"])
                    how = f"{tables} tables, {name}"
                    shown.add_row(what, how, f"{median(found):,.0f}", f"{ratio:.2f}")
    Console().print(shown)


if __name__ == "__main__":
    main()
