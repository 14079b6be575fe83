"""A deal as followed by anybody who hears what is said and sees what is played, but no hand.

It is a `Deal` like any other, with unknown cards where nobody may look: when a seat plays a card,
that card replaces an unknown one. So the rules are stated once, and a follower cannot show a hidden
card: an unknown card has no name.

>>> from casino.ecarte import CHALLENGER, card
>>> start = with_turn_up(new_public_deal(Laws(), CHALLENGER, (0, 0)), card("8H"))
>>> deal = apply_public(apply_public(apply_public(start, "P"), "A"), "X????")
>>> deal.stock, deal.turn == CHALLENGER
(19, True)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from casino.ecarte.actions import CLAIM, EXCHANGE, EXPOSE, LEAD_OUT, MARK, Action, parse_token
from casino.ecarte.cards import PACK, Card, CardSet
from casino.ecarte.deal import actor, apply, turn_up
from casino.ecarte.game import deal_cards
from casino.ecarte.laws import Laws
from casino.ecarte.rules import CHALLENGER, HOUSE, NOBODY, Seat, king_of, other
from casino.ecarte.state import Deal

FIRST_UNKNOWN: Final = 40
"""Unknown cards are numbered from here: no set of a suit holds them, and they have no names."""

Hands: TypeAlias = tuple[CardSet, CardSet]

_KNOWN: Final = (1 << FIRST_UNKNOWN) - 1
_PACK: Final = tuple(range(FIRST_UNKNOWN, FIRST_UNKNOWN + len(PACK)))


def new_public_deal(laws: Laws, dealer: Seat, score: tuple[int, int]) -> Deal:
    """Two hands of unknown cards."""
    deal = deal_cards(laws, dealer, PACK, score)
    hand = (1 << deal.hand_size) - 1 << FIRST_UNKNOWN
    hands = hand, hand << deal.hand_size
    start = deal.start._replace(deck=_PACK, turned=_PACK[2 * deal.hand_size])
    return _holding(deal._replace(start=start), hands, hands)


def with_turn_up(deal: Deal, card: Card) -> Deal:
    """The turn-up is shown."""
    place, deck = 2 * deal.hand_size, deal.deck
    start = deal.start._replace(
        deck=(*deck[:place], card, *deck[place + 1 :]), turned=card, trumps=card >> 3
    )
    return turn_up(deal._replace(start=start))


def apply_public(deal: Deal, token: str, of: Seat = HOUSE, revoked: Sequence[Seat] = ()) -> Deal:
    """The deal after an action as everybody hears it.

    `of` is the seat that an exposed card was dealt to, `revoked` are those a claim has found.
    """
    if token.startswith("X"):
        return apply(deal, _discards(deal, len(token) >> 1))
    action = parse_token(token)
    if 0 <= action < len(PACK):
        return apply(_given(deal, deal.turn, action), action)
    if EXPOSE <= action < LEAD_OUT:
        # It may be exchanged later, so nobody can tell whether its seat still holds it.
        after = _applied(_given(deal, of, action - EXPOSE), action)
        return _holding(after, deal.hands, deal.kept)
    if action == CLAIM:
        found = HOUSE in revoked, CHALLENGER in revoked
        irregular = deal.irregular._replace(revoked=found)
        deal = deal._replace(standing=deal.standing._replace(irregular=irregular))
    elif action == MARK:
        deal = _given(deal, deal.turn, king_of(deal.turn_up >> 3))
    elif LEAD_OUT <= action < LEAD_OUT + len(PACK):
        deal = _given(deal, 1 - deal.turn, action - LEAD_OUT)
    return _applied(deal, action)


def public_actor(deal: Deal, token: str, revoked: Sequence[Seat] = ()) -> Seat:
    """The seat that takes an action as everybody hears it; nobody if both revoked and one claims.

    >>> public_actor(new_public_deal(Laws(), CHALLENGER, (0, 0)), "EKH") == CHALLENGER
    True
    """
    if token.startswith("X"):
        return deal.turn
    action = parse_token(token)
    if action != CLAIM:
        return actor(deal, action)
    return NOBODY if len(revoked) > 1 else other(revoked[0])


def _applied(deal: Deal, action: Action) -> Deal:
    """The deal after an action for which the rules search the hands, here the known cards only."""
    hands, kept = deal.hands, deal.kept
    after = apply(_holding(deal, _known(hands), _known(kept)), action)
    held = kept if action == CLAIM else hands
    return _holding(after, _with_unknown(after.hands, held), _with_unknown(after.kept, kept))


def _holding(deal: Deal, hands: Hands, kept: Hands) -> Deal:
    """The deal with these hands, now and as they were when play began."""
    return deal._replace(hands=hands, standing=deal.standing._replace(kept=kept))


def _known(hands: Hands) -> Hands:
    """The known cards of both hands."""
    return hands[HOUSE] & _KNOWN, hands[CHALLENGER] & _KNOWN


def _with_unknown(hands: Hands, before: Hands) -> Hands:
    """Both hands with the unknown cards that they had before."""
    return (
        hands[HOUSE] | before[HOUSE] & ~_KNOWN,
        hands[CHALLENGER] | before[CHALLENGER] & ~_KNOWN,
    )


def seen_cards(deal: Deal, seat: Seat) -> CardSet:
    """The cards of a seat's hand, as it was when play began, that everybody has seen."""
    return deal.kept[seat] & _KNOWN


def _given(deal: Deal, seat: Seat, card: Card) -> Deal:
    """The deal with a card in a seat's hand, in the place of an unknown one if it was not there."""
    hand, kept = deal.hands[seat], deal.kept[seat]
    unknown = hand & ~_KNOWN
    if hand >> card & 1 or not unknown:
        return deal
    swap = (unknown & -unknown) | 1 << card
    hand ^= swap
    kept ^= swap
    house, challenger = deal.hands
    kept_house, kept_challenger = deal.kept
    if seat == HOUSE:
        return _holding(deal, (hand, challenger), (kept, kept_challenger))
    return _holding(deal, (house, hand), (kept_house, kept))


def _discards(deal: Deal, number: int) -> Action:
    """An exchange of this many unknown cards by the seat to act."""
    hand, discards = deal.hands[deal.turn], 0
    for _ in range(number):
        lowest = hand & -hand
        discards |= lowest
        hand ^= lowest
    return EXCHANGE | discards
