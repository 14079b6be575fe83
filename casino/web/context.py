"""What pages, JSON and the live line share: the way to the house, its tables as told, the clock."""

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
from casino.web.accounts.sessions import SessionCache, hash_of
from casino.web.backend.concurrency import EventLoop
from casino.web.counters import Counters
from casino.web.server.request_log import tell_command


class Backend(Protocol):
    """The house, in this process or in another."""

    def ask(self, question: str, *given: Any) -> Any:
        """The answer to a question (see `casino.web.backend.local`), or `Refused`."""

    def present(self, player: str, *, there: bool) -> None:
        """Say whether a person is there."""


class AppContext(NamedTuple):
    """The house, its tables as they have been told, and for whom browsers speak."""

    config: Config
    house: Backend
    loop: EventLoop
    boards: MutableMapping[str, TableFeed]
    clock: Callable[[], int]
    chance: Callable[[], bytes]
    sessions: SessionCache
    figures: Counters

    def ask(self, question: str, *given: Any) -> Any:
        """What the house answers."""
        return self.house.ask(question, *given)

    def carry_out(self, command: Command) -> Answer:
        """What comes of a command, once that is durable; logged with the request it came by."""
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
            self.figures.answer.add(seconds)
            tell_command(command, code, answer, seconds)
        return answer

    def now(self) -> int:
        """The time, in milliseconds."""
        return self.clock()

    def board(self, table: str) -> TableFeed:
        """A table's board."""
        if table not in self.boards:
            raise Refused(UNKNOWN_TABLE, table=table[:40])
        return self.boards[table]

    def own_view(self, table: str, player: str | None) -> Message | None:
        """What only one person may see of a table; nothing if it is nobody."""
        if player is None:
            return None
        seen: Message = self.ask("views", [(table, player)])[0]
        return seen

    def balance(self, player: str) -> int:
        """What a player has at hand."""
        cents: int = self.ask("balances", [player])[player]
        return cents

    def key(self) -> str:
        """By what the house knows the browser that asks: the hash of its key."""
        return hash_of(session.get("key", ""))

    def somebody(self) -> str | None:
        """The player whose browser asks."""
        return self.sessions.whose(self.key())

    def me(self) -> str:
        """The player whose browser asks; `not_entered` if it is nobody's."""
        player = self.somebody()
        if player is None:
            raise Refused(NOT_ENTERED)
        return player

    def visit(self) -> None:
        """Know the browser again: a key, and a token for its pages."""
        if "key" not in session:
            session.permanent = True
            session["key"] = self.chance().hex()
            session["csrf"] = self.chance().hex()
