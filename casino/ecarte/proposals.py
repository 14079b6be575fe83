"""From the first card dealt to the last exchange: dealing, proposals, answers, exchanges (R2, R3).

The elder proposes or stands. If the dealer accepts a proposal, both exchange cards, the elder
first, and the elder speaks again; otherwise the hands are played as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from casino.ecarte import rules
from casino.ecarte.actions import ACCEPT, EXCHANGE, PROPOSE, REFUSE, STAND, Action, Exchanges
from casino.ecarte.cards import Card, card_set
from casino.ecarte.errors import refusal
from casino.ecarte.laws import Laws
from casino.ecarte.rules import HOUSE, NO_CARD, NOBODY, Seat
from casino.ecarte.state import (
    ANSWERING,
    DEALER_EXCHANGE,
    DEALING,
    ELDER_EXCHANGE,
    LEADING,
    OVER,
    PROPOSING,
    REGULAR,
    Deal,
    Standing,
    Start,
    new,
    replaced,
    with_points,
)
from casino.ecarte.validation import checked_deck


def deal_pack(laws: Laws, dealer: Seat, deck: Sequence[Card], score: tuple[int, int]) -> Deal:
    """Deal both hands in packets (R2.3); laws, dealer and score have been checked."""
    dealt = checked_deck(deck, laws)
    first, second = laws.packets
    size = first + second
    elder_hand = card_set(dealt[:first] + dealt[2 * first : first + size])
    dealer_hand = card_set(dealt[first : 2 * first] + dealt[first + size : 2 * size])
    hands = (dealer_hand, elder_hand) if dealer == HOUSE else (elder_hand, dealer_hand)
    turned = dealt[2 * size]
    strict, claims = laws.play == "strict", laws.enforcement == "claims"
    start = new(Start, (laws, dealer, dealt, score, size, turned, turned >> 3, strict, claims))
    standing = new(Standing, (score, hands, 2 * size + 1, NOBODY, NOBODY, REGULAR))
    return new(Deal, (start, standing, DEALING, dealer, hands, (0, 0), NO_CARD, ()))


def turn_up(deal: Deal) -> Deal:
    """The deal with its turn-up shown and, if that is a king, scored (R2.4, R2.5)."""
    if deal.phase != DEALING:
        raise refusal(deal, None)
    start, standing, _, _, hands, tricks, led, history = deal
    phase, turn = PROPOSING, 1 - start.dealer
    points = rules.turn_up_points(start.turned)
    if points:
        standing = standing._replace(score=with_points(start.score, start.dealer, points))
        if start.laws.target in standing.score:
            phase, turn = OVER, NOBODY
    return new(Deal, (start, standing, phase, turn, hands, tricks, led, history))


def legal_proposing(deal: Deal) -> Sequence[Action]:
    """The elder may stand, or propose as long as the stock lasts (R3.1, R3.4)."""
    may_propose = rules.may_propose(len(deal.start.deck) - deal.standing.drawn)
    return (PROPOSE, STAND) if may_propose else (STAND,)


def apply_proposing(deal: Deal, action: Action) -> Deal:
    """The elder proposes or stands (R3.1)."""
    if action == STAND:
        return _begin_play(deal, action)
    start, standing, _, _, hands, tricks, led, history = deal
    if action != PROPOSE or not rules.may_propose(len(start.deck) - standing.drawn):
        raise refusal(deal, action)
    history = history + (action,)
    return new(Deal, (start, standing, ANSWERING, start.dealer, hands, tricks, led, history))


def legal_answering(_: Deal) -> Sequence[Action]:
    """The dealer accepts or refuses (R3.2)."""
    return (ACCEPT, REFUSE)


def apply_answering(deal: Deal, action: Action) -> Deal:
    """The dealer accepts or refuses (R3.2)."""
    if action == REFUSE:
        return _begin_play(deal, action)
    if action != ACCEPT:
        raise refusal(deal, action)
    return deal.with_standing(action, deal.standing, ELDER_EXCHANGE, 1 - deal.start.dealer)


def _begin_play(deal: Deal, action: Action) -> Deal:
    """The hands are played as they are; whoever decided this at once is vulnerable (R3.7, R5.1)."""
    start, standing, _, turn, hands, tricks, led, history = deal
    score, kept, drawn, _, marked, irregular = standing
    exchanged = drawn > 2 * start.hand_size + 1
    vulnerable = rules.vulnerable_for(turn, exchanged)
    standing = new(Standing, (score, kept, drawn, vulnerable, marked, irregular))
    elder, history = 1 - start.dealer, history + (action,)
    return new(Deal, (start, standing, LEADING, elder, hands, tricks, led, history))


def legal_exchange(deal: Deal) -> Exchanges:
    """The exchanges open to the seat that is to exchange, as a range (R3.3, R3.5)."""
    stock = len(deal.start.deck) - deal.standing.drawn
    most = rules.most_exchanged(stock, deal.start.hand_size)
    return Exchanges(deal.hands[deal.turn], rules.least_exchanged(stock), most)


def apply_exchange(deal: Deal, action: Action) -> Deal:
    """Discard and draw from the top of the stock (R3.3, R3.5)."""
    start, standing, phase, turn, hands, tricks, led, history = deal
    score, _, drawn, vulnerable, marked, irregular = standing
    stock = len(start.deck) - drawn
    hand = hands[turn]
    discards = action ^ EXCHANGE
    number = discards.bit_count()
    most = rules.most_exchanged(stock, start.hand_size)
    if discards & ~hand or not rules.least_exchanged(stock) <= number <= most:
        raise refusal(deal, action)
    taken = card_set(start.deck[drawn : drawn + number])
    hands = replaced(hands, turn, hand ^ discards | taken)
    standing = new(Standing, (score, hands, drawn + number, vulnerable, marked, irregular))
    if phase == ELDER_EXCHANGE:
        phase, turn = DEALER_EXCHANGE, start.dealer
    else:
        phase = PROPOSING if rules.may_propose(stock - number) else LEADING
        turn = 1 - start.dealer
    return new(Deal, (start, standing, phase, turn, hands, tricks, led, history + (action,)))
