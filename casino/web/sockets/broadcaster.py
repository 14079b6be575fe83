"""Broadcaster, which forwards the backend's messages to the clients that they concern.

Messages and recipients are derived from the public table alone, so every web process sends the
same ones.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Final

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
from casino.table.public.state import PublicGame, bettors
from casino.web.backend.messages import (
    Announcement,
    BackendAlive,
    BettingStatus,
    Bulletin,
    ChatMessage,
    CheckpointSigned,
    SessionsChanged,
    TableEvents,
    TableReset,
)
from casino.web.sockets.handlers import SocketHandlers

_PLAY: Final = (ActionTaken, PackDealt, TurnedUp)
_MONEY: Final = (BettingClosed, GameOpened, GameOver, GameVoid)


class FeedUpdater:
    """Keeps the feeds up to date in a process that has no clients."""

    def __init__(self, feeds: MutableMapping[str, TableFeed]) -> None:
        self.feeds = feeds

    def handle(self, message: Bulletin) -> None:
        """Apply a table's events, or its reset, to the table's feed; ignore other messages."""
        match message:
            case TableEvents(group):
                self.feeds[group.table].publish(group)
            case TableReset(table, standing, turn, proof):
                self.feeds[table].reset(standing, turn, proof)
            case BettingStatus(taking):
                for feed in self.feeds.values():
                    feed.taking = taking


class Broadcaster:
    """Applies the backend's messages to the feeds and broadcasts them."""

    def __init__(self, live: SocketHandlers) -> None:
        self._live = live
        self._feeds = live.shared.feeds

    def handle(self, message: Bulletin) -> None:
        """Apply a message of the backend and send it to the clients that it concerns."""
        match message:
            case TableEvents(group):
                self._tell(group)
            case CheckpointSigned(note):
                for feed in self._feeds.values():
                    self._live.broadcast_all(
                        feed.name, [feed.notice({"type": "checkpoint", "note": note})]
                    )
            case BettingStatus(taking):
                self.set_betting_status(taking)
            case TableReset(table, standing, turn, proof):
                notice = self._feeds[table].reset(standing, turn, proof)
                self._live.broadcast_all(table, [notice])
            case SessionsChanged(players, moved):
                self._live.shared.sessions.update(players)
                self._live.on_sessions_changed(players, moved)
            case Announcement(text):
                self._live.announce(text)
            case ChatMessage(table, player, phrase):
                payload = {"table": table, "player": player, "phrase": phrase}
                self._live.broadcast(table, "said", payload)
            case BackendAlive(watching):
                self._live.elsewhere = watching

    def set_betting_status(self, taking: bool, away: bool = False) -> None:
        """Set whether bets are taken and whether the backend is away; notify clients of changes."""
        for feed in self._feeds.values():
            if (feed.taking, feed.away) != (taking, away):
                feed.taking, feed.away = taking, away
                notice = feed.notice({"type": "notice", **feed.betting_status()})
                self._live.broadcast_all(feed.name, [notice])

    def _tell(self, group: EventBatch) -> None:
        feed = self._feeds[group.table]
        game = feed.table.running
        messages = feed.publish(group)
        if messages:
            self._live.broadcast_all(feed.name, messages)
        for event in group.events:
            self._touch(feed, event, feed.table.running or game)
        if any(message["type"] == "book" for message in messages):
            self._live.private_state.mark_dirty_later(feed.name, partial(_bettors, feed))

    def _touch(self, feed: TableFeed, event: Event, running: PublicGame | None) -> None:
        owe = self._live.private_state.mark_dirty
        if isinstance(event, BetAccepted):
            self._push_balance(event.player)
        elif isinstance(event, CutOpened) and running is not None:
            owe(feed.name, running.seals[event.number - 1])
        elif isinstance(event, SeatChanged):
            owe(feed.name, event.player)
            for name in feed.table.queue:
                owe(feed.name, name)
        elif isinstance(event, _PLAY) and running is not None and not running.is_bot:
            owe(feed.name, running.opened.players.challenger)
        elif isinstance(event, _MONEY) and running is not None:
            for name in {running.opened.players.challenger, *bettors(running)}:
                self._push_balance(name)

    def _push_balance(self, player: str) -> None:
        # Every table's page shows the balance.
        for table in self._feeds:
            self._live.private_state.mark_dirty(table, player)


def _bettors(feed: TableFeed) -> AbstractSet[str]:
    running = feed.table.running
    return frozenset() if running is None else bettors(running)
