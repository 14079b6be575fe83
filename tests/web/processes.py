"""Run a casino of several processes that can be killed: Redis, table runner, web processes."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest

from casino.errors import CasinoError
from tests.web.server import TIMEOUT_SECONDS, JsonObject, Visitor

T = TypeVar("T")

ROOT = Path(__file__).parent.parent.parent
REDIS = shutil.which("redis-server") or ""
needs_redis = pytest.mark.skipif(not REDIS, reason="there is no redis-server: .ci/run installs it")
HOST = "127.0.0.1"
PORTS = 10_000, 32_768


def free_port() -> int:
    """Return a free port below the ephemeral ones, which the system may give away meanwhile."""
    while True:
        port = random.SystemRandom().randrange(*PORTS)
        with suppress(OSError), socket.create_server((HOST, port)):
            return port


def write_settings(folder: Path, tables: dict[str, JsonObject], **settings: JsonObject) -> Path:
    sections = settings | {f"tables.{name}": keys for name, keys in tables.items()}
    lines: list[str] = []
    for name, keys in sections.items():
        lines += [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in keys.items())]
    file = folder / "config.toml"
    file.write_text("\n".join(lines), "utf-8")
    return file


def until(look: Callable[[], T | None], timeout: float = TIMEOUT_SECONDS) -> T:
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("waited in vain")


class Process:
    """A process that can be killed and started again."""

    def __init__(self, command: list[str], ready: str, log: Path, env: dict[str, str]) -> None:
        self._command = command
        self._ready = re.compile(ready)
        self._log = log
        self._env = env
        self.said = ""
        self.popen: subprocess.Popen[str]
        self.start()

    def start(self) -> None:
        with self._log.open("a") as log:
            self.popen = subprocess.Popen(
                self._command,
                cwd=ROOT,
                env=self._env,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self.said = ""

    def wait(self) -> str:
        """Wait until the process prints that it is ready; return what it printed."""
        assert self.popen.stdout is not None
        while not self.said:
            line = self.popen.stdout.readline()
            assert line, f"{self._command} has ended: {self.stderr()[-2000:]}"
            found = self._ready.search(line)
            self.said = found[0] if found else ""
        return self.said

    def stderr(self) -> str:
        return self._log.read_text()

    def kill(self) -> None:
        self.popen.kill()
        self._end()

    def stop(self) -> int:
        self.popen.send_signal(signal.SIGTERM)
        return self._end()

    def _end(self) -> int:
        status = self.popen.wait(TIMEOUT_SECONDS)
        if self.popen.stdout is not None:
            self.popen.stdout.close()
        return status


class CasinoProcesses:
    """Redis, the table runner and web processes."""

    def __init__(
        self,
        folder: Path,
        tables: dict[str, JsonObject],
        webs: int,
        redis_settings: Path | None,
        database: str = "",
    ) -> None:
        self.folder = folder
        self.db = folder / "casino.db"
        self._visitors: list[Visitor] = []
        port = free_port()
        who = "casino:PASSWORD@" if redis_settings else ""
        self.redis_url = f"redis://{who}{HOST}:{port}"
        settings = write_settings(
            folder,
            tables,
            web={"openings_a_day": 100_000},
            scale={"redis_url": self.redis_url},
            bank={"db": str(self.db), "url": database},
        )
        env = {k: v for k, v in os.environ.items() if not k.startswith("CASINO_")}
        casino, given = [sys.executable, "-m", "casino"], ["--config", str(settings)]

        def process(name: str, ready: str, *command: str) -> Process:
            return Process([*command], ready, folder / f"{name}.log", env)

        # Redis saves nothing to disk, so a kill loses all its data: the worst case.
        kept = ["--save", "", "--dir", str(folder), "--port", str(port), "--bind", HOST]
        given_redis = [str(redis_settings)] if redis_settings else []
        self.redis = process("redis", "Ready to accept", REDIS, *given_redis, *kept)
        run = ["run", "--house-only", "--port", "0"]
        self.house = process("house", r"http://\S+", *casino, *run, *given)
        self.webs = [
            process(f"web{n}", r"http://\S+", *casino, "web", *given, "--port", str(free_port()))
            for n in range(webs)
        ]
        for one in self.processes:
            one.wait()

    @property
    def processes(self) -> list[Process]:
        return [self.redis, self.house, *self.webs]

    def url(self, web: int = 0) -> str:
        return self.webs[web].wait()

    def visitor(self, web: int = 0, name: str | None = None) -> Visitor:
        """Connect a visitor to a web process until the casino closes."""
        self._visitors.append(connect_when_ready(self.url(web), name))
        return self._visitors[-1]

    def close(self) -> None:
        for visitor in self._visitors:
            visitor.close()
        for one in reversed(self.processes):
            if one.popen.poll() is None:
                one.stop()


@contextmanager
def open_casino(
    folder: Path,
    tables: dict[str, JsonObject],
    webs: int = 1,
    settings: Path | None = None,
    database: str = "",
) -> Iterator[CasinoProcesses]:
    """Run a casino of several processes, with Redis settings and a database if given."""
    casino = CasinoProcesses(folder, tables, webs, settings, database)
    try:
        yield casino
    finally:
        casino.close()


def connect_when_ready(url: str, name: str | None) -> Visitor:
    """Connect a visitor as soon as the server accepts connections."""

    def come() -> Visitor | None:
        try:
            return Visitor(url, name)
        except CasinoError:
            return None

    return until(come)


class PendingBet:
    """A bet that is retried under the same id while a process is down."""

    def __init__(self, visitor: Visitor, bet_id: str) -> None:
        self._visitor = visitor
        self._bet = {"bet_id": bet_id, "side": "house", "unit_cents": 500}
        self._game = visitor.game("open")
        self.answers: list[dict[str, Any]] = []
        self._thread = threading.Thread(target=self._ask)
        self._thread.start()

    def _ask(self) -> None:
        def answered() -> bool:
            try:
                asked = {"table": "open", "game": self._game, **self._bet}
                self.answers.append(self._visitor.request("place_bet", **asked))
            except CasinoError:
                return False
            return True

        until(answered)

    def done(self) -> dict[str, Any]:
        self._thread.join(TIMEOUT_SECONDS)
        (answer,) = self.answers
        return answer
