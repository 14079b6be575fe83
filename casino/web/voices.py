"""What people say at a table besides their game: fixed phrases, and that they need more time.

There is nothing to moderate: only a phrase's name goes over the line, and each page says it in the
language of its reader. The house hears both, and tells a phrase to everybody (`casino.web.talk`).
"""

from __future__ import annotations

from casino.table.public_table import Message
from casino.web import payloads
from casino.web.live import LiveSockets
from casino.web.shared import Shared
from casino.web.visitor import Visitor, player_of


class Voices:
    """Answers what people say."""

    def __init__(self, shared: Shared, live: LiveSockets) -> None:
        self._shared = shared
        live.listen("say", payloads.Say, self._say)
        live.listen("more_time", payloads.OfTable, self._more_time)

    def _say(self, asked: payloads.Say, visitor: Visitor) -> Message:
        """Say a phrase to all who watch a table."""
        player, board = player_of(visitor), self._shared.board(asked.table)
        self._shared.ask("say", asked.table, player, asked.phrase)
        return {"ok": True, "version": board.version}

    def _more_time(self, asked: payloads.OfTable, visitor: Visitor) -> Message:
        """Give the person who is to act more time."""
        player, version = player_of(visitor), self._shared.board(asked.table).version
        seconds = self._shared.ask("more_time", asked.table, player)
        return {"ok": True, "version": version, "seconds": seconds}
