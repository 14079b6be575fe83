"""What a table has told everybody: its groups of events become messages, numbered once for all.

Versions count messages and grow by one with each. What waits for its group (`table.grouping`)
is in no snapshot either: a snapshot of a version is what the messages up to it come to. A notice
is about more than one table; it carries the version as it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, Final

from casino.events.types import Event, GameOpened
from casino.table.public.batching import CROWDED, EventBatch
from casino.table.public.lobby import summary
from casino.table.public.messages import book_message, messages, snapshot
from casino.table.public.state import Message, PublicTable, fold, seconds
from casino.table.public.transfer import TableTransfer, standing

MAX_SINGLE_BETS: Final = 4
"""More bets than these between two books are told by the book."""

KEPT: Final = 2_000
MAX_MISSED: Final = 500
"""Who has missed more gets a snapshot."""

_CROWDED: Final = (("new_bets", "bet_accepted"), ("new_cuts", "cut"))
_TIMED: Final = frozenset({"game_opened", "book", "book_locked"})
"""Messages after which a clock runs for everybody."""


class TableFeed:
    """One table, as it has been told."""

    def __init__(
        self, table: PublicTable, turn: int, version: int, events: Iterable[Event] = ()
    ) -> None:
        self.version = version
        self.taking = True
        self.away = False
        self._history: deque[Message] = deque(maxlen=KEPT)
        self._turns: deque[int] = deque([turn], maxlen=KEPT)
        self._restored_at = -1
        self._proof = ""
        self._begin(table, events)

    @classmethod
    def of(cls, stands: TableTransfer, turn: int, version: int) -> TableFeed:
        """A table that stands like this, on which a version was told last."""
        return cls(stands.rest, turn, version, stands.events)

    def standing(self) -> TableTransfer:
        """How the table stands, for who begins to follow it now."""
        return standing(self._rest, self._since)

    @property
    def name(self) -> str:
        """The table's name."""
        return self.table.rules.name

    def tell(self, group: EventBatch) -> list[Message]:
        """The messages to send for a group of events."""
        before = [self._fold(event) for event in group.events]
        told = [
            message
            for was, event, now in zip(before, group.events, [*before[1:], self.table], strict=True)
            for message in messages(was, event, now)
        ]
        if isinstance(group.events[0], CROWDED):
            told = self._book(told)
        else:
            opens = isinstance(group.events[0], GameOpened)
            self._proof = "" if opens else group.proof or self._proof
            for message in told:
                if message["type"] == "book_locked":
                    message["proof"] = group.proof
        numbered = [self._numbered(message, group.turn, group.at) for message in told]
        self._turns[-1] = group.turn
        return numbered

    def _book(self, told: list[Message]) -> list[Message]:
        game = self.table.running
        assert game is not None
        if all(one["type"] != "bet_accepted" for one in told):
            return told
        book = book_message(game)
        if len(told) > MAX_SINGLE_BETS:
            for name, kind in _CROWDED:
                book[name] = [_bare(one) for one in told if one["type"] == kind]
            told = []
        return [*told, book]

    def restore(
        self, stands: TableTransfer, turn: int, proof: str = "", version: int | None = None
    ) -> Message:
        """The table as it was read from the log again: everybody is to look at it anew.

        Where what was told meanwhile is not known, the version goes on from another one.
        """
        self._begin(stands.rest, stands.events)
        if version is not None and version != self.version:
            self.version = version
            self._history.clear()
            self._turns.clear()
            self._turns.append(turn)
        self._turns[-1] = turn
        self._restored_at = self.version
        self._proof = proof
        return self.notice({"type": "restored"})

    @property
    def turn(self) -> int:
        """Whose answers count now."""
        return self._turns[-1]

    @property
    def sealed_and_locked(self) -> str:
        """The running game if its book is locked over sealed texts, to whom a proof is owed."""
        game = self.table.running
        return game.id if game is not None and game.locked is not None and game.seals else ""

    def prove(self, proof: str) -> None:
        """Keep the proof of a book that was locked before this table was read from the log."""
        self._proof = proof

    @property
    def proof(self) -> str:
        """The proof of the running game's lock, where one is owed."""
        return self._proof if self.sealed_and_locked else ""

    def notice(self, message: Mapping[str, Any]) -> Message:
        """Something that is no event of the table; it does not raise the version."""
        return {**message, "table": self.name, "version": self.version}

    def seconds(self, now: int) -> float | None:
        """How long the book stays open, or the person to act has left."""
        return seconds(self.table, now)

    def missed(self, since: int, now: int) -> list[Message] | None:
        """The messages after a version, with the seconds that are left now; None if too many."""
        number = self.version - since
        if since <= self._restored_at or not 0 <= number <= min(len(self._history), MAX_MISSED):
            return None
        clock = {"seconds": self.seconds(now)}
        told = (self._history[place] for place in range(-number, 0))
        return [{**one, **clock} if "seconds" in one else one for one in told]

    def snapshot(self, now: int) -> Message:
        """All that somebody needs who comes in now."""
        return {
            **snapshot(self.table),
            "proof": self.proof,
            "version": self.version,
            **self.open(),
            "seconds": self.seconds(now),
        }

    def open(self) -> Message:
        """Whether bets are taken; where not, whether it is because the house is away."""
        return {"taking": self.taking, **({"away": True} if self.away else {})}

    def summary(self) -> Message:
        """The table in a line of the lobby."""
        return {**summary(self.table), "version": self.version, **self.open()}

    def turn_at(self, version: int) -> int:
        """Which turn it was when a version was told; -1 for one that nobody remembers."""
        number = self.version - version
        return self._turns[-1 - number] if 0 <= number < len(self._turns) else -1

    def _begin(self, rest: PublicTable, events: Iterable[Event]) -> None:
        self.table = self._rest = rest
        self._since: list[Event] = []
        for event in events:
            self._fold(event)

    def _fold(self, event: Event) -> PublicTable:
        before, self.table = self.table, fold(self.table, event)
        self._since.append(event)
        if self.table.running is None:
            self._rest, self._since = self.table, []
        return before

    def _numbered(self, message: Message, turn: int, now: int) -> Message:
        self.version += 1
        numbered = {**message, "table": self.name, "version": self.version}
        if message["type"] in _TIMED:
            numbered["seconds"] = self.seconds(now)
        self._history.append(numbered)
        self._turns.append(turn)
        return numbered


def _bare(message: Message) -> Message:
    return {key: value for key, value in message.items() if key not in ("game", "type")}
