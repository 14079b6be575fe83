"""From the first card dealt to the last exchange: dealing, exposed cards, proposals, exchanges."""

from __future__ import annotations

from collections.abc import Sequence

from casino.ecarte import rules
from casino.ecarte.actions import (
    ACCEPT,
    EXCHANGE,
    EXPOSE,
    LEAD_OUT,
    LET_STAND,
    NEW_DEAL,
    PROPOSE,
    REFUSE,
    STAND,
    Action,
    Exchanges,
)
from casino.ecarte.cards import Card, card_set, members
from casino.ecarte.checks import check_laws, check_score, check_seat, checked_deck
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
    LEADING,
    OVER,
    PROPOSING,
    REGULAR,
    Deal,
    new,
    scored,
)


def deal_cards(
    laws: Laws, dealer: Seat, deck: Sequence[Card], score: tuple[int, int] = (0, 0)
) -> Deal:
    """A deal with both hands dealt in packets and the turn-up not yet shown (R2.3)."""
    check_laws(laws)
    check_seat(dealer, "the dealer")
    check_score(score, laws.target)
    dealt = checked_deck(deck, laws)
    first, second = laws.packets
    size = first + second
    elder_hand = card_set(dealt[:first] + dealt[2 * first : first + size])
    dealer_hand = card_set(dealt[first : 2 * first] + dealt[first + size : 2 * size])
    hands = (dealer_hand, elder_hand) if dealer == HOUSE else (elder_hand, dealer_hand)
    return new(Deal, (
        laws, dealer, dealt, score, score, DEALING, dealer, NO_CARD, hands, hands, 2 * size + 1,
        NOBODY, NOBODY, (0, 0), NO_CARD, (0, 0), REGULAR, (),
    ))  # fmt: skip


def turn_up(deal: Deal) -> Deal:
    """The deal with its turn-up shown and, if that is a king, scored (R2.4, R2.5)."""
    if deal.phase != DEALING:
        raise refusal(deal, None)
    (
        laws, dealer, deck, began, score, _, _, _, hands, _, drawn, vulnerable, marked, tricks,
        led, won, irregular, history,
    ) = deal  # fmt: skip
    shown = deck[drawn - 1]
    points = rules.turn_up_points(shown)
    if points:
        score = scored(deal, dealer, points)
    phase, turn = (OVER, NOBODY) if laws.target in score else (PROPOSING, 1 - dealer)
    return new(Deal, (
        laws, dealer, deck, began, score, phase, turn, shown, hands, hands, drawn,
        vulnerable, marked, tricks, led, won, irregular, history,
    ))  # fmt: skip


def belongs_to_dealing(action: Action) -> bool:
    """Whether an action comes before the turn-up: a card exposed, or the elder's word on it."""
    return EXPOSE <= action < LEAD_OUT or action in (NEW_DEAL, LET_STAND)


def legal_dealing(deal: Deal) -> Sequence[Action]:
    """Each dealt card may be exposed once; then the elder may have a word to say (R8.2)."""
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


def legal_proposing(deal: Deal) -> Sequence[Action]:
    """What the elder may say."""
    return (PROPOSE, STAND) if rules.may_propose(deal.stock) else (STAND,)


def apply_proposing(deal: Deal, action: Action) -> Deal:
    """The elder proposes or stands (R3.1)."""
    if action == STAND:
        return _begin_play(deal, action)
    if action != PROPOSE or not rules.may_propose(deal.stock):
        raise refusal(deal, action)
    return deal.talked(action, ANSWERING, deal.dealer, deal.hands, deal.drawn, NOBODY)


def legal_answering(_: Deal) -> Sequence[Action]:
    """What the dealer may answer."""
    return (ACCEPT, REFUSE)


def apply_answering(deal: Deal, action: Action) -> Deal:
    """The dealer accepts or refuses (R3.2)."""
    if action == REFUSE:
        return _begin_play(deal, action)
    if action != ACCEPT:
        raise refusal(deal, action)
    return deal.talked(action, ELDER_EXCHANGE, 1 - deal.dealer, deal.hands, deal.drawn, NOBODY)


def _begin_play(deal: Deal, action: Action) -> Deal:
    """The hands are to be played as they are; the elder leads (R5.1)."""
    vulnerable = rules.vulnerable_for(deal.turn, deal.exchanged)
    return deal.talked(action, LEADING, 1 - deal.dealer, deal.hands, deal.drawn, vulnerable)


def legal_exchange(deal: Deal) -> Exchanges:
    """The exchanges open to the seat that is to exchange, as a range."""
    stock = deal.stock
    hand = deal.hands[deal.turn]
    most = rules.most_exchanged(stock, hand.bit_count())
    return Exchanges(hand, rules.least_exchanged(stock), most)


def apply_exchange(deal: Deal, action: Action) -> Deal:
    """Discard and draw from the top of the stock (R3.3, R3.5)."""
    turn = deal.turn
    hand = deal.hands[turn]
    stock = len(deal.deck) - deal.drawn
    discards = action ^ EXCHANGE
    number = discards.bit_count()
    most = rules.most_exchanged(stock, hand.bit_count())
    if discards & ~hand or not rules.least_exchanged(stock) <= number <= most:
        raise refusal(deal, action)
    drawn = deal.drawn + number
    hand ^= discards
    for card in deal.deck[deal.drawn : drawn]:
        hand |= 1 << card
    hands = (hand, deal.hands[1]) if turn == HOUSE else (deal.hands[0], hand)
    if deal.phase == ELDER_EXCHANGE:
        return deal.talked(action, DEALER_EXCHANGE, deal.dealer, hands, drawn, NOBODY)
    phase = PROPOSING if rules.may_propose(stock - number) else LEADING
    return deal.talked(action, phase, 1 - deal.dealer, hands, drawn, NOBODY)
