"""A soak: people come, watch, bet, leave and come back, and the casino must not grow.

`casino run` is a process of its own with its ledger on the disk. Each visit has another address,
which a trusted proxy reports. Memory and descriptors are sampled, and the log is audited at the
end. The full length: `python -m bench.soak --seconds 3600 --people 1000`.
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
from typing import Any

import click
import gevent
from gevent import monkey

from bench._process import Process, cpu_seconds, memory_kib, raise_file_limit
from bench._websocket import TIMEOUT_SECONDS, WebSocket

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
    "/", "/table/{table}", "/api/tables/{table}", "/player/{name}", "/log/checkpoint", "/rules"
)  # fmt: skip
SEED = 1
VISIT_SECONDS = 180  # mean length of a visit
AWAY_SECONDS = 10
BET_SECONDS = 60
NAMELESS = 0.25  # share of people who only watch
SAMPLES = 120
CLOSE_FRAME = bytes((0x88, 0x80, 0, 0, 0, 0))
ABORT = struct.pack("ii", 1, 0)  # SO_LINGER that resets the connection without a word
TRENDS = ("own MiB", "PSS MiB", "RSS MiB", "open files", "people")


class Crowd:
    """All people, and counts of what happened to them."""

    def __init__(self, port: int) -> None:
        self.counts: Counter[str] = Counter()
        self.people = 0
        self.port = port
        self.random = Random(SEED)

    def live(self, name: str, arrival: float) -> None:
        """Come and go again and again; without a name, only to watch."""
        gevent.sleep(arrival)
        person = Person(self, name)
        while True:
            seconds = self.random.expovariate(1 / VISIT_SECONDS)
            try:
                client = person.arrive()
                self.people += 1
                try:
                    person.stay(client, time.monotonic() + seconds)
                finally:
                    self.people -= 1
                    client.sock.close()
            except (OSError, http.client.HTTPException) as error:
                self.counts[f"lost: {error!r:.60}"] += 1
            gevent.sleep(self.random.expovariate(1 / AWAY_SECONDS))


class Person:
    """One of the crowd, with a cookie after the first visit."""

    def __init__(self, crowd: Crowd, name: str) -> None:
        self._crowd = crowd
        self._random = crowd.random
        self._counts = crowd.counts
        self._name = name
        self._cookie = ""
        self._bets = 0
        self._table = ""

    def arrive(self) -> WebSocket:
        """Look at a page, enter if this is the first visit, and join a table."""
        self._table = self._random.choice(TABLES)
        address = ".".join(str(self._random.randrange(1, 255)) for _ in range(4))
        heads = {"X-Forwarded-For": address, "X-Forwarded-Proto": "http", "Cookie": self._cookie}
        connection = http.client.HTTPConnection(HOST, self._crowd.port, timeout=TIMEOUT_SECONDS)
        path = self._random.choice(PAGES)
        path = path.format(table=self._table, name=self._name or "unknown")
        self._request(connection, "GET", path, heads)
        if self._name and not self._cookie:
            heads["Content-Type"] = "application/json"
            body = {"name": self._name}
            self._cookie = self._request(connection, "POST", "/api/enter", heads, body)
        connection.close()
        more = f"X-Forwarded-For: {address}\r\nCookie: {self._cookie}\r\n"
        client = WebSocket((HOST, self._crowd.port), headers=more)
        client.open_session()
        answer = client.call("join", {"table": self._table})
        if not answer["ok"]:
            raise OSError(answer["code"])
        self._counts["came"] += 1
        return client

    def stay(self, client: WebSocket, until: float) -> None:
        bet_at = time.monotonic() + self._random.expovariate(1 / BET_SECONDS)
        while (now := time.monotonic()) < until:
            if now >= bet_at:
                self._bet(client)
                bet_at = now + self._random.expovariate(1 / BET_SECONDS)
            self._watch(client, max(0.01, min(bet_at, until) - now))
        self._leave(client)

    def _request(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        headers: dict[str, str],
        body: Any = None,
    ) -> str:
        """Send a request, count its status, and return the cookie that it sets."""
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        answer.read()
        self._counts[f"{path.split('/')[1] or 'lobby'}: {answer.status}"] += 1
        return (answer.headers["Set-Cookie"] or "").split(";")[0]

    def _watch(self, client: WebSocket, seconds: float) -> None:
        client.sock.settimeout(seconds)
        try:
            self._counts["messages"] += len(client.receive())
        except TimeoutError:
            pass
        finally:
            client.sock.settimeout(TIMEOUT_SECONDS)

    def _bet(self, client: WebSocket) -> None:
        snapshot = client.call("join", {"table": self._table}).get("snapshot", {})
        if not self._name or snapshot.get("closed", True) or snapshot["locked"]:
            return
        self._bets += 1
        side = self._random.choice(("house", "challenger"))
        bet = {"table": self._table, "game": snapshot["game"], "side": side, "unit_cents": 100}
        answer = client.call("place_bet", {**bet, "bet_id": f"b{self._bets}"})
        self._counts["bets" if answer["ok"] else f"refused: {answer['code']}"] += 1

    def _leave(self, client: WebSocket) -> None:
        """Leave with a message, by closing, or by a reset, like a phone that loses its network."""
        way = self._random.randrange(3)
        if way == 0:
            client.call("leave", {"table": self._table})
            client.sock.sendall(CLOSE_FRAME)
        elif way == 1:
            client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
        self._counts["went"] += 1


def take_sample(pid: int, folder: Path, seconds: float, people: int) -> dict[str, float]:
    process = Path(f"/proc/{pid}")
    files = sum(file.stat().st_size for file in folder.glob("casino.db*") if file.is_file())
    return {
        "minute": seconds / 60,
        "people": people,
        "own MiB": memory_kib(pid, "Anonymous") / 1024,
        "PSS MiB": memory_kib(pid, "Pss") / 1024,
        "RSS MiB": memory_kib(pid) / 1024,
        "open files": len(list((process / "fd").iterdir())),
        "threads": len(list((process / "task").iterdir())),
        "CPU s": cpu_seconds(pid),
        "files MiB": files / 2**20,
    }


def soak(
    folder: Path, crowd: Crowd, people: int, seconds: float, pid: int
) -> list[dict[str, float]]:
    random, began, samples = Random(people), time.monotonic(), list[dict[str, float]]()
    for number in range(people):
        name = "" if random.random() < NAMELESS else f"soak{number}"
        gevent.spawn(crowd.live, name, random.random() * min(120, seconds / 4))
    while (now := time.monotonic() - began) < seconds:
        samples.append(take_sample(pid, folder, now, crowd.people))
        if len(samples) == 1:
            click.echo(" ".join(f"{name:>10}" for name in samples[0]))
        click.echo(" ".join(f"{value:10,.1f}" for value in samples[-1].values()))
        gevent.sleep(seconds / SAMPLES)
    return samples


def report(samples: list[dict[str, float]], folder: Path) -> bool:
    """Print the trends and the sizes; return True if the audit is clean."""
    late = samples[len(samples) // 3 :]
    minutes = [sample["minute"] for sample in late]
    for name in TRENDS:
        slope, _ = linear_regression(minutes, [sample[name] for sample in late])
        click.echo(f"{name}, the last two thirds: {slope:+.2f} a minute")
    command = [sys.executable, "-m", "casino", "audit", "--json", "--db", str(folder / "casino.db")]
    audit = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout)
    size, games = (folder / "casino.db").stat().st_size, audit["games"]
    click.echo(f"{games} games, {audit['leaves']} leaves, {size / 2**20:.1f} MiB")
    click.echo(
        f"{size / 1024 / max(1, games):.1f} KiB a game, {size / audit['leaves']:.0f} bytes a leaf"
    )
    faults = [finding for finding in audit["findings"] if finding["severity"] != "note"]
    click.echo(f"audit: {'NOT clean' if faults else 'clean'}")
    for fault in faults[:10]:
        click.echo(fault)
    return not faults


@click.command(epilog="Example: python -m bench.soak --seconds 3600 --people 1000")
@click.option("--seconds", default=90.0, show_default=True, help="Length of the soak.")
@click.option("--people", default=200, show_default=True, help="People who come and go.")
def main(seconds: float, people: int) -> int:
    """Print what a casino takes while people come and go."""
    raise_file_limit()
    monkey.patch_socket(dns=False)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = folder / "config.toml"
        settings.write_text(SETTINGS + "".join(TABLE.format(name=table) for table in TABLES))
        process = Process(
            "casino", "run", "--config", settings, "--port", 0, "--db", folder / "casino.db"
        )
        try:
            crowd = Crowd(int(process.read_line().rsplit(":", 1)[1]))
            samples = soak(folder, crowd, people, seconds, process.popen.pid)
        finally:
            process.terminate()
        for event, number in sorted(crowd.counts.items()):
            click.echo(f"{event}: {number:,}")
        return 0 if report(samples, folder) else 1


if __name__ == "__main__":
    sys.exit(main(standalone_mode=False))
