"""Information sets of the exchange stage: who decides, and what that player knows.

A decision is identified by its *context* and the bucket of the hand. The context is public: whether
cards have been exchanged before, and how many the other side took last, in three groups.

In a bucket, trumps are distinguished exactly, with the turned card removed from the ranking. In a
plain suit only king, queen and jack are distinguished; ace and ten are equivalent, and so are lower
cards. Plain suits are interchangeable. This maps the 169,911 hands with a given turn-up to 7,192
buckets.

These functions use only ints and table lookups by index, so that plain Python can run them on lists
and compiled code on arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from casino.analysis.dd_index import IntSequence
from casino.bots import rule_bot
from casino.ecarte import Card, CardSet, Suit, count

if TYPE_CHECKING:
    from casino.solver.policy.play_policy import PolicyTables

HAND: Final = 5
CODES: Final = 96  # distinguishable holdings in a plain suit: 4 x 3 x 2 x 2 x 2
BUCKETS: Final = 7192
LEADS: Final = 23  # distinguishable leads


class Buckets(NamedTuple):
    """Lookup tables that map a hand to its bucket.

    `code` encodes a plain suit's cards, `rank` is a code's rank among codes of equally many cards,
    `pair` is the offset of the two highest codes, and `trumps` the offset of the trump holding.
    """

    code: IntSequence
    rank: IntSequence
    pair: IntSequence
    trumps: IntSequence


def bucket_of(buckets: Buckets, hand: CardSet, turn_up: Card) -> int:
    """Return the bucket of a five-card hand, from 0 to 7,191."""
    trumps = turn_up >> 3
    rank = turn_up & 7
    held = hand >> 8 * trumps & 255
    live = held & (1 << rank) - 1 | held >> rank + 1 << rank
    first = buckets.code[hand >> 8 * (trumps ^ 1) & 255] & 255
    second = buckets.code[hand >> 8 * (trumps ^ 2) & 255] & 255
    third = buckets.code[hand >> 8 * (trumps ^ 3) & 255] & 255
    # Sort the three plain suits, which are interchangeable.
    if first < second:
        first, second = second, first
    if second < third:
        second, third = third, second
    if first < second:
        first, second = second, first
    plain = HAND - count(live)
    start = buckets.pair[(plain * CODES + first) * CODES + second]
    return start + buckets.trumps[live] + buckets.rank[third]


def lead_index(buckets: Buckets, hand: CardSet, turn_up: Card, card: Card) -> int:
    """Return the index into `PolicyTables.leads` of a card led from a five-card hand.

    Trumps are distinguished exactly. Plain suits are ordered as in `bucket_of`, and each has five
    groups: low cards, ace and ten, jack, queen, king.
    """
    trumps, rank, suit, above = turn_up >> 3, card & 7, card >> 3, 0
    start = LEADS * bucket_of(buckets, hand, turn_up)
    if suit == trumps:
        return start + rank - (1 if rank > turn_up & 7 else 0)
    mine = buckets.code[hand >> 8 * suit & 255] & 255
    for other in range(1, 4):
        above += 1 if buckets.code[hand >> 8 * (trumps ^ other) & 255] & 255 > mine else 0
    return start + 8 + 5 * above + (rank - 3 if rank > 4 else rank // 3)


def discard_order(hand: CardSet, trumps: Suit) -> int:
    """Return the cards of a hand in discard order, five bits each, the first in the lowest bits."""
    order = 0
    left = hand
    for at in range(count(hand)):
        card = rule_bot.cheapest_discard(left, hand, trumps)
        left ^= 1 << card
        order |= card << 5 * at
    return order


def first_discards(order: int, number: int) -> CardSet:
    """Return the first `number` cards of a discard order, as a card set."""
    cards = 0
    for at in range(number):
        cards |= 1 << (order >> 5 * at & 31)
    return cards


@cache
def buckets() -> Buckets:
    """Return the lookup tables of `bucket_of`, as lists."""
    code = [_code(suit) for suit in range(256)]
    sizes = {code[suit]: suit.bit_count() for suit in range(256)}
    index = [0] * CODES
    by_size: list[list[int]] = [[] for _ in range(9)]
    for suit_code in range(CODES):
        index[suit_code] = len(by_size[sizes[suit_code]])
        by_size[sizes[suit_code]].append(suit_code)
    pair = [0] * (HAND + 1) * CODES * CODES
    plain_buckets = []
    for plain in range(HAND + 1):
        at = 0
        for first in range(CODES):
            for second in range(first + 1):
                left = plain - sizes[first] - sizes[second]
                if left >= 0:
                    pair[(plain * CODES + first) * CODES + second] = at
                    at += sum(third <= second for third in by_size[left])
        plain_buckets.append(at)
    return Buckets(code, index, pair, _trump_starts(plain_buckets))


def _code(suit: int) -> int:
    return (suit & 7).bit_count() + 4 * (suit & 24).bit_count() + 12 * (suit >> 5)


def _trump_starts(plain_buckets: Sequence[int]) -> list[int]:
    starts = [0] * 128
    at = 0
    for number in range(HAND + 1):
        for cards in range(128):
            if cards.bit_count() == number:
                starts[cards] = at
                at += plain_buckets[HAND - number]
    return starts


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
