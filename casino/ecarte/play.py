"""From the first lead to the last trick: leads, replies, the king of trumps, conceding (R4 to R6).

The elder leads first, then whoever took the last trick. When all tricks are taken, or a player
lays down the hand, the tricks are scored and the deal is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from casino.ecarte import revokes, rules
from casino.ecarte.actions import CONCEDE, MARK, Action
from casino.ecarte.cards import OF_CLUBS, OF_DIAMONDS, OF_HEARTS, OF_SPADES, CardSet, members
from casino.ecarte.errors import refusal
from casino.ecarte.rules import CHALLENGER, HOUSE, NO_CARD, NOBODY, legal_replies, reply_wins
from casino.ecarte.state import (
    FOLLOWING,
    LEADING,
    NO_TRICKS,
    OVER,
    Deal,
    Standing,
    Start,
    new,
    with_points,
)

_SAID: Final = (CONCEDE,)
_FIRST_SAID: Final = (MARK, CONCEDE)
_CLUBS_THEN_CONCEDE: Final = [clubs + _SAID for clubs in OF_CLUBS]
"""Ends nearly every list of actions in the play; made once, so that no tuples are joined there."""


def legal_lead(deal: Deal) -> Sequence[Action]:
    """Any card may be led (R5.1); the king may be announced, the rest conceded."""
    start, standing, _, turn, hands, tricks, _, _ = deal
    house, challenger = hands
    hand = house if turn == HOUSE else challenger
    if start.claims:
        return _under_claims(deal, hand)
    if tricks == NO_TRICKS and _may_mark(start, standing, hand):
        return members(hand) + _FIRST_SAID
    return _then_concede(hand)


def legal_follow(deal: Deal) -> Sequence[Action]:
    """What a lead may be answered with (R5.2, R5.4); under claims an illegal card is played too."""
    start, standing, _, turn, hands, tricks, led, _ = deal
    _, _, _, _, _, _, trumps, strict, claims = start
    house, challenger = hands
    hand = house if turn == HOUSE else challenger
    if claims:
        return _under_claims(deal, hand)
    legal = legal_replies(hand, led, trumps, strict)
    if tricks == NO_TRICKS and _may_mark(start, standing, hand):
        return members(legal) + _FIRST_SAID
    return _then_concede(legal)


def _under_claims(deal: Deal, hand: CardSet) -> tuple[Action, ...]:
    """Every card may be played, and what is done besides playing is possible."""
    first = deal.tricks == NO_TRICKS and _may_mark(deal.start, deal.standing, hand)
    return members(hand) + (_FIRST_SAID if first else _SAID) + revokes.legal_besides(deal)


def _then_concede(cards: CardSet) -> tuple[Action, ...]:
    """Some cards in order, or enough; after one's first card nothing else may be said."""
    spades, hearts = OF_SPADES[cards & 255], OF_HEARTS[cards >> 8 & 255]
    return spades + hearts + OF_DIAMONDS[cards >> 16 & 255] + _CLUBS_THEN_CONCEDE[cards >> 24]


def _may_mark(start: Start, standing: Standing, hand: CardSet) -> bool:
    """Whether the seat may announce the king, before its first card (R4.1, R4.2).

    After a claim both have played before: the king stays as it was (R8.5).
    """
    may = rules.may_mark(hand, start.trumps, True, standing.marked != NOBODY)
    return may and not any(standing.irregular.offended)


def apply_lead(deal: Deal, action: Action) -> Deal:
    """A card is led to a trick (R5.1)."""
    if not 0 <= action < 32:
        return _apply_word(deal, action)
    start, standing, _, turn, hands, tricks, _, history = deal
    house, challenger = hands
    bit = 1 << action
    if not (house if turn == HOUSE else challenger) & bit:
        raise refusal(deal, action)
    hands = (house ^ bit, challenger) if turn == HOUSE else (house, challenger ^ bit)
    history += (action,)
    return new(Deal, (start, standing, FOLLOWING, 1 - turn, hands, tricks, action, history))


def apply_follow(deal: Deal, action: Action) -> Deal:
    """A card is played to the one led: the trick is taken (R5.3), the last one ends the deal."""
    if not 0 <= action < 32:
        return _apply_word(deal, action)
    start, standing, _, turn, hands, tricks, led, history = deal
    house, challenger = hands
    _, _, _, _, _, _, trumps, strict, claims = start
    hand = house if turn == HOUSE else challenger
    bit = 1 << action
    legal = legal_replies(hand, led, trumps, strict)
    if claims or not legal & bit:
        standing = revokes.after_reply(deal, action, legal)
    hands = (hand ^ bit, challenger) if turn == HOUSE else (house, hand ^ bit)
    taker = turn if reply_wins(led, action, trumps) else 1 - turn
    mine, yours = tricks
    tricks = (mine + 1, yours) if taker == HOUSE else (mine, yours + 1)
    if hand == bit:
        return _finish(deal, action, standing, hands, tricks)
    history += (action,)
    return new(Deal, (start, standing, LEADING, taker, hands, tricks, NO_CARD, history))


def _apply_word(deal: Deal, action: Action) -> Deal:
    """Whatever is said or done in the play besides playing a card in turn."""
    if action == CONCEDE:
        return _concede(deal)
    hand, standing = deal.hands[deal.turn], deal.standing
    first = hand == standing.kept[deal.turn]
    if action == MARK and first and _may_mark(deal.start, standing, hand):
        return _mark(deal)
    if action in revokes.legal_besides(deal):
        return revokes.apply_besides(deal, action)
    raise refusal(deal, action)


def _mark(deal: Deal) -> Deal:
    """The king of trumps is announced and scores at once (R4.1, R4.4)."""
    turn = deal.turn
    score = with_points(deal.score, turn, 1)
    standing = deal.standing._replace(score=score, marked=turn)
    over = deal.laws.target in score
    return deal.with_standing(
        MARK, standing, OVER if over else deal.phase, NOBODY if over else turn
    )


def _concede(deal: Deal) -> Deal:
    """The opponent takes all remaining tricks (R5.5)."""
    start, standing, _, turn, hands, (house, challenger), _, _ = deal
    left = start.hand_size - house - challenger
    tricks = (house, challenger + left) if turn == HOUSE else (house + left, challenger)
    if standing.irregular.led_out:
        standing = revokes.with_irregular(standing, led_out=False)
    return _finish(deal, CONCEDE, standing, hands, tricks)


def _finish(
    deal: Deal,
    action: Action,
    standing: Standing,
    hands: tuple[CardSet, CardSet],
    tricks: tuple[int, int],
) -> Deal:
    """All tricks are taken: whoever has the most of them scores (R6)."""
    start = deal.start
    score, kept, drawn, vulnerable, marked, irregular = standing
    laws = start.laws
    size = start.hand_size
    taker = HOUSE if tricks[HOUSE] > tricks[CHALLENGER] else CHALLENGER
    points = rules.trick_points(
        tricks[taker], size, vulnerable == 1 - taker, drawn > 2 * size + 1, laws.vole_unexchanged
    )
    if irregular.offended[taker]:
        points = rules.points_after_revoke(points)
    after = rules.score_after(score[taker], points, laws.target)
    score = (after, score[1]) if taker == HOUSE else (score[0], after)
    standing = new(Standing, (score, kept, drawn, vulnerable, marked, irregular))
    history = deal.history + (action,)
    return new(Deal, (start, standing, OVER, NOBODY, hands, tricks, NO_CARD, history))
