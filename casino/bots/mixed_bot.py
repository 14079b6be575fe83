"""A player between two others: he plays like the better one, but now and then like the worse.

>>> from random import Random
>>> from casino.ecarte import CHALLENGER, PACK, Laws, legal_actions, new_deal, token, view
>>> from casino.bots.random_bot import RandomBot
>>> from casino.bots.rule_bot import RuleBot
>>> deal = new_deal(Laws(), CHALLENGER, PACK)
>>> player = MixedBot(RandomBot(), RuleBot(), 16)
>>> seen, legal = view(deal, deal.turn), legal_actions(deal)
>>> [token(player.choose(seen, legal, Random(seed))) for seed in range(4)]
['P', 'S', 'S', 'S']
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from casino.bots.protocol import Bot
from casino.ecarte.actions import CLAIM, MARK, Action
from casino.ecarte.observation.view import View
from casino.ecarte.rng import Rng

ERROR_RATE_SCALE: Final = 32
"""Lapses are counted in parts of this many decisions."""


class MixedBot:
    """Decides like a worse player in some of 32 cases, and like a better one otherwise."""

    def __init__(self, worse: Bot, better: Bot, lapses: int) -> None:
        self.worse = worse
        self.better = better
        self.lapses = lapses

    def choose(self, view: View, legal_actions: Sequence[Action], rng: Rng) -> Action:
        """What one of the two would do; the king and a revoke are never forgotten."""
        if CLAIM in legal_actions or MARK in legal_actions:
            return self.better.choose(view, legal_actions, rng)
        lapsed = rng.randrange(ERROR_RATE_SCALE) < self.lapses
        return (self.worse if lapsed else self.better).choose(view, legal_actions, rng)
