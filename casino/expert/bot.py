"""`expert`: plays to win the game; exchanges by solved tables, plays cards by what may be held.

It sees its view and nothing else. What it does follows from the view, the chance handed in and
its effort, which is a number of hands, never a time: the same on any machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from casino.ecarte.actions import (
    ACCEPT,
    CLAIM,
    EXCHANGE,
    HIDDEN_EXCHANGE,
    LET_STAND,
    MARK,
    PROPOSE,
    REFUSE,
    STAND,
    Action,
    exchange,
    exchanged_number,
)
from casino.ecarte.cards import CardSet, card_set
from casino.ecarte.chance import Chance
from casino.ecarte.evidence import evidence
from casino.ecarte.rules import NO_CARD, NOBODY, legal_replies, most_exchanged, turn_up_points
from casino.ecarte.state import ANSWERING, DEALER_EXCHANGE, ELDER_EXCHANGE, EXPOSED, PROPOSING
from casino.ecarte.view import View
from casino.expert import stages, tables
from casino.expert.card_play import (
    NO_ROW,
    Spot,
    best_card,
    card_values,
    refuted,
    trick_worths,
)
from casino.expert.exchanges import STEPS, given_up, numbers_taken, second_word
from casino.expert.hands import HAND, KINDS
from casino.players import rule_of_thumb

EFFORT: Final = 64
"""How many hands of the other side a card is weighed against."""

KEY_DRAWS: Final = 6
KEY_WAYS: Final = 32
_MIX: Final = 2654435761
_WORD: Final = 0xFFFFFFFF
_ALL: Final = _WORD


class Expert:
    """A player who weighs every point by what it is worth at this score."""

    def __init__(self, effort: int = EFFORT) -> None:
        self.effort = effort

    def choose(self, view: View, legal_actions: Sequence[Action], rng: Chance) -> Action:
        """What the tables say before play, and what wins most against the hands that may be."""
        if CLAIM in legal_actions:
            return CLAIM
        if view.phase == EXPOSED:
            return LET_STAND
        if MARK in legal_actions:
            return MARK
        if view.phase in (PROPOSING, ANSWERING):
            return _word(view, legal_actions, rng)
        if view.phase in (ELDER_EXCHANGE, DEALER_EXCHANGE):
            return exchange(_discards(view, rng))
        return self._card(view, rng)

    def _card(self, view: View, rng: Chance) -> Action:
        """The card to play; a card that must be played takes no chance."""
        trumps, strict = view.turn_up >> 3, view.laws.play == "strict"
        legal = view.hand
        if view.led != NO_CARD:
            legal = legal_replies(view.hand, view.led, trumps, strict)
        if legal & legal - 1 == 0:
            return legal.bit_length() - 1
        spot = spot_of(view)
        if spot is None:
            if view.led == NO_CARD:
                return rule_of_thumb.lead(view.hand, trumps)
            return rule_of_thumb.follow(view.hand, view.led, trumps, strict)
        me = view.viewer
        score = (view.score[me], view.score[1 - me])
        vulnerable = 0 if view.vulnerable == NOBODY else 1 if view.vulnerable == me else 2
        laws = (view.laws.target, view.laws.vole_unexchanged, view.laws.deal == "house")
        brain = tables.brain(strict)
        worths, values = [0] * 12, [0] * 32
        trick_worths(
            brain.worth, me != view.dealer, score, vulnerable, view.exchanged, laws, worths
        )
        card_values(brain, spot, worths, self.effort, _key(rng), [0] * 32, values)
        return best_card(spot, values)


def _word(view: View, legal_actions: Sequence[Action], rng: Chance) -> Action:
    """What to say: the second word of two in some of sixteen cases."""
    elder = view.phase == PROPOSING
    first, second = (STAND, PROPOSE) if elder else (REFUSE, ACCEPT)
    if second not in legal_actions:
        return first
    if view.hand.bit_count() != HAND:
        trumps = view.turn_up >> 3
        judge = rule_of_thumb.should_stand if elder else rule_of_thumb.should_refuse
        return first if judge(view.hand, trumps) else second
    exchanges, (elder_took, dealer_took) = _taken(view)
    if elder:
        context = stages.speak_context(exchanges, dealer_took)
    else:
        context = stages.answer_context(exchanges, elder_took)
    brain = tables.brain(view.laws.play == "strict")
    chance = second_word(brain, _game(view), context, view.hand, view.turn_up)
    if 0 < chance < STEPS:
        return second if rng.randrange(STEPS) < chance else first
    return second if chance else first


def _discards(view: View, rng: Chance) -> CardSet:
    """The cards to give up."""
    most = most_exchanged(view.stock, view.hand.bit_count())
    if view.hand.bit_count() != HAND:
        return rule_of_thumb.discards(view.hand, view.turn_up >> 3, most)
    exchanges, (elder_took, dealer_took) = _taken(view)
    if view.phase == ELDER_EXCHANGE:
        context = stages.elder_takes_context(exchanges - 1, dealer_took)
    else:
        context = stages.dealer_takes_context(exchanges - 1, elder_took)
    brain = tables.brain(view.laws.play == "strict")
    number, other, chance = numbers_taken(brain, _game(view), context, view.hand, view.turn_up)
    if chance and rng.randrange(STEPS) < chance:
        number = other
    return given_up(view.hand, view.turn_up, number, most)


def _taken(view: View) -> tuple[int, list[int]]:
    """How many proposals were accepted, and how many cards the elder and the dealer took last."""
    took = [0, 0]
    exchanges = accepted = 0
    for action in view.history:
        if action & (EXCHANGE | HIDDEN_EXCHANGE):
            took[exchanges % 2] = exchanged_number(action)
            exchanges += 1
        accepted += action == ACCEPT
    return accepted, took


def _game(view: View) -> int:
    """The number of the deal's score, a king turned up being counted in."""
    king = turn_up_points(view.turn_up)
    elder, dealer = view.began[1 - view.dealer], view.began[view.dealer] + king
    return stages.game_of(elder, dealer, view.laws.target, king == 1)


def _key(rng: Chance) -> int:
    """What the random hands of a decision follow from: a word that is not zero."""
    key = 0
    for _ in range(KEY_DRAWS):
        key = KEY_WAYS * key + rng.randrange(KEY_WAYS)
    return key_of(key)


def key_of(drawn: int) -> int:
    """The word that some draws come to."""
    return (drawn + 1) * _MIX & _WORD


def spot_of(view: View) -> Spot | None:
    """What the player who is to play a card knows; nothing if the tables do not know such a deal.

    They know hands of five, and no deal that was taken up again after a revoke.
    """
    if sum(view.laws.packets) != HAND or CLAIM in view.history:
        return None
    me, other = view.viewer, 1 - view.viewer
    found = evidence(view)
    trumps, strict = view.turn_up >> 3, view.laws.play == "strict"
    played = not_held = 0
    plays = 1
    for leader, led, reply in found.tricks:
        card = led if leader == other else reply
        if card == NO_CARD:
            continue
        played |= 1 << card
        plays = plays << 11 | (0 if leader == other else led + 1) << 5 | card
        if leader != other and view.laws.enforcement == "strict":
            not_held |= refuted(reply, led, trumps, strict)
    sure = found.shown & ~played
    seen = card_set(one for one in view.deck if one != NO_CARD)
    unseen = _ALL & ~seen & ~found.shown & ~not_held
    size = view.sizes[other] - sure.bit_count()
    if unseen.bit_count() < size or size < 0:
        return None
    word_row, second, drawn_row = _said(view, other)
    return Spot(
        view.hand,
        view.led,
        view.turn_up,
        strict,
        played,
        sure,
        size,
        unseen,
        plays,
        view.tricks[me],
        played == 0 and view.marked == NOBODY,
        played != 0 and view.marked == NOBODY,
        word_row,
        second,
        drawn_row,
    )


def _said(view: View, other: int) -> tuple[int, bool, int]:
    """Where the tables tell of the other side's last word, which it was, and what it took."""
    exchanges, (elder_took, dealer_took) = _taken(view)
    game = _game(view)
    row, second = NO_ROW, False
    if other != view.dealer:
        if STAND in view.history or REFUSE in view.history:
            context = stages.speak_context(exchanges, dealer_took)
            row, second = stages.word_row(game, context, KINDS), REFUSE in view.history
    elif REFUSE in view.history:
        row = stages.word_row(game, stages.answer_context(exchanges, elder_took), KINDS)
    took = dealer_took if other == view.dealer else elder_took
    drawn = NO_ROW
    if took:
        drawn = stages.drawn_row(other == view.dealer, took, KINDS)
    return row, second, drawn
