"""The expert's tables: information sets, the file that stores a value for each, and equities.

A decision of the exchange stage is identified by its *context* and the bucket of the hand. The
context is public: whether cards have been exchanged before, and how many the other side took last,
in three groups.

In a bucket, trumps are distinguished exactly, with the turned card removed from the ranking. In a
plain suit only king, queen and jack are distinguished; ace and ten are equivalent, and so are lower
cards. Plain suits are interchangeable. This maps the 169,911 hands with a given turn-up to 7,192
buckets.

A table file is shipped with the package, and `casino solve` makes others. It is a line of JSON
followed by compressed bytes, whose parts are the fields of `PackedTables`. Reading it needs no
compiler.

Lookups use only ints and indexing, so that plain Python can run them on lists and compiled code on
arrays.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib.resources import files
from itertools import accumulate, product
from pathlib import Path
from struct import unpack as unpack_numbers
from typing import Any, Final, NamedTuple, TypeAlias

from casino import ecarte
from casino.analysis import dd_index
from casino.analysis.dd_index import IntSequence, TrickTable
from casino.bots import rule_bot
from casino.ecarte import Card, CardSet, Laws, Suit, count, multiplier
from casino.ecarte.laws import ALLOWED
from casino.errors import InputError

HAND: Final = 5
CODES: Final = 96  # distinguishable holdings in a plain suit: 4 x 3 x 2 x 2 x 2
BUCKETS: Final = 7192
LEADS: Final = 23  # distinguishable leads
REST: Final = 4  # maximum number of tricks left after the current one
WHOLE: Final = 1 << 16  # a probability of 1


class Buckets(NamedTuple):
    """Lookup tables that map a hand to its bucket.

    `code` encodes a plain suit's cards, `rank` is a code's rank among codes of equally many cards,
    `pair` is the offset of the two highest codes, and `trumps` the offset of the trump holding.
    """

    code: IntSequence
    rank: IntSequence
    pair: IntSequence
    trumps: IntSequence


class PolicyTables(NamedTuple):
    """All tables of the expert.

    `endgame` holds, for each position with up to four cards a side, the probability that the leader
    takes at least one, two, three or four tricks. `leads` holds how often a hand leads each of its
    cards first. `bids`, `takes` and `equity` were solved for games to `target` points.
    """

    buckets: Buckets
    open_cards: TrickTable
    bids: IntSequence
    takes: IntSequence
    drawn: IntSequence
    equity: IntSequence
    endgame: IntSequence
    target: int
    leads: IntSequence


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
    """Return the index, in the bucket's row of `leads`, of a card led from a five-card hand.

    Trumps are distinguished exactly. Plain suits are ordered as in `bucket_of`, and each has five
    groups: low cards, ace and ten, jack, queen, king.
    """
    trumps, rank, suit, above = turn_up >> 3, card & 7, card >> 3, 0
    if suit == trumps:
        return rank - (1 if rank > turn_up & 7 else 0)
    mine = buckets.code[hand >> 8 * suit & 255] & 255
    for other in range(1, 4):
        above += 1 if buckets.code[hand >> 8 * (trumps ^ other) & 255] & 255 > mine else 0
    return 8 + 5 * above + (rank - 3 if rank > 4 else rank // 3)


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
    code = [
        (suit & 7).bit_count() + 4 * (suit & 24).bit_count() + 12 * (suit >> 5)
        for suit in range(256)
    ]
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
    trumps, at = [0] * 128, 0
    for cards in sorted(range(128), key=int.bit_count):
        if cards.bit_count() <= HAND:
            trumps[cards] = at
            at += plain_buckets[HAND - cards.bit_count()]
    return Buckets(code, index, pair, trumps)


GROUPS: Final = 3
SPEAK: Final = 0
ANSWER: Final = 1 + GROUPS
# Contexts of a yes-or-no decision: the elder's, then the dealer's.
BIDS: Final = 2 * (1 + GROUPS)
ELDER_TAKES: Final = 0
DEALER_TAKES: Final = 1 + GROUPS
TAKES: Final = 1 + 3 * GROUPS  # contexts with a choice of a number of cards
MAX_TAKEN: Final = 5  # cards that can be exchanged at once


def group(number: int) -> int:
    """Return the group for the number of cards taken: 0 for up to two, 1 for three, 2 for more."""
    return 0 if number <= 2 else 1 if number == 3 else 2


def bid_context(dealer: bool, exchanges: int, took: int) -> int:
    """Return the context in which the elder proposes or stands, or the dealer answers.

    `exchanges` counts the earlier exchanges; in the last one the other side took `took` cards.
    """
    first = ANSWER if dealer else SPEAK
    return first if exchanges == 0 else first + 1 + group(took)


def take_context(dealer: bool, exchanges: int, took: int) -> int:
    """Return the context in which a side chooses how many cards to exchange.

    The other side last took `took` cards. The elder exchanges first, so the dealer always knows.
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


NO_ROW: Final = -1


def bid_row(game: int, context: int) -> int:
    """Return the offset of a context's row in `PolicyTables.bids`."""
    return (game * BIDS + context) * BUCKETS


def take_row(game: int, context: int) -> int:
    """Return the offset of a context's row in `PolicyTables.takes`."""
    return (game * TAKES + context) * BUCKETS


def drawn_row(dealer: bool, number: int) -> int:
    """Return the offset in `PolicyTables.drawn` for a side that took `number` cards last."""
    return ((MAX_TAKEN if dealer else 0) + number - 1) * BUCKETS if number else NO_ROW


STEPS: Final = 16  # probabilities are given in sixteenths
MIXES: Final = 8  # frequencies of the second of two numbers: 0 to 7 sixteenths


class ExchangeState(NamedTuple):
    """The knowledge of a player who is about to propose, answer or exchange.

    `game` is the index of the score (see `game_of`). There were `exchanges` before; in the last one
    the other side took `took` cards.
    """

    game: int
    dealer: bool
    exchanges: int
    took: int
    hand: CardSet
    turn_up: Card


def bid_share(tables: PolicyTables, state: ExchangeState) -> int:
    """Return the probability, in sixteenths, that the player proposes or accepts."""
    row = bid_row(state.game, bid_context(state.dealer, state.exchanges, state.took))
    return tables.bids[row + bucket_of(tables.buckets, state.hand, state.turn_up)] & 255


def exchange_counts(tables: PolicyTables, state: ExchangeState) -> tuple[int, int, int]:
    """Return two numbers of cards to choose from, and the second's probability in sixteenths."""
    row = take_row(state.game, take_context(state.dealer, state.exchanges, state.took))
    packed = tables.takes[row + bucket_of(tables.buckets, state.hand, state.turn_up)] & 255
    choice = packed // MIXES
    return choice // MAX_TAKEN + 1, choice % MAX_TAKEN + 1, packed % MIXES


def draw_bid(tables: PolicyTables, state: ExchangeState, rng: ecarte.Rng) -> bool:
    """Return True if the player proposes or accepts. A certain choice draws no random number."""
    share = bid_share(tables, state)
    if 0 < share < STEPS:
        return rng.randrange(STEPS) < share
    return share > 0


def draw_discards(
    tables: PolicyTables, state: ExchangeState, stock: int, rng: ecarte.Rng
) -> CardSet:
    """Return the cards that the player discards."""
    number, other, share = exchange_counts(tables, state)
    if share > 0 and rng.randrange(STEPS) < share:
        number = other
    return cards_to_discard(state.hand, state.turn_up, number, ecarte.max_exchange(stock, HAND))


def cards_to_discard(hand: CardSet, turn_up: Card, number: int, most: int) -> CardSet:
    """Return the cards to discard in order to take `number` cards, or `most` if that is fewer."""
    return first_discards(discard_order(hand, turn_up >> 3), min(number, most))


SHIPPED: Final = "tables.xz"
VERSION: Final = 3
OUTCOMES: Final = 6  # the elder of this deal wins 1, 2 or 3 stakes, or the dealer does
ENDGAME_POSITIONS: Final = 13_461  # positions with up to four cards a side; those with five follow
MAX_POINTS: Final = max(ALLOWED["target"])  # the highest target that tables can have


class PackedTables(NamedTuple):
    """The parts of a table file: its line of JSON, and the others as bytes.

    `about` has the target score, the laws (not in old files) and the leaves (see `cfr.Leaves`).
    `bids` and `takes` are the exchange policy, `drawn` the likelihood of hands by cards taken,
    `strict` and `ordinary` the double-dummy tricks under both laws of play, `equity` the outcomes
    by score, and `endgame` and `leads` the statistics of the card play.
    """

    about: dict[str, Any]
    bids: bytes
    takes: bytes
    drawn: bytes
    strict: bytes
    ordinary: bytes
    equity: bytes
    endgame: bytes
    leads: bytes

    @property
    def target(self) -> int:
        """The target score that the tables were solved for."""
        return int(self.about["target"])


def part_sizes(target: int) -> list[int]:
    """Return the sizes in bytes of a table file's parts."""
    games = games_to(target)
    sizes = (games * BIDS * BUCKETS, games * TAKES * BUCKETS, 2 * MAX_TAKEN * BUCKETS)
    return [*sizes, 81_501, 81_501, 4 * games * OUTCOMES, REST * ENDGAME_POSITIONS, LEADS * BUCKETS]


def pack(packed: PackedTables) -> bytes:
    """Return the bytes of a table file."""
    about, *parts = packed
    head = json.dumps({"version": VERSION, **about}, sort_keys=True)
    return head.encode() + b"\n" + lzma.compress(b"".join(parts), preset=9 | lzma.PRESET_EXTREME)


def unpack(body: bytes, name: str) -> PackedTables:
    """Parse a table file. Raise `InputError` if it is damaged or its version is not supported."""
    head, _, rest = body.partition(b"\n")
    try:
        about = json.loads(head)
        version, target = about.pop("version"), about.get("target")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{name} is not a file of tables: give one made by casino solve") from None
    if version != VERSION:
        raise InputError(
            f"{name} has tables of version {str(version)[:20]}, but this program needs version "
            f"{VERSION}: solve it again"
        )
    lengths = part_sizes(target) if target in range(1, MAX_POINTS + 1) else []
    data = b""
    with suppress(lzma.LZMAError):
        data = lzma.decompress(rest)
    if not lengths or len(data) != sum(lengths):
        raise InputError(f"{name} is a damaged file of tables: solve it again")
    ends = list(accumulate(lengths))
    parts = (data[end - size : end] for size, end in zip(lengths, ends, strict=True))
    return PackedTables(about, *parts)


@cache
def load_packed(file: Path | None = None) -> PackedTables:
    """Return the parts of a table file, or of the shipped one. Raise `InputError` if unreadable."""
    if file is None:
        return unpack((files("casino.solver") / SHIPPED).read_bytes(), SHIPPED)
    try:
        return unpack(file.read_bytes(), str(file))
    except OSError as error:
        raise InputError(f"cannot read {file} ({error.strerror}): choose another file") from None


@cache
def leaf_values() -> list[int]:
    """Return the shipped trick probabilities in rows of six, in units of 1/`WHOLE`."""
    return [round(WHOLE * share) for share in load_packed().about["leaves"]]


@cache
def policy_tables(strict: bool, file: Path | None = None) -> PolicyTables:
    """Return the expert's tables, or those of `file`, in the form that uncompiled code reads."""
    packed = load_packed(file)
    tricks = packed.strict if strict else packed.ordinary
    table = dd_index.empty_table(strict)._replace(tricks=tricks)
    endgame = packed.endgame if strict else ordinary_endgame(packed)
    parts = (packed.bids, packed.takes, packed.drawn, elder_wins(packed))
    return PolicyTables(buckets(), table, *parts, endgame, packed.target, packed.leads)


def ordinary_endgame(packed: PackedTables) -> bytes:
    """Return `endgame` for the ordinary law of play, estimated from that for the strict law.

    The expert's games were counted under the strict law only. A position gets the mean of the
    strict positions with the same numbers of cards and double-dummy tricks.
    """
    rows = [packed.endgame[at : at + REST] for at in range(0, REST * ENDGAME_POSITIONS, REST)]
    sizes = [size for size in range(REST + 1) for _ in range(dd_index.count_positions(size))]
    alike: dict[tuple[int, int], list[bytes]] = {}
    for size, tricks, row in zip(sizes, packed.strict, rows, strict=False):
        alike.setdefault((size, tricks), []).append(row)
    means = {
        key: bytes(sum(column) // len(positions) for column in zip(*positions, strict=True))
        for key, positions in alike.items()
    }
    return b"".join(means[key] for key in zip(sizes, packed.ordinary, strict=False))


def outcomes(packed: PackedTables) -> list[tuple[int, ...]]:
    """Return the probabilities of all final results, in units of 1/`WHOLE`, by `game_of` index."""
    numbers = unpack_numbers(f"<{len(packed.equity) // 4}i", packed.equity)
    return [numbers[at : at + OUTCOMES] for at in range(0, len(numbers), OUTCOMES)]


def elder_wins(packed: PackedTables) -> list[int]:
    """Return the elder's win probabilities before the turn-up, by score, in units of 1/`WHOLE`."""
    rows, target = outcomes(packed), packed.target
    return [
        sum(_before(rows, elder, dealer, target, target)[:3]) // 8
        for elder, dealer in product(range(target), repeat=2)
    ]


EIGHTHS: Final = 8 * WHOLE
# Weights of a single, double and triple win by the elder, then by the dealer.
Ends: TypeAlias = tuple[int, ...]
Rows: TypeAlias = Any  # a list of such weights, or an array while they are being solved


def ends_before(elder: int, dealer: int, laws: Laws, rows: Rows | None = None) -> Ends:
    """Return the weight of each final result, out of `EIGHTHS`, at the start of a deal.

    `rows` holds the weights after the turn-up, out of `WHOLE` and by `game_of` index, as solved for
    these laws; None means the shipped ones.
    """
    target = laws.target
    if elder >= target:
        return _ended(multiplier(dealer) - 1)
    if dealer >= target:
        return _ended(2 + multiplier(elder))
    if rows is None:
        return _shipped_before(elder, dealer, target)
    return _before(rows, elder, dealer, target, target)


def ends_after(elder: int, dealer: int, laws: Laws, rows: Rows | None = None) -> Ends:
    """Return the weight of each final result, out of `EIGHTHS`, given the score after a deal."""
    if laws.deal == "house" or max(elder, dealer) >= laws.target:
        return ends_before(elder, dealer, laws, rows)
    # The elder deals next.
    known = ends_before(dealer, elder, laws, rows)
    return (*known[3:], *known[:3])


def ends_of(bins: Sequence[int], score: tuple[int, int], laws: Laws) -> tuple[float, ...]:
    """Return the probability of each final result, given the weights of the current deal's bins.

    `score` is that of elder and dealer, before this deal's tricks and announced king are added.
    Returns () if no bin has any weight.
    """
    ends = [0] * 6
    for index, weight in enumerate(bins):
        if weight:
            vulnerable, rest = divmod(index, 18)
            after = ecarte.score_after_deal(score, vulnerable, rest // 6, rest % 6, laws)
            for end, part in enumerate(ends_after(*after, laws)):
                ends[end] += weight * part
    whole = sum(ends)
    return tuple(part / whole for part in ends) if whole else ()


@cache
def _shipped_before(elder: int, dealer: int, target: int) -> Ends:
    return _before(outcomes(load_packed()), elder, dealer, target, TARGET)


def _before(rows: Rows, elder: int, dealer: int, target: int, solved: int) -> Ends:
    plain = rows[game_of(elder, dealer, target, False, solved)]
    if dealer + 1 < target:
        turned = rows[game_of(elder, dealer + 1, target, True, solved)]
    else:
        turned = tuple(part // 8 for part in _ended(2 + multiplier(elder)))
    # One turn-up in eight is a king.
    return tuple(7 * value + other for value, other in zip(plain, turned, strict=True))


def _ended(index: int) -> Ends:
    return tuple(EIGHTHS * (at == index) for at in range(6))
