"""Practice games over HTTP against a bot, without stake, clock or spectators.

The browser stores a game as a number that it chose and the player's actions. The cards are derived
from the number and a secret of the casino, and the bot's actions from the cards, so any process can
continue any game, even after a restart. A cache of recent games avoids replaying them at each
request.
"""

from __future__ import annotations

import hmac
from collections import OrderedDict
from typing import Final

from gevent.lock import BoundedSemaphore

from casino.config import BOT_NAMES
from casino.errors import RefusalReason, Refused
from casino.solver.evaluation.advice import advice, hint
from casino.table.practice import PracticeGame
from casino.table.public.private_view import parse_action
from casino.table.public.state import Message
from casino.web.context import AppContext
from casino.web.schemas import requests

KEPT: Final = 200  # games cached

NO_SEAT: Final = "you"  # the player's name; practice needs no account

EFFORT: Final = 64  # opposing hands that each option of a hint is evaluated against

NO_SUCH_BOT: Final = RefusalReason(
    "no_such_bot", "unknown_bot", "there is no such bot: choose one of {known}"
)


class PracticeGames:
    """Replays practice games from the browsers' requests, with a cache of recent ones."""

    def __init__(self, shared: AppContext, secret: bytes) -> None:
        self._shared = shared
        self._secret = secret
        self._kept: OrderedDict[str, PracticeGame] = OrderedDict()
        self._one_at_a_time = BoundedSemaphore(1)  # the cache is used in threads

    def messages(self, table: str, asked: requests.Practise) -> Message:
        """Return the messages since `asked.since`, or the whole game if that is None."""
        with self._one_at_a_time:
            return self._shared.loop.run_in_thread(
                lambda: self._played(table, asked).messages_since(asked.since)
            )

    def hint(self, table: str, asked: requests.Practise) -> Message:
        """Return the win probability after each option, or null if there is no choice."""
        with self._one_at_a_time:
            return self._shared.loop.run_in_thread(lambda: _hint(self._played(table, asked)))

    def _played(self, table: str, asked: requests.Practise) -> PracticeGame:
        rules = self._shared.feed(table).table.rules
        house = asked.house or rules.house
        if house not in BOT_NAMES:
            raise Refused(NO_SUCH_BOT, known=", ".join(BOT_NAMES))
        name = "|".join((table, house, asked.number))
        actions = [parse_action(text) for text in asked.actions]
        game = self._kept.pop(name, None)
        if game is None or game.done != actions[: len(game.done)]:
            # The browser must not be able to compute the cards from the number.
            seed = hmac.digest(self._secret, f"practice|{name}".encode(), "sha256")
            game = PracticeGame(rules._replace(house=house), NO_SEAT, seed)
        try:
            for action in actions[len(game.done) :]:
                game.act(action)
        finally:
            # Cached even after a refused action, which has changed nothing.
            self._kept[name] = game
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return game


def _hint(game: PracticeGame) -> Message:
    seen = game.view()
    return {"hint": None if seen is None else hint(advice(*seen, effort=EFFORT))}
