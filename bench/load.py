"""Load: thousands of spectators, bets meanwhile, and clients that behave badly.

`casino run` is a process of its own with its ledger on the disk: one table plays, another takes
bets. The spectators watch both; their processes record when each frame reached each of them. The
same is measured with a backend and web processes joined by Redis, and with bare broadcasters of the
packages `websockets` and `picows`, which send messages of the same sizes at the same times.
"""

import json
import os
import shutil
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import Request, urlopen

import click
from rich.console import Console
from rich.table import Table

from bench._broadcaster import HOST, PACKAGES
from bench._process import Process, cpu_seconds, memory_kib, raise_file_limit, reset_peak_memory
from bench._spectators import processes_for, read_due_times, spectators
from bench._timing import number_table
from bench._websocket import WebSocket

SETTINGS = """
[web]
opening_cents = 100000000
openings_a_day = 1000000
address_connections = 1000000
address_per_second = 1000
[tables.t1]
betting_ms = 2000
pace_ms = 250
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
BET_SECONDS = 1 / 3  # between a bettor's bets
SYNC_SECONDS = 0.1
PING_SECONDS = 0.001
WARM_UP_SECONDS = 2
LEAD_NS = 100_000_000  # from the start signal to the first message of a bare broadcaster
ABUSE_SECONDS = 2
MAX_SECONDS = 60
ESTABLISHED = "01"  # in /proc/net/tcp
MIB = 1 << 20
Figures = dict[str, Any]


class Server(NamedTuple):
    """The processes of a server, and the ports that spectators connect to."""

    pids: list[int]
    ports: list[int]

    @property
    def memory_kib(self) -> int:
        return sum(map(memory_kib, self.pids))

    @property
    def cpu_seconds(self) -> float:
        return sum(map(cpu_seconds, self.pids))


class Repeater(threading.Thread):
    """Repeats an action until it is stopped, and records the seconds that each took."""

    def __init__(self, action: Callable[[], None], interval: float) -> None:
        super().__init__(daemon=True)
        self._action = action
        self._interval = interval
        self._is_over = threading.Event()
        self._seconds: list[float] = []
        self.start()

    def run(self) -> None:
        while not self._is_over.wait(self._interval):
            start = time.monotonic()
            self._action()
            self._seconds.append(time.monotonic() - start)

    def stop(self) -> list[float]:
        """Stop and return the seconds of each action, sorted."""
        self._is_over.set()
        self.join()
        return sorted(self._seconds)


@contextmanager
def casino(folder: Path, tables: int, webs: int = 0) -> Iterator[Server]:
    """Run a casino with the first tables, in one process or with web processes."""
    settings, text = folder / "config.toml", SETTINGS
    options = ["--config", settings, "--port", 0, "--tables", tables, "--db", folder / "casino.db"]
    with ExitStack() as stack:

        def start(*command: object) -> tuple[int, int]:
            process = Process(*map(str, command))
            stack.callback(process.terminate)
            return process.popen.pid, int(process.read_line().rsplit(":", 1)[1])

        if webs:
            text += f'[scale]\nredis_url = "{stack.enter_context(redis(folder))}"\n'
            options.append("--house-only")
        settings.write_text(text)
        backend = start("bench._stamped_casino", folder / "stamps", *options)
        fronts = [start("casino", "web", *options[:4]) for _ in range(webs)]
        pids = [pid for pid, _ in (backend, *fronts)]
        yield Server(pids, [port for _, port in fronts or [backend]])


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    """Run a Redis that keeps nothing; yield its address."""
    path = folder / "redis.sock"
    command = ["redis-server", "--port", "0", "--unixsocket", str(path), "--save", ""]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        while not path.exists():
            time.sleep(0.01)
        yield f"unix://{path}"
        process.terminate()


def open_session(port: int, headers: str = "", buffer: int = 0) -> WebSocket:
    client = WebSocket((HOST, port), headers=headers, buffer=buffer)
    client.open_session()
    return client


def bettor(port: int, name: str) -> Repeater:
    """Return a person who bets again and again."""
    body = json.dumps({"name": name}).encode()
    headers = {"Content-Type": "application/json"}
    with urlopen(Request(f"http://{HOST}:{port}/api/enter", body, headers)) as answer:
        cookie = answer.headers["Set-Cookie"].split(";")[0]
    client = open_session(port, f"Cookie: {cookie}\r\n")
    game = client.call("join", {"table": "book"})["snapshot"]["game"]
    bet = {"table": "book", "game": game, "side": "house", "unit_cents": 100}
    numbers = count()

    def bet_once() -> None:
        answer = client.call("place_bet", {**bet, "bet_id": f"{name}.{next(numbers)}"})
        assert answer["ok"], answer

    return Repeater(bet_once, BET_SECONDS)


def syncer(path: Path) -> Repeater:
    """Return a writer that makes a few bytes durable again and again."""
    file = path.open("wb", buffering=0)

    def sync() -> None:
        file.write(bytes(4096))
        os.fsync(file.fileno())

    return Repeater(sync, SYNC_SECONDS)


def measure_casino(people: int, seconds: float, webs: int, betting: int) -> Figures:
    """Measure the casino: a table plays, another takes bets, everyone watches both."""
    with tempfile.TemporaryDirectory() as name, casino(Path(name), 2, webs) as server:
        before, ports = server.memory_kib, server.ports
        with spectators(HOST, ports, people, Path(name), "t1", "book") as crowd:
            bettors = [bettor(ports[n % len(ports)], f"bettor{n}") for n in range(betting)]
            disk = syncer(Path(name) / "synced")
            time.sleep(WARM_UP_SECONDS)
            used = server.cpu_seconds
            crowd.switch()
            time.sleep(seconds)
            used = server.cpu_seconds - used
            memory = server.memory_kib - before
            # The crowd reads nothing while it writes its record, and the casino waits for it.
            bets = sorted(taken for each in bettors for taken in each.stop())
            crowd.switch()
            figures = crowd.results(read_due_times(Path(name) / "stamps"))
            syncs = disk.stop()
    figures |= {"bet_ms": percentile(bets, 50) * 1e3, "bet_p99_ms": percentile(bets, 99) * 1e3}
    figures |= {"sync_ms": percentile(syncs, 50) * 1e3, "sync_max_ms": syncs[-1] * 1e3}
    return figures | costs(memory, used, figures, people)


def measure_bare(package: str, people: int, trace: list[Any]) -> Figures:
    """Measure a bare broadcaster of messages of the same sizes, due at the same times."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        path = Path(name) / "trace"
        path.write_text(json.dumps(trace))
        processes = [
            Process("bench._broadcaster", package, path) for _ in range(processes_for(people))
        ]
        for process in processes:
            stack.callback(process.terminate)
        pids = [process.popen.pid for process in processes]
        server = Server(pids, [int(process.read_line()) for process in processes])
        before = server.memory_kib
        with spectators(HOST, server.ports, people, Path(name)) as crowd:
            memory = server.memory_kib - before
            crowd.switch()
            used = server.cpu_seconds
            start = time.monotonic_ns() + LEAD_NS
            for process in processes:
                process.write_line(start)
            for process in processes:
                process.read_line()
            used = server.cpu_seconds - used
            time.sleep(1)
            crowd.switch()
            sent = enumerate(trace)
            figures = crowd.results(
                {("bare", number): start + after for number, (after, _, counts) in sent if counts}
            )
    return figures | costs(memory, used, figures, people)


def percentile(values: list[float], percent: int) -> float:
    return values[len(values) * percent // 100]


def costs(memory: int, seconds: float, figures: Figures, people: int) -> Figures:
    """Return the memory of each person, and the processor time of each message to each person."""
    return {"kib_each": memory / people, "cpu_us": seconds / figures["sent"] / people * 1e6}


def behave(_: int) -> str:
    time.sleep(ABUSE_SECONDS)
    return ""


def send_huge_frame(port: int) -> str:
    """Send a frame of 64 MiB for as long as the server takes it."""
    client, sent, chunk = open_session(port), 0, bytes(1 << 16)
    client.sock.sendall(struct.pack("!BBQ4x", 0x81, 0x80 | 127, 64 * MIB))
    try:
        while sent < 64 * MIB:
            sent += client.sock.send(chunk)
    except OSError:
        pass
    time.sleep(ABUSE_SECONDS)
    return f"cut after {sent / MIB:.1f} MiB"


def never_read(port: int) -> str:
    """Join a table with many events, and read nothing."""
    client, start = open_session(port, buffer=4096), time.monotonic()
    number = client.sock.getsockname()[1]
    client.send('42["join",{"table":"rush"}]')
    while number in connected_ports(port) and time.monotonic() - start < MAX_SECONDS:
        time.sleep(0.05)
    return f"dropped after {time.monotonic() - start:.1f} s"


def connected_ports(port: int) -> set[int]:
    """Return the client ports of the open connections to a port of this machine."""
    rows = (row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:])
    return {
        int(remote[-4:], 16)
        for _, local, remote, state, *_ in rows
        if int(local[-4:], 16) == port and state == ESTABLISHED
    }


ABUSES = {"none": behave, "a frame of 64 MiB": send_huge_frame, "never reads": never_read}


def abuse_table() -> Table:
    """Return what clients cost that send too much, or do not read."""
    table = Table("client", "memory added, MiB", "longest ping, ms", "", title="Bad behaviour")
    with tempfile.TemporaryDirectory() as name, casino(Path(name), 3) as server:
        (pid,), (port,) = server
        time.sleep(ABUSE_SECONDS)
        for client, abuse in ABUSES.items():
            before = memory_kib(pid)
            reset_peak_memory(pid)
            pinger = Repeater(open_session(port).ping, PING_SECONDS)
            result = abuse(port)
            added = memory_kib(pid, "VmHWM") - before
            longest = pinger.stop()[-1]
            table.add_row(client, f"{added / 1024:.1f}", f"{longest * 1e3:.1f}", result)
    return table


ROWS = {
    "last_ms": "due → last receiver, median, ms",
    "median_ms": "all messages, median, ms",
    "p99_ms": "all messages, p99, ms",
    "max_ms": "all messages, maximum, ms",
    "bet_ms": "bet → durable answer, median, ms",
    "bet_p99_ms": "bet → durable answer, p99, ms",
    "sync_ms": "  the disk alone: a sync, median, ms",
    "sync_max_ms": "  the disk alone: a sync, maximum, ms",
    "kib_each": "memory a person, KiB",
    "cpu_us": "processor time a message, µs",
    "sent": "messages sent to each person",
    "messages": "  of which timed",
    "mean_bytes": "  mean size of these, bytes",
    "lost": "connections lost",
}
SAME = ("sent", "messages", "mean_bytes")  # the trace gives a bare broadcaster these


def load_table(people: int, seconds: float, webs: int, betting: int) -> Table:
    """Return the figures of the casino beside those of the bare broadcasters."""
    ours = measure_casino(people, seconds, webs, betting)
    packages = [package for package in PACKAGES if find_spec(package)]
    others = [measure_bare(package, people, ours["trace"]) for package in packages]
    processes = processes_for(people)
    suffix = f" × {processes}" if processes > 1 else ""
    columns = [column for package in packages for column in (f"bare {package}{suffix}", "ratio")]
    title = f"{people:,} spectators"
    table = number_table(title, "", f"{webs} web processes" if webs else "casino", *columns)
    for key, name in ROWS.items():
        cells = [f"{ours[key]:,.1f}"]
        for figures in others:
            has_ratio = bool(figures.get(key)) and key not in SAME
            cells.append(f"{figures[key]:,.1f}" if key in figures else "")
            cells.append(f"{ours[key] / figures[key]:.2f}" if has_ratio else "")
        table.add_row(name, *cells)
    return table


@click.command()
@click.option("--people", multiple=True, default=(1000, 3000), show_default=True)
@click.option("--seconds", default=20.0, show_default=True, help="Length of the measurement.")
@click.option("--webs", multiple=True, default=(0, 2), show_default=True, help="Web processes.")
@click.option("--bettors", default=8, type=click.IntRange(1), help="Each bets 3 times a second.")
def main(people: tuple[int, ...], seconds: float, webs: tuple[int, ...], bettors: int) -> None:
    """Measure the casino with crowds of spectators, and with clients that behave badly."""
    raise_file_limit()
    console = Console()
    has_redis = bool(shutil.which("redis-server") and find_spec("redis"))
    for number in people:
        for processes in webs if has_redis else (0,):
            console.print(load_table(number, seconds, processes, bettors))
    console.print(abuse_table())


if __name__ == "__main__":
    main()
