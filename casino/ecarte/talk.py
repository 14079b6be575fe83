"""From the first card dealt to the last exchange: dealing, exposed cards, proposals, exchanges."""

from __future__ import annotations

from collections.abc import Sequence

from casino.ecarte import rules
from casino.ecarte.actions import (
    ACCEPT,
    EXCHANGE,
    EXPOSE,
    LET_STAND,
    NEW_DEAL,
    PROPOSE,
    REFUSE,
    STAND,
    Action,
    Exchanges,
)
from casino.ecarte.cards import Card, card_set, members
from casino.ecarte.laws import Laws
from casino.ecarte.refusals import refusal
from casino.ecarte.rules import HOUSE, NO_CARD, NOBODY, Seat
from casino.ecarte.state import (
    ANNULLED,
    ANSWERING,
    DEALER_EXCHANGE,
    DEALING,
    ELDER_EXCHANGE,
    EXPOSED,
    OVER,
    PROPOSING,
    Deal,
    Irregular,
    begin_play,
    say,
    scored,
)


def deal_cards(
    laws: Laws, dealer: Seat, deck: Sequence[Card], score: tuple[int, int] = (0, 0)
) -> Deal:
    """A deal with both hands dealt in packets and the turn-up not yet shown (R2.3)."""
    first, second = laws.packets
    size = first + second
    deck = tuple(deck)
    elder_hand = card_set(deck[:first] + deck[2 * first : first + size])
    dealer_hand = card_set(deck[first : 2 * first] + deck[first + size : 2 * size])
    hands = (dealer_hand, elder_hand) if dealer == HOUSE else (elder_hand, dealer_hand)
    return Deal(
        laws,
        dealer,
        deck,
        score,
        DEALING,
        dealer,
        NO_CARD,
        hands,
        hands,
        2 * size,
        NOBODY,
        NOBODY,
        (0, 0),
        NO_CARD,
        (0, 0),
        Irregular(),
        (),
    )


def turn_up(deal: Deal) -> Deal:
    """The deal with its turn-up shown and, if that is a king, scored (R2.4, R2.5)."""
    if deal.phase != DEALING:
        raise refusal(deal, None)
    shown = deal.deck[deal.drawn]
    score = scored(deal, deal.dealer, rules.turn_up_points(shown))
    over = deal.laws.target in score
    return deal._replace(
        score=score,
        phase=OVER if over else PROPOSING,
        turn=NOBODY if over else 1 - deal.dealer,
        turn_up=shown,
        drawn=deal.drawn + 1,
    )


# --- dealing -----------------------------------------------------------------------------------


def legal_dealing(deal: Deal) -> Sequence[Action]:
    unseen = (deal.hands[0] | deal.hands[1]) & ~deal.irregular.exposed
    exposures = tuple(EXPOSE + card for card in members(unseen))
    return (NEW_DEAL, LET_STAND, *exposures) if deal.phase == EXPOSED else exposures


def apply_dealing(deal: Deal, action: Action) -> Deal:
    """Expose a card (R8.1, R8.2), or answer to one exposed."""
    if action not in legal_dealing(deal):
        raise refusal(deal, action)
    history = (*deal.history, action)
    if action == NEW_DEAL:
        return deal._replace(phase=ANNULLED, turn=NOBODY, history=history)
    if action == LET_STAND:
        return deal._replace(phase=DEALING, turn=deal.dealer, history=history)
    bit = 1 << action - EXPOSE
    elders = deal.phase == EXPOSED or bit & deal.hands[1 - deal.dealer] != 0
    return deal._replace(
        phase=EXPOSED if elders else DEALING,
        turn=1 - deal.dealer if elders else deal.dealer,
        irregular=deal.irregular._replace(exposed=deal.irregular.exposed | bit),
        history=history,
    )


# --- proposing and exchanging ------------------------------------------------------------------


def legal_proposing(deal: Deal) -> Sequence[Action]:
    return (PROPOSE, STAND) if rules.may_propose(deal.stock) else (STAND,)


def apply_proposing(deal: Deal, action: Action) -> Deal:
    """The elder proposes or stands (R3.1)."""
    if action not in legal_proposing(deal):
        raise refusal(deal, action)
    if action == STAND:
        return begin_play(deal, action, rules.vulnerable_for(deal.turn, deal.exchanged))
    return say(deal, action, ANSWERING, deal.dealer)


def legal_answering(deal: Deal) -> Sequence[Action]:
    return (ACCEPT, REFUSE)


def apply_answering(deal: Deal, action: Action) -> Deal:
    """The dealer accepts or refuses (R3.2)."""
    if action == REFUSE:
        return begin_play(deal, action, rules.vulnerable_for(deal.turn, deal.exchanged))
    if action != ACCEPT:
        raise refusal(deal, action)
    return say(deal, action, ELDER_EXCHANGE, 1 - deal.dealer)


def legal_exchange(deal: Deal) -> Exchanges:
    stock = deal.stock
    return Exchanges(
        deal.hands[deal.turn],
        rules.least_exchanged(stock),
        rules.most_exchanged(stock, deal.hand_size),
    )


def apply_exchange(deal: Deal, action: Action) -> Deal:
    """Discard and draw from the top of the stock (R3.3, R3.5)."""
    discards = action ^ EXCHANGE
    if action not in legal_exchange(deal):
        raise refusal(deal, action)
    drawn = deal.drawn + discards.bit_count()
    hand = deal.hands[deal.turn] & ~discards | card_set(deal.deck[deal.drawn : drawn])
    hands = (hand, deal.hands[1]) if deal.turn == HOUSE else (deal.hands[0], hand)
    after = deal._replace(hands=hands, drawn=drawn)
    if deal.phase == ELDER_EXCHANGE:
        return say(after, action, DEALER_EXCHANGE, deal.dealer)
    if rules.may_propose(after.stock):
        return say(after, action, PROPOSING, after.elder)
    return begin_play(after, action, NOBODY)
