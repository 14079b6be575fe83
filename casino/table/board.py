"""What a table has told everybody: its events grouped into messages, numbered once for all.

Versions count messages and grow by one with each. Bets come in crowds, so those of a quarter of a
second are told together with the book that they make; until then they are in no snapshot either:
a snapshot of a version is what the messages up to it come to. A notice is about more than one
table; it carries the version as it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, Final

from casino.events.kinds import BetAccepted, BookLocked, CutSealed, Event, GameOpened
from casino.table.lobby import summary
from casino.table.messages import book_message, messages, snapshot
from casino.table.public_table import Message, PublicTable, fold, seconds

BOOK_EVERY_MS: Final = 250
MOST_SINGLY: Final = 4
"""More bets than these between two books are told by the book."""

KEPT: Final = 2_000
MOST_MISSED: Final = 500
"""Who has missed more gets a snapshot."""

_CROWDED: Final = (("new_bets", "bet_accepted"), ("new_cuts", "cut"))
_TIMED: Final = frozenset({"game_opened", "book", "book_locked"})
"""Messages after which a clock runs for everybody."""


class Board:
    """One table, as it has been told."""

    def __init__(self, table: PublicTable, turn: int, version: int) -> None:
        self.table = table
        self.version = version
        self.taking = True
        self._history: deque[Message] = deque(maxlen=KEPT)
        self._turns: deque[int] = deque([turn], maxlen=KEPT)
        self._held: list[Event] = []
        self._book_at = 0
        self._restored_at = -1
        self._proof = ""

    @property
    def name(self) -> str:
        """The table's name."""
        return self.table.rules.name

    def take(self, event: Event, turn: int, now: int, proof: str = "") -> list[Message]:
        """The messages to send for an event; `turn` is whose answers count from now on.

        With a lock comes the proof that it is in the signed log, which is no event.
        """
        if isinstance(event, (BetAccepted, CutSealed)):
            self._held.append(event)
            return self.flush(now) if now - self._book_at >= BOOK_EVERY_MS else []
        told = self.flush(now)
        before, self.table = self.table, fold(self.table, event)
        self._proof = "" if isinstance(event, GameOpened) else proof or self._proof
        for message in messages(before, event, self.table):
            if isinstance(event, BookLocked):
                message["proof"] = proof
            told.append(self._numbered(message, turn, now))
        self._turns[-1] = turn
        return told

    def flush(self, now: int) -> list[Message]:
        """The messages of the bets and cuts that wait, the book last."""
        held, self._held = self._held, []
        if not held:
            return []
        self._book_at = now
        told: list[Message] = []
        for event in held:
            before, self.table = self.table, fold(self.table, event)
            told += messages(before, event, self.table)
        game = self.table.running
        assert game is not None
        if any(isinstance(event, BetAccepted) for event in held):
            book = book_message(game)
            if len(told) > MOST_SINGLY:
                for name, kind in _CROWDED:
                    book[name] = [_bare(one) for one in told if one["type"] == kind]
                told = []
            told.append(book)
        return [self._numbered(message, self._turns[-1], now) for message in told]

    def wait_ms(self, now: int) -> int | None:
        """How long what is held may still wait; None if nothing is held."""
        return max(0, self._book_at + BOOK_EVERY_MS - now) if self._held else None

    def restore(self, table: PublicTable, turn: int, now: int) -> list[Message]:
        """The table as it was read from the log again: everybody is to look at it anew."""
        told = self.flush(now)
        self.table, self._turns[-1] = table, turn
        self._restored_at = self.version
        return [*told, self.notice({"type": "restored"})]

    @property
    def sealed_and_locked(self) -> str:
        """The running game if its book is locked over sealed texts, to whom a proof is owed."""
        game = self.table.running
        return game.id if game is not None and game.locked is not None and game.seals else ""

    def prove(self, proof: str) -> None:
        """Keep the proof of a book that was locked before this table was read from the log."""
        self._proof = proof

    def notice(self, message: Mapping[str, Any]) -> Message:
        """Something that is no event of the table; it does not raise the version."""
        return {**message, "table": self.name, "version": self.version}

    def seconds(self, now: int) -> float | None:
        """How long the book stays open, or the person to act has left."""
        return seconds(self.table, now)

    def missed(self, since: int, now: int) -> list[Message] | None:
        """The messages after a version, with the seconds that are left now; None if too many."""
        number = self.version - since
        if since <= self._restored_at or not 0 <= number <= min(len(self._history), MOST_MISSED):
            return None
        clock = {"seconds": self.seconds(now)}
        told = (self._history[place] for place in range(-number, 0))
        return [{**one, **clock} if "seconds" in one else one for one in told]

    def snapshot(self, now: int) -> Message:
        """All that somebody needs who comes in now."""
        return {
            **snapshot(self.table),
            "proof": self._proof if self.sealed_and_locked else "",
            "version": self.version,
            "taking": self.taking,
            "seconds": self.seconds(now),
        }

    def summary(self) -> Message:
        """The table in a line of the lobby."""
        return {**summary(self.table), "version": self.version, "taking": self.taking}

    def turn_at(self, version: int) -> int:
        """Which turn it was when a version was told; -1 for one that nobody remembers."""
        number = self.version - version
        return self._turns[-1 - number] if 0 <= number < len(self._turns) else -1

    def _numbered(self, message: Message, turn: int, now: int) -> Message:
        """A message with its table and version, remembered."""
        self.version += 1
        numbered = {**message, "table": self.name, "version": self.version}
        if message["type"] in _TIMED:
            numbered["seconds"] = self.seconds(now)
        self._history.append(numbered)
        self._turns.append(turn)
        return numbered


def _bare(message: Message) -> Message:
    """What a bet or a cut says of itself, in a crowd."""
    return {key: value for key, value in message.items() if key not in ("game", "type")}
