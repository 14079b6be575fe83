"""The web application: `create_app` assembles it, `serve` runs it."""

from __future__ import annotations

import errno
import logging
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from typing import Final, NamedTuple

import gevent
from flask import Flask

from casino.config import Config
from casino.errors import InputError, Refused
from casino.table.runtime.casino import Casino
from casino.web import metrics
from casino.web.assets import load_manifest, serve_files, templates_folder
from casino.web.backend.local import LocalBackend
from casino.web.broadcast.broadcaster import Broadcaster
from casino.web.broadcast.publisher import EventPublisher
from casino.web.context import AppContext
from casino.web.i18n import init_i18n
from casino.web.ipc.client import EventSubscriber, RpcClient, remote_backend
from casino.web.ipc.protocol import BackendSnapshot
from casino.web.ipc.server import RpcServer, open_rpc_server
from casino.web.metrics import Counters
from casino.web.routes import api, pages
from casino.web.server.fair_queue import FairQueue, WorkQueue
from casino.web.server.security import MAX_BODY_BYTES, SessionCookies, secure
from casino.web.server.wsgi import Server
from casino.web.services.odds import OddsBroadcaster
from casino.web.sockets.handlers import SocketHandlers
from casino.web.websocket.connection import create_socketio

COOKIE: Final = "casino"
COOKIE_DAYS: Final = 365
_LOOK_SECONDS: Final = 0.2

Stop = Callable[[], None]


class WebSite(NamedTuple):
    """The Flask application with its background tasks."""

    app: Flask
    shared: AppContext
    broadcaster: Broadcaster
    tasks: tuple[Callable[[], None], ...]
    prospects: OddsBroadcaster | None = None


class CasinoServer(NamedTuple):
    """A casino's backend, publisher and site, with its RPC server if it has one."""

    backend: LocalBackend
    publisher: EventPublisher
    site: WebSite
    rpc_server: RpcServer | None = None

    def connection_count(self) -> int:
        """Return the number of Socket.IO connections in this process and all workers."""
        own = len(self.site.shared.registry)
        return own + (self.rpc_server.connection_count if self.rpc_server is not None else 0)


def create_app(
    config: Config, house: Casino, chance: Callable[[], bytes], *, with_pages: bool = True
) -> CasinoServer:
    """Assemble a casino's server, with or without pages; `chance` returns 32 random bytes."""
    backend, ledger = LocalBackend(config, house, chance), house.service.ledger
    secret = backend.people.cookie_key(chance)
    own = backend.bridge, backend.feeds, house.clock, chance, backend.figures, backend.set_present
    shared = AppContext(config, backend, *own)
    site = create_site(shared, secret, with_pages=with_pages)
    gauge = backend.figures.add_gauge
    gauge("takes_bets", "Whether bets are taken.", lambda: ledger.can_take_bets)
    gauge("queue_length", "Commands that wait for the bank.", ledger.queue_length)
    gauge("file_bytes", "Size of the casino's log.", ledger.location.size_bytes)
    publisher = EventPublisher(backend, site.broadcaster.flush_queue.put)
    backend.subscribe(site.broadcaster.handle)
    # Subscribe it after the feeds, so that a worker's snapshot contains every earlier message.
    rpc_server = open_rpc_server(backend, secret) if config.scale.redis_url else None
    if rpc_server is not None:
        backend.subscribe(rpc_server.publish)
    return CasinoServer(backend, publisher, site, rpc_server)


def create_site(shared: AppContext, secret: bytes, *, with_pages: bool = True) -> WebSite:
    """Assemble the site, or without pages only its health and metrics; `secret` signs cookies."""
    app = Flask(__name__, static_folder=None, template_folder=templates_folder())
    registry, broadcaster = shared.registry, Broadcaster(shared)
    metrics.register_routes(app, shared.figures, shared.feeds, registry.watchers)
    tasks = broadcaster.flush_queue.run, broadcaster.push_private_views
    if not with_pages:
        return WebSite(app, shared, broadcaster, tasks)
    fair_queue, gauge = FairQueue(), shared.figures.add_gauge
    gauge("people", "People with a page open.", lambda: len(registry.players()))
    gauge("lines", "Live connections.", lambda: len(registry))
    gauge("requests_waiting", "Requests in the queue.", lambda: fair_queue.waiting)
    app.config.update(
        SECRET_KEY=secret,
        SESSION_COOKIE_NAME=COOKIE,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        PERMANENT_SESSION_LIFETIME=timedelta(days=COOKIE_DAYS),
        SESSION_REFRESH_EACH_REQUEST=False,
        MAX_CONTENT_LENGTH=MAX_BODY_BYTES,
    )
    app.session_interface = SessionCookies()
    serve_files(app)
    init_i18n(app)
    prospects = OddsBroadcaster(shared, broadcaster)
    disconnects = WorkQueue()
    socketio = create_socketio(app, disconnects.put)
    handlers = SocketHandlers(shared, broadcaster, prospects, socketio)
    secure(app, shared, fair_queue)
    api.register_routes(app, shared, broadcaster, secret)
    pages.register_routes(app, shared)
    more = fair_queue.run, handlers.joining.run, disconnects.run, prospects.run
    return WebSite(app, shared, broadcaster, (*tasks, *more), prospects)


def serve(
    casino: CasinoServer,
    host: str,
    port: int,
    on_ready: Callable[[str, Stop], None],
    games: int | None = None,
) -> None:
    """Run the tables and serve clients until stopped, or until `games` games have finished.

    `on_ready` receives the URL and a function, callable from any thread, that stops the server.
    """
    server = start_server(casino.site, host, port)
    faults: list[Exception] = []

    def stop() -> None:
        casino.backend.bridge.post(server.stop)

    def fault(error: Exception) -> None:
        faults.append(error)
        stop()

    gevent.spawn(casino.publisher.run)
    witnesses = casino.backend.ask_witnesses(fault)
    if casino.rpc_server is not None:
        displaced = casino.rpc_server.displaced
        gevent.spawn(lambda: fault(displaced.get()))
    if games is not None:
        gevent.spawn(_stop_after, games, casino.backend.house, server)
    casino.backend.house.start_tables(fault)
    gevent.spawn(casino.backend.watch_idle_tables, casino.site.shared.registry.watchers)
    on_ready(server.url, stop)
    try:
        server.serve_forever()
    finally:
        witnesses.close()
    if faults:
        raise faults[0]


def start_server(site: WebSite, host: str, port: int) -> Server:
    """Start a site's server and background tasks; raise `InputError` if the address is taken."""
    gevent.config.track_greenlet_tree = False  # else each greenlet keeps its spawning stack
    figures = site.shared.figures
    server = Server((host, port), site.app, site.shared.config.web, figures)
    figures.add_gauge("connections", "Connections.", lambda: server.connection_count)
    with _listening(host, port):
        server.start()
    for task in site.tasks:
        gevent.spawn(task)
    return server


def check_address(host: str, port: int) -> None:
    """Raise `InputError` if a server cannot listen on an address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with _listening(host, port):
        socket.create_server((host, port), family=family).close()


@contextmanager
def _listening(host: str, port: int) -> Iterator[None]:
    try:
        yield
    except (OSError, TypeError, ValueError) as error:
        number = getattr(error, "errno", None) or 0
        why = os.strerror(number) if number > 0 else "not an address"
        option = "--port" if number in (errno.EADDRINUSE, errno.EACCES) else "--host"
        text = f"cannot listen on {host}:{port} ({why})"
        raise InputError(f"{text}: choose another {option}") from None


def _stop_after(games: int, house: Casino, server: Server) -> None:
    while house.finished < games:
        gevent.sleep(_LOOK_SECONDS)
    server.stop()


log = logging.getLogger(__name__)


@contextmanager
def worker_server(
    config: Config, address: tuple[str, int], chance: Callable[[], bytes], clock: Callable[[], int]
) -> Iterator[Server]:
    """Start a worker's server, once the backend at `[scale] redis_url` responds."""
    load_manifest()  # if the pages are not built, fail before the wait
    client = RpcClient(config.scale.redis_url, chance, clock)
    client.open()
    with closing(client):
        shared, begins = worker_context(config, client, chance)
        site = create_site(shared, begins.cookies)
        EventSubscriber(client, begins, site.broadcaster, shared).start()
        yield start_server(site, *address)


def worker_context(
    config: Config, client: RpcClient, chance: Callable[[], bytes]
) -> tuple[AppContext, BackendSnapshot]:
    """Wait until the backend responds; return a worker's context and the state it starts from."""
    while True:
        try:
            begins = client.snapshot()
            break
        except Refused:
            log.warning("no house responds over Redis: waiting for one")
    client.set_time(begins.at)
    own = client.loop, begins.feeds(), client.now, chance, Counters()
    return AppContext(config, remote_backend(client), *own), begins
