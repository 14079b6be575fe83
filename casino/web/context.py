"""The context shared by pages, JSON routes and sockets: backend, connections, feeds, clock."""

from __future__ import annotations

import hmac
import logging
import time
from collections import Counter
from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Final

from flask import get_template_attribute, session

from casino.config import Config
from casino.errors import CasinoError, FileError, RefusalReason, Refused
from casino.ledger.storage.base import CANNOT_WRITE, StorageError
from casino.table.domain.commands import UNKNOWN_TABLE, PlayerCommand
from casino.table.domain.settings import TableSettings
from casino.table.public.feed import TableFeed
from casino.table.public.state import Message, PublicTable
from casino.web.accounts.service import require_player
from casino.web.accounts.store import SessionCache, hash_of_key
from casino.web.backend.concurrency import EventLoop
from casino.web.backend.interface import Backend, TableFeeds
from casino.web.metrics import Counters
from casino.web.server.request_log import log_command
from casino.web.sockets.connections import ConnectionRegistry

MAX_PRIVATE_TABLES: Final = 8  # in a browser's cookie

log = logging.getLogger(__name__)

INTERNAL_ERROR: Final = RefusalReason("internal_error", "unavailable", "internal error: try again")


def as_refusal(error: Exception) -> Refused:
    """Return an error as a refusal, without details unless it is one; log an unexpected error."""
    if isinstance(error, Refused):
        return error
    # Failures of the ledger are logged once, by the publisher.
    if isinstance(error, FileError | StorageError):
        return Refused(CANNOT_WRITE)
    log.error("a request could not be answered", exc_info=error)
    return Refused(INTERNAL_ERROR)


def admitted() -> frozenset[str]:
    """Return the names of the private tables whose links the browser has opened."""
    return frozenset(session.get("tables", ()))


def may_see(feed: TableFeed, player: str | None, tables: Set[str]) -> bool:
    """Return True if a table is not private, is hosted by `player`, or is listed in `tables`."""
    hosted = feed.table.newest_settings.hosted
    if hosted is None or hosted.audience == "public" or feed.name in tables:
        return True
    return player is not None and player == hosted.host


def _kind(rules: TableSettings) -> TableSettings:
    return rules._replace(name="", hosted=None)


@dataclass(eq=False)
class AppContext:
    """The objects that request handlers share, with helpers for the current request."""

    config: Config
    backend: Backend
    loop: EventLoop
    feeds: TableFeeds
    now: Callable[[], int]  # the backend's time, in milliseconds since 1970
    chance: Callable[[], bytes]
    figures: Counters
    # A worker reports all its players every second instead.
    set_present: Callable[[str, bool], None] = lambda *_: None

    def __post_init__(self) -> None:
        self.registry = ConnectionRegistry(self.set_present)
        self.sessions = SessionCache(self.backend.players_of)

    def submit(self, command: PlayerCommand) -> Message:
        """Submit and log a command; return its result once it is durable."""
        began = time.perf_counter()
        code = "ok"
        answer: Message = {}
        try:
            answer = self.backend.submit(command)
        except Refused as refusal:
            code = refusal.code
            raise
        finally:
            seconds = time.perf_counter() - began
            self.figures.answer.observe(seconds)
            log_command(command, code, answer, seconds)
        return answer

    def error_message(self, error: CasinoError) -> Message:
        """Count an error and return its JSON message."""
        refusal = as_refusal(error)
        self.figures.refusals.labels(refusal.code).inc()
        return {"ok": False, **refusal.json()}

    def visible_feed(self, table: str) -> TableFeed:
        """Return a table's feed if the browser may see it, or raise `Refused`."""
        feed = self.feeds[table]
        if not may_see(feed, self.current_player_or_none(), admitted()):
            raise Refused(UNKNOWN_TABLE, table=table[:40])
        return feed

    def visible_feeds(self) -> list[TableFeed]:
        """Return the feeds of all tables that the browser may see."""
        player, tables = self.current_player_or_none(), admitted()
        return [feed for feed in self.feeds.values() if may_see(feed, player, tables)]

    def seat_to_play(self) -> Message:
        """Return the table to play at, and whether that is possible now, there or at a new one."""
        player, offered = self.current_player_or_none(), list[PublicTable]()
        tables = [feed.table for feed in self.visible_feeds()]
        for table in tables:
            rules = table.newest_settings
            if any(rules.challengers) or rules.is_closed:
                continue
            # Another person's table must be like those before, and everyone must have left it.
            is_usual = rules.hosted is None or rules.hosted.host in (None, player)
            is_like_those = _kind(rules) in (_kind(seat.newest_settings) for seat in offered)
            if is_usual or (is_like_those and not self.registry.watchers(rules.name)):
                offered.append(table)
        offered = offered or tables[:1]
        free = [table for table in offered if {table.holder, *table.queue} <= {"", player}]
        can_play = bool(free) or self.may_open_table()
        return {"play_at": (free or offered)[0].rules.name, "can_play": can_play}

    def table_titles(self) -> dict[str, str]:
        """Return the titles of the hosted tables that the browser may see, in its language.

        Those with the settings of one of the casino's tables, which newcomers may be offered, are
        named after that one. Tables of the same name have numbers.
        """
        name_of = get_template_attribute("_names.html", "name_of")
        titles, casinos = dict[str, str](), dict[TableSettings, str]()
        counts = Counter[tuple[str, str]]()
        for feed in self.visible_feeds():
            rules = feed.table.newest_settings
            kind, hosted = _kind(rules), rules.hosted
            if hosted is None:
                casinos[kind] = rules.name
            host = (hosted and hosted.host) or ""
            is_known = not host or kind in casinos
            named = (casinos.get(kind, rules.name), "") if is_known else ("", host)
            if hosted is not None:
                titles[rules.name] = name_of(*named, counts[named] + 1).unescape()
            counts[named] += not rules.is_closed
        return titles

    def may_open_table(self) -> bool:
        """Return True if the player, or a newcomer, may open a table now."""
        hosting, player = self.config.hosting, self.current_player_or_none()
        newest = [feed.table.newest_settings for feed in self.feeds.values()]
        hosts = [rules.hosted.host for rules in newest if rules.hosted and not rules.is_closed]
        has_room = len(hosts) < hosting.tables and hosts.count(player or "") < hosting.tables_each
        return has_room and hosting.who in ("accounts", "everybody") and not self.needs_password()

    def needs_password(self) -> bool:
        """Return True if the player, or a newcomer, needs a password to open a table."""
        player = self.current_player_or_none()
        has_password = player is not None and self.backend.has_password(player)
        return self.config.hosting.who == "accounts" and not has_password

    def admit(self, table: str, link: str) -> None:
        """Let the browser see a private table from now on if `link` is the table's token."""
        token = self.backend.table_link(table).encode()
        if hmac.compare_digest(token, link.encode()):
            # Tables that are over go first, then those whose links were opened first.
            others = [t for t in session.get("tables", ()) if t in self.feeds and t != table]
            session["tables"] = [*others, table][-MAX_PRIVATE_TABLES:]

    def session_key(self) -> str:
        """Return the hash of the browser's session key, or "" if it has none."""
        return hash_of_key(session.get("key", ""))

    def current_player_or_none(self) -> str | None:
        """Return the player who is signed in, or None."""
        return self.sessions.player_of(self.session_key())

    def current_player(self) -> str:
        """Return the player who is signed in, or raise `Refused` with code `not_entered`."""
        return require_player(self.current_player_or_none())

    def ensure_session(self) -> None:
        """Give a browser without a session a key."""
        if "key" not in session:
            session.permanent = True
            session["key"] = self.chance().hex()
