"""From the first lead to the last point: tricks, the king, conceding, revokes and claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from casino.ecarte import rules
from casino.ecarte.actions import (
    CLAIM,
    CONCEDE,
    LEAD_OUT,
    MARK,
    TAKE_BACK,
    Action,
)
from casino.ecarte.cards import Card, CardSet, members
from casino.ecarte.refusals import refusal
from casino.ecarte.rules import CHALLENGER, HOUSE, NO_CARD, NOBODY, Seat
from casino.ecarte.state import FOLLOWING, LEADING, OVER, Deal, Irregular, new, scored

_SAID: Final = (CONCEDE,)
_FIRST_SAID: Final = (MARK, CONCEDE)


def legal_lead(deal: Deal) -> Sequence[Action]:
    """Any card may be led (R5.1); the king may be announced, the rest conceded."""
    laws, _, _, _, _, _, turn, turned, hands, kept, _, _, marked, _, _, _, irregular, _ = deal
    hand = hands[turn]
    first = hand == kept[turn]
    said = _FIRST_SAID if first and _may_mark(hand, turned, marked, irregular) else _SAID
    if laws.enforcement == "claims":
        return members(hand) + said + _claims(deal)
    return members(hand) + said


def legal_follow(deal: Deal) -> Sequence[Action]:
    """What a lead may be answered with (R5.2, R5.4); under claims an illegal card is played too."""
    laws, _, _, _, _, _, turn, turned, hands, kept, _, _, marked, _, led, _, irregular, _ = deal
    hand = hands[turn]
    first = hand == kept[turn]
    said = _FIRST_SAID if first and _may_mark(hand, turned, marked, irregular) else _SAID
    if laws.enforcement == "claims":
        return members(hand) + said + _claims(deal)
    legal = rules.legal_replies(hand, led, turned >> 3, laws.play == "strict")
    return members(legal) + said


def _may_mark(hand: CardSet, turned: Card, marked: Seat, irregular: Irregular) -> bool:
    """Whether a seat that has not played a card may announce the king (R4).

    After a claim both have played before: the king stays as it was (R8.5).
    """
    may = rules.may_mark(hand, turned >> 3, True, marked != NOBODY)
    return may and not any(irregular.offended)


def _claims(deal: Deal) -> tuple[Action, ...]:
    """What a person may do besides playing: lead out of turn, take that back, claim a revoke."""
    legal: tuple[Action, ...] = ()
    if deal.irregular.led_out:
        legal = (TAKE_BACK,)
    elif deal.phase == LEADING:
        legal = tuple(LEAD_OUT + card for card in members(deal.hands[1 - deal.turn]))
    return (*legal, CLAIM) if any(deal.irregular.revoked) else legal


def apply_lead(deal: Deal, action: Action) -> Deal:
    """A card is led to a trick (R5.1); every field is spelt out because this is hot."""
    if not 0 <= action < 32:
        return _apply_other(deal, action, legal_lead(deal))
    (
        laws, dealer, deck, began, score, _, turn, turned, hands, kept, drawn,
        vulnerable, marked, tricks, _, won, irregular, history,
    ) = deal  # fmt: skip
    house, challenger = hands
    bit = 1 << action
    if not hands[turn] & bit:
        raise refusal(deal, action)
    hands = (house ^ bit, challenger) if turn == HOUSE else (house, challenger ^ bit)
    return new(Deal, (
        laws, dealer, deck, began, score, FOLLOWING, 1 - turn, turned, hands, kept, drawn,
        vulnerable, marked, tricks, action, won, irregular, history + (action,),
    ))  # fmt: skip


def apply_follow(deal: Deal, action: Action) -> Deal:
    """A card is played to the one led: the trick is taken (R5.3), the last one ends the deal."""
    if not 0 <= action < 32:
        return _apply_other(deal, action, legal_follow(deal))
    (
        laws, dealer, deck, began, score, _, turn, turned, hands, kept, drawn,
        vulnerable, marked, tricks, led, won, irregular, history,
    ) = deal  # fmt: skip
    house, challenger = hands
    bit = 1 << action
    trumps = turned >> 3
    legal = rules.legal_replies(hands[turn], led, trumps, laws.play == "strict")
    if not legal & bit or laws.enforcement == "claims":
        irregular = _judged(deal, action, legal)
    hands = (house ^ bit, challenger) if turn == HOUSE else (house, challenger ^ bit)
    taker = turn if rules.reply_wins(led, action, trumps) else 1 - turn
    tricks = (tricks[0] + 1, tricks[1]) if taker == HOUSE else (tricks[0], tricks[1] + 1)
    if not hands[turn]:
        return _finish(deal, action, hands, tricks, irregular)
    return new(Deal, (
        laws, dealer, deck, began, score, LEADING, taker, turned, hands, kept, drawn,
        vulnerable, marked, tricks, NO_CARD, won, irregular, history + (action,),
    ))  # fmt: skip


def _apply_other(deal: Deal, action: Action, legal: Sequence[Action]) -> Deal:
    """Whatever is said or done in the play besides playing a card in turn."""
    if action not in legal:
        raise refusal(deal, action)
    if action == CONCEDE:
        return _concede(deal)
    if action == MARK:
        return _mark(deal)
    if action == CLAIM:
        return _claim(deal)
    if action == TAKE_BACK:
        return _led_out(deal, action, deal.led, NO_CARD)
    return _led_out(deal, action, action - LEAD_OUT, action - LEAD_OUT)


def _judged(deal: Deal, card: Card, legal: CardSet) -> Irregular:
    """The irregularities once this reply is played: a revoke under claims, else it is refused.

    A card revokes when the hand could have obeyed (R8.5); a lead out of turn now stands (R8.4).
    """
    if deal.laws.enforcement == "strict" or not deal.hands[deal.turn] >> card & 1:
        raise refusal(deal, card)
    revoked = deal.irregular.revoked
    if not legal >> card & 1:
        revoked = (deal.turn == HOUSE or revoked[0], deal.turn == CHALLENGER or revoked[1])
    return deal.irregular._replace(led_out=False, revoked=revoked)


def _finish(
    deal: Deal,
    action: Action,
    hands: tuple[CardSet, CardSet],
    tricks: tuple[int, int],
    irregular: Irregular,
) -> Deal:
    """All tricks taken: who has most of them scores (R6)."""
    laws = deal.laws
    taker = HOUSE if tricks[HOUSE] > tricks[CHALLENGER] else CHALLENGER
    points = rules.trick_points(
        tricks[taker],
        deal.hand_size,
        deal.vulnerable == 1 - taker,
        deal.exchanged,
        laws.vole_unexchanged,
    )
    if irregular.offended[taker]:
        points = rules.points_after_revoke(points)
    score = deal.score[taker]
    counted = rules.score_after(score, points, laws.target) - score
    won = (counted, 0) if taker == HOUSE else (0, counted)
    return deal.finished(action, hands, tricks, won, irregular)


def _mark(deal: Deal) -> Deal:
    """The king of trumps is announced and scores at once (R4.1, R4.4)."""
    score = scored(deal, deal.turn, 1)
    over = deal.laws.target in score
    return deal._replace(
        score=score,
        phase=OVER if over else deal.phase,
        turn=NOBODY if over else deal.turn,
        marked=deal.turn,
        history=(*deal.history, MARK),
    )


def _concede(deal: Deal) -> Deal:
    """The opponent takes all tricks that remain (R5.5)."""
    house, challenger = deal.tricks
    left = deal.hand_size - house - challenger
    tricks = (house, challenger + left) if deal.turn == HOUSE else (house + left, challenger)
    irregular = deal.irregular
    if irregular.led_out:
        irregular = irregular._replace(led_out=False)
    return _finish(deal, CONCEDE, deal.hands, tricks, irregular)


def _led_out(deal: Deal, action: Action, moved: Card, led: Card) -> Deal:
    """A lead out of turn put on the table, or taken back into the hand (R8.4)."""
    house, challenger = deal.hands
    bit = 1 << moved
    return deal._replace(
        phase=LEADING if led == NO_CARD else FOLLOWING,
        hands=(house ^ bit, challenger) if deal.turn != HOUSE else (house, challenger ^ bit),
        led=led,
        irregular=deal.irregular._replace(led_out=led != NO_CARD),
        history=(*deal.history, action),
    )


def _claim(deal: Deal) -> Deal:
    """A revoke is claimed: the hands are restored and played again (R8.5)."""
    irregular = deal.irregular
    offended = (
        irregular.offended[0] or irregular.revoked[0],
        irregular.offended[1] or irregular.revoked[1],
    )
    return deal._replace(
        score=(deal.score[0] - deal.won[0], deal.score[1] - deal.won[1]),
        phase=LEADING,
        turn=1 - deal.dealer,
        hands=deal.kept,
        tricks=(0, 0),
        led=NO_CARD,
        won=(0, 0),
        irregular=Irregular(exposed=irregular.exposed, offended=offended),
        history=(*deal.history, CLAIM),
    )


def legal_over(deal: Deal) -> Sequence[Action]:
    """Nothing, unless a revoke may be claimed."""
    claimable = any(deal.irregular.revoked) and not deal.game_over
    return (CLAIM,) if claimable else ()


def apply_over(deal: Deal, action: Action) -> Deal:
    """A revoke can be claimed until the next deal begins (R8.5)."""
    if action not in legal_over(deal):
        raise refusal(deal, action)
    return _claim(deal)
