"""Publisher, which turns the writer thread's reports into messages, in order.

The writer must not wait for clients, so its thread merely appends events to a queue. A greenlet
batches and publishes them. A game that is played in a single commit is too fast to follow: its
events are not published; clients fetch a new snapshot of the table `RESET_AFTER_MS` later.
"""

from __future__ import annotations

import logging
import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final

from gevent.event import Event as Bell
from msgspec.structs import replace

from casino.errors import CasinoError
from casino.events.types import BookLocked, Event, TermsSet
from casino.table.domain.state import TableState, Transition
from casino.table.public.feed import EventBatch, EventBatcher, TableTransfer
from casino.table.public.state import PublicTable
from casino.table.runtime.recovery import MESSAGES_A_LEAF
from casino.table.runtime.service import EventListener, RestoredTable
from casino.web.backend import interface
from casino.web.backend.local import LocalBackend
from casino.web.backend.queries import lock_proof

IDLE_SECONDS: Final = 1.0
RESET_AFTER_MS: Final = 2_000
_MS: Final = 1000

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
        self._noted: deque[tuple[float, Callable[[], None]]] = deque()
        self._groupings = {name: EventBatcher(name) for name in backend.feeds}
        self._reset_at: dict[str, int] = {}  # of tables with events that were not published
        self._signed = ""
        self._taking = True
        self._trouble = ""
        self._bell = Bell()
        backend.service.listeners.append(self)

    # In the writer's thread.

    def on_event(self, happening: Transition) -> None:
        """Queue a committed event."""
        self._writes()
        event, state = happening.event, happening.after
        at_once = event.subject is not None and self._backend.house.plays_at_once(state.rules.name)
        self._queue(self._tell_event, event, state, at_once)

    def on_restored(self, tables: Mapping[str, RestoredTable]) -> None:
        """Queue the tables that were reloaded after a fault."""
        self._queue(self._tell_restored, dict(tables))

    def on_signed(self, note: str) -> None:
        """Queue a signed checkpoint."""
        self._writes()
        self._queue(self._tell_signed, note)

    def on_fault(self, error: Exception) -> None:
        """Log a fault unless it repeats, and wake the loop to check the betting status."""
        if self._trouble != str(error):
            self._trouble = str(error)
            log.error("the bank: %s", error)
        self._backend.bridge.post(self._bell.set)

    def _writes(self) -> None:
        if self._trouble:
            self._trouble = ""
            log.warning("the bank can write again")

    def _queue(self, tell: Callable[..., None], *arguments: Any) -> None:
        self._noted.append((time.perf_counter(), partial(tell, *arguments)))
        self._backend.bridge.post(self._bell.set)

    # In the loop.

    def run(self) -> None:
        """Publish queued events; never returns."""
        while True:
            self._bell.wait(self._patience())
            self._bell.clear()
            try:
                self._publish_due()
                while self._noted:
                    at, tell = self._noted.popleft()
                    tell()
                    self._after_flush(partial(self._was_told, at))
                self._publish_signature()
                self._publish_betting_status()
            except (CasinoError, AssertionError, KeyError):
                log.exception("an event could not be published")

    def _was_told(self, at: float) -> None:
        self._backend.figures.lag.observe(time.perf_counter() - at)

    def _patience(self) -> float:
        times = [grouping.due_at for grouping in self._groupings.values()]
        wait_ms = min([*times, *self._reset_at.values()], default=math.inf) - self._backend.now()
        return min(IDLE_SECONDS, max(0, wait_ms) / _MS)

    def _tell_event(self, event: Event, state: TableState, at_once: bool) -> None:
        name, turn, now = state.rules.name, state.turn, self._backend.now()
        if name not in self._groupings:
            # The table is new, or it is closed and a late contribution is to be ignored.
            if isinstance(event, TermsSet):
                self._groupings[name], self._backend.states[name] = EventBatcher(name), state
                self._reset(name, TableTransfer(PublicTable(state.rules)))
            return
        grouping, feed = self._groupings[name], self._backend.feeds[name]
        if at_once or name in self._reset_at:
            self._publish(grouping.flush(now))
            self._backend.states[name] = state
            feed.skip(event, turn)
            self._reset_at.setdefault(name, now + RESET_AFTER_MS)
        else:
            proof = self._lock_proof(state) if isinstance(event, BookLocked) else ""
            # No switch to another greenlet until both are done: a private view must not show a
            # state whose events are not published yet.
            self._backend.states[name] = state
            self._publish(grouping.add(event, turn, now, proof))
        if state.is_over or (isinstance(event, TermsSet) and state.newest_settings.is_closed):
            self._tell_closed(name, state.is_over)

    def _tell_closed(self, name: str, is_over: bool) -> None:
        successor = self._backend.successor(name)
        if is_over:
            self._reset_at.pop(name, None)
            del self._groupings[name], self._backend.states[name]
        self._backend.publish(interface.TableClosed(name, successor, is_over))

    def _reset(self, name: str, standing: TableTransfer) -> None:
        state = self._backend.states[name]
        # A new version, because clients of the present one may have missed events.
        version, proof = MESSAGES_A_LEAF * state.turn, self._lock_proof(state)
        standing = replace(standing, turn=state.turn, version=version, proof=proof)
        self._backend.publish(interface.TableReset(name, standing))
        self._reset_at.pop(name, None)

    def _tell_signed(self, note: str) -> None:
        self._signed = note
        self._publish_signature()

    def _publish_signature(self) -> None:
        # Games committed at once end, and are signed, many times a second: send only the newest.
        if self._signed and not self._reset_at:
            self._backend.publish(interface.CheckpointSigned(self._signed))
            self._signed = ""

    def _publish_due(self) -> None:
        now = self._backend.now()
        for name, grouping in list(self._groupings.items()):
            if grouping.due_at <= now:
                self._publish(grouping.flush(now))
            if self._reset_at.get(name, math.inf) <= now:
                # Then again, if the log cannot be read now.
                self._reset_at[name] = now + RESET_AFTER_MS
                self._reset(name, self._backend.feeds[name].transfer())

    def _tell_restored(self, tables: Mapping[str, RestoredTable]) -> None:
        for name in tables.keys() & self._groupings.keys():
            grouping, (state, standing) = self._groupings[name], tables[name]
            # Pending events were committed before the reload, so they are published first.
            self._publish(grouping.flush(self._backend.now()))
            self._backend.states[name] = state
            self._reset(name, standing)
            # Its end may be in a commit that failed and proved durable when the file was reopened.
            if state.is_over:
                self._tell_closed(name, True)

    def _lock_proof(self, state: TableState) -> str:
        # Reading the log lets other greenlets run, so read it only if there is a proof.
        game = state.running
        if game is None or game.locked is None or not game.seals:
            return ""
        return self._backend.bridge.read(lambda log: lock_proof(log, game.id))

    def _publish(self, groups: Iterable[EventBatch]) -> None:
        for group in groups:
            self._backend.publish(group)

    def _publish_betting_status(self) -> None:
        taking = self._backend.service.ledger.can_take_bets
        if taking != self._taking:
            self._taking = taking
            self._backend.publish(interface.BettingStatus(taking))
