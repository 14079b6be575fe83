"""The state of a Socket.IO connection."""

from __future__ import annotations

from typing import TypeAlias

from casino.errors import Refused
from casino.web.accounts.service import NOT_ENTERED
from casino.web.websocket.connection import WebSocketConnection


class Connection:
    """A Socket.IO connection: its session, player and socket, and the tables it watches."""

    __slots__ = ("address", "key", "player", "socket", "tables", "too_many")

    def __init__(
        self, key: str, player: str | None, socket: WebSocketConnection, address: str
    ) -> None:
        self.key = key  # hashed
        self.player = player
        self.socket = socket
        self.address = address
        self.tables: set[str] = set()
        self.too_many = 0


def player_of(visitor: Connection) -> str:
    """Return a connection's player; raise `Refused` if no player is signed in."""
    if visitor.player is None:
        raise Refused(NOT_ENTERED)
    return visitor.player


Crowd: TypeAlias = dict[Connection, None]  # connections, in order of arrival
