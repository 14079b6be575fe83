"""Advice for a player: each option with the win probability it leads to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple
from zlib import crc32

from casino import ecarte
from casino.ecarte import NO_SEAT, Action, Card, Laws, View
from casino.ecarte import view as seen_by
from casino.errors import InputError
from casino.solver.evaluation.rollout import BINS, BeliefState, roll_out
from casino.solver.expert_bot import WORDS, trick_values
from casino.solver.policy import tables
from casino.solver.policy.info_state import belief_state, info_state
from casino.solver.policy.play_policy import ROOM, SURE, WEIGHED, card_values, derive_key
from casino.solver.policy.tables import HAND, WHOLE, cards_to_discard

EFFORT: Final = 200  # opposing hands sampled for each option


class Option(NamedTuple):
    """An action, and the player's win probability if they take it and play well afterwards."""

    action: Action
    win_probability: float


def advice(
    view: View, legal_actions: Sequence[Action], done: Action | None = None, effort: int = EFFORT
) -> tuple[Option, ...]:
    """Return the options of the seat to act, best first, or () if there is no choice to make.

    An exchange is listed once for each number of cards, with the best cards to discard. `done`, the
    action actually taken, is always among the options. The same view always gets the same advice.
    """
    if view.phase == ecarte.EXPOSED:
        return ()  # the tables hold no value of a new deal
    if view.phase in WORDS or view.phase in (ecarte.ELDER_EXCHANGE, ecarte.DEALER_EXCHANGE):
        ranked = _before_play(view, legal_actions, done, effort)
    else:
        ranked = _in_play(view, legal_actions, effort)
    if len(ranked) < 2 or (done is not None and done not in ranked):
        return ()
    options = (Option(action, chance) for action, chance in ranked.items())
    return tuple(sorted(options, key=lambda option: -option.win_probability))


def hint(options: Sequence[Option]) -> dict[str, Any] | None:
    """Return the best action and all options as JSON values, or None if there are no options."""
    if not options:
        return None
    values = {ecarte.token(action): round(value, 4) for action, value in options}
    return {"best": ecarte.token(options[0].action), "options": values}


def first_advice(
    hand: Sequence[Card], turned: Card, elder: bool, score: tuple[int, int], laws: Laws
) -> tuple[Option, ...]:
    """Return a hand's options for its first decision: propose or stand, or accept or refuse.

    `score` lists the holder's points first and includes the point for a king turned up.
    """
    king = ecarte.turn_up_points(turned)
    mine, yours = (score[0], score[1] - king) if elder else (score[0] - king, score[1])
    if min(mine, yours) < 0:
        raise InputError(
            f"{score[0]}-{score[1]}: the king turned up gives the dealer a point, so the dealer "
            "has at least one"
        )
    seat = ecarte.CHALLENGER if elder else ecarte.HOUSE
    # `set_up` adds the king's point itself.
    began = (yours, mine) if elder else (mine, yours)
    names = " ".join(map(ecarte.format_card, hand))
    hands = (names, "") if elder else ("", names)
    deal = ecarte.set_up(*hands, ecarte.format_card(turned), score=began, laws=laws).deal(
        ecarte.PACK
    )
    if not elder:
        deal = ecarte.apply(deal, ecarte.PROPOSE)
    return advice(seen_by(deal, seat), ecarte.legal_for(deal, seat))


def view_key(view: View) -> int:
    """Return the random seed for evaluating a view, derived from the view alone."""
    return derive_key(crc32(repr(tuple(view)).encode()) >> 2)


def _before_play(
    view: View, legal_actions: Sequence[Action], done: Action | None, effort: int
) -> dict[Action, float]:
    belief = belief_state(view)
    if belief is None or view.hand.bit_count() != HAND:
        return {}
    if view.phase in WORDS:
        choices = dict(zip(WORDS[view.phase], (0, 1), strict=True))
        if not choices.keys() <= set(legal_actions):
            return {}
    else:
        most = ecarte.max_exchange(view.stock, HAND)
        sets = [
            cards_to_discard(view.hand, view.turn_up, number, most) for number in range(1, most + 1)
        ]
        choices = {ecarte.exchange(cards): cards for cards in sets}
        if done is not None and done & ecarte.EXCHANGE:
            choices[done] = done ^ ecarte.EXCHANGE
    # One seed for all options: the same random hands make them comparable.
    key, mine = view_key(view), slice(3, 6) if view.viewer == view.dealer else slice(3)
    return {
        action: sum(sampled_ends(view, belief, forced, effort, key)[mine])
        for action, forced in choices.items()
    }


def sampled_ends(
    view: View, belief: BeliefState, forced: int, effort: int, key: int
) -> tuple[float, ...]:
    """Return the probability of each final result (see `ends_of`) after the choice `forced`.

    Returns () if no sampled hand has any weight.
    """
    bins, policy = [0] * BINS, tables.policy_tables(view.laws.play == "strict")
    roll_out(policy, tables.leaf_values(), belief, forced, effort, key, [0] * 32, bins)
    elder = 1 - view.dealer
    return tables.ends_of(bins, (view.score[elder], view.score[view.dealer]), view.laws)


def _in_play(view: View, legal_actions: Sequence[Action], effort: int) -> dict[Action, float]:
    me, strict = view.viewer, view.laws.play == "strict"
    info = info_state(view)
    if info is None:
        return {}
    legal = ecarte.legal_cards(view.hand, view.led, view.turn_up >> 3, strict)
    policy, key = tables.policy_tables(strict), view_key(view)
    may_mark = ecarte.MARK in legal_actions and view.marked == NO_SEAT
    values_by_action: dict[Action, float] = {}
    for points in range(2 if may_mark else 1):
        values = [0] * (WEIGHED + 1)
        equities = trick_values(view, policy, (view.score[me] + points, view.score[1 - me]))
        card_values(policy, info, equities, effort, key, [0] * ROOM, values)
        whole = values[WEIGHED] * WHOLE * SURE
        by_card = {card: values[card] / whole for card in sorted(ecarte.cards_in(legal))}
        # The second round, with one more point, gives the value of announcing the king first.
        values_by_action |= {ecarte.MARK: max(by_card.values())} if points else by_card
    return values_by_action
