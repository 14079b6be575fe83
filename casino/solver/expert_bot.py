"""The `expert` bot: plays to win the game rather than the deal.

It follows solved tables when exchanging, and samples the hands that its opponent may hold when
playing cards. A decision depends only on the view, the random numbers and the effort. The effort is
a number of hands, never a time limit, so every machine reaches the same decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from casino import ecarte
from casino.bots.rule_bot import RuleBot
from casino.ecarte import NO_CARD, NO_SEAT, Action, CardSet, Rng, View
from casino.solver.policy import tables
from casino.solver.policy.info_state import exchange_history, game_of_view, info_state, stakes_of
from casino.solver.policy.play_policy import (
    ROOM,
    WEIGHED,
    InfoState,
    best_card,
    card_values,
    hides_king,
    trick_equities,
)
from casino.solver.policy.tables import HAND, STEPS, PolicyTables

# Number of opposing hands against which each card is tried; with 0, cards follow the rule of thumb.
EFFORT: Final = 96
RULE_BOT: Final = RuleBot()
KEY_DRAWS: Final = 6
KEY_WAYS: Final = 32
_MIX: Final = 2654435761
_WORD: Final = 0xFFFFFFFF


class Expert:
    """A bot that values each point by how much it raises the win probability at the score."""

    def __init__(self, effort: int = EFFORT, file: Path | None = None) -> None:
        self.effort = effort
        self.file = file
        if file is not None:
            # An unusable file must fail here, not at the first decision.
            tables.load_packed(file)

    def choose(self, view: View, legal_actions: Sequence[Action], rng: Rng) -> Action:
        """Return an action, chosen by the tables before play and by sampled hands during play."""
        if ecarte.CLAIM in legal_actions:
            return ecarte.CLAIM
        if ecarte.MARK in legal_actions and not hides_king(*stakes_of(view, view.viewer)):
            return ecarte.MARK
        if view.phase == ecarte.EXPOSED or sum(view.laws.packets) != HAND:
            # The tables know only hands of five cards.
            spoken = [action for action in legal_actions if action != ecarte.MARK]
            return RULE_BOT.choose(view, spoken, rng)
        if view.phase in (ecarte.PROPOSING, ecarte.ANSWERING):
            return self._bid(view, legal_actions, rng)
        if view.phase in (ecarte.ELDER_EXCHANGE, ecarte.DEALER_EXCHANGE):
            return ecarte.exchange(self._discards(view, rng))
        return self._card(view, rng)

    def _card(self, view: View, rng: Rng) -> Action:
        """Return the card to play. A forced card consumes no random number."""
        strict, legal = view.laws.play == "strict", view.hand
        if view.led != NO_CARD:
            legal = ecarte.legal_replies(view.hand, view.led, view.turn_up >> 3, strict)
        if legal & legal - 1 == 0:
            return legal.bit_length() - 1
        policy = tables.policy_tables(strict, self.file)
        info = info_state(view, policy.target) if self.effort else None
        if info is None:
            return RULE_BOT.choose(view, (), rng)
        me = view.viewer
        equities = trick_values(view, policy, (view.score[me], view.score[1 - me]))
        return best_card(info, self.values(policy, info, equities, _key(rng)))

    def _bid(self, view: View, legal_actions: Sequence[Action], rng: Rng) -> Action:
        elder = view.phase == ecarte.PROPOSING
        first, second = (ecarte.STAND, ecarte.PROPOSE) if elder else (ecarte.REFUSE, ecarte.ACCEPT)
        if second not in legal_actions:
            return first
        exchanges, took = exchange_history(view)
        context = tables.bid_context(not elder, exchanges, took[elder])
        policy = tables.policy_tables(view.laws.play == "strict", self.file)
        chance = tables.bid_share(
            policy, game_of_view(view, policy.target), context, view.hand, view.turn_up
        )
        # A certain choice draws no random number; the compiled engine does the same.
        if 0 < chance < STEPS:
            return second if rng.randrange(STEPS) < chance else first
        return second if chance else first

    def _discards(self, view: View, rng: Rng) -> CardSet:
        exchanges, took = exchange_history(view)
        elder = view.phase == ecarte.ELDER_EXCHANGE
        context = tables.take_context(not elder, exchanges - 1, took[elder])
        policy = tables.policy_tables(view.laws.play == "strict", self.file)
        number, other, chance = tables.exchange_counts(
            policy, game_of_view(view, policy.target), context, view.hand, view.turn_up
        )
        if chance and rng.randrange(STEPS) < chance:
            number = other
        most = ecarte.max_exchange(view.stock, HAND)
        return tables.cards_to_discard(view.hand, view.turn_up, number, most)

    def values(
        self, policy: PolicyTables, info: InfoState, equities: Sequence[int], key: int
    ) -> Sequence[int]:
        """Return each card's value and the total weight, as computed by `card_values`."""
        values = [0] * (WEIGHED + 1)
        card_values(policy, info, equities, self.effort, key, [0] * ROOM, values)
        return values


def trick_values(view: View, policy: PolicyTables, score: tuple[int, int]) -> list[int]:
    """Return the values of `trick_equities` for a view; `score` has the viewer's points first."""
    me = view.viewer
    vulnerable = 0 if view.vulnerable == NO_SEAT else 1 if view.vulnerable == me else 2
    laws = (view.laws.target, view.laws.vole_unexchanged, view.laws.deal == "house")
    equities = [0] * 12
    trick_equities(policy, me != view.dealer, score, vulnerable, view.exchanged, laws, equities)
    return equities


def _key(rng: Rng) -> int:
    """Return a nonzero random seed for sampling hands in one decision."""
    key = 0
    for _ in range(KEY_DRAWS):
        key = KEY_WAYS * key + rng.randrange(KEY_WAYS)
    return draws_key(key)


def draws_key(drawn: int) -> int:
    """Derive a nonzero 32-bit seed from a 30-bit random number."""
    return (drawn + 1) * _MIX & _WORD
