"""What a seat, the gallery, or everybody after a deal may know of it.

A view is made from the public course of a deal and, for a seat, its own cards. It never holds a
hidden card, so whoever gets it (a bot, a browser) cannot leak or use what it may not know.

>>> from casino.ecarte import CHALLENGER, PACK, new_deal
>>> seen = view(new_deal(Laws(), CHALLENGER, PACK), GALLERY)
>>> seen.hands, seen.sizes, seen.stock
((0, 0), (5, 5), 21)
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from casino.ecarte.actions import EXCHANGE, Action, exchanged_number, hidden_exchange
from casino.ecarte.cards import Card, CardSet, card_set
from casino.ecarte.laws import Laws
from casino.ecarte.records.render import as_svg, as_text
from casino.ecarte.rules import CHALLENGER, HOUSE, NO_CARD, NOBODY, Seat
from casino.ecarte.state import ANNULLED, OVER, Deal, due, held_places
from casino.ecarte.validation import check_is, check_viewer
from casino.errors import IllegalAction, Reason

HANDS_HIDDEN: Final = Reason(
    "hands_hidden", "illegal_action", "the hands stay hidden until the deal is over", "R3.3"
)

GALLERY: Final = NOBODY
"""The viewer who holds no seat."""


class View(NamedTuple):
    """A deal as one viewer may know it.

    In `deck` stand the cards the viewer has seen in their places, `NO_CARD` in all others;
    `hands` and `kept` (the hands when play began) are empty sets where they are hidden;
    `sizes` tells how many cards each seat holds. In `history` an exchange of hidden cards
    is its number only. `stock` is the number of cards left in it.
    """

    viewer: Seat
    laws: Laws
    dealer: Seat
    deck: tuple[Card, ...]
    began: tuple[int, int]
    score: tuple[int, int]
    phase: int
    turn: Seat
    turn_up: Card
    hands: tuple[CardSet, CardSet]
    kept: tuple[CardSet, CardSet]
    sizes: tuple[int, int]
    stock: int
    exchanged: bool
    vulnerable: Seat
    marked: Seat
    tricks: tuple[int, int]
    led: Card
    exposed: CardSet
    led_out: bool
    offended: tuple[bool, bool]
    history: tuple[Action, ...]

    @property
    def hand(self) -> CardSet:
        """The viewer's own cards."""
        return 0 if self.viewer == GALLERY else self.hands[self.viewer]

    @property
    def due(self) -> str:
        """What is to happen next, in words."""
        return due(self.phase, self.dealer, self.turn)

    def __str__(self) -> str:
        return as_text(self)

    def _repr_svg_(self) -> str:
        """The view as a notebook draws it."""
        return as_svg(self)


def view(deal: Deal, viewer: Seat) -> View:
    """What a seat, or the gallery, may know of a deal now."""
    check_viewer(viewer)
    check_is(Deal, deal, "what is looked at")
    return _view(deal, viewer, (viewer == HOUSE, viewer == CHALLENGER))


def may_show_all(deal: Deal) -> bool:
    """Whether both hands may be shown as soon as a deal ends.

    Under enforcement claims they stay hidden until the next deal begins or the game is over:
    a revoke may still be claimed and the same hands played again (R8.5).
    """
    if deal.phase == OVER:
        return deal.game_over or deal.laws.enforcement == "strict"
    return deal.phase == ANNULLED


def full_view(deal: Deal) -> View:
    """A finished deal with both hands open, but still without the discards and the stock (R3.3).

    The caller makes sure that nothing more can happen in the deal: see `may_show_all`.
    """
    if deal.phase not in (OVER, ANNULLED):
        raise IllegalAction(HANDS_HIDDEN)
    return _view(deal, GALLERY, (True, True))


def _view(deal: Deal, viewer: Seat, open_hands: tuple[bool, bool]) -> View:
    """A view in which the hands of some seats are open; exchanges only to their own seat."""
    house, challenger = deal.hands
    kept_house, kept_challenger = deal.kept
    see_house, see_challenger = open_hands
    return View(
        viewer=viewer,
        laws=deal.laws,
        dealer=deal.dealer,
        deck=_seen_deck(deal, viewer),
        began=deal.began,
        score=deal.score,
        phase=deal.phase,
        turn=deal.turn,
        turn_up=deal.turn_up,
        hands=(house if see_house else 0, challenger if see_challenger else 0),
        kept=(kept_house if see_house else 0, kept_challenger if see_challenger else 0),
        sizes=(house.bit_count(), challenger.bit_count()),
        stock=deal.stock,
        exchanged=deal.exchanged,
        vulnerable=deal.vulnerable,
        marked=deal.marked,
        tricks=deal.tricks,
        led=deal.led,
        exposed=deal.irregular.exposed,
        led_out=deal.irregular.led_out,
        offended=deal.irregular.offended,
        history=_seen(deal, viewer),
    )


def _seen_deck(deal: Deal, viewer: Seat) -> tuple[Card, ...]:
    """The deck with the cards the viewer has been given, the exposed ones and the turn-up."""
    exchanges: tuple[Action, ...] = ()
    if deal.exchanged and viewer != GALLERY:
        exchanges = tuple([action for action in deal.history if action >= EXCHANGE])
    shown = deal.irregular.exposed
    if deal.turn_up != NO_CARD:
        shown |= 1 << deal.turn_up
    return _given(deal.laws, deal.dealer, deal.deck, exchanges, viewer, shown)


@lru_cache(maxsize=256)
def _given(
    laws: Laws,
    dealer: Seat,
    deck: tuple[Card, ...],
    exchanges: tuple[Action, ...],
    viewer: Seat,
    shown: CardSet,
) -> tuple[Card, ...]:
    """The deck with what a viewer has been given and what is shown: it stays the same in the play.

    It is cached because a bot asks for it at every card.
    """
    seen = shown
    if viewer != GALLERY:
        places = held_places(laws, dealer, exchanges, viewer)
        seen |= card_set([deck[place] for place in places])
    return tuple([one if seen >> one & 1 else NO_CARD for one in deck])


def _seen(deal: Deal, viewer: Seat) -> tuple[Action, ...]:
    """The actions of a deal; of another seat's exchanges only the number of cards."""
    if not deal.exchanged:
        return deal.history
    seen = list(deal.history)
    exchanger = deal.elder
    for place, action in enumerate(seen):
        if action & EXCHANGE:
            if exchanger != viewer:
                seen[place] = hidden_exchange(exchanged_number(action))
            exchanger = 1 - exchanger
    return tuple(seen)
