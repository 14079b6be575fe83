"""Messages over Redis between the backend and its workers, as JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec
from msgspec import Struct

from casino.table.public.transfer import TableTransfer
from casino.web.backend.messages import Bulletin

BEGIN: Final = "begin"  # a worker's first request: `BackendSnapshot`

ALIVE: Final = "alive"  # a worker's message each second, without an answer: see `WorkerPresence`


class Envelope(Struct, frozen=True):
    """A published message: the backend's run, its number in it, when it was sent."""

    run: str
    n: int
    at: int
    message: Bulletin


class Request(Struct, frozen=True):
    """A worker's request."""

    id: str
    web: str
    question: str
    arguments: list[Any]


class Reply(Struct, frozen=True):
    """The answer, or why it is refused."""

    id: str
    result: Any = None
    refused: dict[str, Any] | None = None


class TableSnapshot(Struct, frozen=True):
    """A table, for a process that begins to follow it."""

    standing: TableTransfer
    turn: int
    version: int
    proof: str


class BackendSnapshot(Struct, frozen=True):
    """What a worker must know: the tables after a message, the key that signs cookies."""

    run: str
    n: int
    at: int
    taking: bool
    cookies: bytes
    tables: dict[str, TableSnapshot]


class WorkerPresence(Struct, frozen=True):
    """Who has a page open at a worker; its number of sockets, in all and at each table."""

    people: list[str]
    lines: int
    watching: dict[str, int]


encode: Final[Callable[[Any], bytes]] = msgspec.json.Encoder().encode
read_sent: Final[Callable[[bytes], Envelope]] = msgspec.json.Decoder(Envelope).decode
read_request: Final[Callable[[bytes], Request]] = msgspec.json.Decoder(Request).decode
read_answer: Final[Callable[[bytes], Reply]] = msgspec.json.Decoder(Reply).decode
