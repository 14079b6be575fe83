"""A soak: an hour of a thousand people who come, watch, bet now and then, leave and come back.

Run it with `make bench`, a short one, or at its full length with
`python -m bench.soak --seconds 3600 --people 1000`.

`casino run` is a process of its own, its ledger on the disk. Everybody comes from an address of
his own, another one each time, as told by a proxy that is believed. Its memory and descriptors are
noted again and again, and in the end its file is audited.
"""

from __future__ import annotations

import http.client
import json
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from statistics import linear_regression
from typing import Any, NamedTuple

import click
import gevent
from gevent import monkey

from bench._process import Process
from bench._sockets import (
    ENGINE_PING,
    ENGINE_PONG,
    SOCKET_IO,
    TIMEOUT_SECONDS,
    Line,
    cpu_seconds,
    memory_kib,
    raise_limit,
)

HOST = "127.0.0.1"
TABLE = """
[tables.{name}]
betting_ms = 5000
reveal_ms = 500
pace_ms = 600
deal_ms = 1000
game_ms = 500
"""
SETTINGS = """
[web]
opening_cents = 100000000
trusted_proxies = ["127.0.0.1"]
[audit]
every_minutes = 15
"""
TABLES = ("t1", "t2", "t3")
PAGES = (
    "/",
    "/table/{table}",
    "/api/tables/{table}",
    "/player/{name}",
    "/log/checkpoint",
    "/rules",
)
STAY_SECONDS = 180
AWAY_SECONDS = 10
BETS_EVERY = 60
NAMELESS = 0.25
SAMPLES = 120
CLOSE_FRAME = bytes((0x88, 0x80, 0, 0, 0, 0))
ABORT = struct.pack("ii", 1, 0)  # of SO_LINGER: nothing is said, the connection is gone


class People:
    """All of them, and what becomes of it."""

    def __init__(self, port: int, seed: int, stay: float) -> None:
        self.told: Counter[str] = Counter()
        self.there = 0
        self._port = port
        self._random = Random(seed)
        self._stay = stay

    def lives(self, name: str, arrival: float) -> None:
        """Somebody comes and goes, again and again; without a name he only looks."""
        gevent.sleep(arrival)
        visit = Visit(self._port, self._random, self.told, name)
        while True:
            stays = self._random.expovariate(1 / self._stay)
            try:
                line = visit.comes()
                self.there += 1
                try:
                    visit.watches(line, time.monotonic() + stays)
                finally:
                    self.there -= 1
                    line.sock.close()
            except (OSError, http.client.HTTPException) as error:
                self.told[f"lost: {error!r:.60}"] += 1
            gevent.sleep(self._random.expovariate(1 / AWAY_SECONDS))


class Visit:
    """What somebody does, whenever he is there."""

    def __init__(self, port: int, random: Random, told: Counter[str], name: str) -> None:
        self._port = port
        self._random = random
        self._told = told
        self._name = name
        self._cookie = ""
        self._bets = 0
        self._table = ""

    def comes(self) -> Line:
        """Look at a page, enter if he never has, and watch a table."""
        random = self._random
        self._table = random.choice(TABLES)
        address = ".".join(str(random.randrange(1, 255)) for _ in range(4))
        heads = {"X-Forwarded-For": address, "X-Forwarded-Proto": "http", "Cookie": self._cookie}
        door = http.client.HTTPConnection(HOST, self._port, timeout=TIMEOUT_SECONDS)
        page = random.choice(PAGES).format(table=self._table, name=self._name or "nobody")
        self._fetched(door, "GET", page, heads)
        if self._name and not self._cookie:
            heads["Content-Type"] = "application/json"
            self._cookie = self._fetched(door, "POST", "/api/enter", heads, {"name": self._name})
        door.close()
        more = f"X-Forwarded-For: {address}\r\nCookie: {self._cookie}\r\n"
        line = Line((HOST, self._port), SOCKET_IO, more)
        line.greet()
        answer = line.ask("join", {"table": self._table})
        if not answer["ok"]:
            raise OSError(answer["code"])
        self._told["came"] += 1
        return line

    def watches(self, line: Line, until: float) -> None:
        """Stay so long, and bet now and then."""
        bets_at = 0.0
        while (now := time.monotonic()) < until:
            if now >= bets_at:
                if bets_at:
                    self._bet(line)
                bets_at = now + self._random.expovariate(1 / BETS_EVERY)
            self._hears(line, max(0.01, min(bets_at, until) - now))
        self._goes(line)

    def _fetched(
        self,
        door: http.client.HTTPConnection,
        method: str,
        page: str,
        heads: dict[str, str],
        body: Any = None,
    ) -> str:
        """Ask for a page, and read it; the cookie that it brings."""
        door.request(method, page, None if body is None else json.dumps(body), heads)
        answer = door.getresponse()
        answer.read()
        self._told[f"{page.split('/')[1] or 'lobby'}: {answer.status}"] += 1
        return (answer.headers["Set-Cookie"] or "").split(";")[0]

    def _hears(self, line: Line, seconds: float) -> None:
        """Take what comes next, if anything does in so long."""
        line.sock.settimeout(seconds)
        try:
            frames = line.receive()
        except TimeoutError:
            frames = []
        finally:
            line.sock.settimeout(TIMEOUT_SECONDS)
        for _, payload in frames:
            self._told["messages"] += 1
            if payload == ENGINE_PING:
                line.say(ENGINE_PONG)

    def _bet(self, line: Line) -> None:
        """Bet a chip, if the book is open."""
        seen = line.ask("join", {"table": self._table}).get("snapshot", {})
        if not self._name or seen.get("closed", True) or seen["locked"]:
            return
        self._bets += 1
        side = self._random.choice(("house", "challenger"))
        bet = {"table": self._table, "game": seen["game"], "side": side, "unit_cents": 100}
        answer = line.ask("place_bet", {**bet, "bet_id": f"b{self._bets}"})
        self._told["bets" if answer["ok"] else f"refused: {answer['code']}"] += 1

    def _goes(self, line: Line) -> None:
        """Leave: with a word, by closing, or without either, as phones in tunnels do."""
        way = self._random.randrange(3)
        if way == 0:
            line.ask("leave", {"table": self._table})
            line.sock.sendall(CLOSE_FRAME)
        elif way == 1:
            line.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
        self._told["went"] += 1


class Sample(NamedTuple):
    """The casino at one moment."""

    minutes: float
    people: int
    own_kib: int
    pss_kib: int
    rss_kib: int
    descriptors: int
    threads: int
    cpu_seconds: float
    files_kib: int

    def line(self) -> str:
        """As it is printed."""
        return (
            f"{self.minutes:6.1f} {self.people:7,} {self.own_kib / 1024:8.1f} "
            f"{self.pss_kib / 1024:8.1f} {self.rss_kib / 1024:8.1f} {self.descriptors:6,} "
            f"{self.threads:8} {self.cpu_seconds:7.0f} {self.files_kib / 1024:9.1f}"
        )


HEAD = "minute  people  own MiB  PSS MiB  RSS MiB   open  threads   CPU s files MiB"


def sampled(pid: int, folder: Path, seconds: float, people: int) -> Sample:
    """The casino now."""
    here = Path(f"/proc/{pid}")
    rollup = (here / "smaps_rollup").read_text().splitlines()
    own, pss = (
        next(int(line.split()[1]) for line in rollup if line.startswith(what))
        for what in ("Anonymous:", "Pss:")
    )
    descriptors, threads = (len(list((here / what).iterdir())) for what in ("fd", "task"))
    files = sum(file.stat().st_size for file in folder.glob("casino.db*") if file.is_file())
    return Sample(
        seconds / 60,
        people,
        own,
        pss,
        memory_kib(pid),
        descriptors,
        threads,
        cpu_seconds(pid),
        files >> 10,
    )


def soak(folder: Path, people: People, number: int, seconds: float, pid: int) -> list[Sample]:
    """Let so many come and go; the samples, printed as they are taken."""
    random, began, samples = Random(number), time.monotonic(), []
    for n in range(number):
        name = "" if random.random() < NAMELESS else f"soak{n}"
        gevent.spawn(people.lives, name, random.random() * min(120, seconds / 4))
    click.echo(HEAD)
    while (now := time.monotonic() - began) < seconds:
        samples.append(sampled(pid, folder, now, people.there))
        click.echo(samples[-1].line())
        gevent.sleep(seconds / SAMPLES)
    return samples


def verdict(samples: list[Sample], folder: Path) -> bool:
    """Tell what memory and file grew by, and what the audit says; whether it is clean."""
    late = samples[len(samples) // 3 :]
    minutes = [one.minutes for one in late]
    for what in ("own_kib", "pss_kib", "rss_kib", "descriptors", "people"):
        slope, _ = linear_regression(minutes, [getattr(one, what) for one in late])
        click.echo(f"{what}, the last two thirds: {slope:+.2f} a minute")
    command = [sys.executable, "-m", "casino", "audit", "--json", "--db", str(folder / "casino.db")]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    said = json.loads(done.stdout)
    size = (folder / "casino.db").stat().st_size
    each, leaf = size / 1024 / max(1, said["games"]), size / said["leaves"]
    click.echo(f"{said['games']} games, {said['leaves']} leaves, {size / 2**20:.1f} MiB")
    click.echo(f"{each:.1f} KiB a game, {leaf:.0f} bytes a leaf")
    found = [one for one in said["findings"] if one["severity"] != "note"]
    click.echo(f"audit: {'NOT clean' if found else 'clean'}")
    for finding in found[:10]:
        click.echo(finding)
    return not found


@click.command(epilog="Example: python -m bench.soak --seconds 3600 --people 1000")
@click.option("--seconds", default=90.0, show_default=True, help="How long.")
@click.option("--people", default=200, show_default=True, help="How many come and go.")
@click.option("--stay", default=STAY_SECONDS, show_default=True, help="Seconds a mean visit lasts.")
@click.option("--seed", default=1, show_default=True, help="Who comes and goes when.")
def main(seconds: float, people: int, stay: float, seed: int) -> int:
    """Print what a casino comes to where people come and go."""
    raise_limit()
    monkey.patch_socket(dns=False)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = SETTINGS + "".join(TABLE.format(name=table) for table in TABLES)
        (folder / "config.toml").write_text(settings)
        given = ["--config", folder / "config.toml", "--port", 0, "--db", str(folder / "casino.db")]
        process = Process("casino", "run", *given)
        try:
            port = int(process.hear().rsplit(":", 1)[1])
            crowd = People(port, seed, stay)
            samples = soak(folder, crowd, people, seconds, process.popen.pid)
        finally:
            process.end()
        for what, number in sorted(crowd.told.items()):
            click.echo(f"{what}: {number:,}")
        return 0 if verdict(samples, folder) else 1


if __name__ == "__main__":
    sys.exit(main(standalone_mode=False))
