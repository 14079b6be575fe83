"""Closes hosted tables that no one watches, bets or plays at."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

import gevent

from casino.errors import CasinoError
from casino.table.domain.commands import CloseTable
from casino.table.public.state import PublicTable, bettors
from casino.table.runtime.simulated_bettors import STAR
from casino.web.backend.local import LocalBackend

EVERY_SECONDS: Final = 10.0
_MINUTE_MS: Final = 60_000

log = logging.getLogger(__name__)


class IdleTables:
    """Watches all hosted tables; `watchers` returns the connections that watch a table."""

    def __init__(self, backend: LocalBackend, watchers: Callable[[str], int]) -> None:
        self._backend = backend
        self._watchers = watchers
        self._used_at: dict[str, int] = {}

    def start(self) -> None:
        """Start the greenlet that closes idle tables."""
        gevent.spawn(self._run)

    def close_idle(self) -> None:
        """Close the tables that have been idle for too long."""
        now, before = self._backend.now(), self._used_at
        idle_ms = self._backend.config.hosting.idle_minutes * _MINUTE_MS
        self._used_at = {}
        for name, feed in list(self._backend.feeds.items()):
            settings = feed.table.newest_settings
            if settings.hosted is None or settings.is_closed:
                continue
            is_used = self._watchers(name) > 0 or _has_people(feed.table)
            is_used = is_used or bool(self._backend.house.ordered_games(name))
            self._used_at[name] = used_at = now if is_used else before.get(name, now)
            if now - used_at >= idle_ms:
                self._backend.submit(CloseTable(name, "idle"))

    def _run(self) -> None:
        while True:
            gevent.sleep(EVERY_SECONDS)
            try:
                self.close_idle()
            except CasinoError:
                log.exception("idle tables could not be closed")


def _has_people(table: PublicTable) -> bool:
    running = table.running
    has_bettors = running is not None and any(STAR not in name for name in bettors(running))
    has_entry = table.poule is not None and table.poule.person
    return bool(table.holder or table.queue or has_bettors or has_entry)
