"""A web worker: pages and sockets for a backend behind Redis."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import gevent

from casino.config import Config
from casino.errors import Refused
from casino.table.public.feed import TableFeed
from casino.web.accounts.sessions import SessionCache
from casino.web.app import create_site, site_server
from casino.web.context import AppContext
from casino.web.counters import Counters
from casino.web.ipc.client import EventSubscriber, RemoteBackend
from casino.web.ipc.protocol import BackendSnapshot
from casino.web.server.wsgi import Server

log = logging.getLogger(__name__)


@contextmanager
def worker_server(
    config: Config, address: tuple[str, int], chance: Callable[[], bytes], clock: Callable[[], int]
) -> Iterator[Server]:
    """Return a worker's running server, once the backend at `[scale] redis_url` answers."""
    remote = RemoteBackend(config.scale.redis_url, chance, clock)
    remote.open()
    try:
        begins = _wait_for_backend(remote)
        remote.clock.update(begins.at)
        feeds = {
            name: TableFeed.from_transfer(table.standing, table.turn, table.version)
            for name, table in begins.tables.items()
        }
        for name, table in begins.tables.items():
            feeds[name].set_proof(table.proof)
            feeds[name].taking = begins.taking
        shared = AppContext(
            config,
            remote,
            remote.loop,
            feeds,
            remote.clock,
            chance,
            SessionCache(remote.ask),
            Counters(),
        )
        site = create_site(shared, begins.cookies, None)
        EventSubscriber(remote, begins, site.broadcaster, site.live).start()
        yield site_server(site, *address)
    finally:
        remote.close()


def _wait_for_backend(remote: RemoteBackend) -> BackendSnapshot:
    """Wait for a backend and return its snapshot."""
    while True:
        try:
            return remote.snapshot()
        except Refused:
            log.warning("no house answers over Redis: waiting for one")
            gevent.sleep(0)
