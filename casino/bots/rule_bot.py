"""`regle`: the rule of thumb from the books, deterministic and the same at every score.

The functions work on bit sets of cards. Like the rules they use only ints, so that numba can
compile this source.

Properties of a suit are stored in the bit of its king: `holding(hand, 2)` sets the king's bit of
every suit in which the hand has at least two cards. Such sets can be combined with sets of kings,
and with queens and jacks shifted to the king's bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from casino import ecarte
from casino.ecarte import (
    NO_CARD,
    Action,
    Card,
    CardSet,
    Rng,
    Suit,
    View,
    count,
    higher_cards,
    highest,
    lowest,
    suit_set,
)

_KINGS: Final = 0x80808080
_SEVENS: Final = 0x01010101


class RuleBot:
    """A bot that follows the rule of thumb."""

    def choose(self, view: View, legal_actions: Sequence[Action], _: Rng) -> Action:
        """Return the action that the rule of thumb recommends."""
        if ecarte.CLAIM in legal_actions:
            return ecarte.CLAIM
        hand, trumps = view.hand, view.turn_up >> 3
        if view.phase in (ecarte.ELDER_EXCHANGE, ecarte.DEALER_EXCHANGE):
            maximum = ecarte.max_exchange(view.stock, hand.bit_count())
            return ecarte.exchange(discards(hand, trumps, maximum))
        if view.phase == ecarte.PROPOSING:
            proposes = ecarte.PROPOSE in legal_actions and not should_stand(hand, trumps)
            return ecarte.PROPOSE if proposes else ecarte.STAND
        if view.phase == ecarte.ANSWERING:
            return ecarte.REFUSE if should_refuse(hand, trumps) else ecarte.ACCEPT
        if view.phase == ecarte.EXPOSED:
            return ecarte.LET_STAND
        if ecarte.MARK in legal_actions:
            return ecarte.MARK
        return usual_card(hand, view.led, trumps)


def should_stand(hand: CardSet, trumps: Suit) -> bool:
    """Return True if an elder with this hand should stand instead of proposing."""
    number = count(hand & suit_set(trumps))
    if number >= 3:
        return True
    plain = hand & ~suit_set(trumps)
    # The king of trumps counts as a king too.
    kings = hand & _KINGS
    queens = plain << 1 & _KINGS
    if number == 2:
        held = holding(plain, 1) | suit_set(trumps) & _KINGS
        good = queens & holding(plain, 2) | holding(plain, 3)
        return good != 0 or (kings != 0 and held != _KINGS)
    if number == 1:
        good = plain & queens & plain << 2 & _KINGS | queens & holding(plain, 3)
        return good != 0 or count(queens & holding(plain, 2)) >= 2
    return count(kings) + count(queens) >= 4


def should_refuse(hand: CardSet, trumps: Suit) -> bool:
    """Return True if a dealer with this hand should refuse a proposal."""
    if should_stand(hand, trumps):
        return True
    own_trumps = hand & suit_set(trumps)
    return count(own_trumps) == 2 and holding(hand ^ own_trumps, 2) != 0


def discards(hand: CardSet, trumps: Suit, maximum: int) -> CardSet:
    """Return the cards to discard in an exchange of at most `maximum` cards."""
    wanted = hand & ~suit_set(trumps) & ~_KINGS
    if not wanted:
        wanted = hand
        maximum = min(maximum, 1)
    if count(wanted) <= maximum:
        return wanted
    chosen = 0
    for _ in range(maximum):
        chosen |= 1 << cheapest_discard(wanted ^ chosen, hand, trumps)
    return chosen


def cheapest_discard(cards: CardSet, hand: CardSet, trumps: Suit) -> Card:
    """Return which of `cards` a player with this hand should discard first."""
    plain = cards & ~suit_set(trumps)
    if not plain:
        return lowest(cards)
    return highest(_in_shortest(_of_lowest_rank(plain), hand))


def usual_card(hand: CardSet, led: Card, trumps: Suit) -> Card:
    """Return the card to play to `led`, or to lead if it is `NO_CARD`."""
    return lead(hand, trumps) if led == NO_CARD else follow(hand, led, trumps)


def lead(hand: CardSet, trumps: Suit) -> Card:
    """Return the lead: the highest of three or more trumps, or of the longest plain suit."""
    own_trumps = hand & suit_set(trumps)
    plain = hand ^ own_trumps
    if plain == 0 or count(own_trumps) >= 3:
        return highest(own_trumps)
    length = 1
    while holding(plain, length + 1):
        length += 1
    longest = plain & (holding(plain, length) >> 7) * 255
    return lowest(longest & _SEVENS << highest(_ranks(longest)))


def follow(hand: CardSet, led: Card, trumps: Suit) -> Card:
    """Return the cheapest winning card, or else the cheapest card legal under both laws of play."""
    following = hand & suit_set(led >> 3)
    if following:
        return lowest(higher_cards(following, led) or following)
    ruff = hand & suit_set(trumps)
    if ruff:
        return lowest(ruff)
    return lowest(_in_shortest(_of_lowest_rank(hand), hand))


def holding(hand: CardSet, number: int) -> CardSet:
    """Return the king's bit of each suit in which the hand has at least `number` cards, 1 to 8.

    Counts the cards of all four suits at once, one byte for each (SWAR). Adding 128 minus the
    number carries into the king's bit if a count is large enough.
    """
    pairs = hand - (hand >> 1 & 0x55555555)
    fours = (pairs & 0x33333333) + (pairs >> 2 & 0x33333333)
    lengths = fours + (fours >> 4) & 0x0F0F0F0F
    return lengths + (128 - number) * _SEVENS & _KINGS


def _ranks(cards: CardSet) -> int:
    halves = cards | cards >> 16
    return (halves | halves >> 8) & 255


def _of_lowest_rank(cards: CardSet) -> CardSet:
    return cards & _SEVENS << lowest(_ranks(cards))


def _in_shortest(cards: CardSet, hand: CardSet) -> CardSet:
    """Return those of `cards`, all of one rank, whose suits are the shortest in the hand."""
    if cards & cards - 1 == 0:
        return cards
    down = 7 - (lowest(cards) & 7)
    length = 1
    while not cards & ~(holding(hand, length + 1) >> down):
        length += 1
    return cards & ~(holding(hand, length + 1) >> down)
