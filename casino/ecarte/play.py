"""From the first lead to the last point: tricks, the king, conceding, revokes and claims."""

from __future__ import annotations

from collections.abc import Sequence

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
from casino.ecarte.rules import CHALLENGER, HOUSE, NO_CARD, NOBODY
from casino.ecarte.state import FOLLOWING, LEADING, OVER, Deal, Irregular, scored

# --- playing -----------------------------------------------------------------------------------


def may_mark(deal: Deal) -> bool:
    """Whether the seat to play may announce the king before it does (R4)."""
    hand = deal.hands[deal.turn]
    first_card = hand == deal.kept[deal.turn]
    return first_card and rules.may_mark(
        hand,
        deal.turn_up >> 3,
        not any(deal.irregular.offended),
        deal.marked != NOBODY,
    )


def playable(deal: Deal) -> CardSet:
    """The cards the seat to play may put down; under claims an illegal card is still played."""
    hand = deal.hands[deal.turn]
    laws = deal.laws
    if deal.led == NO_CARD or laws.enforcement == "claims":
        return hand
    return rules.legal_replies(hand, deal.led, deal.turn_up >> 3, laws.play == "strict")


def legal_play(deal: Deal) -> Sequence[Action]:
    """The cards that may be played, and what may be said or claimed instead."""
    legal = members(playable(deal))
    legal += (MARK, CONCEDE) if may_mark(deal) else (CONCEDE,)
    return legal + _legal_claims(deal) if deal.laws.enforcement == "claims" else legal


def _legal_claims(deal: Deal) -> tuple[Action, ...]:
    """What a person may do besides playing: lead out of turn, take that back, claim a revoke."""
    legal: tuple[Action, ...] = ()
    if deal.irregular.led_out:
        legal = (TAKE_BACK,)
    elif deal.phase == LEADING:
        legal = tuple(LEAD_OUT + card for card in members(deal.hands[1 - deal.turn]))
    return (*legal, CLAIM) if any(deal.irregular.revoked) else legal


def apply_play(deal: Deal, action: Action) -> Deal:
    """Play a card, or say or do one of the rarer things."""
    if 0 <= action < 32 and playable(deal) >> action & 1:
        return _lead(deal, action) if deal.phase == LEADING else _follow(deal, action)
    if action == CONCEDE:
        return _concede(deal)
    if action not in legal_play(deal):
        raise refusal(deal, action)
    if action == MARK:
        return _mark(deal)
    if action == CLAIM:
        return _claim(deal)
    if action == TAKE_BACK:
        return _led_out(deal, action, deal.led, NO_CARD)
    return _led_out(deal, action, action - LEAD_OUT, action - LEAD_OUT)


def _lead(deal: Deal, card: Card) -> Deal:
    """A card led to a trick (R5.1)."""
    return deal.played(card, FOLLOWING, 1 - deal.turn, deal.tricks, card, deal.irregular)


def _follow(deal: Deal, card: Card) -> Deal:
    """A card played to the one led: the trick is taken (R5.3), the last one ends the deal."""
    taker = turn = deal.turn
    if not rules.reply_wins(deal.led, card, deal.turn_up >> 3):
        taker = 1 - turn
    house, challenger = deal.tricks
    tricks = (house + 1, challenger) if taker == HOUSE else (house, challenger + 1)
    irregular = deal.irregular
    if deal.laws.enforcement == "claims":
        irregular = _judged(deal, card)
    if deal.hands[turn] ^ 1 << card:
        return deal.played(card, LEADING, taker, tricks, NO_CARD, irregular)
    return _finish(deal, card, (0, 0), tricks, irregular)


def _judged(deal: Deal, card: Card) -> Irregular:
    """The irregularities once this reply is played: a lead out of turn stands, a revoke is known.

    A card revokes when the hand could have obeyed (R8.5).
    """
    legal = rules.legal_replies(
        deal.hands[deal.turn], deal.led, deal.turn_up >> 3, deal.laws.play == "strict"
    )
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
        hands=(house, challenger ^ bit) if deal.turn == HOUSE else (house ^ bit, challenger),
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
