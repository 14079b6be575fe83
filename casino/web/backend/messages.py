"""Messages published by the backend to all web processes.

They are public, except for `SessionsChanged`, which holds hashes: none has a card, a seed or a key.
Private views are requested by the process that has the person's socket.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from casino.table.public.feed import EventBatch
from casino.table.public.transfer import TableTransfer


class TableEvents(Struct, frozen=True, tag="told", tag_field="kind"):
    """A batch of events of a table."""

    group: EventBatch


class CheckpointSigned(Struct, frozen=True, tag="signed", tag_field="kind"):
    """The log was signed."""

    note: str


class BettingStatus(Struct, frozen=True, tag="taking", tag_field="kind"):
    """Whether bets are taken."""

    taking: bool


class TableReset(Struct, frozen=True, tag="read_again", tag_field="kind"):
    """A table was read from the log again: every client must ask for a snapshot."""

    table: str
    standing: TableTransfer
    turn: int
    proof: str


class SessionsChanged(Struct, frozen=True, tag="sessions", tag_field="kind"):
    """The players of browsers changed, by the hash of their key; keys were replaced."""

    players: dict[str, str | None]
    moved: dict[str, str]


class Announcement(Struct, frozen=True, tag="announced", tag_field="kind"):
    """A message of the operator to everyone."""

    text: str


class ChatMessage(Struct, frozen=True, tag="said", tag_field="kind"):
    """A phrase said to everyone who watches a table now."""

    table: str
    player: str
    phrase: str


class BackendAlive(Struct, frozen=True, tag="alive", tag_field="kind"):
    """The backend is alive; how many watch each table, in all web processes together."""

    watching: dict[str, int]


Bulletin: TypeAlias = (
    TableEvents
    | CheckpointSigned
    | BettingStatus
    | TableReset
    | SessionsChanged
    | Announcement
    | ChatMessage
    | BackendAlive
)
