"""`novice`: any legal action with equal probability, but announces the king and never concedes.

>>> from random import Random
>>> from casino.ecarte import CHALLENGER, PACK, Laws, legal_actions, new_deal, token, view
>>> deal = new_deal(Laws(), CHALLENGER, PACK)
>>> token(RandomBot().choose(view(deal, deal.turn), legal_actions(deal), Random(2)))
'S'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from casino.ecarte import (
    ACCEPT,
    ANSWERING,
    CLAIM,
    DEALER_EXCHANGE,
    ELDER_EXCHANGE,
    EXPOSED,
    LET_STAND,
    MARK,
    NEW_DEAL,
    NO_CARD,
    PROPOSE,
    PROPOSING,
    REFUSE,
    STAND,
    Action,
    CardSet,
    Rng,
    View,
    card_set,
    cards_in,
    exchange,
    legal_replies,
    max_exchange,
    min_exchange,
)

# Words to choose from in each phase before play.
_WORDS: Final[Mapping[int, tuple[Action, ...]]] = {
    EXPOSED: (LET_STAND, NEW_DEAL),
    PROPOSING: (STAND, PROPOSE),
    ANSWERING: (REFUSE, ACCEPT),
}


class RandomBot:
    """A bot that knows only the rules."""

    def choose(self, view: View, legal_actions: Sequence[Action], rng: Rng) -> Action:
        """Return a random action; every draw calls `rng.randrange` once."""
        if CLAIM in legal_actions:
            return CLAIM
        if view.phase in (ELDER_EXCHANGE, DEALER_EXCHANGE):
            return exchange(_discards(view, rng))
        if MARK in legal_actions:
            return MARK
        words = [action for action in _WORDS.get(view.phase, ()) if action in legal_actions]
        choices = words or cards_in(_playable(view))
        return choices[rng.randrange(len(choices))]


def _discards(view: View, rng: Rng) -> CardSet:
    stock, held = view.stock, list(cards_in(view.hand))
    minimum, maximum = min_exchange(stock), max_exchange(stock, len(held))
    number = minimum + rng.randrange(maximum - minimum + 1)
    return card_set(held.pop(rng.randrange(len(held))) for _ in range(number))


def _playable(view: View) -> CardSet:
    """Return the cards that would not be a revoke, even if the laws allow a revoke."""
    if view.led == NO_CARD:
        return view.hand
    return legal_replies(view.hand, view.led, view.turn_up >> 3, view.laws.play == "strict")
