"""What pages, JSON and the live line share: the house, its tables as told, who may come in."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from flask import session

from casino.bank import ledger
from casino.bank.transaction import Answer
from casino.config import Config
from casino.errors import Refused
from casino.table.board import Board
from casino.table.clerk import UNKNOWN_TABLE, Clerk
from casino.table.commands import Command
from casino.table.house import House
from casino.table.state import TableState
from casino.table.witnesses import Cosigned
from casino.web.bridge import Bridge
from casino.web.figures import Figures
from casino.web.people import NOT_ENTERED, People
from casino.web.tracing import tell_command


class Shared(NamedTuple):
    """The house, its tables as they have been told, and who may come in.

    `states` are the tables with all their cards, as far as they have been told: only what one
    person may see is taken from there.
    """

    config: Config
    house: House
    bridge: Bridge
    boards: Mapping[str, Board]
    states: dict[str, TableState]
    people: People
    chance: Callable[[], bytes]
    witnessed: Cosigned
    figures: Figures

    @property
    def clerk(self) -> Clerk:
        """The door to the tables."""
        return self.house.clerk

    def cosigned(self) -> str | None:
        """The newest checkpoint that enough witnesses cosigned."""
        return self.witnessed.by_quorum(self.config.witness.quorum)

    def carry_out(self, command: Command) -> Answer:
        """What comes of a command, once that is durable; logged with the request it came by."""
        began = time.perf_counter()
        code, answer = "ok", dict[str, Any]()
        try:
            answer = self.bridge.wait(self.clerk.submit(command))
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
        return self.house.clock()

    def board(self, table: str) -> Board:
        """A table's board."""
        if table not in self.boards:
            raise Refused(UNKNOWN_TABLE, table=table[:40])
        return self.boards[table]

    def seconds_for(self, table: str) -> float | None:
        """How long the person who is to act at a table has left, with the time asked for."""
        seconds = self.board(table).seconds(self.now())
        return None if seconds is None else seconds + self.house.more_ms(table) / 1000

    def balance(self, player: str) -> int:
        """What a player has at hand."""
        return self.balances([player])[player]

    def balances(self, players: list[str]) -> dict[str, int]:
        """What players have at hand."""
        return self.bridge.read(
            lambda log: {player: log.balance(ledger.purse(player)) for player in players}
        )

    def somebody(self) -> str | None:
        """The player whose browser asks."""
        return self.people.whose(session.get("key"))

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
