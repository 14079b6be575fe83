"""Messages that the backend publishes to all web processes.

They contain no hidden card, seed or key; `SessionsChanged` contains hashes of session keys. Private
views are not published: the process that has a player's socket requests them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from casino.table.public.feed import EventBatch, TableTransfer


class CheckpointSigned(Struct, frozen=True, tag="signed", tag_field="kind"):
    """A new checkpoint of the log, as a signed note."""

    note: str


class BettingStatus(Struct, frozen=True, tag="taking", tag_field="kind"):
    """Whether the casino takes bets; published on each change."""

    taking: bool


class TableReset(Struct, frozen=True, tag="read_again", tag_field="kind"):
    """A table reloaded from the log after a fault; every client needs a new snapshot."""

    table: str
    standing: TableTransfer


class TableAdded(Struct, frozen=True, tag="table_added", tag_field="kind"):
    """A table that someone has opened."""

    table: str
    standing: TableTransfer


class TableRemoved(Struct, frozen=True, tag="table_removed", tag_field="kind"):
    """A closed table at which nothing can happen any more."""

    table: str


class SessionsChanged(Struct, frozen=True, tag="sessions", tag_field="kind"):
    """Changed sessions: the player for each hashed key, and the new key for each replaced key."""

    players: dict[str, str | None]
    moved: dict[str, str]


class Announcement(Struct, frozen=True, tag="announced", tag_field="kind"):
    """A message from the operator to everyone with a page open."""

    text: str


class ChatMessage(Struct, frozen=True, tag="said", tag_field="kind"):
    """A chat phrase, for everyone who watches the table."""

    table: str
    player: str
    phrase: str


class BackendAlive(Struct, frozen=True, tag="alive", tag_field="kind"):
    """The backend's heartbeat, with the number of watchers of each table in all workers."""

    watching: dict[str, int]


Bulletin: TypeAlias = (
    EventBatch
    | CheckpointSigned
    | BettingStatus
    | TableReset
    | TableAdded
    | TableRemoved
    | SessionsChanged
    | Announcement
    | ChatMessage
    | BackendAlive
)


class MessageBus:
    """Passes each message to all subscribers, in the order in which they subscribed."""

    def __init__(self) -> None:
        self._hearers: list[Callable[[Bulletin], None]] = []

    def subscribe(self, hear: Callable[[Bulletin], None]) -> None:
        """Call `hear` with each message from now on, after the earlier subscribers."""
        self._hearers.append(hear)

    def publish(self, message: Bulletin) -> None:
        """Pass a message to all subscribers."""
        for hear in self._hearers:
            hear(message)
