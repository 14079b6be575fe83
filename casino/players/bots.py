"""The bots by their names, and the one thing each of them does: choose an action.

A bot sees what its seat may see, is told what is legal, and takes all chance from `rng`: the
same view and the same `rng` give the same action. It never revokes, and notices every revoke.

>>> from random import Random
>>> from casino.ecarte import HOUSE, PACK, CHALLENGER, Laws, legal_actions, new_deal, token, view
>>> deal = new_deal(Laws(), CHALLENGER, PACK)
>>> token(BOTS["regle"].choose(view(deal, HOUSE), legal_actions(deal), Random(1)))
'P'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from casino.ecarte.actions import (
    ACCEPT,
    CLAIM,
    LET_STAND,
    MARK,
    NEW_DEAL,
    PROPOSE,
    REFUSE,
    STAND,
    Action,
    exchange,
)
from casino.ecarte.cards import CardSet, card_set, members
from casino.ecarte.rules import NO_CARD, least_exchanged, legal_replies, most_exchanged
from casino.ecarte.state import (
    ANSWERING,
    DEALER_EXCHANGE,
    ELDER_EXCHANGE,
    EXPOSED,
    PROPOSING,
)
from casino.ecarte.view import View
from casino.players import regle

_SAID: Final[Mapping[int, tuple[Action, ...]]] = {
    EXPOSED: (LET_STAND, NEW_DEAL),
    PROPOSING: (STAND, PROPOSE),
    ANSWERING: (REFUSE, ACCEPT),
}
"""What there is to say in a phase before the play."""


class Chance(Protocol):
    """Where a bot's random numbers come from: `random.Random` is one."""

    def randrange(self, stop: int, /) -> int:
        """A number from 0 to `stop - 1`, each as likely."""


class Bot(Protocol):
    """Who plays a seat without being a person."""

    def choose(self, view: View, legal_actions: Sequence[Action], rng: Chance) -> Action:
        """One of the legal actions of the seat whose view this is."""


class Novice:
    """Any legal action, each as likely; but it announces the king and never concedes."""

    def choose(self, view: View, legal_actions: Sequence[Action], rng: Chance) -> Action:
        """One of the legal actions; every draw is one call of `rng.randrange`."""
        if CLAIM in legal_actions:
            return CLAIM
        if view.phase in (ELDER_EXCHANGE, DEALER_EXCHANGE):
            return exchange(self._cards(view, rng))
        if MARK in legal_actions:
            return MARK
        said = [action for action in _SAID.get(view.phase, ()) if action in legal_actions]
        choices = said or members(_playable(view))
        return choices[rng.randrange(len(choices))]

    def _cards(self, view: View, rng: Chance) -> CardSet:
        """A random number of random cards to exchange."""
        stock, held = view.stock, list(members(view.hand))
        least, most = least_exchanged(stock), most_exchanged(stock, len(held))
        number = least + rng.randrange(most - least + 1)
        return card_set(held.pop(rng.randrange(len(held))) for _ in range(number))


class Regle:
    """The rule of thumb of `regle`; it takes no chances."""

    def choose(self, view: View, legal_actions: Sequence[Action], rng: Chance) -> Action:
        """What the rule of thumb says."""
        if CLAIM in legal_actions:
            return CLAIM
        hand, trumps = view.hand, view.turn_up >> 3
        if view.phase in (ELDER_EXCHANGE, DEALER_EXCHANGE):
            most = most_exchanged(view.stock, hand.bit_count())
            return exchange(regle.discards(hand, trumps, most))
        if view.phase == PROPOSING:
            propose = PROPOSE in legal_actions and not regle.in_table(hand, trumps)
            return PROPOSE if propose else STAND
        if view.phase == ANSWERING:
            return REFUSE if regle.refuses(hand, trumps) else ACCEPT
        if view.phase == EXPOSED:
            return LET_STAND
        if MARK in legal_actions:
            return MARK
        if view.led == NO_CARD:
            return regle.lead(hand, trumps)
        return regle.follow(hand, view.led, trumps, view.laws.play == "strict")


def _playable(view: View) -> CardSet:
    """The cards that may be played without a revoke, whether or not a revoke is refused."""
    if view.led == NO_CARD:
        return view.hand
    return legal_replies(view.hand, view.led, view.turn_up >> 3, view.laws.play == "strict")


BOTS: Final[Mapping[str, Bot]] = {"novice": Novice(), "regle": Regle()}
