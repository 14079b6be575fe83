"""Batch events for clients: bets of a quarter of a second go together, others go alone.

The casino batches a table's events once. Broadcasters fold the same batches in
`casino.table.public.feed`, in the same process or in another, and so get the same messages with the
same numbers. A batch holds logged events and nothing that could be hidden.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from casino.events.types import BetAccepted, CutSealed, Event

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
