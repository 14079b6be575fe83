"""What goes over Redis between a house and its web processes, as JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec
from msgspec import Struct

from casino.table.public.transfer import TableTransfer
from casino.web.backend.messages import Bulletin

BEGIN: Final = "begin"
"""The question of a web process that begins to follow the house: `BackendSnapshot`."""

ALIVE: Final = "alive"
"""What a web process says each second, for which there is no answer: see `WorkerPresence`."""


class Envelope(Struct, frozen=True):
    """A bulletin: the run of the house, its number in it, when it was sent."""

    run: str
    n: int
    at: int
    said: Bulletin


class Request(Struct, frozen=True):
    """A question of a web process."""

    id: str
    web: str
    question: str
    given: list[Any]


class Reply(Struct, frozen=True):
    """The answer, or why it is refused."""

    id: str
    said: Any = None
    refused: dict[str, Any] | None = None


class TableSnapshot(Struct, frozen=True):
    """A table, for who begins to follow it."""

    standing: TableTransfer
    turn: int
    version: int
    proof: str


class BackendSnapshot(Struct, frozen=True):
    """What a web process must know: how the tables stand after a bulletin, what signs cookies."""

    run: str
    n: int
    at: int
    taking: bool
    cookies: bytes
    tables: dict[str, TableSnapshot]


class WorkerPresence(Struct, frozen=True):
    """Who has a page open at a web process; how many lines it has, in all and at each table."""

    people: list[str]
    lines: int
    watching: dict[str, int]


encode: Final[Callable[[Any], bytes]] = msgspec.json.Encoder().encode
read_sent: Final[Callable[[bytes], Envelope]] = msgspec.json.Decoder(Envelope).decode
read_request: Final[Callable[[bytes], Request]] = msgspec.json.Decoder(Request).decode
read_answer: Final[Callable[[bytes], Reply]] = msgspec.json.Decoder(Reply).decode
