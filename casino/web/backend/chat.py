"""Chat at the tables: phrases, rate-limited in the backend.

A phrase reaches those who watch at that moment and is stored nowhere. The limit is kept here, so
that no one can say more by using several workers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from casino.errors import RefusalReason
from casino.web.backend.messages import ChatMessage
from casino.web.server.rate_limit import RateLimit, TokenBuckets

OF_ONE: Final = RateLimit(3, 4_000)  # phrases of one person: a burst, then one per interval

OF_TABLE: Final = RateLimit(20, 200)  # the same for everyone at a table together

TOO_LOUD: Final = RefusalReason(
    "too_loud",
    "rate_limited",
    "that is enough for the moment: wait {n} second",
    plural="that is enough for the moment: wait {n} seconds",
)


class Chat:
    """Publishes phrases."""

    def __init__(self, clock: Callable[[], int], publish: Callable[[ChatMessage], None]) -> None:
        self._publish = publish
        self._of_one = TokenBuckets(OF_ONE, clock, TOO_LOUD)
        self._of_table = TokenBuckets(OF_TABLE, clock, TOO_LOUD)

    def say(self, table: str, player: str, phrase: str) -> None:
        """Publish a phrase to everyone who watches a table, or refuse too many."""
        self._of_one.take(player)
        self._of_table.take(table)
        self._publish(ChatMessage(table, player, phrase))
