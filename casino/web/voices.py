"""What people say at a table besides their game: fixed phrases, and that they need more time.

A phrase is heard by whoever watches at that moment and kept nowhere. There is nothing to moderate:
only its name goes over the line, and each page says it in the language of its reader.
"""

from __future__ import annotations

from typing import Final

from casino.errors import Reason
from casino.table.public_table import Message
from casino.web import payloads
from casino.web.live import Live, Visitor, player_of
from casino.web.rates import Buckets, Rate
from casino.web.shared import Shared

OF_ONE: Final = Rate(3, 4_000)
"""A person may say so many phrases at once, and then one every so many milliseconds."""

OF_TABLE: Final = Rate(20, 200)
"""The same of all people at a table together."""

TOO_LOUD: Final = Reason(
    "too_loud",
    "rate_limited",
    "that is enough for the moment: wait {n} second",
    plural="that is enough for the moment: wait {n} seconds",
)


class Voices:
    """Answers what people say."""

    def __init__(self, shared: Shared, live: Live) -> None:
        self._shared = shared
        self._live = live
        self._of_one = Buckets(OF_ONE, shared.now, TOO_LOUD)
        self._of_table = Buckets(OF_TABLE, shared.now, TOO_LOUD)
        live.listen("say", payloads.Say, self._say)
        live.listen("more_time", payloads.OfTable, self._more_time)

    def _say(self, asked: payloads.Say, visitor: Visitor) -> Message:
        """Say a phrase to all who watch a table."""
        player, board = player_of(visitor), self._shared.board(asked.table)
        self._of_one.take(player)
        self._of_table.take(asked.table)
        told = {"table": asked.table, "player": player, "phrase": asked.phrase}
        self._live.tell_watchers(asked.table, "said", told)
        return {"ok": True, "version": board.version}

    def _more_time(self, asked: payloads.OfTable, visitor: Visitor) -> Message:
        """Give the person who is to act more time."""
        version = self._shared.board(asked.table).version
        self._shared.house.give_more_time(asked.table, player_of(visitor))
        return {"ok": True, "version": version, "seconds": self._shared.seconds_for(asked.table)}
