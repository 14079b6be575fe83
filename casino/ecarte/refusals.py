"""Why the rules refuse an action: a code, the article it breaks, and a sentence.

Called only once an action is known to be illegal, so that what is legal has one statement;
this module finds the words for it.
"""

from __future__ import annotations

from typing import Final

from casino.ecarte import rules
from casino.ecarte.actions import (
    ACCEPT,
    CLAIM,
    CONCEDE,
    EXCHANGE,
    EXPOSE,
    HIDDEN_EXCHANGE,
    LEAD_OUT,
    LET_STAND,
    MARK,
    NEW_DEAL,
    PROPOSE,
    REFUSE,
    STAND,
    TAKE_BACK,
    Action,
)
from casino.ecarte.cards import NAMES, members
from casino.ecarte.rules import CHALLENGER, HOUSE, NOBODY
from casino.ecarte.state import (
    ANNULLED,
    ANSWERING,
    DEALER_EXCHANGE,
    DEALING,
    ELDER_EXCHANGE,
    EXPOSED,
    FOLLOWING,
    LEADING,
    OVER,
    PROPOSING,
    Deal,
)
from casino.errors import IllegalAction

DUE: Final = {
    DEALING: ("turn_up_due", "R2.4", "the turn-up is not shown yet"),
    EXPOSED: ("answer_due", "R8.2", "a card of the elder's is exposed: he must say N or O first"),
    PROPOSING: ("decision_due", "R3.1", "the elder must propose or stand first"),
    ANSWERING: ("answer_due", "R3.2", "the dealer must accept or refuse the proposal first"),
    ELDER_EXCHANGE: ("exchange_due", "R3.3", "the elder must exchange now"),
    DEALER_EXCHANGE: ("exchange_due", "R3.3", "the dealer must exchange now"),
    LEADING: ("card_due", "R5.1", "the cards are being played: a lead is due"),
    FOLLOWING: ("card_due", "R5.1", "the cards are being played: a card to the lead is due"),
    OVER: ("deal_over", "R7.1", "the deal is over"),
    ANNULLED: ("deal_over", "R8.2", "the deal is annulled: the same dealer deals again"),
}
"""What each phase waits for, said to whoever does something else."""

_PLAYING: Final = (LEADING, FOLLOWING)
_SIMPLE: Final = {
    ACCEPT: ("no_proposal", "R3.2", "there is no proposal to answer"),
    REFUSE: ("no_proposal", "R3.2", "there is no proposal to answer"),
    STAND: ("too_late", "R3.4", "standing is for the elder when he is asked, not later"),
    NEW_DEAL: ("not_exposed", "R8.2", "no card of the elder's waits for his word"),
    LET_STAND: ("not_exposed", "R8.2", "no card of the elder's waits for his word"),
    TAKE_BACK: ("nothing_to_take_back", "R8.4", "no lead out of turn lies on the table"),
}


def refusal(deal: Deal, action: Action | None) -> IllegalAction:
    """The error for an illegal action, or for showing the turn-up (None) when it is not due."""
    if deal.phase == OVER and deal.game_over:
        return IllegalAction("game_over", "R7.1", "the game is over: nothing more is played")
    if action is None:
        return IllegalAction(*DUE[deal.phase])
    if 0 <= action < 32:
        return _card_refused(deal, action)
    if action == MARK:
        return _mark_refused(deal)
    if action == CLAIM:
        return _claim_refused(deal)
    if action == PROPOSE:
        return _proposal_refused(deal)
    if EXPOSE <= action < LEAD_OUT:
        return _exposure_refused(deal, action - EXPOSE)
    if LEAD_OUT <= action < LEAD_OUT + 32:
        return _lead_out_refused(deal, action - LEAD_OUT)
    if EXCHANGE <= action < HIDDEN_EXCHANGE:
        return _exchange_refused(deal, action)
    if action == CONCEDE:
        return IllegalAction(*DUE[deal.phase])
    known = _SIMPLE.get(action)
    if known is None:
        return IllegalAction("no_action", "R3.1", f"{action} is no action")
    if deal.phase in (OVER, ANNULLED):
        return IllegalAction(*DUE[deal.phase])
    return IllegalAction(*known)


def _card_refused(deal: Deal, card: int) -> IllegalAction:
    """Why this card may not be played."""
    name = NAMES[card]
    if deal.phase not in _PLAYING:
        return IllegalAction(*DUE[deal.phase])
    hand = deal.hands[deal.turn]
    if not hand >> card & 1:
        return IllegalAction("not_held", "R5.1", f"{name} is not in the hand of {_who(deal)}")
    trumps = deal.turn_up >> 3
    led = NAMES[deal.led]
    follow = hand & rules.suit_set(deal.led >> 3)
    if not follow:
        ruff = NAMES[members(hand & rules.suit_set(trumps))[-1]]
        text = f"must trump: no card of the suit of {led}, but {ruff} is held"
        return IllegalAction("must_trump", "R5.2", text)
    higher = rules.higher_cards(hand, deal.led)
    if deal.laws.play == "strict" and higher:
        better = NAMES[members(higher)[-1]]
        return IllegalAction("must_win", "R5.2", f"must win the trick: {led} is beaten by {better}")
    article = "R5.2" if deal.laws.play == "strict" else "R5.4"
    held = NAMES[members(follow)[-1]]
    return IllegalAction("must_follow", article, f"must follow suit to {led}: {held} is held")


def _mark_refused(deal: Deal) -> IllegalAction:
    """Why the king may not be announced."""
    if deal.phase not in _PLAYING:
        return IllegalAction(*DUE[deal.phase])
    if deal.marked != NOBODY:
        return IllegalAction("already_marked", "R4.1", "the king is marked already")
    king = rules.king_of(deal.turn_up >> 3)
    if not deal.kept[deal.turn] >> king & 1:
        text = f"{_who(deal)} does not hold {NAMES[king]}, the king of trumps"
        return IllegalAction("no_king", "R4.1", text)
    text = "the king must be announced before one's first card: the right is lost"
    return IllegalAction("mark_too_late", "R4.2", text)


def _claim_refused(deal: Deal) -> IllegalAction:
    """Why no revoke can be claimed."""
    if deal.laws.enforcement != "claims":
        text = "no revoke can happen under enforcement strict, so none can be claimed"
        return IllegalAction("no_claims", "R8.5", text)
    return IllegalAction("no_revoke", "R8.5", "no revoke has happened that could be claimed")


def _proposal_refused(deal: Deal) -> IllegalAction:
    """Why the elder may not propose."""
    if deal.phase in (OVER, ANNULLED, DEALING, EXPOSED):
        return IllegalAction(*DUE[deal.phase])
    if deal.stock == 0:
        return IllegalAction("no_stock", "R3.4", "the stock is empty: nothing can be proposed")
    if deal.phase in _PLAYING:
        return IllegalAction("too_late", "R3.6", "the cards are to be played as they are")
    return IllegalAction(*DUE[deal.phase])


def _exposure_refused(deal: Deal, card: int) -> IllegalAction:
    """Why this card cannot have been exposed in dealing."""
    name = NAMES[card]
    if deal.phase not in (DEALING, EXPOSED):
        text = "a card exposed in dealing comes before anything else in a deal"
        return IllegalAction("exposed_too_late", "R8.1", text)
    if deal.irregular.exposed >> card & 1:
        return IllegalAction("exposed_twice", "R8.1", f"{name} is exposed already")
    return IllegalAction("not_dealt", "R8.1", f"{name} is not among the cards dealt to the hands")


def _lead_out_refused(deal: Deal, card: int) -> IllegalAction:
    """Why this cannot be a lead out of turn."""
    if deal.laws.enforcement != "claims":
        text = "a lead out of turn is refused under enforcement strict"
        return IllegalAction("no_claims", "R8.4", text)
    if deal.phase != LEADING:
        if deal.phase == FOLLOWING:
            text = "a card is led already: only a lead can be out of turn"
            return IllegalAction("already_led", "R8.4", text)
        return IllegalAction(*DUE[deal.phase])
    wrong = _SEAT_NAMES[1 - deal.turn]
    text = f"{NAMES[card]} is not in the hand of {wrong}, who would lead out of turn"
    return IllegalAction("not_held", "R8.4", text)


def _exchange_refused(deal: Deal, action: Action) -> IllegalAction:
    """Why these cards may not be exchanged."""
    if deal.phase not in (ELDER_EXCHANGE, DEALER_EXCHANGE):
        if deal.phase in _PLAYING or deal.phase == PROPOSING:
            text = "cards are exchanged only after a proposal is accepted"
            return IllegalAction("not_accepted", "R3.3", text)
        return IllegalAction(*DUE[deal.phase])
    discards = action ^ EXCHANGE
    number = discards.bit_count()
    strange = members(discards & ~deal.hands[deal.turn])
    if strange:
        text = f"{NAMES[strange[0]]} is not in the hand of {_who(deal)}"
        return IllegalAction("not_held", "R3.3", text)
    if number > deal.stock:
        text = f"{number} cards are asked for, but the stock holds {deal.stock}"
        return IllegalAction("too_many", "R3.5", text)
    text = "at least one card must be exchanged as long as the stock holds any"
    return IllegalAction("too_few", "R3.3", text)


_SEAT_NAMES: Final = {HOUSE: "house", CHALLENGER: "challenger"}


def _who(deal: Deal) -> str:
    """The name of the seat to act."""
    return _SEAT_NAMES[deal.turn]
