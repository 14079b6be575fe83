"""The rule of thumb, to the last tie: what `regle` does with a hand, on bit sets of cards.

It does the same at every stage of a deal and at every score. Like the rules, these functions
use ints alone, so that plain Python and compiled code call the same ones.

What is true of a suit is written into the bit of that suit's king: `holding(hand, 2)` has
the king's bit of every suit in which the hand has two cards or more. Such sets combine with
those of the kings themselves, and of the queens and jacks moved up to the king's bit.
"""

from __future__ import annotations

from typing import Final

from casino.ecarte.cards import Card, CardSet, Suit, count, highest, lowest
from casino.ecarte.rules import higher_cards, legal_replies, suit_set

_KINGS: Final = 0x80808080
_SEVENS: Final = 0x01010101


def should_stand(hand: CardSet, trumps: Suit) -> bool:
    """Whether a hand is in the table of hands to stand on; any king counts as a king."""
    number = count(hand & suit_set(trumps))
    if number >= 3:
        return True
    plain = hand & ~suit_set(trumps)
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
    """Whether the dealer refuses a proposal with this hand."""
    if should_stand(hand, trumps):
        return True
    mine = hand & suit_set(trumps)
    return count(mine) == 2 and holding(hand ^ mine, 2) != 0


def discards(hand: CardSet, trumps: Suit, most: int) -> CardSet:
    """The cards given up in an exchange of at most this many."""
    wanted = hand & ~suit_set(trumps) & ~_KINGS
    if not wanted:
        wanted = hand
        most = min(most, 1)
    if count(wanted) <= most:
        return wanted
    chosen = 0
    for _ in range(most):
        chosen |= 1 << cheapest_discard(wanted ^ chosen, hand, trumps)
    return chosen


def cheapest_discard(some: CardSet, hand: CardSet, trumps: Suit) -> Card:
    """The card of `some` that a hand would rather lose than any other of them."""
    plain = some & ~suit_set(trumps)
    if not plain:
        return lowest(some)
    return highest(_in_shortest(_of_lowest_rank(plain), hand))


def lead(hand: CardSet, trumps: Suit) -> Card:
    """The card led."""
    mine = hand & suit_set(trumps)
    plain = hand ^ mine
    if plain == 0 or count(mine) >= 3:
        return highest(mine)
    length = 1
    while holding(plain, length + 1):
        length += 1
    longest = plain & (holding(plain, length) >> 7) * 255
    return lowest(longest & _SEVENS << highest(_ranks(longest)))


def follow(hand: CardSet, led: Card, trumps: Suit, strict: bool) -> Card:
    """The card played to the one led: the cheapest that wins, or else the cheapest."""
    legal = legal_replies(hand, led, trumps, strict)
    higher = higher_cards(legal, led)
    if higher:
        return lowest(higher)
    following = legal & suit_set(led >> 3)
    if following:
        return lowest(following)
    ruff = legal & suit_set(trumps)
    if ruff:
        return lowest(ruff)
    return lowest(_in_shortest(_of_lowest_rank(legal), hand))


def holding(hand: CardSet, number: int) -> CardSet:
    """The king's bit of each suit in which the hand has at least this many cards, 1 to 8.

    The cards of all four suits are counted at once, each count in a byte of its own; adding
    128 less the number carries a count that is large enough into the king's bit.
    """
    pairs = hand - (hand >> 1 & 0x55555555)
    fours = (pairs & 0x33333333) + (pairs >> 2 & 0x33333333)
    lengths = fours + (fours >> 4) & 0x0F0F0F0F
    return lengths + (128 - number) * _SEVENS & _KINGS


def _ranks(some: CardSet) -> int:
    """The ranks that occur in a set, as bits 0 to 7."""
    halves = some | some >> 16
    return (halves | halves >> 8) & 255


def _of_lowest_rank(some: CardSet) -> CardSet:
    """The cards of a set whose rank is the lowest in it."""
    return some & _SEVENS << lowest(_ranks(some))


def _in_shortest(some: CardSet, hand: CardSet) -> CardSet:
    """Those of some cards, all of one rank, whose suits are the shortest in the hand."""
    if some & some - 1 == 0:
        return some
    down = 7 - (lowest(some) & 7)
    length = 1
    while not some & ~(holding(hand, length + 1) >> down):
        length += 1
    return some & ~(holding(hand, length + 1) >> down)
