"""Publisher, which turns the reports of the writer thread into messages, in order.

The writer must not wait for clients, so its thread merely appends events to a queue. A greenlet
batches and publishes them. No one can follow a game that is played at once, in one commit: clients
fetch the table as it is instead, every `RESET_EVERY_MS`.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final, NamedTuple, TypeAlias

import gevent
from gevent.event import Event as Bell

from casino.errors import CasinoError
from casino.events.types import BookLocked, Event, TermsSet
from casino.table.domain.state import TableState
from casino.table.public.feed import EventBatch, EventBatcher
from casino.table.public.state import PublicTable
from casino.table.public.transfer import make_transfer
from casino.table.runtime.recovery import MESSAGES_A_LEAF
from casino.table.runtime.service import CommittedEvent, EventListener, TableRestored
from casino.web.backend.local import LocalBackend
from casino.web.backend.messages import (
    BettingStatus,
    CheckpointSigned,
    TableAdded,
    TableEvents,
    TableRemoved,
    TableReset,
)
from casino.web.backend.queries import lock_proof

IDLE_SECONDS: Final = 1.0
RESET_EVERY_MS: Final = 2_000
_MS: Final = 1000


class SkippedEvent(NamedTuple):
    """A committed event of a game that is played at once."""

    happening: CommittedEvent


Noted: TypeAlias = CommittedEvent | SkippedEvent | str | dict[str, TableRestored]

log = logging.getLogger(__name__)


class EventPublisher(EventListener):
    """Publishes committed events, checkpoints and the betting status.

    `after_flush` runs a function once all messages published so far have been sent.
    """

    def __init__(
        self, backend: LocalBackend, after_flush: Callable[[Callable[[], None]], None]
    ) -> None:
        self._backend = backend
        self._after_flush = after_flush
        self._noted: deque[tuple[float, Noted]] = deque()
        self._groupings = {
            feed.name: EventBatcher(feed.name, feed.turn) for feed in backend.feeds.values()
        }
        self._reset_at: dict[str, int] = {}  # of tables with events that clients were not sent
        self._signed = ""
        self._taking = True
        self._trouble = ""
        self._bell = Bell()
        backend.service.listeners.append(self)

    def start(self) -> None:
        """Start the greenlet that publishes queued events."""
        gevent.spawn(self._publish_loop)

    # In the writer's thread.

    def on_event(self, happening: CommittedEvent) -> None:
        """Queue a committed event."""
        self._writes()
        table, is_of_game = happening.after.rules.name, happening.event.subject is not None
        at_once = is_of_game and self._backend.house.plays_at_once(table)
        self._note(SkippedEvent(happening) if at_once else happening)

    def on_restored(self, tables: Mapping[str, TableRestored]) -> None:
        """Queue the tables that were reloaded after a fault."""
        self._note(dict(tables))

    def on_signed(self, note: str) -> None:
        """Queue a signed checkpoint."""
        self._writes()
        self._note(note)

    def on_fault(self, error: Exception) -> None:
        """Log a fault unless it repeats, and wake the loop to check the betting status."""
        if self._trouble != str(error):
            self._trouble = str(error)
            log.error("the bank: %s", error)
        self._backend.bridge.post(self._bell.set)

    def _writes(self) -> None:
        if self._trouble:
            self._trouble = ""
            log.warning("the bank writes again")

    def _note(self, note: Noted) -> None:
        self._noted.append((time.perf_counter(), note))
        self._backend.bridge.post(self._bell.set)

    # In the loop.

    def _publish_loop(self) -> None:
        while True:
            self._bell.wait(self._patience())
            self._bell.clear()
            try:
                while self._noted:
                    at, noted = self._noted.popleft()
                    self._tell(noted)
                    self._after_flush(partial(self._was_told, at))
                self._tell_due_books()
                self._reset_due_tables()
                self._publish_signature()
                self._publish_betting_status()
            except (CasinoError, AssertionError, KeyError):
                log.exception("an event could not be told")

    def _was_told(self, at: float) -> None:
        self._backend.figures.lag.observe(time.perf_counter() - at)

    def _patience(self) -> float:
        now = self._backend.now()
        waits = [grouping.wait_ms(now) for grouping in self._groupings.values()]
        waits += [max(0, at - now) for at in self._reset_at.values()]
        return min([IDLE_SECONDS, *(wait / _MS for wait in waits if wait is not None)])

    def _tell(self, noted: Noted) -> None:
        if isinstance(noted, str):
            self._signed = noted
            self._publish_signature()
        elif isinstance(noted, dict):
            for name in noted.keys() & self._groupings.keys():
                self._tell_restored(name, noted[name])
        elif isinstance(noted, SkippedEvent):
            self._skip(noted.happening)
            self._remove_if_over(noted.happening.after)
        else:
            name = noted.after.rules.name
            if name not in self._groupings:
                # A new table, or a contribution that arrives after the end of a closed one.
                if isinstance(noted.event, TermsSet):
                    self._add_table(noted.after)
                return
            self._reset(name)
            now, proof = self._backend.now(), self._proof_of(noted.event)
            # No switch to another greenlet until both are done: a private view must not show a
            # state whose events are not published yet.
            self._backend.states[name] = noted.after
            turn = noted.after.turn
            self._publish(self._groupings[name].add(noted.event, turn, now, proof))
            self._remove_if_over(noted.after)

    def _remove_if_over(self, state: TableState) -> None:
        if state.is_over:
            name = state.rules.name
            self._reset_at.pop(name, None)
            del self._groupings[name], self._backend.states[name]
            self._backend.publish(TableRemoved(name))

    def _skip(self, happening: CommittedEvent) -> None:
        state, now = happening.after, self._backend.now()
        name, grouping = state.rules.name, self._groupings[state.rules.name]
        self._publish(grouping.flush(now))
        self._backend.states[name] = state
        self._backend.feeds[name].skip(happening.event, state.turn)
        grouping.turn = state.turn
        self._reset_at.setdefault(name, now + RESET_EVERY_MS)

    def _reset(self, name: str) -> None:
        # Clients fetch the table if there are events that they were not sent.
        if self._reset_at.pop(name, None) is not None:
            feed = self._backend.feeds[name]
            self._backend.publish(TableReset(name, feed.transfer(), feed.turn, feed.proof))

    def _publish_signature(self) -> None:
        # Games played at once end, and are signed, many times a second: the newest is enough.
        if self._signed and not self._reset_at:
            self._backend.publish(CheckpointSigned(self._signed))
            self._signed = ""

    def _reset_due_tables(self) -> None:
        now = self._backend.now()
        for name in [name for name, at in self._reset_at.items() if at <= now]:
            self._reset(name)

    def _add_table(self, state: TableState) -> None:
        name, turn = state.rules.name, state.turn
        self._groupings[name] = EventBatcher(name, turn)
        self._backend.states[name] = state
        standing = make_transfer(PublicTable(state.rules), ())
        self._backend.publish(TableAdded(name, standing, turn, MESSAGES_A_LEAF * turn))

    def _tell_restored(self, name: str, restored: TableRestored) -> None:
        grouping, state = self._groupings[name], restored.state
        self._reset_at.pop(name, None)
        # Pending events were committed before the reload, so they are published first.
        self._publish(grouping.flush(self._backend.now()))
        self._backend.states[name] = state
        grouping.turn = state.turn
        running = state.running
        needs_proof = running is not None and running.locked is not None and running.seals
        proof = self._lock_proof(running.id) if running is not None and needs_proof else ""
        self._backend.publish(TableReset(name, restored.standing, state.turn, proof))

    def _proof_of(self, event: Event) -> str:
        if not isinstance(event, BookLocked) or not event.seals:
            return ""
        # Bettors verify it before they reveal their contributions.
        return self._lock_proof(event.game)

    def _lock_proof(self, game: str) -> str:
        return self._backend.bridge.read(lambda log: lock_proof(log, game))

    def _publish(self, groups: Iterable[EventBatch]) -> None:
        for group in groups:
            self._backend.publish(TableEvents(group))

    def _tell_due_books(self) -> None:
        for grouping in list(self._groupings.values()):
            now = self._backend.now()
            if grouping.wait_ms(now) == 0:
                self._publish(grouping.flush(now))

    def _publish_betting_status(self) -> None:
        taking = self._backend.can_take_bets
        if taking != self._taking:
            self._taking = taking
            self._backend.publish(BettingStatus(taking))
