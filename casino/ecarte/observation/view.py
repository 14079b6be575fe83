"""Views: what a seat or the gallery may know about a deal, and can infer with certainty.

A view is built from the public history of a deal and, for a seat, its own cards. It contains no
hidden card, so that a bot or a browser can neither leak nor use one.

>>> from casino.ecarte import CHALLENGER, PACK, new_deal
>>> seen = view(new_deal(Laws(), CHALLENGER, PACK), GALLERY)
>>> seen.hands, seen.sizes, seen.stock
((0, 0), (5, 5), 21)

A seat sees each card played, led out of turn or exposed, and learns of the king once it is
announced. A reply was a revoke if the hand contained a card that should have followed, won or
trumped; this is proved once that card is played.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from casino.ecarte import actions, rules
from casino.ecarte.actions import Action, Phase
from casino.ecarte.cards import Card, CardSet, card_set
from casino.ecarte.deal import Deal, actor, legal_actions
from casino.ecarte.laws import Laws
from casino.ecarte.records.render import as_svg, as_text
from casino.ecarte.rules import CHALLENGER, HOUSE, NO_CARD, NO_SEAT, Seat
from casino.ecarte.validation import check_seat, check_type
from casino.errors import InputError

GALLERY: Final = NO_SEAT  # the viewer without a seat


class View(NamedTuple):
    """What one viewer may know about a deal.

    `deck` has `NO_CARD` in place of each card that the viewer has not seen. Hidden `hands` and
    `kept` (the hands when play began) are empty; `sizes` counts the cards in each hand. In
    `history`, an exchange that the viewer did not make shows only the number of cards.
    `score_before` is the game's score at the start of the deal.
    """

    viewer: Seat
    laws: Laws
    dealer: Seat
    deck: tuple[Card, ...]
    score_before: tuple[int, int]
    score: tuple[int, int]
    phase: Phase
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
    offenders: tuple[bool, bool]
    history: tuple[Action, ...]

    @property
    def hand(self) -> CardSet:
        """The viewer's own cards."""
        return 0 if self.viewer == GALLERY else self.hands[self.viewer]

    def __str__(self) -> str:
        return as_text(self)

    def _repr_svg_(self) -> str:
        return as_svg(self)


def view(deal: Deal, viewer: Seat) -> View:
    """Return what a seat or the gallery may currently know about a deal."""
    if type(viewer) is not int or viewer not in (HOUSE, CHALLENGER, GALLERY):
        raise InputError(
            f"the viewer must be HOUSE (0), CHALLENGER (1) or GALLERY (-1), not {viewer!r}"
        )
    check_type(Deal, deal, "the deal")
    house, challenger = deal.hands
    return View(
        viewer=viewer,
        laws=deal.laws,
        dealer=deal.dealer,
        deck=_visible_deck(deal, viewer),
        score_before=deal.score_before,
        score=deal.score,
        phase=deal.phase,
        turn=deal.turn,
        turn_up=deal.turn_up,
        hands=(house if viewer == HOUSE else 0, challenger if viewer == CHALLENGER else 0),
        kept=(deal.kept[0] if viewer == HOUSE else 0, deal.kept[1] if viewer == CHALLENGER else 0),
        sizes=(house.bit_count(), challenger.bit_count()),
        stock=deal.stock,
        exchanged=deal.exchanged,
        vulnerable=deal.vulnerable,
        marked=deal.marked,
        tricks=deal.tricks,
        led=deal.led,
        exposed=deal.irregular.exposed,
        led_out=deal.irregular.led_out,
        offenders=deal.irregular.offenders,
        history=_visible_history(deal, viewer),
    )


def can_show_all(deal: Deal) -> bool:
    """Return True if the deal has ended and both hands may be shown.

    Under enforcement `claims` they stay hidden until the next deal begins or the game is over: if a
    revoke is claimed, the same hands are played again (R8.5).
    """
    if deal.phase == actions.OVER:
        return deal.game_over or deal.laws.enforcement == "strict"
    return deal.phase == actions.ANNULLED


def _visible_deck(deal: Deal, viewer: Seat) -> tuple[Card, ...]:
    exchanges: tuple[Action, ...] = ()
    if deal.exchanged and viewer != GALLERY:
        exchanges = tuple([action for action in deal.history if action >= actions.EXCHANGE])
    shown = deal.irregular.exposed
    if deal.turn_up != NO_CARD:
        shown |= 1 << deal.turn_up
    return _deck_with(deal.laws, deal.dealer, deal.deck, exchanges, viewer, shown)


# Cached: a bot needs it for every card, and it does not change during play (5.6 instead of 8.0 µs
# a view).
@lru_cache(maxsize=256)
def _deck_with(
    laws: Laws,
    dealer: Seat,
    deck: tuple[Card, ...],
    exchanges: tuple[Action, ...],
    viewer: Seat,
    shown: CardSet,
) -> tuple[Card, ...]:
    seen = shown
    if viewer != GALLERY:
        own = deck_positions(laws, dealer, exchanges, viewer)
        seen |= card_set([deck[position] for position in own])
    return tuple([card if seen >> card & 1 else NO_CARD for card in deck])


def _visible_history(deal: Deal, viewer: Seat) -> tuple[Action, ...]:
    if not deal.exchanged:
        return deal.history
    history = list(deal.history)
    exchanger = deal.elder
    for index, action in enumerate(history):
        if action & actions.EXCHANGE:
            if exchanger != viewer:
                history[index] = actions.hidden_exchange(actions.exchanged_number(action))
            exchanger = 1 - exchanger
    return tuple(history)


class Trick(NamedTuple):
    """A trick; `reply` is `NO_CARD` until it is played."""

    leader: Seat
    led: Card
    reply: Card


class Evidence(NamedTuple):
    """The tricks so far, and the cards known to have been in a seat's hand.

    A claim restores the hands: the cards shown remain known, but `tricks` starts again.
    """

    seat: Seat
    shown: CardSet
    tricks: tuple[Trick, ...]


def collect_evidence(view: View, seat: Seat) -> Evidence:
    """Return the tricks so far and what they reveal about a seat's hand."""
    shown = 0
    tricks: list[Trick] = []
    turn, led = 1 - view.dealer, NO_CARD
    for action in view.history:
        card = actions.played(action)
        if action == actions.CLAIM:
            turn, led = 1 - view.dealer, NO_CARD
            tricks.clear()
        elif action == actions.MARK and turn == seat:
            shown |= 1 << rules.king_of(view.turn_up >> 3)
        elif action == actions.TAKE_BACK:
            led = NO_CARD
            tricks.pop()
        elif card is not None:
            player = turn if action < actions.LEAD_OUT else 1 - turn
            shown |= 1 << card if player == seat else 0
            if led == NO_CARD:
                tricks.append(Trick(player, card, NO_CARD))
                turn, led = 1 - player, card
            else:
                tricks[-1] = Trick(1 - player, led, card)
                turn = turn if rules.reply_wins(led, card, view.turn_up >> 3) else 1 - turn
                led = NO_CARD
    return Evidence(seat, shown, tuple(tricks))


def is_revoke_proved(view: View) -> bool:
    """Return True if the cards on the table prove that the other seat revoked (R8.5)."""
    evidence = collect_evidence(view, 1 - view.viewer)
    held = evidence.shown | _dealt_openly(view)
    trumps, strict = view.turn_up >> 3, view.laws.play == "strict"
    for leader, led, reply in evidence.tricks:
        if leader == evidence.seat:
            held &= ~(1 << led)
        elif reply != NO_CARD:
            if not rules.legal_replies(held | 1 << reply, led, trumps, strict) >> reply & 1:
                return True
            held &= ~(1 << reply)
    return False


def refuted_cards(view: View, evidence: Evidence) -> CardSet:
    """Return the cards that a seat's replies rule out. Under claims they prove nothing (R8.5)."""
    refuted, strict = 0, view.laws.play == "strict"
    for leader, led, reply in evidence.tricks if view.laws.enforcement == "strict" else ():
        if leader != evidence.seat and reply != NO_CARD:
            refuted |= rules.ruled_out(reply, led, view.turn_up >> 3, strict)
    return refuted


def _dealt_openly(view: View) -> CardSet:
    if view.exchanged:
        return 0
    positions = deck_positions(view.laws, view.dealer, (), 1 - view.viewer)
    return sum(1 << view.deck[at] for at in positions if view.deck[at] != NO_CARD)


# Phases in which, under `strict`, only the seat to act has legal actions.
_TURN_ONLY: Final = range(actions.PROPOSING, actions.OVER)


def legal_for(deal: Deal, seat: Seat) -> Sequence[Action]:
    """Return the legal actions that a seat can choose, which depend only on its view.

    Exposing a card is an accident, so no seat can choose it. A claim is listed only once the cards
    on the table prove the revoke, because listing it earlier would reveal a hidden card; `apply`
    still accepts the claim of a suspected revoke.
    """
    check_seat(seat, "the seat")
    legal = legal_actions(deal)
    if deal.turn == seat and deal.phase in _TURN_ONLY and deal.laws.enforcement == "strict":
        return legal
    return tuple(action for action in legal if _can_choose(deal, action, seat))


def concession(deal: Deal) -> Action:
    """Return the action for a challenger who has left: concede, or move towards conceding (G14)."""
    legal = legal_for(deal, CHALLENGER)
    return next((action for action in _TOWARDS_CONCEDING if action in legal), legal[0])


_TOWARDS_CONCEDING: Final = (actions.CONCEDE, actions.STAND, actions.REFUSE, actions.LET_STAND)


def _can_choose(deal: Deal, action: Action, seat: Seat) -> bool:
    if actor(deal, action) not in (seat, NO_SEAT) or actions.EXPOSE <= action < actions.LEAD_OUT:
        return False
    return action != actions.CLAIM or is_revoke_proved(view(deal, seat))


def deck_positions(
    laws: Laws, dealer: Seat, history: tuple[Action, ...], seat: Seat
) -> tuple[int, ...]:
    """Return the deck positions of a seat's cards: those dealt, then those drawn."""
    first, second = laws.packets
    size = first + second
    start = 0 if seat != dealer else 1
    positions = list(range(start * first, start * first + first))
    positions += range(2 * first + start * second, 2 * first + start * second + second)
    top = 2 * size + 1
    exchanger = 1 - dealer
    for action in history:
        if action >= actions.EXCHANGE:
            number = actions.exchanged_number(action)
            if exchanger == seat:
                positions += range(top, top + number)
            top += number
            exchanger = 1 - exchanger
    return tuple(positions)
