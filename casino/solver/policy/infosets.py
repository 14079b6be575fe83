"""Information sets of the exchange stage: who decides, and what that player knows.

A decision is identified by its *context* and the bucket of the hand. The context is public: whether
cards have been exchanged before, and how many the other side took last, in three groups. Plain
Python and compiled code use the same functions.
"""

from __future__ import annotations

from typing import Final

from casino.ecarte import Card, CardSet
from casino.solver.policy.abstraction import BUCKETS, bucket_of, discard_order, first_discards
from casino.solver.policy.play_policy import PolicyTables

GROUPS: Final = 3
SPEAK: Final = 0
ANSWER: Final = 1 + GROUPS
# Contexts of a yes-or-no decision: the elder's, then the dealer's.
BIDS: Final = 2 * (1 + GROUPS)
ELDER_TAKES: Final = 0
DEALER_TAKES: Final = 1 + GROUPS
TAKES: Final = 1 + 3 * GROUPS  # contexts with a choice of a number of cards
MOST: Final = 5  # cards a hand can give up


def group(number: int) -> int:
    """Return the group for the number of cards taken: 0 for up to two, 1 for three, 2 for more."""
    if number <= 2:
        return 0
    return 1 if number == 3 else 2


def bid_context(dealer: bool, exchanges: int, took: int) -> int:
    """Return the context in which the elder proposes or stands, or the dealer answers.

    The other side took `took` cards in the last of the `exchanges` before.
    """
    first = ANSWER if dealer else SPEAK
    return first if exchanges == 0 else first + 1 + group(took)


def take_context(dealer: bool, exchanges: int, took: int) -> int:
    """Return the context in which a side chooses how many cards to exchange.

    The other side took `took` cards last; the elder exchanges first, so the dealer always knows.
    """
    if dealer:
        return DEALER_TAKES + (GROUPS if exchanges > 0 else 0) + group(took)
    return ELDER_TAKES if exchanges == 0 else ELDER_TAKES + 1 + group(took)


TARGET: Final = 5  # the target score of the shipped tables


def games_to(target: int) -> int:
    """Return the number of scores in the tables, each counted with and without a king turned up."""
    return 2 * target * target


def game_of(elder: int, dealer: int, target: int, king: bool, solved: int = TARGET) -> int:
    """Return the table index of a score, which includes the point for a king turned up.

    Scores are matched by the points still needed, because tables were solved for games to `solved`
    points. A side that needs more points than that is treated as having 0.
    """
    mine = max(0, solved - target + elder)
    theirs = max(0, solved - target + dealer)
    return 2 * (solved * mine + theirs) + (1 if king else 0)


def bid_row(game: int, context: int, buckets: int) -> int:
    """Return the offset of a context's row in `PolicyTables.bids`."""
    return (game * BIDS + context) * buckets


def take_row(game: int, context: int, buckets: int) -> int:
    """Return the offset of a context's row in `PolicyTables.takes`."""
    return (game * TAKES + context) * buckets


def drawn_row(dealer: bool, number: int, buckets: int) -> int:
    """Return the offset in `PolicyTables.drawn` for a side that took `number` cards last."""
    return ((MOST if dealer else 0) + number - 1) * buckets


STEPS: Final = 16  # probabilities are given in sixteenths
MIXES: Final = 8  # frequencies of the second of two numbers: 0 to 7 sixteenths


def bid_share(tables: PolicyTables, game: int, context: int, hand: CardSet, turn_up: Card) -> int:
    """Return the probability, in sixteenths, that the player proposes or accepts."""
    bucket = bucket_of(tables.buckets, hand, turn_up)
    return tables.bids[bid_row(game, context, BUCKETS) + bucket] & 255


def exchange_counts(
    tables: PolicyTables, game: int, context: int, hand: CardSet, turn_up: Card
) -> tuple[int, int, int]:
    """Return two numbers of cards to choose from, and the second's probability in sixteenths."""
    bucket = bucket_of(tables.buckets, hand, turn_up)
    packed = tables.takes[take_row(game, context, BUCKETS) + bucket] & 255
    choice = packed // MIXES
    return choice // MOST + 1, choice % MOST + 1, packed % MIXES


def cards_to_discard(hand: CardSet, turn_up: Card, number: int, most: int) -> CardSet:
    """Return the cards to discard in order to take `number` cards, or `most` if that is fewer."""
    return first_discards(discard_order(hand, turn_up >> 3), min(number, most))
