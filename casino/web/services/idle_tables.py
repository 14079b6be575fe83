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


def close_idle_tables(backend: LocalBackend, watchers: Callable[[str], int]) -> None:
    """Close idle tables at intervals; `watchers` returns the connections that watch a table."""
    used_at: dict[str, int] = {}
    while True:
        gevent.sleep(EVERY_SECONDS)
        try:
            used_at = close_idle(backend, watchers, used_at)
        except CasinoError:
            log.exception("idle tables could not be closed")


def close_idle(
    backend: LocalBackend, watchers: Callable[[str], int], used_before: dict[str, int]
) -> dict[str, int]:
    """Close the tables that have been idle for too long; return when each was last used."""
    now, used_at = backend.now(), dict[str, int]()
    idle_ms = backend.config.hosting.idle_minutes * _MINUTE_MS
    for name, feed in list(backend.feeds.items()):
        settings = feed.table.newest_settings
        if settings.hosted is None or settings.is_closed:
            continue
        has_people = watchers(name) > 0 or _has_people(feed.table)
        is_used = has_people or bool(backend.house.ordered_games(name))
        used_at[name] = now if is_used else used_before.get(name, now)
        if now - used_at[name] >= idle_ms:
            backend.submit(CloseTable(name, "idle"))
    return used_at


def _has_people(table: PublicTable) -> bool:
    running = table.running
    has_bettors = running is not None and any(STAR not in name for name in bettors(running))
    has_entry = table.poule is not None and table.poule.person
    return bool(table.holder or table.queue or has_bettors or has_entry)
