"""The JSON messages that the backend and its workers exchange over Redis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, get_type_hints

import msgspec
from msgspec import Struct

from casino.table.public.feed import TableFeed, TableTransfer
from casino.web.backend.interface import Backend, Bulletin, TableFeeds

BEGIN: Final = "begin"  # a worker's first request; the reply is a `BackendSnapshot`

ALIVE: Final = "alive"  # sent by a worker every second with its `WorkerPresence`; has no reply


class Signature(NamedTuple):
    """The types to which msgspec converts the arguments and the result of a method."""

    arguments: Any
    result: Any


def _signature(method: Callable[..., Any]) -> Signature:
    hints = get_type_hints(method)
    result = hints.pop("return")
    return Signature(tuple[tuple(hints.values())], result)  # type: ignore[misc]


# The methods of `Backend`, which are sent over Redis as they are.
METHODS: Final[Mapping[str, Signature]] = {
    name: _signature(method) for name, method in vars(Backend).items() if not name.startswith("_")
}


class Envelope(Struct, frozen=True):
    """A published message with its number `n`, counted from the start of the backend's `run`."""

    run: str
    n: int
    at: int
    message: Bulletin


class Request(Struct, frozen=True):
    """A worker's request; resent with the same id if its reply may have been lost."""

    id: str
    web: str
    method: str
    arguments: list[Any]


class Reply(Struct, frozen=True):
    """The reply to a request: its result, or the refusal as JSON."""

    id: str
    result: Any = None
    refused: dict[str, Any] | None = None


class BackendSnapshot(Struct, frozen=True):
    """The backend's state after message `n`, with the key that signs cookies."""

    run: str
    n: int
    at: int
    taking: bool
    cookies: bytes
    tables: dict[str, TableTransfer]

    def feeds(self) -> TableFeeds:
        """Return the feeds of all tables."""
        feeds = ((name, TableFeed(table, self.taking)) for name, table in self.tables.items())
        return TableFeeds(feeds)


class WorkerPresence(Struct, frozen=True):
    """A worker's connected players and its number of connections, in total and per table."""

    people: list[str]
    lines: int
    watching: dict[str, int]


encode: Final[Callable[[Any], bytes]] = msgspec.json.Encoder().encode
read_sent: Final[Callable[[bytes], Envelope]] = msgspec.json.Decoder(Envelope).decode
read_request: Final[Callable[[bytes], Request]] = msgspec.json.Decoder(Request).decode
read_answer: Final[Callable[[bytes], Reply]] = msgspec.json.Decoder(Reply).decode
