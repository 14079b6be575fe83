"""Events grouped as they are told: bets come in crowds, so those of a quarter of a second go
together, with the book that they make; every other event goes by itself, after those that wait.

The house groups the events of a table once. Whoever tells people folds the same groups by
`casino.table.public.feed`, in the same process or in another, and so comes to the same messages
with the same numbers. A group holds events of the log and nothing else that could be hidden.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from casino.events.types import BetAccepted, CutSealed, Event

BOOK_EVERY_MS: Final = 250

CROWDED: Final = (BetAccepted, CutSealed)
"""The events that are told together."""


class EventBatch(Struct, frozen=True, gc=False):
    """Events that are told together, and what follows from no event.

    `turn` is whose answers count from then on, `at` when it was told; with a lock comes the `proof`
    that it is in the signed log.
    """

    table: str
    events: tuple[Event, ...]
    turn: int
    at: int
    proof: str = ""


class EventBatcher:
    """The events of one table, as they come."""

    def __init__(self, table: str, turn: int) -> None:
        self.turn = turn
        self._table = table
        self._held: list[Event] = []
        self._book_at = 0

    def take(self, event: Event, turn: int, now: int, proof: str = "") -> list[EventBatch]:
        """The groups that are complete with an event."""
        if isinstance(event, CROWDED):
            self._held.append(event)
            return self.flush(now) if now - self._book_at >= BOOK_EVERY_MS else []
        groups = self.flush(now)
        self.turn = turn
        return [*groups, EventBatch(self._table, (event,), turn, now, proof)]

    def flush(self, now: int) -> list[EventBatch]:
        """The group of the bets and cuts that wait, if any do."""
        held, self._held = self._held, []
        if not held:
            return []
        self._book_at = now
        return [EventBatch(self._table, tuple(held), self.turn, now)]

    def wait_ms(self, now: int) -> int | None:
        """How long what is held may still wait; None if nothing is held."""
        return max(0, self._book_at + BOOK_EVERY_MS - now) if self._held else None
