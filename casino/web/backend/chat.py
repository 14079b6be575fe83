"""The talk at the tables: which phrases the house lets pass, whichever process they came to.

A phrase is heard by whoever watches at that moment and kept nowhere. How much is too much is
measured here, so that nobody may say more by coming to several doors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from casino.errors import RefusalReason
from casino.web.backend.messages import ChatMessage
from casino.web.server.rate_limit import RateLimit, TokenBuckets

OF_ONE: Final = RateLimit(3, 4_000)
"""A person may say so many phrases at once, and then one every so many milliseconds."""

OF_TABLE: Final = RateLimit(20, 200)
"""The same of all people at a table together."""

TOO_LOUD: Final = RefusalReason(
    "too_loud",
    "rate_limited",
    "that is enough for the moment: wait {n} second",
    plural="that is enough for the moment: wait {n} seconds",
)


class Chat:
    """What is said."""

    def __init__(self, clock: Callable[[], int], publish: Callable[[ChatMessage], None]) -> None:
        self._publish = publish
        self._of_one = TokenBuckets(OF_ONE, clock, TOO_LOUD)
        self._of_table = TokenBuckets(OF_TABLE, clock, TOO_LOUD)

    def say(self, table: str, player: str, phrase: str) -> None:
        """Have all who watch a table hear a phrase, unless there was too much."""
        self._of_one.take(player)
        self._of_table.take(table)
        self._publish(ChatMessage(table, player, phrase))
