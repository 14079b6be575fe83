"""Message feed of a table, with the same message numbers for all clients.

Each message raises the version by one. A snapshot equals the result of applying all messages up to
its version, so it does not include events of a pending batch. A notice, which may concern several
tables, carries the current version.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from casino.ecarte import SEATS, cards_in, format_cards, replay_steps, token
from casino.events import game_record, types
from casino.events.types import BetAccepted, CutSealed, Event
from casino.table.domain.settings import from_event
from casino.table.domain.table_base import game_number
from casino.table.public.messages import book_message, messages, snapshot, summary
from casino.table.public.state import Message, PublicTable, apply_event, seconds_left

MAX_SINGLE_BETS: Final = 4  # larger batches of bets are sent as one `book` message

KEPT: Final = 2_000  # messages kept for clients that fall behind
MAX_MISSED: Final = 500  # a client that missed more gets a snapshot

_CROWDED: Final = (("new_bets", "bet_accepted"), ("new_cuts", "cut"))
# Messages that carry the time left, because they start a countdown.
_TIMED: Final = frozenset({"game_opened", "book", "book_locked"})


class TableTransfer(Struct, frozen=True):
    """A table before the running game, and that game's events so far, for another process.

    `turn`, `version` and `proof` are the latest.
    """

    before_game: PublicTable
    events: tuple[Event, ...] = ()
    turn: int = 0
    version: int = 0
    proof: str = ""


class TableFeed:
    """Message feed of one table, with its recent messages, started from a `TableTransfer`."""

    def __init__(self, stands: TableTransfer, taking: bool = True) -> None:
        self.taking = taking
        self.away = False
        self.reset(stands)

    def transfer(self) -> TableTransfer:
        """Return the state that another process needs to start following the table."""
        since = tuple(self._since)
        return TableTransfer(self._rest, since, self.turn, self.version, self.proof)

    @property
    def name(self) -> str:
        """Name of the table."""
        return self.table.rules.name

    def publish(self, group: EventBatch) -> list[Message]:
        """Apply a batch of events and return the numbered messages about them."""
        about = list[Message]()
        for event in group.events:
            before = self._fold(event)
            about += messages(before, event, self.table)
        # A batch is either bets and commitments, or a single other event.
        if isinstance(group.events[0], CROWDED):
            about = self._with_book(about)
        for message in about:
            if message["type"] == "book_locked":
                message["proof"] = self._proof = group.proof
        numbered = [self._numbered(message, group.turn, group.at) for message in about]
        self._turns[-1] = group.turn
        return numbered

    def skip(self, event: Event, turn: int) -> None:
        """Apply an event without a message; the caller must call `reset` soon."""
        self._fold(event)
        self._turns[-1] = turn

    def _with_book(self, about: list[Message]) -> list[Message]:
        game = self.table.running
        assert game is not None
        if all(message["type"] != "bet_accepted" for message in about):
            return about
        book = book_message(game)
        if len(about) <= MAX_SINGLE_BETS:
            return [*about, book]
        for name, kind in _CROWDED:
            book[name] = [_bare(message) for message in about if message["type"] == kind]
        return [book]

    def reset(self, stands: TableTransfer) -> Message:
        """Reload the table and return the message that makes every client ask for a snapshot."""
        self.version = stands.version
        self._history: deque[Message] = deque(maxlen=KEPT)
        self._turns: deque[int] = deque([stands.turn], maxlen=KEPT)
        self._proof = stands.proof
        # `_rest` is the table before the running game, `_since` that game's events.
        self.table: PublicTable = stands.before_game
        self._rest: PublicTable = self.table
        self._since: list[Event] = []
        for event in stands.events:
            self._fold(event)
        return self.notice({"type": "restored"})

    @property
    def turn(self) -> int:
        """The current turn; commands for an earlier one are stale."""
        return self._turns[-1]

    @property
    def proof(self) -> str:
        """Proof that the running game's book is locked, or "" if players need none."""
        game = self.table.running
        return self._proof if game is not None and game.locked is not None and game.seals else ""

    def notice(self, message: Mapping[str, Any]) -> Message:
        """Build a message that is not about an event and does not raise the version."""
        return {**message, "table": self.name, "version": self.version}

    def seconds_left(self, now: int) -> float | None:
        """Return the seconds left in the current countdown, or None if there is none."""
        return seconds_left(self.table, now)

    def messages_since(self, since: int, now: int) -> list[Message] | None:
        """Return the messages after version `since`, or None if the client needs a snapshot."""
        number = self.version - since
        if not 0 <= number <= min(len(self._history), MAX_MISSED):
            return None
        # A stored message holds the time that was left when it was sent.
        clock = {"seconds": self.seconds_left(now)}
        recent = (self._history[index] for index in range(-number, 0))
        return [{**message, **clock} if "seconds" in message else message for message in recent]

    def snapshot(self, now: int) -> Message:
        """Return the table's public state for a new client."""
        return {
            **snapshot(self.table),
            "proof": self.proof,
            "version": self.version,
            **self.betting_status(),
            "seconds": self.seconds_left(now),
        }

    def betting_status(self) -> Message:
        """Return the message fields for whether bets are taken and the casino is unreachable."""
        return {"taking": self.taking, **({"away": True} if self.away else {})}

    def summary(self) -> Message:
        """Return the table's summary for the lobby."""
        return {**summary(self.table), "version": self.version, **self.betting_status()}

    def turn_at(self, version: int) -> int:
        """Return the turn at a version, or -1 if it is no longer known."""
        number = self.version - version
        return self._turns[-1 - number] if 0 <= number < len(self._turns) else -1

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


BOOK_EVERY_MS: Final = 250  # shortest time between two batches of bets

CROWDED: Final = (BetAccepted, CutSealed)  # events that are batched


class EventBatch(Struct, frozen=True, gc=False, tag="told", tag_field="kind"):
    """Events published together, with their turn, time and proof.

    `turn` is the table's turn after the events, `at` the time of publication. `proof` shows that
    the lock of the book is in the signed log.
    """

    table: str
    events: tuple[Event, ...]
    turn: int
    at: int
    proof: str = ""


class EventBatcher:
    """Batcher for one table's bets and commitments; other events are passed on at once."""

    def __init__(self, table: str) -> None:
        self.due_at = math.inf  # when the pending batch is complete, in milliseconds
        self._table = table
        self._turn = 0  # of the pending events, which do not change it
        self._held: list[Event] = []
        self._book_at = 0

    def add(self, event: Event, turn: int, now: int, proof: str = "") -> list[EventBatch]:
        """Add an event, and return the batches that are now complete."""
        if isinstance(event, CROWDED):
            self._held.append(event)
            self._turn = turn
            self.due_at = self._book_at + BOOK_EVERY_MS
            return self.flush(now) if now >= self.due_at else []
        # Pending bets go first, so that events stay in order.
        return [*self.flush(now), EventBatch(self._table, (event,), turn, now, proof)]

    def flush(self, now: int) -> list[EventBatch]:
        """Return the pending bets and commitments as a batch, if there are any."""
        held, self._held, self.due_at = self._held, [], math.inf
        if not held:
            return []
        self._book_at = now
        return [EventBatch(self._table, tuple(held), self._turn, now)]


# The events of a deal.
_PLAYED: Final = (types.PackDealt, types.TurnedUp, types.ActionTaken, types.HandsShown)


def replay(events: Sequence[Event], game: game_record.FinishedGame) -> Message:
    """Return a finished game's messages, with exchanged cards shown.

    `snapshot` is the table before the game; each of the `steps` holds a `message` and both `hands`
    after it. No one played the deals that end a game after it was given up: they are left out.
    """
    table = PublicTable(from_event(game.terms), number=game_number(game.opened.game) - 1)
    feed, grouping = TableFeed(TableTransfer(table)), EventBatcher(table.rules.name)
    positions = replay_steps(game_record.record_of(game))
    hands: dict[str, str] = {}
    steps: list[Message] = []
    for event in events:
        action = None
        is_played = isinstance(event, _PLAYED)
        running = feed.table.running
        if running is not None and running.abandoned and is_played:
            feed.skip(event, 0)
            continue
        if is_played and not isinstance(event, types.HandsShown):
            _, action, deal = next(positions)
            hands = {SEATS[seat]: format_cards(cards_in(deal.hands[seat])) for seat in range(2)}
        for group in grouping.add(event, 0, event.at):
            for message in feed.publish(group):
                if action is not None and "action" in message:
                    message = {**message, "action": token(action)}
                steps.append({"message": message, "hands": hands})
    return {"snapshot": {**snapshot(table), "version": 0}, "steps": steps}
