"""Deals that a viewer cannot tell from the real one: all hidden cards are redrawn.

Only public facts are kept: the actions, the number of cards exchanged, the cards played. The
cards that other seats were dealt, drew and discarded are drawn again.
"""

from __future__ import annotations

import random

from casino import ecarte
from casino.ecarte import NO_CARD, Card, CardSet, Deal, Seat
from casino.ecarte.actions import DEALING, EXCHANGE, exchanged_number, played
from casino.ecarte.deal import is_dealing_action
from casino.ecarte.observation.view import deck_positions
from casino.errors import IllegalAction

Slots = list[int]


def shown(deal: Deal, seat: Seat) -> CardSet:
    """Return the cards publicly known to have been in a hand when play began."""
    cards = 0
    state = ecarte.deal_cards(deal.laws, deal.dealer, deal.deck, deal.score_before)
    for action in deal.history:
        if state.phase == DEALING and not is_dealing_action(action):
            state = ecarte.turn_up(state)
        if ecarte.actor(state, action) == seat:
            card = ecarte.king_of(state.turn_up >> 3) if action == ecarte.MARK else played(action)
            cards |= 0 if card is None else 1 << card
        state = ecarte.apply(state, action)
    return cards


def find_another(deal: Deal, viewer: Seat, rng: random.Random, tries: int) -> Deal | None:
    found = (another(deal, viewer, rng) for _ in range(tries))
    return next((other for other in found if other is not None), None)


def another(deal: Deal, viewer: Seat, rng: random.Random) -> Deal | None:
    hidden = [seat for seat in (0, 1) if seat != viewer]
    known = dict(enumerate(seen_deck(deal, viewer)))
    known = {place: card for place, card in known.items() if card != NO_CARD}
    thrown: dict[int, Slots] = {}
    for seat in hidden:
        kept = exchange_slots(deal, seat, known, shown(deal, seat), thrown, rng)
        needed = [c for c in ecarte.cards_in(shown(deal, seat)) if c not in known.values()]
        free = [place for place in kept if place not in known]
        if len(free) < len(needed):
            return None
        known |= dict(zip(rng.sample(free, len(needed)), needed, strict=True))
    rest = [card for card in deal.deck if card not in known.values()]
    rng.shuffle(rest)
    deck = [known[place] if place in known else rest.pop() for place in range(len(deal.deck))]
    history = tuple(
        ecarte.exchange(ecarte.card_set(deck[place] for place in thrown[at]))
        if at in thrown
        else action
        for at, action in enumerate(deal.history)
    )
    position = ecarte.position_of_deal(deal)._replace(deck=tuple(deck), history=history)
    try:
        other = position.dealing() if deal.phase == DEALING else position.deal()
    except IllegalAction:
        return None  # the strict law of play does not allow these cards
    # The offender was named when the revoke was claimed, so it is public too.
    return other if other.irregular.offenders == deal.irregular.offenders else None


def seen_deck(deal: Deal, viewer: Seat) -> list[Card]:
    known = set(ecarte.cards_in(deal.irregular.exposed)) | {deal.turn_up}
    if viewer in (0, 1):
        places = deck_positions(deal.laws, deal.dealer, deal.history, viewer)
        known |= {deal.deck[place] for place in places}
    return [card if card in known else NO_CARD for card in deal.deck]


def exchange_slots(
    deal: Deal,
    seat: Seat,
    known: dict[int, Card],
    needed: CardSet,
    thrown: dict[int, Slots],
    rng: random.Random,
) -> Slots:
    """Redraw which deck positions a seat discarded at each exchange; return those kept."""
    slots = list(deck_positions(deal.laws, deal.dealer, (), seat))
    top, exchanger = 2 * deal.hand_size + 1, deal.elder
    for at, action in enumerate(deal.history):
        if action < EXCHANGE:
            continue
        number = exchanged_number(action)
        if exchanger == seat:
            loose = [place for place in slots if not needed >> known.get(place, 32) & 1]
            thrown[at] = rng.sample(loose, min(number, len(loose)))
            slots = [place for place in slots if place not in thrown[at]]
            slots += range(top, top + number)
        top += number
        exchanger = 1 - exchanger
    return slots
