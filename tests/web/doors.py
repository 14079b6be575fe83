"""An open casino for tests: a real server in a thread, real visitors over real sockets."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

from casino import fairness
from casino.client.client import CasinoClient
from casino.config import Config
from casino.config_tables import grant_policy, table_plans
from casino.errors import Refused
from casino.ledger.writer import Clock
from casino.table.domain.handlers.play import waits_for_person
from casino.table.runtime.casino import Casino
from casino.web.app import CasinoServer, WebSite, create_app, serve
from casino.web.schemas.messages import MESSAGES

Told = dict[str, Any]

PATIENCE = 240.0
BETTING_FOR_EVER = {"betting_ms": 3_600_000, "number": 0}
# Of a line that ends on the tests' side the library would tell stderr, which is the casino's here.
_clients = logging.getLogger("engineio.client")
_clients.setLevel(logging.ERROR)
_clients.addHandler(logging.NullHandler())

FAST = {"betting_ms": 60, "pace_ms": 0, "deal_ms": 0, "game_ms": 0}


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class SkippingClock:
    """The time, from which a test leaves out what it does not want to wait for."""

    def __init__(self) -> None:
        self._skipped_ms = 0

    def __call__(self) -> int:
        return now_ms() + self._skipped_ms

    def skip_to(self, at: int) -> None:
        """Let it be a time at once, unless it is past."""
        self._skipped_ms += max(0, at - self())


class SteppedCasino(Casino):
    """A casino whose tables stand still but when a test steps them."""

    clock: SkippingClock

    def start_tables(self, on_fault: object = None) -> None:
        """Start nothing: there is no thread that goes on by itself."""

    def step(self, table: str) -> None:
        """Do the next thing that is due at a table, at once, whenever it is due."""
        runner = self._runners[table]
        now = self.clock()
        due_at = runner.step(now)
        if due_at > now:
            self.clock.skip_to(due_at)
            runner.step(self.clock())
        if self.service.durable_state(table).is_over:
            del self._runners[table], self._woken[table]


class Doors:
    """A running casino: its address, its parts, and how to close it.

    With a seed its cards are always the same and its tables are stepped by the test.
    """

    def __init__(
        self,
        path: Path,
        tables: dict[str, Told],
        clock: Clock,
        bank_clock: Clock,
        seed: int | None = None,
        host: str = "127.0.0.1",
        **settings: Told,
    ) -> None:
        self.path = path
        self.clocks = clock, bank_clock
        self._seed, self._host = seed, host
        self._draws = count()
        self.awaits_texts = True
        """Whether a stepped table goes on only when every bettor has opened a sealed text."""
        self.going: frozenset[str] = frozenset()
        """Stepped tables that go on while a visitor who watches them waits for something."""
        settings["web"] = {"openings_a_day": 100_000, **settings.get("web", {})}
        self.config = Config.model_validate({"tables": tables, **settings})
        self.url = ""
        self.casino: CasinoServer
        self.house: Casino
        self._stop: Callable[[], None]
        self._ready = threading.Event()
        self._fault: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(PATIENCE), "the doors do not open"
        if self._fault is not None:
            raise self._fault

    def close(self) -> None:
        self._stop()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive(), "the doors do not close"

    def visitor(self, name: str | None = None) -> Visitor:
        """Return a new visitor, entered under a name or not."""
        return Visitor(self.url, name, self)

    def step(self, table: str, *, awaits_texts: bool = True) -> None:
        """Do the next thing that is due at a table, and tell it to all."""
        assert isinstance(self.house, SteppedCasino)
        end = time.monotonic() + PATIENCE
        while awaits_texts and self.awaits_texts and self._unopened(table):
            assert time.monotonic() < end, f"a bettor at {table} opens no text"
            time.sleep(0.005)
        self.house.step(table)
        self.told(table)

    def _unopened(self, table: str) -> bool:
        """Whether a book is locked with a sealed text that its bettor has not opened yet."""
        running = self.house.service.durable_state(table).running
        return bool(running and running.locked and not running.closing and running.unrevealed)

    def told(self, table: str) -> int:
        """Wait until all that happened at a table is told; the version of the last message."""
        backend, passed = self.casino.backend, threading.Event()
        end = time.monotonic() + PATIENCE
        while backend.states[table] is not self.house.service.durable_state(table):
            assert time.monotonic() < end, f"what happened at {table} is not told"
            time.sleep(0.001)
        backend.bridge.post(passed.set)
        assert passed.wait(PATIENCE)
        return backend.feeds[table].version

    def turn(self, table: str) -> int:
        return self.house.service.durable_state(table).turn

    def waits_for(self, table: str) -> str:
        """The person who is to act at a table; empty if no one is."""
        running = self.house.service.durable_state(table).running
        return running.challenger if running and waits_for_person(running) else ""

    def book_is_open(self, table: str) -> bool:
        running = self.house.service.durable_state(table).running
        return running is not None and running.locked is None and running.closing is None

    def game_at(self, table: str) -> str:
        """The game that is not over at a table; empty if there is none."""
        running = self.house.service.durable_state(table).running
        return running.id if running else ""

    def is_played(self, table: str) -> bool:
        running = self.house.service.durable_state(table).running
        return bool(running and running.deal)

    def play(self, table: str) -> None:
        """Play at a table until one more game is over, even if a bettor has left."""
        finished = self.house.finished
        while self.house.finished == finished:
            self.step(table, awaits_texts=False)

    def new_book(self, table: str) -> None:
        """Play at a table until its next book is open, and its time has just begun."""
        self.play(table)
        while not self.book_is_open(table):
            self.step(table)

    def _chance(self) -> bytes:
        """32 bytes: with a seed always the same ones, one after another."""
        if self._seed is None:
            return fairness.fresh_seed()
        return sha256(f"{self._seed}|chance|{next(self._draws)}".encode()).digest()

    def _run(self) -> None:
        """Open, serve, close; all in the thread whose loop it is."""
        try:
            self._serve()
        except BaseException as error:  # noqa: BLE001 - for who waits for the doors to open
            self._fault = error
            self._ready.set()

    @property
    def site(self) -> WebSite:
        assert self.casino.site is not None
        return self.casino.site

    def _serve(self) -> None:
        def ready(address: str, stop: Callable[[], None]) -> None:
            self.url, self._stop = address, stop
            self._ready.set()

        plans = table_plans(self.config)
        least_free = self.config.bank.least_free_mib << 20
        chips = grant_policy(self.config)
        kind = Casino if self._seed is None else SteppedCasino
        self.house = kind(
            self.path,
            plans,
            *self.clocks,
            chips=chips,
            least_free_bytes=least_free,
            seed=self._seed,
        )
        try:
            self.casino = create_app(self.config, self.house, self._chance)
            serve(self.casino, self._host, 0, ready)
        finally:
            self.house.close()


class Visitor(CasinoClient):
    """A client that remembers all he hears."""

    def __init__(self, url: str, name: str | None, doors: Doors | None = None) -> None:
        super().__init__(url)
        self.name = name
        self.doors = doors
        self._joined: dict[str, int] = {}
        self.events: list[Told] = []
        self.yous: list[Told] = []
        self.frames: list[Told] = []
        self._news = threading.Condition()
        if name is not None:
            self.enter(name)
        self.connect(event=self._heard, you=self._you)

    def request(self, message: str, **payload: Any) -> Told:
        """Send a message; its answer must have the form of its model."""
        answer = super().request(message, **payload)
        MESSAGES[message][1].model_validate_json(json.dumps(answer))
        return answer

    def join(self, table: str) -> Told:
        answer: Told = self.request("join", table=table)
        self._joined[table] = answer["version"]
        return answer

    def refused(self, message: str, **payload: Any) -> str:
        try:
            self.request(message, **payload)
        except Refused as refusal:
            return refusal.code
        return "ok"

    def game(self, table: str) -> str:
        def open_now() -> str:
            seen = self.join(table)["snapshot"]
            return str(seen["game"]) if "game" in seen and not seen["closed"] else ""

        return str(self.until(open_now))

    def bet(self, table: str, bet_id: str, side: str = "house", unit_cents: int = 500) -> Told:
        """Bet on the game whose book is open."""
        game = self.game(table)
        payload = {"bet_id": bet_id, "side": side, "unit_cents": unit_cents}
        answer: Told = self.request("place_bet", table=table, game=game, **payload)
        return answer

    def wait_for(self, kind: str, since: int = 0) -> Told:
        """The first event of a type after a version."""

        def found() -> Told | None:
            told = (e for e in list(self.events) if e["type"] == kind and e["version"] > since)
            return next(told, None)

        event: Told = self.until(found)
        return event

    def play_until(self, table: str, look: Callable[[], Any]) -> Any:
        """What a look finds, as soon as it finds something, while a stepped table goes on."""
        assert self.doors
        for _ in range(1_000):
            told = self.doors.told(table)
            self.until(lambda told=told: self._version(table) >= told)  # type: ignore[misc]
            if found := look():
                return found
            self.doors.step(table)
        raise AssertionError(f"played in vain; heard {[e['type'] for e in self.events[-9:]]}")

    def _version(self, table: str) -> int:
        heard = (e["version"] for e in reversed(list(self.events)) if e["table"] == table)
        return int(next(heard, self._joined[table]))

    def until(self, look: Callable[[], Any]) -> Any:
        """What a look finds, as soon as it finds something."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = look()
            if found:
                return found
            self._go_on()
            with self._news:
                self._news.wait(0.02)
        raise AssertionError(f"waited in vain; heard {[e['type'] for e in self.events[-9:]]}")

    def _go_on(self) -> None:
        """Let tables go on of which all is heard, unless they wait for this visitor."""
        doors = self.doors
        if doors is None:
            return
        for table in doors.going & self._joined.keys():
            if self._version(table) >= doors.told(table) and doors.waits_for(table) != self.name:
                doors.step(table)

    def _heard(self, event: Told) -> None:
        with self._news:
            self.events.append(event)
            self.frames.append(event)
            self._news.notify_all()

    def _you(self, told: Told) -> None:
        with self._news:
            self.yous.append(told)
            self.frames.append(told)
            self._news.notify_all()


@contextmanager
def open_doors(
    path: Path,
    tables: dict[str, Told],
    clock: Clock = now_ms,
    bank_clock: Clock = now_ms,
    **settings: Any,
) -> Iterator[Doors]:
    doors = Doors(path, tables, clock, bank_clock, **settings)
    try:
        yield doors
    finally:
        doors.close()


class Ear:
    """What a visitor hears of one kind of message."""

    def __init__(self, visitor: Visitor, kind: str) -> None:
        self.heard: list[Told] = []
        self._visitor = visitor
        visitor.line.on(kind, self.heard.append)

    def until(self, number: int) -> list[Told]:
        """What was heard, as soon as that is so much."""
        self._visitor.until(lambda: len(self.heard) >= number)
        return list(self.heard)
