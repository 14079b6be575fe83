"""Practice games over HTTP against a bot, without stake, clock or spectators.

The browser stores a game as a number that it chose and the player's actions. The cards are derived
from that number and the casino's secret, and the bot's actions from the cards, so any process can
continue any game, even after a restart. A cache of recent games avoids replaying them for each
request.
"""

from __future__ import annotations

import hmac
import json
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from gevent.lock import BoundedSemaphore

from casino.config import BOT_NAMES
from casino.config_tables import NO_SUCH_BOT
from casino.ecarte import read_record
from casino.errors import Refused
from casino.solver.evaluation.advice import advice, hint
from casino.table.practice import GamePosition, PracticeGame
from casino.table.public.private_view import parse_action
from casino.table.public.state import Message
from casino.web.backend.queries import NO_GAME
from casino.web.context import AppContext
from casino.web.schemas import requests

KEPT: Final = 200  # games cached

EFFORT: Final = 64  # opposing hands that each option of a hint is evaluated against


class PracticeGames:
    """Replays practice games from the browsers' requests, with a cache of recent ones."""

    def __init__(self, shared: AppContext, secret: bytes) -> None:
        self._shared = shared
        self._secret = secret
        self._kept: OrderedDict[str, PracticeGame] = OrderedDict()
        self._position = lru_cache(KEPT)(self._read_position)
        self._one_at_a_time = BoundedSemaphore(1)  # the cache is used in threads

    def messages(self, asked: requests.Practise, table: str) -> Message:
        """Return the messages of the practice game that the request describes in full."""
        return self._in_thread(table, asked, lambda game: game.messages_since(asked.since))

    def hint(self, asked: requests.Practise, table: str) -> Message:
        """Return the win probability after each option that the player has in a practice game."""
        return self._in_thread(table, asked, _hint)

    def _in_thread(
        self, table: str, asked: requests.Practise, query: Callable[[PracticeGame], Message]
    ) -> Message:
        with self._one_at_a_time:
            start = self._position(asked.game, asked.step) if asked.game else None
            return self._shared.loop.run_in_thread(lambda: query(self._played(table, asked, start)))

    def _read_position(self, game: str, step: int) -> GamePosition:
        """Return the position after `step` actions of a finished game, which must have a seed."""
        record = self._shared.backend.game(game)["record"]
        start = GamePosition(read_record(json.dumps(record)), step)
        if start.seed is None:
            raise Refused(NO_GAME, game=game)
        return start

    def _played(
        self, table: str, asked: requests.Practise, start: GamePosition | None
    ) -> PracticeGame:
        rules = self._shared.feeds[table].table.rules
        house = asked.house or rules.house
        if house not in (*BOT_NAMES, rules.house):
            raise Refused(NO_SUCH_BOT, bot=house, known=", ".join(BOT_NAMES))
        position = (asked.game, str(asked.step)) if asked.game else ()
        name = "|".join((table, house, asked.number, *position))
        actions = [parse_action(text) for text in asked.actions]
        game = self._kept.pop(name, None)
        if game is None or game.done != actions[: len(game.done)]:
            # The browser must not be able to compute the cards from the number.
            secret = hmac.digest(self._secret, f"practice|{name}".encode(), "sha256")
            seed = start.seed if start else None
            game = PracticeGame(rules._replace(house=house), seed or secret, start)
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
