"""Compiled bots: the rule of thumb, and the novice's random choices.

Each function takes a bot's number, the cards its seat sees, and its random source, which is a key
and the number of the next draw. It returns the choice and the new number of the next draw.
"""

from __future__ import annotations

from numba.extending import register_jitable

from casino.analysis.numba_support import register_for_numba
from casino.bots import heuristics
from casino.ecarte import legal_replies, max_exchange, min_exchange
from casino.ecarte.cards import Card, CardSet, Suit, count, highest
from casino.simulate.compiled.splitmix import below

register_for_numba(heuristics)

NOVICE, REGLE = range(2)  # the bots this module knows


@register_jitable(forceinline=True)
def card_at(cards: CardSet, index: int) -> Card:
    """Return the card at an index of a set, in the order of `cards_in`."""
    suit = 0
    while index >= count(cards >> 8 * suit & 255):
        index -= count(cards >> 8 * suit & 255)
        suit += 1
    left = cards >> 8 * suit & 255
    for _ in range(index):
        left ^= 1 << highest(left)
    return 8 * suit + highest(left)


@register_jitable(forceinline=True)
def proposes(bot: int, hand: CardSet, trumps: Suit, key: int, number: int) -> tuple[bool, int]:
    """Return whether the elder proposes, and the number of the next draw."""
    if bot != NOVICE:
        return not heuristics.should_stand(hand, trumps), number
    drawn, number = below(key, number, 2)
    return drawn == 1, number


@register_jitable(forceinline=True)
def refuses(bot: int, hand: CardSet, trumps: Suit, key: int, number: int) -> tuple[bool, int]:
    """Return whether the dealer refuses a proposal, and the number of the next draw."""
    if bot != NOVICE:
        return heuristics.should_refuse(hand, trumps), number
    drawn, number = below(key, number, 2)
    return drawn == 0, number


@register_jitable(forceinline=True)
def discards(
    bot: int, hand: CardSet, trumps: Suit, stock: int, key: int, number: int
) -> tuple[CardSet, int]:
    """Return the cards that a seat discards, and the number of the next draw."""
    most = max_exchange(stock, count(hand))
    if bot != NOVICE:
        return heuristics.discards(hand, trumps, most), number
    least = min_exchange(stock)
    wanted, number = below(key, number, most - least + 1)
    left = hand
    for _ in range(least + wanted):
        index, number = below(key, number, count(left))
        left ^= 1 << card_at(left, index)
    return hand ^ left, number


@register_jitable(forceinline=True)
def lead(bot: int, hand: CardSet, trumps: Suit, key: int, number: int) -> tuple[Card, int]:
    """Return the card that a seat leads, and the number of the next draw."""
    if bot != NOVICE:
        return heuristics.lead(hand, trumps), number
    index, number = below(key, number, count(hand))
    return card_at(hand, index), number


@register_jitable(forceinline=True)
def reply(
    bot: int, hand: CardSet, led: Card, trumps: Suit, strict: bool, key: int, number: int
) -> tuple[Card, int]:
    """Return the card that a seat plays in reply, and the number of the next random draw."""
    if bot != NOVICE:
        return heuristics.follow(hand, led, trumps, strict), number
    legal = legal_replies(hand, led, trumps, strict)
    index, number = below(key, number, count(legal))
    return card_at(legal, index), number
