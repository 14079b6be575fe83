"""Run a real casino server in a thread and connect real clients to it."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import Message
from hashlib import sha256
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from casino import fairness
from casino.client.client import CasinoClient
from casino.config import Config
from casino.config_tables import grant_policy, table_plans
from casino.errors import Refused
from casino.ledger.writer import Clock
from casino.table.runtime.casino import Casino
from casino.web.app import CasinoServer, WebSite, create_app, serve
from casino.web.schemas.messages import MESSAGES

JsonObject = dict[str, Any]
Visit = Callable[..., "Visitor"]

TIMEOUT_SECONDS = 240.0
LONG_BETTING = {"betting_ms": 3_600_000, "number": 0}
# The client library would report closed connections on stderr, where tests read the casino's log.
_clients = logging.getLogger("engineio.client")
_clients.setLevel(logging.ERROR)
_clients.addHandler(logging.NullHandler())

FAST = {"betting_ms": 60, "pace_ms": 0, "deal_ms": 0, "game_ms": 0}


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Reply(NamedTuple):
    """An answer of the server, whatever its status."""

    status: int
    headers: Message
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def fetch(url: str, path: str, body: Any = None, method: str = "", **headers: str) -> Reply:
    """Request a path as it is written; a body of bytes is sent as it is, others as JSON."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if body is not None:
        named = {"Content-Type": "application/json", **named}
        body = body if isinstance(body, bytes) else json.dumps(body)
    connection = HTTPConnection(urlsplit(url).netloc, timeout=TIMEOUT_SECONDS)
    connection.request(method or ("GET" if body is None else "POST"), path, body, named)
    response = connection.getresponse()
    reply = Reply(response.status, response.headers, response.read())
    connection.close()
    return reply


def cookie_of(client: CasinoClient) -> str:
    return "; ".join(f"{cookie.name}={cookie.value}" for cookie in client._jar)


class SkippingClock:
    """The real time plus what the test has skipped."""

    def __init__(self) -> None:
        self._skipped_ms = 0

    def __call__(self) -> int:
        return now_ms() + self._skipped_ms

    def skip_to(self, at: int) -> None:
        """Skip ahead to a time, unless it is past."""
        self._skipped_ms += max(0, at - self())


class SteppedCasino(Casino):
    """A casino whose tables advance only when a test steps them."""

    clock: SkippingClock

    def start_tables(self, on_fault: object = None) -> None:
        """Start no table runner."""

    def step(self, table: str) -> None:
        """Run the next step of a table at once, skipping the time until it is due."""
        runner = self._runners[table]
        now = self.clock()
        due_at = runner.step(now)
        if due_at > now:
            self.clock.skip_to(due_at)
            runner.step(self.clock())
        if self.service.durable_state(table).is_over:
            del self._runners[table]


class Server:
    """A casino server running in a thread.

    With a seed, the cards are fixed and the test steps the tables.
    """

    def __init__(
        self,
        path: Path,
        tables: dict[str, JsonObject],
        clock: Clock,
        bank_clock: Clock,
        seed: int | None = None,
        host: str = "127.0.0.1",
        **settings: JsonObject,
    ) -> None:
        self.path = path
        self.clocks = clock, bank_clock
        self._seed, self._host = seed, host
        self._draws = count()
        self._visitors: list[Visitor] = []
        self.awaits_reveals = True
        """Whether a stepped table waits until every bettor has revealed their sealed text."""
        self.going: frozenset[str] = frozenset()
        """Stepped tables that also advance while a visitor watching them waits."""
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
        assert self._ready.wait(TIMEOUT_SECONDS), "the server does not start"
        if self._fault is not None:
            raise self._fault

    def close(self) -> None:
        for visitor in self._visitors:
            visitor.close()
        self._stop()
        self._thread.join(TIMEOUT_SECONDS)
        assert not self._thread.is_alive(), "the server does not stop"

    def visitor(self, name: str | None = None) -> Visitor:
        """Connect a visitor, signed in if a name is given, until the server closes."""
        self._visitors.append(Visitor(self.url, name, self))
        return self._visitors[-1]

    def step(self, table: str, *, awaits_reveals: bool = True) -> None:
        """Run the next step of a table and wait until it is broadcast."""
        assert isinstance(self.house, SteppedCasino)
        end = time.monotonic() + TIMEOUT_SECONDS
        while awaits_reveals and self.awaits_reveals and self._unopened(table):
            assert time.monotonic() < end, f"a bettor at {table} reveals no text"
            time.sleep(0.005)
        self.house.step(table)
        self.wait_for_broadcast(table)

    def _unopened(self, table: str) -> bool:
        """Return whether a locked book still waits for a sealed text."""
        running = self.house.service.durable_state(table).running
        return bool(running and running.locked and not running.closing and running.unrevealed)

    def wait_for_broadcast(self, table: str) -> int:
        """Wait until all events of a table are broadcast; return the last version."""
        backend, passed = self.casino.backend, threading.Event()
        end = time.monotonic() + TIMEOUT_SECONDS
        while backend.states[table] is not self.house.service.durable_state(table):
            assert time.monotonic() < end, f"the events of {table} are not broadcast"
            time.sleep(0.001)
        backend.bridge.post(passed.set)
        assert passed.wait(TIMEOUT_SECONDS)
        return backend.feeds[table].version

    def metric(self, name: str, **labels: str) -> float:
        """Return the value of a metric now; 0 if it is absent."""
        registry = self.site.shared.figures.registry
        return registry.get_sample_value(f"casino_{name}", labels) or 0

    def turn(self, table: str) -> int:
        return self.house.service.durable_state(table).turn

    def waits_for(self, table: str) -> str:
        """Return the player who has to act at a table; empty if none has."""
        running = self.house.service.durable_state(table).running
        return running.challenger if running and running.waits_for_person else ""

    def book_is_open(self, table: str) -> bool:
        running = self.house.service.durable_state(table).running
        return running is not None and running.locked is None and running.closing is None

    def game_at(self, table: str) -> str:
        """Return the running game of a table; empty if there is none."""
        running = self.house.service.durable_state(table).running
        return running.id if running else ""

    def is_played(self, table: str) -> bool:
        running = self.house.service.durable_state(table).running
        return bool(running and running.deal)

    def play(self, table: str) -> None:
        """Step a table until another game is over, even if a bettor has left."""
        finished = self.house.finished
        while self.house.finished == finished:
            self.step(table, awaits_reveals=False)

    def new_book(self, table: str) -> None:
        """Finish the game of a table and open its next book."""
        self.play(table)
        while not self.book_is_open(table):
            self.step(table)

    def _chance(self) -> bytes:
        """Return 32 random bytes, derived from the seed if there is one."""
        if self._seed is None:
            return fairness.fresh_seed()
        return sha256(f"{self._seed}|chance|{next(self._draws)}".encode()).digest()

    def _run(self) -> None:
        """Serve until stopped; keep an error for the thread that waits."""
        try:
            self._serve()
        except BaseException as error:  # noqa: BLE001 - raised again in __init__
            self._fault = error
            self._ready.set()

    @property
    def site(self) -> WebSite:
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
    """A client that records every message it receives."""

    def __init__(self, url: str, name: str | None, server: Server | None = None) -> None:
        super().__init__(url)
        self.name = name
        self.server = server
        self._joined: dict[str, int] = {}
        self.events: list[JsonObject] = []
        self.yous: list[JsonObject] = []
        self.frames: list[JsonObject] = []
        self._news = threading.Condition()
        if name is not None:
            self.enter(name)
        self.connect(event=self._heard, you=self._you)

    def request(self, message: str, **payload: Any) -> JsonObject:
        """Send a message and check its answer against the schema."""
        answer = super().request(message, **payload)
        MESSAGES[message][1].model_validate_json(json.dumps(answer))
        return answer

    def join(self, table: str) -> JsonObject:
        answer: JsonObject = self.request("join", table=table)
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

    def bet(
        self, table: str, bet_id: str, side: str = "house", unit_cents: int = 500
    ) -> JsonObject:
        """Bet on the game with the open book."""
        game = self.game(table)
        payload = {"bet_id": bet_id, "side": side, "unit_cents": unit_cents}
        answer: JsonObject = self.request("place_bet", table=table, game=game, **payload)
        return answer

    def wait_for(self, kind: str, since: int = 0, **fields: Any) -> JsonObject:
        """Wait for the first event of a type, with these fields, after a version."""
        wanted = {"type": kind, **fields}.items()

        def found() -> JsonObject | None:
            events = (e for e in list(self.events) if e["version"] > since)
            return next((e for e in events if wanted <= e.items()), None)

        event: JsonObject = self.until(found)
        return event

    def play_until(self, table: str, look: Callable[[], Any]) -> Any:
        """Step a table until `look` returns something; return that."""
        assert self.server
        for _ in range(1_000):
            told = self.server.wait_for_broadcast(table)
            self.until(lambda told=told: self._version(table) >= told)  # type: ignore[misc]
            if found := look():
                return found
            self.server.step(table)
        raise AssertionError(f"played in vain; heard {[e['type'] for e in self.events[-9:]]}")

    def _version(self, table: str) -> int:
        heard = (e["version"] for e in reversed(list(self.events)) if e["table"] == table)
        return int(next(heard, self._joined[table]))

    def until(self, look: Callable[[], Any]) -> Any:
        end = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < end:
            found = look()
            if found:
                return found
            self._go_on()
            with self._news:
                self._news.wait(0.02)
        raise AssertionError(f"waited in vain; heard {[e['type'] for e in self.events[-9:]]}")

    def _go_on(self) -> None:
        """Step the tables whose events have all arrived, unless they wait for this visitor."""
        server = self.server
        if server is None:
            return
        for table in server.going & self._joined.keys():
            if (
                self._version(table) >= server.wait_for_broadcast(table)
                and server.waits_for(table) != self.name
            ):
                server.step(table)

    def _heard(self, event: JsonObject) -> None:
        self._keep(self.events, event)

    def _you(self, told: JsonObject) -> None:
        self._keep(self.yous, told)

    def _keep(self, kind: list[JsonObject], message: JsonObject) -> None:
        with self._news:
            kind.append(message)
            self.frames.append(message)
            self._news.notify_all()


def same_session(visitor: Visitor, url: str) -> Visitor:
    """Connect another tab of a visitor's browser."""
    tab = Visitor(url, None)
    tab.close()
    tab._jar, tab._opener = visitor._jar, visitor._opener
    tab.connect(event=tab._heard, you=tab._you)
    return tab


@contextmanager
def open_server(
    path: Path,
    tables: dict[str, JsonObject],
    clock: Clock = now_ms,
    bank_clock: Clock = now_ms,
    **settings: Any,
) -> Iterator[Server]:
    server = Server(path, tables, clock, bank_clock, **settings)
    try:
        yield server
    finally:
        server.close()


class Recorder:
    """Records one kind of message to a visitor."""

    def __init__(self, visitor: Visitor, kind: str) -> None:
        self.heard: list[JsonObject] = []
        self.visitor = visitor
        visitor.line.on(kind, self.heard.append)

    def until(self, number: int) -> list[JsonObject]:
        self.visitor.until(lambda: len(self.heard) >= number)
        return list(self.heard)
