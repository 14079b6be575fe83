"""Explain why the rules refuse an action: the reason, the article broken, the cards involved.

Called only for actions known to be illegal; `deal.py` alone decides legality.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from casino.ecarte import actions, rules
from casino.ecarte.actions import Action, Phase
from casino.ecarte.cards import CARD_NAMES, cards_in
from casino.ecarte.rules import NO_SEAT
from casino.errors import IllegalAction, RefusalReason

if TYPE_CHECKING:
    from casino.ecarte.deal import Deal


def _reason(name: str, article: str, sentence: str, plural: str = "") -> RefusalReason:
    return RefusalReason(name, "illegal_action", sentence, article, plural)


GAME_OVER: Final = _reason("game_over", "R7.1", "the game is over: no more cards can be played")
# The reason for refusing an action that the phase does not allow.
PHASE_REASONS: Final = {
    Phase.DEALING: _reason("turn_up_due", "R2.4", "the turn-up must be shown first"),
    Phase.EXPOSED: _reason(
        "exposure_due",
        "R8.2",
        "a card of the player who leads was shown: first let it stand or ask for a new deal",
    ),
    Phase.PROPOSING: _reason(
        "decision_due", "R3.1", "the player who leads must propose or play first"
    ),
    Phase.ANSWERING: _reason(
        "answer_due", "R3.2", "the dealer must accept or refuse the proposal first"
    ),
    Phase.ELDER_EXCHANGE: _reason(
        "elder_exchange_due", "R3.3", "the player who leads must exchange cards first"
    ),
    Phase.DEALER_EXCHANGE: _reason(
        "dealer_exchange_due", "R3.3", "the dealer must exchange cards first"
    ),
    Phase.LEADING: _reason("lead_due", "R5.1", "the exchange is over: lead a card"),
    Phase.FOLLOWING: _reason("reply_due", "R5.1", "the exchange is over: play a card to the lead"),
    Phase.OVER: _reason("deal_over", "R7.1", "the deal is over: wait for the next one"),
    Phase.ANNULLED: _reason(
        "deal_annulled", "R8.2", "the deal is annulled: the same dealer deals again"
    ),
}

NO_ACTION: Final = _reason("no_action", "R3.1", "{action} is not an action")

NOT_HELD: Final = _reason("not_held", "R5.1", "{card:card} is not in the hand")
MUST_FOLLOW: Final = _reason(
    "must_follow", "R5.2", "{led:card} was led: follow suit with {held:card}"
)
MUST_TRUMP: Final = _reason(
    "must_trump", "R5.2", "must trump {led:card}, say with {held:card}: you have none of its suit"
)
MUST_WIN: Final = _reason("must_win", "R5.2", "must win the trick: {held:card} beats {led:card}")

ALREADY_MARKED: Final = _reason("already_marked", "R4.1", "the king is already marked")
NO_KING: Final = _reason("no_king", "R4.1", "{king:card}, the king of trumps, is not in the hand")
MARK_TOO_LATE: Final = _reason(
    "mark_too_late", "R4.2", "the king must be announced before playing a card: it is too late"
)

NO_CLAIMS: Final = _reason(
    "no_claims", "R8.5", "no card can break the rules at this table: nothing to claim"
)
NO_REVOKE: Final = _reason("no_revoke", "R8.5", "no card has broken the rules: nothing to claim")

NO_PROPOSAL: Final = _reason("no_proposal", "R3.2", "there is no proposal to answer")
NO_STOCK: Final = _reason("no_stock", "R3.4", "the stock is empty: play the cards as they are")
STAND_TOO_LATE: Final = _reason(
    "stand_too_late",
    "R3.4",
    "only the player who leads may say “I play”, and only when asked: it is too late",
)
PROPOSE_TOO_LATE: Final = _reason(
    "propose_too_late", "R3.6", "it is too late to propose: play the cards as they are"
)
NOT_ACCEPTED: Final = _reason(
    "not_accepted", "R3.3", "cards are exchanged only after a proposal is accepted"
)
TOO_FEW: Final = _reason("too_few", "R3.3", "at least one card must be exchanged: choose one")
TOO_MANY: Final = _reason(
    "too_many",
    "R3.5",
    "the stock holds only {n} card: exchange no more than that",
    "the stock holds only {n} cards: exchange no more than that",
)

NOT_EXPOSED: Final = _reason(
    "not_exposed", "R8.2", "no card was shown by accident: there is nothing to decide"
)
EXPOSED_TOO_LATE: Final = _reason(
    "exposed_too_late", "R8.1", "a card can be exposed only at the start of a deal: it is too late"
)
EXPOSED_TWICE: Final = _reason("exposed_twice", "R8.1", "{card:card} is already exposed")
NOT_DEALT: Final = _reason("not_dealt", "R8.1", "{card:card} is not among the cards dealt to hands")

NO_LEAD_OUT: Final = _reason("no_lead_out", "R8.4", "no one can lead out of turn at this table")
ALREADY_LED: Final = _reason(
    "already_led", "R8.4", "a card is already led: only a lead can be out of turn"
)
NOT_HELD_OUT_OF_TURN: Final = _reason(
    "not_held_out_of_turn", "R8.4", "{card:card} is not in the hand that would lead out of turn"
)
NOTHING_TO_TAKE_BACK: Final = _reason(
    "nothing_to_take_back", "R8.4", "no card was led out of turn: there is nothing to take back"
)

_PLAYING: Final = (Phase.LEADING, Phase.FOLLOWING)
_REASON_BY_ACTION: Final = {
    actions.ACCEPT: NO_PROPOSAL,
    actions.REFUSE: NO_PROPOSAL,
    actions.STAND: STAND_TOO_LATE,
    actions.NEW_DEAL: NOT_EXPOSED,
    actions.LET_STAND: NOT_EXPOSED,
    actions.TAKE_BACK: NOTHING_TO_TAKE_BACK,
}


def refusal(deal: Deal, action: Action | None) -> IllegalAction:
    """Return the error for an illegal action, or (None) for a turn-up shown at the wrong time."""
    if deal.phase == Phase.OVER and deal.game_over:
        return IllegalAction(GAME_OVER)
    if action is None:
        return _wrong_phase(deal)
    if 0 <= action < 32 or action == actions.MARK:
        if deal.phase not in _PLAYING:
            return _wrong_phase(deal)
        return _mark_refused(deal) if action == actions.MARK else _card_refused(deal, action)
    if action == actions.CLAIM:
        return IllegalAction(NO_REVOKE if deal.laws.enforcement == "claims" else NO_CLAIMS)
    if action == actions.PROPOSE:
        return _proposal_refused(deal)
    if actions.EXPOSE <= action < actions.LEAD_OUT:
        return _exposure_refused(deal, action - actions.EXPOSE)
    if actions.LEAD_OUT <= action < actions.LEAD_OUT + 32:
        return _lead_out_refused(deal, action - actions.LEAD_OUT)
    if actions.EXCHANGE <= action < actions.HIDDEN_EXCHANGE:
        return _exchange_refused(deal, action)
    if action != actions.CONCEDE and action not in _REASON_BY_ACTION:
        return IllegalAction(NO_ACTION, action=action)
    if action == actions.CONCEDE or deal.phase in (Phase.OVER, Phase.ANNULLED):
        return _wrong_phase(deal)
    return IllegalAction(_REASON_BY_ACTION[action])


def _wrong_phase(deal: Deal) -> IllegalAction:
    return IllegalAction(PHASE_REASONS[deal.phase])


def _card_refused(deal: Deal, card: int) -> IllegalAction:
    hand = deal.hands[deal.turn]
    if not hand >> card & 1:
        return IllegalAction(NOT_HELD, card=CARD_NAMES[card])
    strict = deal.laws.play == "strict"
    follow = hand & rules.suit_set(deal.led >> 3)
    if not follow:
        reason, demanded = MUST_TRUMP, hand & rules.suit_set(deal.turn_up >> 3)
    elif strict and (higher := rules.higher_cards(hand, deal.led)):
        reason, demanded = MUST_WIN, higher
    else:
        reason = MUST_FOLLOW if strict else MUST_FOLLOW._replace(article="R5.4")
        demanded = follow
    held = cards_in(demanded)[-1]
    return IllegalAction(
        reason, card=CARD_NAMES[card], led=CARD_NAMES[deal.led], held=CARD_NAMES[held]
    )


def _mark_refused(deal: Deal) -> IllegalAction:
    if deal.marked != NO_SEAT:
        return IllegalAction(ALREADY_MARKED)
    king = rules.king_of(deal.turn_up >> 3)
    if not deal.kept[deal.turn] >> king & 1:
        return IllegalAction(NO_KING, king=CARD_NAMES[king])
    return IllegalAction(MARK_TOO_LATE)


def _proposal_refused(deal: Deal) -> IllegalAction:
    if deal.phase in (Phase.OVER, Phase.ANNULLED, Phase.DEALING, Phase.EXPOSED):
        return _wrong_phase(deal)
    if deal.stock == 0:
        return IllegalAction(NO_STOCK)
    return IllegalAction(PROPOSE_TOO_LATE) if deal.phase in _PLAYING else _wrong_phase(deal)


def _exposure_refused(deal: Deal, card: int) -> IllegalAction:
    if deal.phase not in (Phase.DEALING, Phase.EXPOSED):
        return IllegalAction(EXPOSED_TOO_LATE)
    exposed = deal.irregular.exposed >> card & 1
    return IllegalAction(EXPOSED_TWICE if exposed else NOT_DEALT, card=CARD_NAMES[card])


def _lead_out_refused(deal: Deal, card: int) -> IllegalAction:
    if deal.laws.enforcement != "claims":
        return IllegalAction(NO_LEAD_OUT)
    if deal.phase == Phase.FOLLOWING:
        return IllegalAction(ALREADY_LED)
    if deal.phase != Phase.LEADING:
        return _wrong_phase(deal)
    return IllegalAction(NOT_HELD_OUT_OF_TURN, card=CARD_NAMES[card])


def _exchange_refused(deal: Deal, action: Action) -> IllegalAction:
    if deal.phase not in (Phase.ELDER_EXCHANGE, Phase.DEALER_EXCHANGE):
        before = deal.phase in _PLAYING or deal.phase == Phase.PROPOSING
        return IllegalAction(NOT_ACCEPTED) if before else _wrong_phase(deal)
    discards = action ^ actions.EXCHANGE
    not_held = cards_in(discards & ~deal.hands[deal.turn])
    if not_held:
        return IllegalAction(NOT_HELD._replace(article="R3.3"), card=CARD_NAMES[not_held[0]])
    if discards.bit_count() > deal.stock:
        return IllegalAction(TOO_MANY, asked=discards.bit_count(), n=deal.stock)
    return IllegalAction(TOO_FEW)
