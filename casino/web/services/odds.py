"""Cache of the expert's public answers: win probabilities now, and reviews of finished games.

Both follow from public information, so each is computed once, in a thread.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from typing import Final

from casino.solver.evaluation.review import review_line
from casino.solver.evaluation.win_probability import public_probabilities
from casino.table.public.feed import TableFeed
from casino.table.public.state import Message

REVIEWS_KEPT: Final = 200
EFFORT: Final = 64  # hands weighed for each option; a game takes about a second of plain Python


class OddsCache:
    """Answers that are kept until they change."""

    def __init__(self) -> None:
        self._chances: dict[str, Message] = {}
        self._reviews: OrderedDict[str, Message] = OrderedDict()
        self._one_at_a_time = threading.Lock()

    def win_probability(self, feed: TableFeed) -> Message:
        """Return both sides' probabilities in the running game, with the version they are for."""
        version, running = feed.version, feed.table.running
        cached = self._chances.get(feed.name)
        if cached is None or cached["version"] != version:
            chance = None
            if running is not None:
                chance = public_probabilities(running.game, running.deal, running.laws).json()
            game = None if running is None else running.id
            cached = {"table": feed.name, "version": version, "game": game, "chance": chance}
            self._chances[feed.name] = cached
        return cached

    def review(self, game: str, record: Message) -> Message:
        """Return the review of a finished game with a record."""
        with self._one_at_a_time:
            if game not in self._reviews:
                self._reviews[game] = review_line(json.dumps(record), EFFORT)
            self._reviews.move_to_end(game)
            while len(self._reviews) > REVIEWS_KEPT:
                self._reviews.popitem(last=False)
            return self._reviews[game]
