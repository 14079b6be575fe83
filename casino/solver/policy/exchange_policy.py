"""The expert's proposals and exchanges, by the tables; plain ints, also for compiled code."""

from __future__ import annotations

from typing import Final

from casino.ecarte import Card, CardSet
from casino.solver.policy.abstraction import KINDS, discard_order, first_discards, kind_of
from casino.solver.policy.infosets import MOST, take_row, word_row
from casino.solver.policy.play_policy import PolicyTables

STEPS: Final = 16  # probabilities are given in sixteenths

MIXES: Final = 8  # frequency of the second of two numbers, in sixteenths below one half


def second_word_share(
    tables: PolicyTables, game: int, context: int, hand: CardSet, turn_up: Card
) -> int:
    """Return in how many of 16 cases the second word is said: to propose, or to accept."""
    kind = kind_of(tables.kinds, hand, turn_up)
    return tables.words[word_row(game, context, KINDS) + kind] & 255


def exchange_counts(
    tables: PolicyTables, game: int, context: int, hand: CardSet, turn_up: Card
) -> tuple[int, int, int]:
    """Return how many cards to take, an alternative, and in how many of 16 cases that is taken."""
    kind = kind_of(tables.kinds, hand, turn_up)
    packed = tables.takes[take_row(game, context, KINDS) + kind] & 255
    choice = packed // MIXES
    return choice // MOST + 1, choice % MOST + 1, packed % MIXES


def cards_to_discard(hand: CardSet, turn_up: Card, number: int, most: int) -> CardSet:
    """Return the cards given up to take `number`, or fewer if the stock holds fewer."""
    return first_discards(discard_order(hand, turn_up >> 3), min(number, most))
