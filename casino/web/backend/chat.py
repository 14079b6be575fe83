"""The talk at the tables: which phrases the house lets pass, whichever process they came to.

A phrase is heard by whoever watches at that moment and kept nowhere. How much is too much is
measured here, so that nobody may say more by coming to several doors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from casino.errors import Reason
from casino.web.backend.messages import Said
from casino.web.server.rate_limit import Buckets, Rate

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


class Talk:
    """What is said."""

    def __init__(self, clock: Callable[[], int], publish: Callable[[Said], None]) -> None:
        self._publish = publish
        self._of_one = Buckets(OF_ONE, clock, TOO_LOUD)
        self._of_table = Buckets(OF_TABLE, clock, TOO_LOUD)

    def say(self, table: str, player: str, phrase: str) -> None:
        """Have all who watch a table hear a phrase, unless there was too much."""
        self._of_one.take(player)
        self._of_table.take(table)
        self._publish(Said(table, player, phrase))
