"""What pages, JSON and sockets share: the backend, the tables' feeds, the clock."""

from __future__ import annotations

import time
from collections.abc import Callable, MutableMapping
from typing import Any, NamedTuple, Protocol

from flask import session

from casino.config import Config
from casino.errors import Refused
from casino.ledger.transaction import Answer
from casino.table.domain.commands import Command
from casino.table.public.feed import TableFeed
from casino.table.public.state import Message
from casino.table.runtime.service import UNKNOWN_TABLE
from casino.web.accounts.service import NOT_ENTERED
from casino.web.accounts.sessions import SessionCache, hash_of_key
from casino.web.backend.concurrency import EventLoop
from casino.web.counters import Counters
from casino.web.server.request_log import log_command


class Backend(Protocol):
    """The casino, in this process or in another."""

    def ask(self, question: str, *arguments: Any) -> Any:
        """Return the answer to a question (see `casino.web.backend.local`), or raise `Refused`."""

    def set_present(self, player: str, *, there: bool) -> None:
        """Report whether a person is there."""


class AppContext(NamedTuple):
    """The backend, the feeds of its tables, and the browsers' sessions."""

    config: Config
    house: Backend
    loop: EventLoop
    feeds: MutableMapping[str, TableFeed]
    clock: Callable[[], int]
    chance: Callable[[], bytes]
    sessions: SessionCache
    figures: Counters

    def ask(self, question: str, *arguments: Any) -> Any:
        """Ask the backend."""
        return self.house.ask(question, *arguments)

    def submit(self, command: Command) -> Answer:
        """Submit a command, log it with its request's id, and return its durable result."""
        began = time.perf_counter()
        code = "ok"
        answer: Answer = {}
        try:
            answer = self.ask("command", type(command).__name__, command)
        except Refused as refusal:
            code = refusal.code
            raise
        finally:
            seconds = time.perf_counter() - began
            self.figures.answer.observe(seconds)
            log_command(command, code, answer, seconds)
        return answer

    def now(self) -> int:
        """Return the time in milliseconds."""
        return self.clock()

    def feed(self, table: str) -> TableFeed:
        """Return a table's feed."""
        if table not in self.feeds:
            raise Refused(UNKNOWN_TABLE, table=table[:40])
        return self.feeds[table]

    def private_view(self, table: str, player: str | None) -> Message | None:
        """Return a person's private view of a table, or None for a visitor."""
        if player is None:
            return None
        seen: Message = self.ask("views", [(table, player)])[0]
        return seen

    def balance(self, player: str) -> int:
        """Return a player's balance."""
        cents: int = self.ask("balances", [player])[player]
        return cents

    def session_key(self) -> str:
        """Return the hash of the requesting browser's key."""
        return hash_of_key(session.get("key", ""))

    def current_player_or_none(self) -> str | None:
        """Return the player of the requesting browser, or None."""
        return self.sessions.player_of(self.session_key())

    def current_player(self) -> str:
        """Return the player of the requesting browser, or refuse with `not_entered`."""
        player = self.current_player_or_none()
        if player is None:
            raise Refused(NOT_ENTERED)
        return player

    def ensure_session(self) -> None:
        """Make sure the browser has a session: a key, and a CSRF token for its pages."""
        if "key" not in session:
            session.permanent = True
            session["key"] = self.chance().hex()
            session["csrf"] = self.chance().hex()
