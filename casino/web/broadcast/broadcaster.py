"""Broadcaster, which forwards the backend's messages to the clients that they concern.

Messages and recipients are derived from the public table alone, so every web process sends the
same ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, MutableMapping
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Final

import gevent
from gevent.event import Event as Bell

from casino.events.types import (
    ActionTaken,
    BetAccepted,
    BettingClosed,
    CutOpened,
    Event,
    GameOpened,
    GameOver,
    GameVoid,
    PackDealt,
    SeatChanged,
    TurnedUp,
)
from casino.table.public.feed import EventBatch, TableFeed
from casino.table.public.state import Message, PublicGame, bettors
from casino.web.backend.messages import (
    Announcement,
    BackendAlive,
    BettingStatus,
    Bulletin,
    ChatMessage,
    CheckpointSigned,
    SessionsChanged,
    TableAdded,
    TableEvents,
    TableRemoved,
    TableReset,
)
from casino.web.broadcast.flush_queue import FlushQueue
from casino.web.broadcast.private_state import PrivateStatePusher
from casino.web.context import AppContext
from casino.web.sockets.connections import ConnectionRegistry
from casino.web.websocket.framing import event_frame

# How long a private message waits for the public messages before it.
MAX_PRIVATE_LAG_SECONDS: Final = 1.0

LEISURE_SECONDS: Final = 0.2  # longest delay of a message that waits to be sent with the next

_PLAY: Final = (ActionTaken, PackDealt, TurnedUp)
_MONEY: Final = (BettingClosed, GameOpened, GameOver, GameVoid)


def update_feeds(feeds: MutableMapping[str, TableFeed], message: Bulletin) -> None:
    """Apply a message to the feeds of a process that has no clients."""
    match message:
        case TableEvents(group):
            feeds[group.table].publish(group)
        case TableReset(table, standing, turn, proof):
            feeds[table].reset(standing, turn, proof)
        case TableAdded(table, standing, turn, version):
            feeds[table] = TableFeed.from_transfer(standing, turn, version)
        case TableRemoved(table):
            del feeds[table]
        case BettingStatus(taking):
            for feed in feeds.values():
                feed.taking = taking


class Broadcaster:
    """Applies the backend's messages to the feeds, and sends clients what concerns them.

    All that many clients receive is encoded once and goes through the flush queue.
    """

    def __init__(self, shared: AppContext, registry: ConnectionRegistry) -> None:
        self._shared = shared
        self._feeds = shared.feeds
        self._registry = registry
        self._listeners: list[Callable[[str], None]] = []
        self._published = Bell()
        self.flush_queue = FlushQueue()
        self.private_state = PrivateStatePusher(
            shared.backend.private_views, registry.is_present, self.send_private
        )

    def start(self) -> None:
        """Start the greenlets that flush connections and push private state."""
        self.flush_queue.start()
        self.private_state.start()

    def subscribe(self, listener: Callable[[str], None]) -> None:
        """Call `listener` with the name of each table that has new events."""
        self._listeners.append(listener)

    def handle(self, message: Bulletin) -> None:
        """Apply a message of the backend and send it to the clients that it concerns."""
        match message:
            case TableEvents(group):
                self._tell(group)
            case CheckpointSigned(note):
                for feed in self._feeds.values():
                    notice = feed.notice({"type": "checkpoint", "note": note})
                    self.send_events(feed.name, [notice])
            case BettingStatus(taking):
                self.set_betting_status(taking)
            case TableReset(table, standing, turn, proof):
                self.send_events(table, [self._feeds[table].reset(standing, turn, proof)])
            case TableAdded():
                update_feeds(self._feeds, message)
            case TableRemoved(table):
                self.send(table, "table_closed", {"table": table})
                self._registry.close_room(table)
                update_feeds(self._feeds, message)
            case SessionsChanged(players, moved):
                self._shared.sessions.update(players)
                self._registry.update_sessions(players, moved)
            case Announcement(text):
                frame = event_frame("announcement", {"text": text})
                self.flush_queue.enqueue(self._registry.sockets(), frame)
            case ChatMessage(table, player, phrase):
                payload = {"table": table, "player": player, "phrase": phrase}
                self.send(table, "said", payload)
            case BackendAlive(watching):
                self._registry.set_reported_watchers(watching)

    def set_betting_status(self, taking: bool, away: bool = False) -> None:
        """Set whether bets are taken and whether the backend is away; notify clients of changes."""
        for feed in self._feeds.values():
            if (feed.taking, feed.away) != (taking, away):
                feed.taking, feed.away = taking, away
                notice = feed.notice({"type": "notice", **feed.betting_status()})
                self.send_events(feed.name, [notice])

    def send_events(self, table: str, events: Iterable[Message]) -> None:
        """Send events to everyone who watches a table."""
        frames = b"".join(event_frame("event", event) for event in events)
        self.flush_queue.enqueue(self._registry.sockets_at(table), frames)
        # Wake those who wait in `send_private` now; the event must not stay set.
        self._published.set()
        self._published.clear()
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

    def send_private(self, payload: Message) -> None:
        """Send a private view of a table to all tabs in which its player watches the table."""
        # The backend may be ahead of this feed: the events that the view builds on come first.
        table, player = payload["table"], payload["name"]
        end = time.monotonic() + MAX_PRIVATE_LAG_SECONDS
        while self._shared.feed(table).version < payload["version"] and time.monotonic() < end:
            self._published.wait(MAX_PRIVATE_LAG_SECONDS)
        frame = event_frame("you", payload)
        for socket in self._registry.sockets_of(table, player):
            socket.send(frame)

    def push_balance(self, player: str) -> None:
        """Push a player's changed balance to all their tabs: every table's page shows it."""
        for table in self._feeds:
            self.private_state.mark_dirty(table, player)

    def _tell(self, group: EventBatch) -> None:
        feed = self._feeds[group.table]
        game = feed.table.running
        messages = feed.publish(group)
        if messages:
            self.send_events(feed.name, messages)
        for event in group.events:
            self._mark_dirty(feed, event, feed.table.running or game)
        if any(message["type"] == "book" for message in messages):
            self.private_state.mark_dirty_later(feed.name, partial(_bettors, feed))

    def _mark_dirty(self, feed: TableFeed, event: Event, running: PublicGame | None) -> None:
        mark_dirty = self.private_state.mark_dirty
        if isinstance(event, BetAccepted):
            self.push_balance(event.player)
        elif isinstance(event, CutOpened) and running is not None:
            mark_dirty(feed.name, running.seals[event.number - 1])
        elif isinstance(event, SeatChanged):
            for name in (event.player, *feed.table.queue):
                mark_dirty(feed.name, name)
        elif isinstance(event, _PLAY) and running is not None and not running.is_bot:
            mark_dirty(feed.name, running.opened.players.challenger)
        elif isinstance(event, _MONEY) and running is not None:
            for name in {running.opened.players.challenger, *bettors(running)}:
                self.push_balance(name)


def _bettors(feed: TableFeed) -> AbstractSet[str]:
    running = feed.table.running
    return frozenset() if running is None else bettors(running)
