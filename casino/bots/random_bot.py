"""The random bot `novice`, and mixtures of two bots for strengths in between.

`novice` chooses at random, but always announces the king, and never revokes or concedes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from casino import ecarte
from casino.bots.registry import Bot
from casino.ecarte import Action, CardSet, Rng, View

ERROR_RATE_SCALE: Final = 32  # the denominator of error rates

# Words to choose from in each phase before play.
_WORDS: Final[Mapping[int, tuple[Action, ...]]] = {
    ecarte.EXPOSED: (ecarte.LET_STAND, ecarte.NEW_DEAL),
    ecarte.PROPOSING: (ecarte.STAND, ecarte.PROPOSE),
    ecarte.ANSWERING: (ecarte.REFUSE, ecarte.ACCEPT),
}


class RandomBot:
    """A bot that knows only the rules."""

    def choose(self, view: View, legal_actions: Sequence[Action], rng: Rng) -> Action:
        """Return a random action; each random number is one call of `rng.randrange`."""
        if ecarte.CLAIM in legal_actions:
            return ecarte.CLAIM
        if view.phase in (ecarte.ELDER_EXCHANGE, ecarte.DEALER_EXCHANGE):
            return ecarte.exchange(_discards(view, rng))
        if ecarte.MARK in legal_actions:
            return ecarte.MARK
        words = [action for action in _WORDS.get(view.phase, ()) if action in legal_actions]
        # Not a revoke, even if the laws allow one.
        strict = view.laws.play == "strict"
        cards = ecarte.legal_cards(view.hand, view.led, view.turn_up >> 3, strict)
        choices = words or ecarte.cards_in(cards)
        return choices[rng.randrange(len(choices))]


def _discards(view: View, rng: Rng) -> CardSet:
    stock, held = view.stock, list(ecarte.cards_in(view.hand))
    minimum, maximum = ecarte.min_exchange(stock), ecarte.max_exchange(stock, len(held))
    number = minimum + rng.randrange(maximum - minimum + 1)
    return ecarte.card_set(held.pop(rng.randrange(len(held))) for _ in range(number))


class MixedBot:
    """A bot that plays like `worse` in `error_rate` out of 32 decisions, else like `better`."""

    def __init__(self, worse: Bot, better: Bot, error_rate: int) -> None:
        self.worse = worse
        self.better = better
        self.error_rate = error_rate

    def choose(self, view: View, legal_actions: Sequence[Action], rng: Rng) -> Action:
        """Return one bot's choice; `better` always decides on claims and on announcing the king."""
        if ecarte.CLAIM in legal_actions or ecarte.MARK in legal_actions:
            return self.better.choose(view, legal_actions, rng)
        errs = rng.randrange(ERROR_RATE_SCALE) < self.error_rate
        return (self.worse if errs else self.better).choose(view, legal_actions, rng)
