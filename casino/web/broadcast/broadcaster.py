"""Broadcaster, which forwards the backend's messages to the clients that they concern.

Messages and recipients are derived from the public table alone, so all web processes send the same
messages. Writing to thousands of connections takes longer than the time between two events. So
frames are queued at each connection, and one flush sends all that have accumulated: a burst of
messages costs one pass over the connections. Other tasks run during the pass.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import gevent
from gevent.event import Event as Bell
from msgspec.structs import asdict

from casino.errors import CasinoError
from casino.events import types
from casino.events.types import Event
from casino.table.public.feed import EventBatch, TableFeed
from casino.table.public.state import Message, PublicGame, bettors
from casino.web.backend import interface
from casino.web.backend.interface import Bulletin
from casino.web.context import AppContext
from casino.web.server.fair_queue import WorkQueue
from casino.web.websocket.connection import WebSocketConnection
from casino.web.websocket.framing import event_frame

AT_ONCE: Final = 128  # connections flushed in a turn of the event loop


class FlushQueue(WorkQueue):
    """Flushes connections in the order in which they were scheduled."""

    def enqueue(self, connections: Sequence[WebSocketConnection], frames: bytes) -> None:
        """Queue frames for each connection and schedule a flush."""
        for connection in connections:
            connection.enqueue(frames)
        self.schedule(connections)

    def schedule(self, connections: Sequence[WebSocketConnection]) -> None:
        """Schedule a flush of each connection with queued frames and no flush scheduled yet."""
        self.put(*(connection.flush for connection in connections if connection.needs_flush()))


LEISURE_SECONDS: Final = 0.2  # how long a message may wait to be sent with the next one

AGAIN_SECONDS: Final = 1.0  # pause before a failed request is retried

_PLAY: Final = (types.ActionTaken, types.PackDealt, types.TurnedUp)
_MONEY: Final = (types.BettingClosed, types.GameOpened, types.GameOver, types.GameVoid)

log = logging.getLogger(__name__)


class Broadcaster:
    """Applies the backend's messages to the feeds, and sends clients what concerns them.

    A message for many clients is encoded once and goes through the flush queue. Changes of private
    state (hand, balance) are collected, and the views of many players are fetched in one request.
    """

    def __init__(self, shared: AppContext) -> None:
        self._shared = shared
        self._feeds = shared.feeds
        self._registry = shared.registry
        self._listeners: list[Callable[[str], None]] = []
        self._dirty: dict[tuple[str, str], None] = {}
        self._bell = Bell()
        self.flush_queue = FlushQueue(AT_ONCE)

    def subscribe(self, listener: Callable[[str], None]) -> None:
        """Call `listener` with the name of each table that has new events."""
        self._listeners.append(listener)

    def handle(self, message: Bulletin) -> None:
        """Apply a message from the backend and send it to the clients that it concerns."""
        match message:
            case EventBatch():
                self._tell(message)
            case interface.CheckpointSigned(note):
                for feed in self._feeds.values():
                    notice = feed.notice({"type": "checkpoint", "note": note})
                    self.send_events(feed.name, [notice])
            case interface.BettingStatus(taking):
                self.set_betting_status(taking)
            case interface.TableReset(table, standing):
                if table in self._feeds:
                    self.send_events(table, [self._feeds[table].reset(standing)])
                else:
                    self._feeds[table] = TableFeed(standing, self._feeds.taking)
            case interface.TableClosed(table, _, is_over):
                self.send(table, "table_closed", asdict(message))
                if is_over:
                    self._registry.close_room(table)
                    del self._feeds[table]
            case interface.SessionsChanged(players, moved):
                self._shared.sessions.update(players)
                self._registry.update_sessions(players, moved)
            case interface.Announcement():
                frame = event_frame("announcement", asdict(message))
                self.flush_queue.enqueue(self._registry.sockets(), frame)
            case interface.ChatMessage(table):
                self.send(table, "said", asdict(message))
            case interface.BackendAlive(watching):
                self._registry.reported = watching

    def set_betting_status(self, taking: bool, away: bool = False) -> None:
        """Set whether bets are taken and whether the backend is away; notify clients of changes."""
        for feed in self._feeds.values():
            if (feed.taking, feed.away) != (taking, away):
                feed.taking, feed.away = taking, away
                notice = feed.notice({"type": "notice", **feed.betting_status()})
                self.send_events(feed.name, [notice])

    def send_events(self, table: str, events: Iterable[Message]) -> None:
        """Send events to everyone who watches a table."""
        if sockets := self._registry.sockets_at(table):
            frames = b"".join(event_frame("event", event) for event in events)
            self.flush_queue.enqueue(sockets, frames)
        for listener in self._listeners:
            listener(table)

    def send(self, table: str, name: str, payload: Message) -> None:
        """Send a message that is not a table event to everyone who watches a table."""
        self.flush_queue.enqueue(self._registry.sockets_at(table), event_frame(name, payload))

    def send_later(self, table: str, name: str, payload: Message) -> None:
        """Queue a message to be sent with the next one, after `LEISURE_SECONDS` at the latest."""
        frame, sockets = event_frame(name, payload), self._registry.sockets_at(table)
        for socket in sockets:
            socket.enqueue(frame)
        gevent.spawn_later(LEISURE_SECONDS, self.flush_queue.schedule, sockets)

    def mark_dirty(self, table: str, player: str) -> None:
        """Push a player's private state soon, if they have the table open."""
        if self._registry.sockets_of(table, player):
            self._dirty[table, player] = None
            self._bell.set()

    def push_private_views(self) -> None:
        """Push changed private views to their players' tabs; never returns."""
        while True:
            self._bell.wait()
            self._bell.clear()
            # A table may have closed since, for which the backend would refuse the whole request.
            dirty = [key for key in self._dirty if self._registry.sockets_of(*key)]
            self._dirty = {}
            try:
                # The events that a view builds on come before it: over Redis, they are sent first.
                for view in self._shared.backend.private_views(dirty):
                    frame = event_frame("you", view)
                    for socket in self._registry.sockets_of(view["table"], view["name"]):
                        socket.send(frame)
            except CasinoError as error:
                # If a table closed while the backend read the balances, ask for the others at once.
                if all(table in self._feeds for table, _ in dirty):
                    log.warning("personal messages could not be sent: %s", error)
                    # Changes during the pause are merged with these: a view is always complete.
                    gevent.sleep(AGAIN_SECONDS)
                for table, player in dirty:
                    self.mark_dirty(table, player)

    def push_balance(self, player: str) -> None:
        """Push a player's changed balance to all their tabs: every table's page shows it."""
        for table in self._feeds:
            self.mark_dirty(table, player)

    def _tell(self, group: EventBatch) -> None:
        feed = self._feeds[group.table]
        game = feed.table.running
        if events := feed.publish(group):
            self.send_events(group.table, events)
        for leaf in group.events:
            self._mark_players(feed, leaf, feed.table.running or game)

    def _mark_players(self, feed: TableFeed, event: Event, running: PublicGame | None) -> None:
        if isinstance(event, types.BetAccepted):
            self.push_balance(event.player)
        elif isinstance(event, types.CutOpened) and running is not None:
            self.mark_dirty(feed.name, running.seals[event.number - 1].player)
        elif isinstance(event, types.SeatChanged):
            for name in (event.player, *feed.table.queue):
                self.mark_dirty(feed.name, name)
        elif isinstance(event, _PLAY) and running is not None and not running.is_bot:
            self.mark_dirty(feed.name, running.challenger)
        elif isinstance(event, _MONEY) and running is not None:
            for name in {running.challenger, *bettors(running)}:
                self.push_balance(name)
