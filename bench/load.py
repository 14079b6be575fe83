"""Load: a thousand spectators and more, bets meanwhile, and people who behave badly.

Run it with `make bench`, or, from the project's folder, `python -m bench.load`.

`casino run` is a process of its own, its ledger on the disk, one table playing and another taking
bets; the spectators watch both, and are other processes, which note when each frame reached
each of them. The same again with a house and two web processes, joined by Redis. Bare broadcasters
of the packages `websockets` and `picows` meet the same crowd after it.
"""

import json
import os
import shutil
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import Request, urlopen

import click
from rich.console import Console
from rich.table import Table

from bench._bare import PACKAGES
from bench._crowds import crowds, due_times, processes_for
from bench._process import Process
from bench._sockets import (
    SOCKET_IO,
    Line,
    connected,
    cpu_seconds,
    forget_peak,
    memory_kib,
    raise_limit,
)

HOST = "127.0.0.1"
SETTINGS = """
[web]
opening_cents = 100000000
openings_a_day = 1000000
address_connections = 1000000
address_per_second = 1000
[tables.t1]
betting_ms = 2000
pace_ms = {pace}
deal_ms = 500
game_ms = 500
[tables.book]
betting_ms = 3600000
number = 0
[tables.rush]
betting_ms = 10
pace_ms = 0
deal_ms = 0
game_ms = 0
number = 0
"""
BETS_A_SECOND = 3
SYNCS_A_SECOND = 10
SETTLED_SECONDS = 2
HEARD_NS = 100_000_000
RUDE_SECONDS = 2
MAX_SECONDS = 60
MIB = 1 << 20
Figures = dict[str, Any]


class Casino(NamedTuple):
    """Processes of a casino, and the ports where people find it."""

    pids: list[int]
    ports: list[int]

    @property
    def memory_kib(self) -> int:
        """The memory of all processes."""
        return sum(map(memory_kib, self.pids))

    @property
    def cpu_seconds(self) -> float:
        """The processor time of all processes."""
        return sum(map(cpu_seconds, self.pids))


@contextmanager
def casino(folder: Path, tables: int, pace: int, webs: int = 0) -> Iterator[Casino]:
    """A casino with so many of the tables, in one process or as a house and web processes."""
    settings = folder / "config.toml"
    text = SETTINGS.format(pace=pace)
    given = ["--config", settings, "--port", 0, "--tables", tables, "--db", folder / "casino.db"]
    with ExitStack() as stack:

        def started(*command: object) -> tuple[int, int]:
            process = Process(*map(str, command))
            stack.callback(process.end)
            return process.popen.pid, int(process.hear().rsplit(":", 1)[1])

        if webs:
            text += f'[scale]\nredis_url = "{stack.enter_context(redis(folder))}"\n'
            given.append("--house-only")
        settings.write_text(text)
        house = started("bench._stamped", folder / "stamps", *given)
        there = [started("casino", "web", *given[:4]) for _ in range(webs)] or [house]
        pids = {house[0]: None, **{pid: None for pid, _ in there}}
        yield Casino(list(pids), [port for _, port in there])


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    """A Redis that keeps nothing; its address."""
    path = folder / "redis.sock"
    command = ["redis-server", "--port", "0", "--unixsocket", str(path), "--save", ""]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        while not path.exists():
            time.sleep(0.01)
        yield f"unix://{path}"
        process.terminate()


class Bettor(threading.Thread):
    """Bets again and again, and notes how long each answer took."""

    def __init__(self, port: int, name: str, over: threading.Event) -> None:
        super().__init__(daemon=True)
        self.taken: list[float] = []
        self._name = name
        self._over = over
        headers = {"Content-Type": "application/json"}
        asked = Request(
            f"http://{HOST}:{port}/api/enter", json.dumps({"name": name}).encode(), headers
        )
        with urlopen(asked) as answer:
            cookie = answer.headers["Set-Cookie"].split(";")[0]
        self._line = Line((HOST, port), SOCKET_IO, f"Cookie: {cookie}\r\n")
        self._line.greet()
        self._game = self._line.ask("join", {"table": "book"})["snapshot"]["game"]

    def run(self) -> None:
        """Bet until stopped."""
        bet = {"table": "book", "game": self._game, "side": "house", "unit_cents": 100}
        while not self._over.wait(1 / BETS_A_SECOND):
            start = time.monotonic()
            named = {**bet, "bet_id": f"{self._name}.{len(self.taken)}"}
            answer = self._line.ask("place_bet", named)
            self.taken.append(time.monotonic() - start)
            assert answer["ok"], answer
        self._line.sock.close()


class Syncer(threading.Thread):
    """Has the disk make a few bytes durable again and again, and notes how long it took."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._path = folder / "synced"
        self._over = threading.Event()
        self._taken: list[float] = []

    def run(self) -> None:
        """Write until it is over."""
        with self._path.open("wb", buffering=0) as file:
            while not self._over.wait(1 / SYNCS_A_SECOND):
                start = time.monotonic()
                file.write(bytes(4096))
                os.fsync(file.fileno())
                self._taken.append(time.monotonic() - start)

    def stop(self) -> list[float]:
        """Stop; how long it took, in order."""
        self._over.set()
        self.join()
        return sorted(self._taken)


def ours(people: int, seconds: float, pace: int, webs: int, betting: int) -> Figures:
    """The casino, a table playing, bets on another, everybody watching both."""
    with tempfile.TemporaryDirectory() as name, casino(Path(name), 2, pace, webs) as there:
        before, ports = there.memory_kib, there.ports
        with crowds(HOST, ports, people, Path(name), "t1", "book") as everybody:
            over = threading.Event()
            bettors = [Bettor(ports[n % len(ports)], f"bettor{n}", over) for n in range(betting)]
            syncer = Syncer(Path(name))
            for thread in (*bettors, syncer):
                thread.start()
            time.sleep(SETTLED_SECONDS)
            used = there.cpu_seconds
            everybody.go_on()
            time.sleep(seconds)
            used = there.cpu_seconds - used
            each = (there.memory_kib - before) / people
            # While the crowd counts it reads nothing, and its casino waits for it.
            over.set()
            for bettor in bettors:
                bettor.join()
            everybody.go_on()
            found = everybody.found(due_times(Path(name) / "stamps"))
            taken = sorted(t for bettor in bettors for t in bettor.taken)
            synced = syncer.stop()
    found |= {"bet_ms": part(taken, 50) * 1e3, "bet_p99_ms": part(taken, 99) * 1e3}
    found |= {"sync_ms": part(synced, 50) * 1e3, "sync_worst_ms": synced[-1] * 1e3}
    return {**found, "kib_each": each, "cpu_us": micros(used, found, people)}


def part(ordered: list[float], percent: int) -> float:
    """What so many percent of some figures do not exceed."""
    return ordered[len(ordered) * percent // 100]


def micros(seconds: float, found: Figures, people: int) -> float:
    """Processor time for each message to each person, in millionths of a second."""
    sent: int = found["sent"]
    return seconds / sent / people * 1e6


def bare(package: str, people: int, trace: list[Any]) -> Figures:
    """The same for a bare broadcaster of messages of the same sizes, due at the same moments."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        path = Path(name) / "trace"
        path.write_text(json.dumps(trace))
        servers = [Process("bench._bare", package, path) for _ in range(processes_for(people))]
        for server in servers:
            stack.callback(server.end)
        there = Casino([one.popen.pid for one in servers], [int(one.hear()) for one in servers])
        before = there.memory_kib
        with crowds(HOST, there.ports, people, Path(name)) as everybody:
            each = (there.memory_kib - before) / people
            everybody.go_on()
            used = there.cpu_seconds
            start = time.monotonic_ns() + HEARD_NS
            for server in servers:
                server.say(start)
            for server in servers:
                server.hear()
            used = there.cpu_seconds - used
            time.sleep(1)
            everybody.go_on()
            sent = enumerate(trace)
            due = {("bare", number): start + after for number, (after, _, counts) in sent if counts}
            found = everybody.found(due)
    return {**found, "kib_each": each, "cpu_us": micros(used, found, people)}


class Pinger(threading.Thread):
    """Asks again and again how long the loop takes to answer anybody."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self._line = greeted(port)
        self._over = threading.Event()
        self._taken: list[float] = []

    def run(self) -> None:
        """Ask until it is over."""
        while not self._over.wait(0.001):
            self._taken.append(self._line.ping())

    def stop(self) -> float:
        """Stop; the longest an answer took, in milliseconds."""
        self._over.set()
        self.join()
        return max(self._taken) * 1e3


def greeted(port: int, buffer: int = 0) -> Line:
    """Somebody at the door."""
    line = Line((HOST, port), SOCKET_IO, buffer=buffer)
    line.greet()
    return line


def nothing(_: int) -> str:
    """Be polite."""
    time.sleep(RUDE_SECONDS)
    return ""


def huge_frame(port: int) -> str:
    """Send a frame of 64 MiB for as long as it is taken."""
    line, sent, chunk = greeted(port), 0, bytes(1 << 16)
    line.sock.sendall(struct.pack("!BBQ4x", 0x81, 0x80 | 127, 64 * MIB))
    try:
        while sent < 64 * MIB:
            sent += line.sock.send(chunk)
    except OSError:
        pass
    time.sleep(RUDE_SECONDS)
    return f"cut after {sent / MIB:.1f} MiB"


def never_reads(port: int) -> str:
    """Join a table where much happens, and read nothing."""
    line, start = greeted(port, 4096), time.monotonic()
    number = line.sock.getsockname()[1]
    line.say('42["join",{"table":"rush"}]')
    while number in connected(port) and time.monotonic() - start < MAX_SECONDS:
        time.sleep(0.05)
    return f"dropped after {time.monotonic() - start:.1f} s"


RUDE = {"nobody": nothing, "a frame of 64 MiB": huge_frame, "who never reads": never_reads}


def rude(pace: int) -> Table:
    """What people cost who send too much, or do not read."""
    shown = Table("who", "memory more, MiB", "longest ping, ms", "", title="Bad behaviour")
    with tempfile.TemporaryDirectory() as name, casino(Path(name), 3, pace) as there:
        (pid,), (port,) = there
        time.sleep(RUDE_SECONDS)
        for who, do in RUDE.items():
            before = memory_kib(pid)
            forget_peak(pid)
            pinger = Pinger(port)
            pinger.start()
            done = do(port)
            more = memory_kib(pid, "VmHWM") - before
            shown.add_row(who, f"{more / 1024:.1f}", f"{pinger.stop():.1f}", done)
    return shown


ROWS = {
    "last_ms": "due → last receiver, median, ms",
    "median_ms": "all messages, median, ms",
    "p99_ms": "all messages, p99, ms",
    "worst_ms": "all messages, worst, ms",
    "bet_ms": "bet → durable answer, median, ms",
    "bet_p99_ms": "bet → durable answer, p99, ms",
    "sync_ms": "  the disk alone: a sync, median, ms",
    "sync_worst_ms": "  the disk alone: a sync, worst, ms",
    "kib_each": "memory a person, KiB",
    "cpu_us": "processor time a message, µs",
    "sent": "messages sent to each person",
    "messages": "  of them counted",
    "mean_bytes": "  mean size of these, bytes",
    "lost": "people lost",
}
SAME = ("sent", "messages", "mean_bytes")
"""What the bare broadcasters have from the casino."""


def side_by_side(people: int, seconds: float, pace: int, webs: int, betting: int) -> Table:
    """The casino and the bare broadcasters with the same crowd."""
    casinos = ours(people, seconds, pace, webs, betting)
    here = [package for package in PACKAGES if find_spec(package)]
    broadcasters = [bare(package, people, casinos["trace"]) for package in here]
    what = f"house, {webs} web processes" if webs else "casino"
    many = f" × {processes_for(people)}" if processes_for(people) > 1 else ""
    columns = [column for package in here for column in (f"bare {package}{many}", "ratio")]
    shown = Table("", what, *columns, title=f"{people:,} spectators")
    for key, name in ROWS.items():
        cells = [f"{casinos[key]:,.1f}"]
        for other in broadcasters:
            is_new = bool(other.get(key)) and key not in SAME
            cells.append(f"{other[key]:,.1f}" if key in other else "")
            cells.append(f"{casinos[key] / other[key]:.2f}" if is_new else "")
        shown.add_row(name, *cells)
    return shown


@click.command()
@click.option("--people", multiple=True, type=int, default=(1000, 3000), show_default=True)
@click.option("--seconds", default=20.0, show_default=True, help="How long is counted.")
@click.option("--pace", default=250, show_default=True, help="Milliseconds between actions.")
@click.option("--webs", multiple=True, type=int, default=(0, 2), help="Web processes; 0: none.")
@click.option("--bettors", default=8, show_default=True, help="Each bets three times a second.")
def main(
    people: tuple[int, ...], seconds: float, pace: int, webs: tuple[int, ...], bettors: int
) -> None:
    """Print what a crowd comes to."""
    raise_limit()
    console = Console()
    may_split = bool(shutil.which("redis-server") and find_spec("redis"))
    for number in people:
        for several in webs if may_split else (0,):
            console.print(side_by_side(number, seconds, pace, several, bettors))
    console.print(rude(pace))


if __name__ == "__main__":
    main()
