"""The simulated world: a casino, web processes, Redis, a disk, a network, people, and faults.

Everything runs in one thread in virtual time, in an order that the seed decides. The program is
unmodified from the socket handlers to the SQL; replaced are the sockets, Redis, the disk under
SQLite and the clocks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import Any, Final

import gevent

from casino.config import Config
from casino.config_tables import grant_policy, table_plan, table_plans
from casino.errors import CasinoError, Refused
from casino.ledger.storage.base import StorageError
from casino.table.runtime.casino import Casino
from casino.web import app as web_app
from casino.web import context as web_context
from casino.web.accounts import service as account_service
from casino.web.accounts.usernames import bot_names
from casino.web.backend.local import LocalBackend
from casino.web.context import AppContext
from casino.web.ipc import redis_streams
from casino.web.ipc import server as rpc_server
from casino.web.ipc.client import EventSubscriber, RpcClient
from casino.web.routes.api import ApiViews
from casino.web.services.odds import OddsBroadcaster
from casino.web.sockets import handlers
from casino.web.sockets.handlers import SocketHandlers
from casino.web.websocket.connection import WIRE
from tests.simulator.disk import Disk
from tests.simulator.redis_server import RedisClient, RedisServer
from tests.simulator.storage import SideFiles, location
from tests.simulator.virtual_time import START_SECONDS, Process, VirtualLoop, direct_pool, replace
from tests.simulator.visitor import SimulatedConnection, Visitor

Message = dict[str, Any]
REDIS: Final = "redis://simulated"


_bot_names = lru_cache(bot_names)
"""Cached: reading them from the catalogues takes longer than the rest of a start."""


class SocketIO:
    """Handlers of messages: the part of `flask_socketio.SocketIO` that is used."""

    def __init__(self) -> None:
        self.handlers: dict[str, Callable[..., Any]] = {}

    def on_event(self, name: str, handler: Callable[..., Any]) -> None:
        self.handlers[name] = handler


class Request:
    """Request and session data that handlers read, for the greenlet that serves a socket."""

    def __init__(self, visitor: Visitor, wire: SimulatedConnection | None = None) -> None:
        self.sid = "" if wire is None else wire.sid
        self.remote_addr = "10.1.1.1"
        self.environ = {WIRE: wire}
        self.key, self.tables = visitor.key, visitor.admitted


class Current:
    """Stands in for `flask.request` and `flask.session`."""

    def __getattr__(self, name: str) -> Any:
        return getattr(gevent.getcurrent().request, name)

    def get(self, name: str, default: str) -> Any:
        return getattr(gevent.getcurrent().request, name, default)

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(gevent.getcurrent().request, name, value)


class Site:
    """The socket handlers of one process, and the greenlets that serve its sockets."""

    def __init__(self, world: World, process: Process, site: web_app.WebSite) -> None:
        self.world, self.process, self.shared = world, process, site.shared
        self.socketio = SocketIO()
        parts = site.shared, site.broadcaster
        handlers = SocketHandlers(*parts, OddsBroadcaster(*parts), self.socketio)
        self.views = ApiViews(*parts)
        gevent.spawn(handlers.joining.run)
        self._inboxes: dict[str, SimpleQueue[Any]] = {}

    def connect(self, visitor: Visitor) -> None:
        wire = SimulatedConnection(self.world, self, visitor, next(self.world.sids))
        inbox = self._inboxes[wire.sid] = SimpleQueue()
        self.world.spawn(self.process, self._serve, wire, inbox, Request(visitor, wire))

    def receive(self, wire: SimulatedConnection, number: int, name: str, payload: Message) -> None:
        arrives = self.world.loop.now + self.world.latency()

        def arrive() -> None:
            if wire.is_open and self.process.is_alive:
                self._inboxes[wire.sid].put((number, name, payload))

        self.world.loop.at(arrives, arrive)

    def disconnect(self, wire: SimulatedConnection) -> None:
        if self.process.is_alive:
            self._inboxes[wire.sid].put(None)

    def ask(
        self, visitor: Visitor, call: Callable[[AppContext], Any], on_answer: Callable[[Any], None]
    ) -> None:
        """Serve a page's request; `on_answer` hears no refusal."""
        request = Request(visitor)

        def work() -> None:
            gevent.getcurrent().request = request
            try:
                answer = call(self.shared)
            except (Refused, StorageError):
                return
            if self.world.rng.random() < 0.9:
                self.world.after(self.world.latency(), lambda: on_answer(answer))

        self.world.spawn(self.process, work)

    def _serve(self, wire: SimulatedConnection, inbox: SimpleQueue[Any], request: Request) -> None:
        gevent.getcurrent().request = request
        try:
            self.socketio.handlers["connect"]()
        except Exception:  # noqa: BLE001 - refused, as engineio does it
            return
        self.world.after(self.world.latency(), lambda: wire._visitor.connected(wire))
        while (item := inbox.get()) is not None:
            number, name, payload = item
            handler = self.socketio.handlers.get(name)
            answer = handler(payload) if handler else self.socketio.handlers["*"](name, payload)
            wire.answer(number, answer)
        self.socketio.handlers["disconnect"]()
        del self._inboxes[wire.sid]


class House:
    def __init__(self, world: World, folder: Path, disk: Disk) -> None:
        self.world, self.folder, self.disk = world, folder, disk
        self.process = Process()
        self.casino: Casino | None = None
        self.backend: LocalBackend | None = None
        self.site: Site | None = None
        world.spawn(self.process, self._run)

    def _run(self) -> None:
        world = self.world
        try:
            config = world.config
            self.casino = casino = Casino(
                location(self.folder, self.disk),
                table_plans(config),
                world.clock,
                chips=grant_policy(config),
                name="simulated",
                chain_length=world.chain_length,
                hosted_plan=table_plan("", config),
            )
            casino.service.ledger._free_bytes = lambda: world.free
            server = web_app.create_app(config, casino, world.chance, with_pages=False)
            for task in (*server.site.tasks, server.publisher.run):
                gevent.spawn(task)
            if server.rpc_server is not None:
                server.rpc_server.__enter__()
            else:
                self.site = Site(world, self.process, server.site)
            self.backend = server.backend
            gevent.spawn(server.backend.watch_idle_tables, server.site.shared.registry.watchers)
            casino.start_tables(self._failed)
        except Exception as error:  # noqa: BLE001 - reported with the seed, unless the disk is off
            self._failed(error)

    def _failed(self, error: BaseException) -> None:
        self.world.house_failed(self, error)

    def stop_tables(self) -> None:
        assert self.casino is not None
        self.casino._closing.set()
        for runner in self.casino.croupiers:
            runner.woken.set()

    def close(self) -> None:
        assert self.casino is not None
        self.world.spawn(self.process, self.casino.close)
        self.world.loop.pass_time(self.world.loop.now + 30)
        self.process.is_alive = False


class Web:
    def __init__(self, world: World, number: int) -> None:
        self.world, self.number = world, number
        self.process = Process()
        self.site: Site | None = None
        world.spawn(self.process, self._run)

    def _run(self) -> None:
        world = self.world
        client = RpcClient(REDIS, world.chance, world.clock)
        client.open()
        shared, begins = web_app.worker_context(world.config, client, world.chance)
        site = web_app.create_site(shared, begins.cookies, with_pages=False)
        for task in site.tasks:
            gevent.spawn(task)
        EventSubscriber(client, begins, site.broadcaster, shared).start()
        self.site = Site(world, self.process, site)


RULES: Final[dict[str, Sequence[Any]]] = {
    "target": (5, 5, 7),
    "play": ("strict", "ordinary"),
    "packets": ([3, 2], [2, 3]),
    "first_dealer": ("cut", "loser", "house", "challenger"),
    "enforcement": ("strict", "claims"),
    "gallery_stakes": ("game", "single"),
    "matching": ("pro_rata", "last_in_first_out"),
    "commission_base": ("winnings", "gross"),
    "commission_bp": (0, 333, 500),
    "principal_commission_bp": (0, 100),
    "stake_cents": (0, 100, 1_000),
    "house_cover_cents": (0, 700, 50_000),
    "house": ("regle", "novice"),
    "abandon": ("concede", "void"),
    "slip_permille": (0, 100),
    "day_cents": (0, 0, 30_000),
}


def _rules(rng: Random) -> dict[str, Any]:
    return {name: rng.choice(values) for name, values in RULES.items()}


class World:
    """The whole simulation; in every second one, people host tables."""

    def __init__(self, loop: VirtualLoop, seed: int, folder: Path) -> None:
        self.loop, self.folder = loop, folder
        self.rng = rng = Random(seed)
        self.chance = partial(rng.randbytes, 32)
        self.after = loop.after
        self.number = seed % 250
        self.sids = map(str, count())
        self.offset_ms = self.max_offset_ms = 0
        self.chain_length = rng.choice((3, 50, 1000))
        self.free = 1 << 40
        self.findings: list[str] = []
        self.counts: dict[str, int] = {}
        self.is_calm = False
        tables = {
            "bots": {**_rules(rng), "challenger": "regle", "number": 3},
            "seat": {**_rules(rng), "challenger": "nobody", "number": 2, "turn_ms": 15_000},
        }
        self.has_hosts = seed % 2 == 0
        self.invited: dict[str, set[str]] = {}
        hosting = {"tables": 5, "idle_minutes": 2, "spectators": 3, "max_stake_cents": 2_000}
        settings: dict[str, Any] = {"web": {"openings_a_day": 100_000, "refill_hours": 1}}
        settings["hosting"] = {**hosting, "who": "everybody" if self.has_hosts else "nobody"}
        self.webs = rng.choice((0, 0, 1, 2))
        if self.webs:
            settings["scale"] = {"redis_url": REDIS}
        self.config = Config.model_validate({"tables": tables, **settings})
        self._side_files = SideFiles()
        self.redis = RedisServer(rng, lambda: int((START_SECONDS + loop.now) * 1000))
        for module in (redis_streams, rpc_server):
            replace(module, create_client=lambda _: RedisClient(self.redis))
        replace(handlers, request=Current())
        replace(web_context, session=Current())
        replace(os, urandom=rng.randbytes)
        replace(account_service, bot_names=_bot_names)
        replace(gevent.get_hub(), threadpool=direct_pool(lambda: rng.expovariate(500)))
        self.run = 0
        self.house: House
        self._start(Disk(self._power_is_cut))
        self.web: list[Web] = [Web(self, n) for n in range(self.webs)]
        self.visitors = [
            Visitor(self, f"p{n}", Random(rng.randbytes(8)), list(tables))
            for n in range(rng.randrange(2, 8))
        ]
        if rng.random() < 0.85:
            self._plan_faults()

    # Time, chance and processes.

    def clock(self) -> int:
        """Return the wall-clock time of all machines, in milliseconds."""
        return int((START_SECONDS + self.loop.now) * 1000) + self.offset_ms

    def is_strict(self, game: str) -> bool:
        """Return True if a game refuses irregular actions instead of allowing claims."""
        table = self.config.tables.get(game.rpartition("-")[0], {"enforcement": "strict"})
        return bool(table["enforcement"] == "strict")

    def hosted(self) -> list[str]:
        feeds = () if self.house.backend is None else self.house.backend.feeds
        return [name for name in feeds if name not in self.config.tables]

    def latency(self) -> float:
        return self.rng.expovariate(20)

    def spawn(self, process: Process, work: Callable[..., Any], *arguments: Any) -> None:
        task = gevent.Greenlet(work, *arguments)
        task.process = process
        task.start()

    def check(self, holds: bool, text: str) -> None:
        if not holds:
            self.findings.append(f"at {self.loop.now:.3f} s: {text}")

    def random_site(self, rng: Random) -> Site | None:
        owners: Sequence[House | Web] = self.web if self.webs else [self.house]
        sites = [o.site for o in owners if o.site is not None and o.process.is_alive]
        return rng.choice(sites) if sites else None

    # Faults.

    def _plan_faults(self) -> None:
        self._every(360, self._stop_house)
        self._every(360, self._cut_power_soon)
        self._every(240, self._fail_disk)
        self._every(160, self._cut_random_connection)
        self._every(800, self._jump_clock)
        self._every(600, self._fill_disk)
        self._every(800, self._pause_table)
        if self.webs:
            self._every(320, self._kill_web)
            self._every(160, self._restart_redis)
            self._every(200, self._lose_redis_answers)

    def _every(self, seconds: float, fault: Callable[[], None]) -> None:
        def again() -> None:
            if not self.is_calm:
                self.counts[fault.__name__] = self.counts.get(fault.__name__, 0) + 1
                fault()
                self.after(self.rng.expovariate(1 / seconds), again)

        self.after(self.rng.expovariate(1 / seconds), again)

    def _start(self, disk: Disk) -> None:
        self.run += 1
        folder = self.folder / f"run{self.run}"
        folder.mkdir(exist_ok=True)
        self.house = House(self, folder, disk)

    def _stop_house(self, *, power: bool = False) -> None:
        house = self.house
        if not house.process.is_alive:
            return
        house.process.is_alive = False
        house.disk.die()
        self._cut_all(house.site)
        new = self.folder / f"run{self.run + 1}"
        self._side_files.move(house.folder, new, self.rng, power=power)
        disk = house.disk.survivors(self.rng, self._power_is_cut, power=power)
        self.after(self.rng.uniform(0.1, 6), lambda: self._start(disk))

    def _cut_all(self, site: Site | None) -> None:
        for visitor in self.visitors:
            if visitor.wire is not None and visitor.wire.site is site:
                visitor.wire.cut()

    def _cut_power_soon(self) -> None:
        self.house.disk.plan(self.rng.randrange(120), "power")

    def _power_is_cut(self) -> None:
        self._stop_house(power=self.rng.random() < 0.7)

    def _fail_disk(self) -> None:
        disk = self.house.disk
        if not disk.is_dead:
            disk.fails_once = self.rng.random() < 0.5
            disk.plan(self.rng.randrange(20), self.rng.choice(("write", "sync", "full")))
            self.after(self.rng.uniform(0.1, 15), disk.mend)

    def _pause_table(self) -> None:
        """Let the operator pause or close a table for a while."""
        casino, table = self.house.casino, self.rng.choice(list(self.config.tables))
        if casino is not None and hasattr(casino, "croupiers"):
            casino.set_table_state(table, self.rng.choice(("paused", "closed")))
            self.after(self.rng.uniform(5, 600), lambda: casino.set_table_state(table, "open"))

    def _fill_disk(self) -> None:
        self.free = 0
        self.after(self.rng.uniform(1, 20), lambda: setattr(self, "free", 1 << 40))

    def _cut_random_connection(self) -> None:
        self.rng.choice(self.visitors).leave()

    def _jump_clock(self) -> None:
        self.offset_ms += self.rng.choice((-600_000, -5_000, 3_000, 60_000, 3_600_000))
        self.max_offset_ms = max(self.max_offset_ms, self.offset_ms)

    def _kill_web(self) -> None:
        number = self.rng.randrange(self.webs)
        web = self.web[number]
        if web.process.is_alive:
            web.process.is_alive = False
            self._cut_all(web.site)

            def again() -> None:
                self.web[number] = Web(self, number)

            self.after(self.rng.uniform(0.1, 6), again)

    def _restart_redis(self) -> None:
        self.redis.restart(self.rng.uniform(0.1, 12), forgets=self.rng.random() < 0.5)

    def _lose_redis_answers(self) -> None:
        self.redis.loss = 0.2
        self.after(self.rng.uniform(1, 10), lambda: setattr(self.redis, "loss", 0.0))

    def house_failed(self, house: House, error: BaseException) -> None:
        """Restart a stopped casino; note a finding unless a disk fault explains it."""
        if not house.process.is_alive or house is not self.house:
            return
        is_disk_at_fault = house.disk.failing or house.disk.is_dead
        is_explained = isinstance(error, (CasinoError, OSError)) and is_disk_at_fault
        self.check(is_explained, f"the house stopped: {error!r}")
        self._stop_house()
