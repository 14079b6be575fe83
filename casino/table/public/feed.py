"""The feed of a table: batches of events become messages, numbered once for all clients.

Versions count messages. A pending batch is in no snapshot either: a snapshot equals the fold of the
messages up to its version. A notice concerns several tables and carries the current version.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import Struct

from casino.events.types import BetAccepted, CutSealed, Event, GameOpened
from casino.table.public.messages import book_message, messages, snapshot, summary
from casino.table.public.state import Message, PublicTable, apply_event, seconds_left
from casino.table.public.transfer import TableTransfer, make_transfer

MAX_SINGLE_BETS: Final = 4  # more bets between two books are sent as one book

KEPT: Final = 2_000
MAX_MISSED: Final = 500  # a client that missed more gets a snapshot

_CROWDED: Final = (("new_bets", "bet_accepted"), ("new_cuts", "cut"))
# Messages that start a clock for everyone.
_TIMED: Final = frozenset({"game_opened", "book", "book_locked"})


class TableFeed:
    """One table, as it has been told to clients."""

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
    def from_transfer(cls, stands: TableTransfer, turn: int, version: int) -> TableFeed:
        """Return the feed of a transferred table whose last message had a version."""
        return cls(stands.before_game, turn, version, stands.events)

    def transfer(self) -> TableTransfer:
        """Return the table for a process that begins to follow it now."""
        return make_transfer(self._rest, self._since)

    @property
    def name(self) -> str:
        """The table's name."""
        return self.table.rules.name

    def publish(self, group: EventBatch) -> list[Message]:
        """Return the messages of a batch of events."""
        before = [self._fold(event) for event in group.events]
        messages_sent = [
            message
            for was, event, now in zip(before, group.events, [*before[1:], self.table], strict=True)
            for message in messages(was, event, now)
        ]
        if isinstance(group.events[0], CROWDED):
            messages_sent = self._book(messages_sent)
        else:
            opens = isinstance(group.events[0], GameOpened)
            self._proof = "" if opens else group.proof or self._proof
            for message in messages_sent:
                if message["type"] == "book_locked":
                    message["proof"] = group.proof
        numbered = [self._numbered(message, group.turn, group.at) for message in messages_sent]
        self._turns[-1] = group.turn
        return numbered

    def _book(self, messages_sent: list[Message]) -> list[Message]:
        game = self.table.running
        assert game is not None
        if all(message["type"] != "bet_accepted" for message in messages_sent):
            return messages_sent
        book = book_message(game)
        if len(messages_sent) > MAX_SINGLE_BETS:
            for name, kind in _CROWDED:
                book[name] = [
                    _bare(message) for message in messages_sent if message["type"] == kind
                ]
            messages_sent = []
        return [*messages_sent, book]

    def reset(
        self, stands: TableTransfer, turn: int, proof: str = "", version: int | None = None
    ) -> Message:
        """Return the message after the table was read from the log again: everyone must ask for a
        snapshot.

        If the messages sent meanwhile are unknown, the version continues from `version`.
        """
        self._begin(stands.before_game, stands.events)
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
        """The turn whose answers count now."""
        return self._turns[-1]

    @property
    def game_needing_proof(self) -> str:
        """The running game if its book is locked with commitments, whose players need a proof."""
        game = self.table.running
        return game.id if game is not None and game.locked is not None and game.seals else ""

    def set_proof(self, proof: str) -> None:
        """Keep the proof of a book that was locked before this table was read from the log."""
        self._proof = proof

    @property
    def proof(self) -> str:
        """The proof of the running game's lock, if one is needed."""
        return self._proof if self.game_needing_proof else ""

    def notice(self, message: Mapping[str, Any]) -> Message:
        """Return a message that is no event of the table; it does not raise the version."""
        return {**message, "table": self.name, "version": self.version}

    def seconds_left(self, now: int) -> float | None:
        """Return how long the book stays open, or how long the person may still think."""
        return seconds_left(self.table, now)

    def messages_since(self, since: int, now: int) -> list[Message] | None:
        """Return the messages after a version and the seconds left; None if too many."""
        number = self.version - since
        if since <= self._restored_at or not 0 <= number <= min(len(self._history), MAX_MISSED):
            return None
        clock = {"seconds": self.seconds_left(now)}
        recent = (self._history[index] for index in range(-number, 0))
        return [{**message, **clock} if "seconds" in message else message for message in recent]

    def snapshot(self, now: int) -> Message:
        """Return everything a new client needs."""
        return {
            **snapshot(self.table),
            "proof": self.proof,
            "version": self.version,
            **self.betting_status(),
            "seconds": self.seconds_left(now),
        }

    def betting_status(self) -> Message:
        """Return whether bets are taken and, if not, whether the casino is unreachable."""
        return {"taking": self.taking, **({"away": True} if self.away else {})}

    def summary(self) -> Message:
        """Return the table's summary for the lobby."""
        return {**summary(self.table), "version": self.version, **self.betting_status()}

    def turn_at(self, version: int) -> int:
        """Return the turn at a version; -1 if it is no longer known."""
        number = self.version - version
        return self._turns[-1 - number] if 0 <= number < len(self._turns) else -1

    def _begin(self, rest: PublicTable, events: Iterable[Event]) -> None:
        self.table = self._rest = rest
        self._since: list[Event] = []
        for event in events:
            self._fold(event)

    def _fold(self, event: Event) -> PublicTable:
        before, self.table = self.table, apply_event(self.table, event)
        self._since.append(event)
        if self.table.running is None:
            self._rest, self._since = self.table, []
        return before

    def _numbered(self, message: Message, turn: int, now: int) -> Message:
        self.version += 1
        numbered = {**message, "table": self.name, "version": self.version}
        if message["type"] in _TIMED:
            numbered["seconds"] = self.seconds_left(now)
        self._history.append(numbered)
        self._turns.append(turn)
        return numbered


def _bare(message: Message) -> Message:
    return {key: value for key, value in message.items() if key not in ("game", "type")}


BOOK_EVERY_MS: Final = 250

CROWDED: Final = (BetAccepted, CutSealed)  # events that are batched


class EventBatch(Struct, frozen=True, gc=False):
    """Events sent together, with what follows from no event.

    `turn` is whose answers count from then on, `at` when it was sent; a lock carries the `proof`
    that it is in the signed log.
    """

    table: str
    events: tuple[Event, ...]
    turn: int
    at: int
    proof: str = ""


class EventBatcher:
    """Batches the events of one table."""

    def __init__(self, table: str, turn: int) -> None:
        self.turn = turn
        self._table = table
        self._held: list[Event] = []
        self._book_at = 0

    def add(self, event: Event, turn: int, now: int, proof: str = "") -> list[EventBatch]:
        """Add an event; return the batches it completes."""
        if isinstance(event, CROWDED):
            self._held.append(event)
            return self.flush(now) if now - self._book_at >= BOOK_EVERY_MS else []
        groups = self.flush(now)
        self.turn = turn
        return [*groups, EventBatch(self._table, (event,), turn, now, proof)]

    def flush(self, now: int) -> list[EventBatch]:
        """Return the batch of pending bets and contributions, if there are any."""
        held, self._held = self._held, []
        if not held:
            return []
        self._book_at = now
        return [EventBatch(self._table, tuple(held), self.turn, now)]

    def wait_ms(self, now: int) -> int | None:
        """Return how long the pending batch may still wait; None if there is none."""
        return max(0, self._book_at + BOOK_EVERY_MS - now) if self._held else None
