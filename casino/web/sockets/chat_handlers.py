"""Chat: fixed phrases, and requests for more time.

There is nothing to moderate: only a phrase's name is sent, and each page shows it in its reader's
language. The backend publishes phrases to everyone (`casino.web.backend.chat`).
"""

from __future__ import annotations

from casino.table.public.state import Message
from casino.web.context import AppContext
from casino.web.schemas import requests
from casino.web.sockets.connections import Connection, player_of
from casino.web.sockets.handlers import SocketHandlers


class ChatHandlers:
    """Handles chat messages."""

    def __init__(self, shared: AppContext, live: SocketHandlers) -> None:
        self._shared = shared
        live.register("say", requests.Say, self._say)
        live.register("more_time", requests.OfTable, self._more_time)

    def _say(self, asked: requests.Say, visitor: Connection) -> Message:
        player, feed = player_of(visitor), self._shared.feed(asked.table)
        self._shared.ask("say", asked.table, player, asked.phrase)
        return {"ok": True, "version": feed.version}

    def _more_time(self, asked: requests.OfTable, visitor: Connection) -> Message:
        player, version = player_of(visitor), self._shared.feed(asked.table).version
        seconds = self._shared.ask("more_time", asked.table, player)
        return {"ok": True, "version": version, "seconds": seconds}
