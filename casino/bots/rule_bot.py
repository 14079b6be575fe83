"""`regle`: the rule of thumb from the books, deterministic and the same at every score.

>>> from random import Random
>>> from casino.ecarte import CHALLENGER, PACK, Laws, legal_actions, new_deal, token, view
>>> deal = new_deal(Laws(), CHALLENGER, PACK)
>>> token(RuleBot().choose(view(deal, deal.turn), legal_actions(deal), Random(1)))
'P'
"""

from __future__ import annotations

from collections.abc import Sequence

from casino.bots import heuristics
from casino.ecarte import (
    ACCEPT,
    ANSWERING,
    CLAIM,
    DEALER_EXCHANGE,
    ELDER_EXCHANGE,
    EXPOSED,
    LET_STAND,
    MARK,
    NO_CARD,
    PROPOSE,
    PROPOSING,
    REFUSE,
    STAND,
    Action,
    Rng,
    View,
    exchange,
    max_exchange,
)


class RuleBot:
    """A bot that follows the rule of thumb."""

    def choose(self, view: View, legal_actions: Sequence[Action], _: Rng) -> Action:
        """Return the action that the rule of thumb recommends."""
        if CLAIM in legal_actions:
            return CLAIM
        hand, trumps = view.hand, view.turn_up >> 3
        if view.phase in (ELDER_EXCHANGE, DEALER_EXCHANGE):
            maximum = max_exchange(view.stock, hand.bit_count())
            return exchange(heuristics.discards(hand, trumps, maximum))
        if view.phase == PROPOSING:
            proposes = PROPOSE in legal_actions and not heuristics.should_stand(hand, trumps)
            return PROPOSE if proposes else STAND
        if view.phase == ANSWERING:
            return REFUSE if heuristics.should_refuse(hand, trumps) else ACCEPT
        if view.phase == EXPOSED:
            return LET_STAND
        if MARK in legal_actions:
            return MARK
        if view.led == NO_CARD:
            return heuristics.lead(hand, trumps)
        return heuristics.follow(hand, view.led, trumps, view.laws.play == "strict")
