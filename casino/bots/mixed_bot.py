"""A mixture of two bots, for strengths in between.

>>> from random import Random
>>> from casino.ecarte import CHALLENGER, PACK, Laws, legal_actions, new_deal, token, view
>>> from casino.bots.random_bot import RandomBot
>>> from casino.bots.rule_bot import RuleBot
>>> deal = new_deal(Laws(), CHALLENGER, PACK)
>>> bot = MixedBot(RandomBot(), RuleBot(), 16)
>>> seen, legal = view(deal, deal.turn), legal_actions(deal)
>>> [token(bot.choose(seen, legal, Random(seed))) for seed in range(4)]
['P', 'S', 'S', 'S']
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from casino.bots.protocol import Bot
from casino.ecarte import CLAIM, MARK, Action, Rng, View

ERROR_RATE_SCALE: Final = 32  # error rates are given in 32nds


class MixedBot:
    """A bot that plays like `worse` in `error_rate` of 32 decisions, otherwise like `better`."""

    def __init__(self, worse: Bot, better: Bot, error_rate: int) -> None:
        self.worse = worse
        self.better = better
        self.error_rate = error_rate

    def choose(self, view: View, legal_actions: Sequence[Action], rng: Rng) -> Action:
        """Return one bot's choice; `better` always decides on claims and on announcing the king."""
        if CLAIM in legal_actions or MARK in legal_actions:
            return self.better.choose(view, legal_actions, rng)
        errs = rng.randrange(ERROR_RATE_SCALE) < self.error_rate
        return (self.worse if errs else self.better).choose(view, legal_actions, rng)
