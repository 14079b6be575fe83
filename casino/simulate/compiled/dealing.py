"""Dealing and cutting in compiled code: the hands dealt, and who deals first."""

from __future__ import annotations

from numba.extending import register_jitable

from casino.ecarte import CardSet
from casino.ecarte.rules import HOUSE, NO_SEAT, Seat, cut_dealer
from casino.simulate.compiled.splitmix import BLOCKS, Deck, shuffle


@register_jitable(forceinline=True)
def hands_dealt(size: int, elder_places: int, deck: Deck) -> tuple[CardSet, CardSet]:
    """Return the hands of the elder, whose places in the deck are given, and of the dealer."""
    elder = 0
    both = 0
    for index in range(2 * size):
        bit = 1 << deck[index]
        both |= bit
        elder |= bit & -(elder_places >> index & 1)
    return elder, both ^ elder


@register_jitable(forceinline=True)
def cut_first(deck: Deck, key: int) -> Seat:
    """Return the first dealer by the cut: the pack of a key, two cards at a time."""
    for card in range(len(deck)):
        deck[card] = card
    for block in range(len(BLOCKS) - 1):
        shuffle(deck, key, block)
        # A pair that lies in two blocks is cut once the second of them is shuffled.
        for index in range(BLOCKS[block] // 2, BLOCKS[block + 1] // 2):
            dealer = cut_dealer(deck[2 * index], deck[2 * index + 1])
            if dealer != NO_SEAT:
                return dealer
    return HOUSE
