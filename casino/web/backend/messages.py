"""Bulletins: all that the house tells those who talk to people, each a value that can be sent.

They are public, but for `SessionsChanged`, which holds hashes: no bulletin has a card, a seed or a
key. What one person alone may see is asked for by whoever has that person's socket.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from casino.table.public.batching import EventBatch
from casino.table.public.transfer import TableTransfer


class TableEvents(Struct, frozen=True, tag="told", tag_field="kind"):
    """What is to be told of a table."""

    group: EventBatch


class CheckpointSigned(Struct, frozen=True, tag="signed", tag_field="kind"):
    """The log is signed up to here."""

    note: str


class BettingStatus(Struct, frozen=True, tag="taking", tag_field="kind"):
    """Whether bets are taken."""

    taking: bool


class TableReset(Struct, frozen=True, tag="read_again", tag_field="kind"):
    """A table was read from the log again: everybody is to look at it anew."""

    table: str
    standing: TableTransfer
    turn: int
    proof: str


class SessionsChanged(Struct, frozen=True, tag="sessions", tag_field="kind"):
    """For whom browsers speak now, by the hash of their key, and which key became which."""

    players: dict[str, str | None]
    moved: dict[str, str]


class Announcement(Struct, frozen=True, tag="announced", tag_field="kind"):
    """The operator has something to say to everybody."""

    text: str


class ChatMessage(Struct, frozen=True, tag="said", tag_field="kind"):
    """Somebody has said a phrase to all who watch a table now."""

    table: str
    player: str
    phrase: str


class BackendAlive(Struct, frozen=True, tag="alive", tag_field="kind"):
    """The house is there; how many watch each table, on all web processes together."""

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
