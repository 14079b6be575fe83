"""Kill the processes of a casino with SIGKILL again and again: `python -m tests.web.kills`.

Bettors bet through two web processes and repeat each bet under its id until it is answered, while
the table runner, a web process and Redis are killed in turn and restarted; with `--database`
PostgreSQL too. In the end every answered bet must be in the log exactly once, no player may have a
bet they did not make, and the audit must be clean. It prints how long it took after each restart
until a bet was accepted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import closing
from itertools import count
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, Final, NamedTuple

import click

from casino.errors import CasinoError, Refused
from casino.events.types import BetAccepted, GameOver, GameVoid, decode
from casino.ledger.storage.location import LogLocation, SqliteLocation, open_log
from casino.ledger.storage.postgres import PostgresLocation
from tests.web.processes import Process, connect_when_ready, open_casino, until
from tests.web.server import TIMEOUT_SECONDS
from tools.postgres_server import HOUSE, PostgresServer

TABLES: Final[dict[str, dict[str, Any]]] = {
    "t1": {"betting_ms": 700, "reveal_ms": 50, "pace_ms": 2, "deal_ms": 0, "game_ms": 50},
    "t2": {"betting_ms": 900, "reveal_ms": 50, "pace_ms": 5, "deal_ms": 0, "game_ms": 50},
}
UNIT_CENTS: Final = 100
RETRYABLE: Final = frozenset({"unavailable", "rate_limited"})
"""Refusals after which the same bet is retried."""


class Taken(NamedTuple):
    """An answered bet and its position in the log."""

    player: str
    game: str
    order: int
    leaf: int


class Bettor(threading.Thread):
    """Bets on open books and retries each bet until it is answered."""

    def __init__(self, url: str, name: str) -> None:
        super().__init__(daemon=True)
        self.taken: list[Taken] = []
        self.refused: Counter[str] = Counter()
        self.fault: Exception | None = None
        self.over = threading.Event()
        self._numbers = count(1)
        self._visitor = connect_when_ready(url, name)

    def run(self) -> None:
        try:
            while not self.over.is_set():
                self._bet(*self._book())
                self.over.wait(0.05)
        except Exception as error:  # noqa: BLE001 - reported at the end
            self.fault = error
        self._visitor.close()

    def _book(self) -> tuple[str, str]:
        """Return a table with an open book and its game; empty strings once stopped."""
        tables = list(TABLES)
        for place in count(next(self._numbers)):
            table = tables[place % len(tables)]
            try:
                seen = self._visitor.request("join", table=table)["snapshot"]
            except CasinoError:
                seen = {}
            if seen.get("game") and not seen["closed"] and not seen["locked"]:
                return table, seen["game"]
            if self.over.wait(0.02):
                break
        return "", ""

    def _bet(self, table: str, game: str) -> None:
        """Place one bet; retry it with the same id until it is answered."""
        bet = {"table": table, "game": game, "bet_id": f"b{next(self._numbers)}"}
        while table:
            try:
                answer = self._visitor.request(
                    "place_bet", **bet, side="house", unit_cents=UNIT_CENTS
                )
            except Refused as refusal:
                if refusal.code not in RETRYABLE:
                    self.refused[refusal.code] += 1
                    return
                time.sleep(0.05)
            else:
                told = answer["bet"]
                self.taken.append(Taken(str(self._visitor.name), game, told["order"], told["leaf"]))
                return


class Database:
    """The PostgreSQL server with the log, killed and restarted like a process."""

    def __init__(self) -> None:
        self.server = PostgresServer()
        self.url = self.server.url(self.server.database(), HOUSE)
        self.kill = self.server.kill
        self.start = self.server.start

    def wait(self) -> str:
        return self.url


def killed(process: Process | Database, bettors: list[Bettor]) -> float:
    """Kill and restart a process; return the seconds until the next bet."""
    process.kill()
    process.start()
    process.wait()
    began, before = time.monotonic(), sum(len(one.taken) for one in bettors)
    until(lambda: sum(len(one.taken) for one in bettors) > before, 3 * TIMEOUT_SECONDS)
    return time.monotonic() - began


def faults_of(place: LogLocation, bettors: list[Bettor]) -> list[str]:
    with closing(open_log(place)) as log:
        leaves = [decode(leaf.body) for leaf in log.leaves()]
    bets = {
        Taken(leaf.player, leaf.game, leaf.order, number)
        for number, leaf in enumerate(leaves)
        if isinstance(leaf, BetAccepted)
    }
    names = {one._visitor.name for one in bettors}
    answered = Counter(taken for one in bettors for taken in one.taken)
    found = [f"answered and not in the log: {taken}" for taken in answered if taken not in bets]
    found += [f"answered {n} times: {taken}" for taken, n in answered.items() if n > 1]
    made = {bet for bet in bets if bet.player in names}
    found += [f"in the log and never asked for: {bet}" for bet in made - set(answered)]
    ends = Counter(leaf.game for leaf in leaves if isinstance(leaf, GameOver | GameVoid))
    found += [f"settled {n} times: {game}" for game, n in ends.items() if n > 1]
    voids = [leaf.game for leaf in leaves if isinstance(leaf, GameVoid)]
    return found + [f"void: {game}" for game in voids]


def audit(place: LogLocation) -> dict[str, Any]:
    command = [sys.executable, "-m", "casino", "audit", "--json"]
    env = {**os.environ, "CASINO_BANK_DB": str(place.path), "CASINO_BANK_URL": place.url}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    said: dict[str, Any] = json.loads(done.stdout)
    return said


@click.command()
@click.option("--kills", default=50, show_default=True, help="Of each: Redis, house, web.")
@click.option("--bettors", default=6, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--database", is_flag=True, help="The log is in PostgreSQL, which is killed too.")
def main(kills: int, bettors: int, seed: int, database: bool) -> None:
    folder = Path(tempfile.mkdtemp())
    if not database:
        hunt(Random(seed), folder, kills, bettors, None)
        return
    kept = Database()
    with kept.server:
        hunt(Random(seed), folder, kills, bettors, kept)


def hunt(random: Random, folder: Path, kills: int, bettors: int, database: Database | None) -> None:
    """Kill each process in turn and report the results."""
    url = database.url if database else ""
    with open_casino(folder, TABLES, webs=2, database=url) as casino:
        people = [Bettor(casino.url(n % 2), f"bettor{n}") for n in range(bettors)]
        for one in people:
            one.start()
        took: dict[str, list[float]] = {}
        victims: dict[str, Process | Database] = {
            "redis": casino.redis, "house": casino.house, "web": casino.webs[0]
        }  # fmt: skip
        if database is not None:
            victims["postgres"] = database
        for number in range(kills):
            for name, process in victims.items():
                time.sleep(random.random())
                took.setdefault(name, []).append(killed(process, people))
            if number % 5 == 4:
                click.echo(f"{number + 1} kills of each", err=True)
        for one in people:
            one.over.set()
        for one in people:
            one.join(TIMEOUT_SECONDS)
    place: LogLocation = PostgresLocation(url, casino.db) if url else SqliteLocation(casino.db)
    found = faults_of(place, people) + [str(one.fault) for one in people if one.fault]
    said = audit(place)
    for name, bets in took.items():
        click.echo(
            f"{name}: {len(bets)} kills; bet after its return: "
            f"median {median(bets):.2f} s, worst {max(bets):.2f} s"
        )
    click.echo(f"{sum(len(one.taken) for one in people)} bets answered, {said['games']} games")
    click.echo(f"refused: {dict(sum((one.refused for one in people), Counter()))}")
    found += [str(one) for one in said["findings"] if one["severity"] != "note"]
    for fault in found[:10]:
        click.echo(fault)
    click.echo(
        "nothing lost, nothing twice, audit clean"
        if not found
        else f"{len(found)} faults in {folder}"
    )
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
