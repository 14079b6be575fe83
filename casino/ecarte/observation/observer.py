"""A deal as a spectator follows it: from public tokens, without seeing either hand.

It is an ordinary `Deal` with numbered unknown cards in place of the hidden ones; a card that a seat
plays replaces an unknown one. The rules are therefore implemented only once, and no hidden card can
leak, because an unknown card has no name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from casino.ecarte import actions
from casino.ecarte.actions import CLAIM, EXCHANGE, EXPOSE, LEAD_OUT, MARK, Action, parse_token
from casino.ecarte.cards import PACK, Card, CardSet
from casino.ecarte.deal import Deal, actor, apply, turn_up
from casino.ecarte.game import deal_cards
from casino.ecarte.laws import Laws
from casino.ecarte.rules import CHALLENGER, HOUSE, NO_SEAT, Seat, king_of, other

FIRST_UNKNOWN: Final = 40  # unknown cards are numbered from here, outside every suit
_KNOWN: Final = (1 << FIRST_UNKNOWN) - 1
_PACK: Final = tuple(range(FIRST_UNKNOWN, FIRST_UNKNOWN + len(PACK)))


def new_public_deal(laws: Laws, dealer: Seat, score: tuple[int, int]) -> Deal:
    """Return a new deal with two hands of unknown cards."""
    deal = deal_cards(laws, dealer, PACK, score)
    hand = (1 << deal.hand_size) - 1 << FIRST_UNKNOWN
    hands = hand, hand << deal.hand_size
    return deal._replace(start=deal.start._replace(deck=_PACK), hands=hands, kept=hands)


def with_turn_up(deal: Deal, card: Card) -> Deal:
    """Return the deal after `card` is turned up."""
    index, deck = 2 * deal.hand_size, deal.deck
    start = deal.start._replace(deck=(*deck[:index], card, *deck[index + 1 :]), trumps=card >> 3)
    return turn_up(deal._replace(start=start))


def apply_public(deal: Deal, token: str, of: Seat = HOUSE, revoked: Sequence[Seat] = ()) -> Deal:
    """Return the deal after the action that a public token denotes.

    `of` is the seat to which an exposed card was dealt; `revoked` lists the seats that had revoked
    when a revoke is claimed.
    """
    if token.startswith("X"):
        return apply(deal, _exchange_of(deal, len(token) >> 1))
    action = parse_token(token)
    if EXPOSE <= action < LEAD_OUT:
        # The card may be exchanged later, so do not record it as part of the hand.
        after = apply(_give(deal, of, action - EXPOSE), action)
        return after._replace(hands=deal.hands, kept=deal.kept)
    if action == CLAIM:
        by_seat = HOUSE in revoked, CHALLENGER in revoked
        deal = deal._replace(irregular=deal.irregular._replace(revoked=by_seat))
    elif action == MARK:
        deal = _give(deal, deal.turn, king_of(deal.turn_up >> 3))
    elif (card := actions.played(action)) is not None:
        deal = _give(deal, actor(deal, action), card)
    return apply(deal, action)


def public_actor(deal: Deal, token: str, revoked: Sequence[Seat] = ()) -> Seat:
    """Return the seat that takes an action, or `NO_SEAT` for a claim if both seats revoked.

    >>> public_actor(new_public_deal(Laws(), CHALLENGER, (0, 0)), "EKH") == CHALLENGER
    True
    """
    if token.startswith("X"):
        return deal.turn
    action = parse_token(token)
    if action != CLAIM:
        return actor(deal, action)
    return NO_SEAT if len(revoked) > 1 else other(revoked[0])


def seen_cards(deal: Deal, seat: Seat) -> CardSet:
    """Return the publicly known cards that a seat held when play began."""
    return deal.kept[seat] & _KNOWN


def _give(deal: Deal, seat: Seat, card: Card) -> Deal:
    """Replace an unknown card in a hand with *card*, unless the hand already contains it."""
    unknown = deal.hands[seat] & ~_KNOWN
    if deal.hands[seat] >> card & 1 or not unknown:
        return deal
    swap = (unknown & -unknown) | 1 << card
    house, challenger = (swap, 0) if seat == HOUSE else (0, swap)
    return deal._replace(
        hands=(deal.hands[HOUSE] ^ house, deal.hands[CHALLENGER] ^ challenger),
        kept=(deal.kept[HOUSE] ^ house, deal.kept[CHALLENGER] ^ challenger),
    )


def _exchange_of(deal: Deal, number: int) -> Action:
    hand, discards = deal.hands[deal.turn], 0
    for _ in range(number):
        lowest = hand & -hand
        discards |= lowest
        hand ^= lowest
    return EXCHANGE | discards
