"""The `expert` bot: plays to win the game rather than the deal.

It follows solved tables when exchanging, and samples the hands that its opponent may hold when
playing cards. A decision depends only on the view, the random numbers and the effort. The effort is
a number of hands, never a time limit, so every machine reaches the same decision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from casino import ecarte
from casino.bots.rule_bot import RuleBot
from casino.ecarte import Action, Rng, View
from casino.solver.policy import tables
from casino.solver.policy.info_state import exchange_state, info_state, stakes_of
from casino.solver.policy.play_policy import (
    ROOM,
    WEIGHED,
    InfoState,
    best_card,
    card_values,
    draw_key,
    hides_king,
    trick_equities,
)
from casino.solver.policy.tables import HAND, PolicyTables

# Number of opposing hands against which each card is tried; with 0, cards follow the rule of thumb.
EFFORT: Final = 96
RULE_BOT: Final = RuleBot()
# The choices that end the exchanges or go on with them.
WORDS: Final[Mapping[int, tuple[Action, Action]]] = {
    ecarte.PROPOSING: (ecarte.STAND, ecarte.PROPOSE),
    ecarte.ANSWERING: (ecarte.REFUSE, ecarte.ACCEPT),
}


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
        policy = tables.policy_tables(view.laws.play == "strict", self.file)
        if view.phase in (ecarte.LEADING, ecarte.FOLLOWING):
            return self._card(view, policy, rng)
        state = exchange_state(view, policy.target)
        if view.phase in (ecarte.ELDER_EXCHANGE, ecarte.DEALER_EXCHANGE):
            return ecarte.exchange(tables.draw_discards(policy, state, view.stock, rng))
        end, go_on = WORDS[view.phase]
        agrees = go_on in legal_actions and tables.draw_bid(policy, state, rng)
        return go_on if agrees else end

    def _card(self, view: View, policy: PolicyTables, rng: Rng) -> Action:
        """Return the card to play. A forced card consumes no random number."""
        legal = ecarte.legal_cards(view.hand, view.led, view.turn_up >> 3, policy.open_cards.strict)
        if legal & legal - 1 == 0:
            return legal.bit_length() - 1
        info = info_state(view, policy.target) if self.effort else None
        if info is None:
            return RULE_BOT.choose(view, (), rng)
        me = view.viewer
        equities = trick_values(view, policy, (view.score[me], view.score[1 - me]))
        return best_card(info, self.values(policy, info, equities, draw_key(rng)))

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
    vulnerable = (view.vulnerable == me, view.vulnerable == 1 - me)
    laws = (view.laws.target, view.laws.vole_unexchanged, view.laws.deal == "house")
    equities = [0] * 12
    trick_equities(policy, me != view.dealer, score, vulnerable, view.exchanged, laws, equities)
    return equities
