"""Chart of all hands, shipped as a file: double-dummy odds and the expert's decisions.

The 169,911 hands with a given turn-up form 31,913 classes. Two hands are in the same class if
swapping plain suits turns one into the other; the representative has its best plain suits first.
The turned card is out of play, so every turn-up has the same classes, tricks and order.

For each law of play, class and role, the file counts the opposing hands against which the class
takes 0 to 5 tricks. Reading it needs neither a compiler nor numpy. `python -m tools.chart_table`
rebuilds it.
"""

from __future__ import annotations

import json
import lzma
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import chain
from operator import xor
from typing import Any, Final, NamedTuple

from casino import ecarte
from casino.bots import rule_bot
from casino.ecarte.cards import Card, CardSet, parse_record_cards
from casino.errors import CardsError
from casino.solver.policy import tables
from casino.solver.policy.tables import ANSWER, HAND, SPEAK, STEPS, TARGET, load_packed

SHIPPED: Final = "chart.xz"
OPPONENTS: Final = 65_780
CLASSES: Final = 31_913
OUTCOMES: Final = 6
TURNED: Final = 0  # the file's turn-up: the seven of spades; any other has the same classes
_SUIT: Final = 255
PLANES: Final = 3  # bytes per count


class HandClass(NamedTuple):
    """A class of equivalent hands: an example, the class size, and trick counts in each role."""

    hand: CardSet
    hands: int
    elder: tuple[int, ...]
    dealer: tuple[int, ...]
    turn_up: Card = TURNED

    @property
    def trumps(self) -> int:
        """The number of trumps in the hand."""
        return ecarte.count(self.hand & ecarte.suit_set(self.turn_up >> 3))

    @property
    def elder_wins(self) -> int:
        """The number of opposing hands against which the class wins the point as elder."""
        return sum(self.elder[3:])

    @property
    def dealer_wins(self) -> int:
        """The number of opposing hands against which the class wins the point as dealer."""
        return sum(self.dealer[3:])

    @property
    def regle(self) -> tuple[str, str]:
        """What `regle` decides as elder (stand or propose) and as dealer (refuse or accept)."""
        stands = rule_bot.should_stand(self.hand, self.turn_up >> 3)
        refuses = rule_bot.should_refuse(self.hand, self.turn_up >> 3)
        return "stand" if stands else "propose", "refuse" if refuses else "accept"

    @property
    def text(self) -> str:
        """The hand as old books print it: trumps, a slash, then the plain suits."""
        mine = self.hand & ecarte.suit_set(self.turn_up >> 3)
        sides = (ecarte.cards_in(cards) for cards in (mine, self.hand ^ mine))
        return " / ".join(" ".join(map(ecarte.format_card, side)) for side in sides).strip()


class Chart(NamedTuple):
    """The parsed chart file, with the trick counts of one law of play."""

    hands: Sequence[int]
    sizes: bytes
    tricks: Sequence[Sequence[int]]
    families: list[dict[str, Any]]
    places: dict[int, int]


@cache
def chart(strict: bool) -> Chart:
    """Return the shipped chart under a law of play, parsed on first use."""
    head, _, rest = (files("casino.solver") / SHIPPED).read_bytes().partition(b"\n")
    body = lzma.decompress(rest)
    size = PLANES * CLASSES
    tricks = body[5 * CLASSES :][: 2 * OUTCOMES * size]
    if not strict:
        # The ordinary law's tricks follow, as the bits in which they differ.
        tricks = bytes(map(xor, tricks, body[5 * CLASSES + len(tricks) :]))
    columns = [_column(tricks[at : at + size]) for at in range(0, len(tricks), size)]
    hands = _column(body[: 4 * CLASSES])
    places = {_class_of(hand, TURNED): at for at, hand in enumerate(hands)}
    sizes = body[4 * CLASSES : 5 * CLASSES]
    return Chart(hands, sizes, columns, json.loads(head)["families"], places)


def class_of(hand: CardSet, turn_up: Card) -> HandClass:
    """Return the class of a five-card hand that does not contain the turn-up."""
    whole = chart(True)
    return _row(whole, whole.places[_class_of(hand, turn_up)], hand, turn_up)


def classes(turn_up: Card = TURNED, strict: bool = True) -> Iterator[HandClass]:
    """Yield all hand classes with this card turned up, those with the most trumps first."""
    whole = chart(strict)
    return (_row(whole, at, _moved(hand, turn_up), turn_up) for at, hand in enumerate(whole.hands))


def scores_of(turn_up: Card) -> list[tuple[int, int]]:
    """Return all scores possible after this turn-up in a game to five, the elder's points first."""
    least = ecarte.turn_up_points(turn_up)
    return [(elder, dealer) for elder in range(TARGET) for dealer in range(least, TARGET)]


def expert_bids(hand: CardSet, turn_up: Card) -> list[list[int]]:
    """Return how often, in sixteenths, the expert proposes and accepts with a hand, by score."""
    return _bids_of(tables.bucket_of(tables.buckets(), hand, turn_up), turn_up)


@cache
def _bids_of(bucket: int, turn_up: Card) -> list[list[int]]:
    bids, king = load_packed().bids, ecarte.turn_up_points(turn_up) == 1
    games = [tables.game_of(*score, TARGET, king) for score in scores_of(turn_up)]
    return [
        [bids[tables.bid_row(game, context) + bucket] for game in games]
        for context in (SPEAK, ANSWER)
    ]


def words_for(hand: CardSet, turn_up: Card) -> list[dict[str, float]]:
    """Return, for each score, how often the expert makes and accepts a first proposal."""
    rows = zip(scores_of(turn_up), *expert_bids(hand, turn_up), strict=True)
    return [
        {"elder": elder, "dealer": dealer, "proposes": mine / STEPS, "accepts": theirs / STEPS}
        for (elder, dealer), mine, theirs in rows
    ]


def expert_percents(hand: CardSet, turn_up: Card) -> list[list[int]]:
    """Return how often, in percent, the expert proposes and accepts with a hand, by score."""
    return [[100 * share // STEPS for share in row] for row in expert_bids(hand, turn_up)]


def lookup(written: str, turned: str) -> dict[str, Any]:
    """Return a hand's chart entry as JSON values, with probabilities from 0 to 1.

    Raises `CardsError` for impossible cards.

    >>> lookup("7HKCQCJC7S", "8H")["elder"]
    [9156, 9450, 2450, 24930, 18507, 1287]
    """
    cards, turn_ups = parse_record_cards(written), parse_record_cards(turned)
    if len(cards) != HAND or len({*cards, *turn_ups}) != HAND + 1:
        raise CardsError("give five different cards, and one turn-up that is not among them")
    hand, turn_up = ecarte.card_set(cards), turn_ups[0]
    row = class_of(hand, turn_up)
    stands, refuses = row.regle
    return {
        "hand": ecarte.format_cards(ecarte.cards_in(hand)),
        "turn_up": ecarte.format_card(turn_up),
        "hands": row.hands,
        "opponents": OPPONENTS,
        "elder": list(row.elder),
        "dealer": list(row.dealer),
        "stands": stands == "stand",
        "refuses": refuses == "refuse",
        "words": words_for(hand, turn_up),
    }


def as_csv(rows: Iterable[HandClass], turn_up: Card = TURNED) -> Iterator[str]:
    """Yield a chart as lines of CSV with shares in percent."""
    tricks = [f"{role}_{taken}" for role in ("elder", "dealer") for taken in range(OUTCOMES)]
    scores = [f"{elder}-{dealer}" for elder, dealer in scores_of(turn_up)]
    columns = [f"{word}_{score}" for word in ("proposes", "accepts") for score in scores]
    first = ("hand", "trumps", "hands", "elder_wins", "dealer_wins")
    yield ",".join((*first, *tricks, "elder_regle", "dealer_regle", *columns)) + "\n"
    for row in rows:
        odds = (row.trumps, row.hands, row.elder_wins, row.dealer_wins, *row.elder, *row.dealer)
        values = (row.text, *odds, *row.regle, *chain(*expert_percents(row.hand, turn_up)))
        yield ",".join(map(str, values)) + "\n"


def _moved(hand: CardSet, turn_up: Card) -> CardSet:
    """Return one of the file's hands with the trumps that this turn-up leaves."""
    trumps, rank = turn_up >> 3, turn_up & 7
    live = (hand & _SUIT) >> 1
    moved = (live & (1 << rank) - 1 | live >> rank << rank + 1) << 8 * trumps
    plain = (suit for suit in range(4) if suit != trumps)
    return moved | sum((hand >> 8 * at & _SUIT) << 8 * suit for at, suit in enumerate(plain, 1))


def _row(whole: Chart, at: int, hand: CardSet, turn_up: Card) -> HandClass:
    tricks = tuple([column[at] for column in whole.tricks])
    return HandClass(hand, whole.sizes[at], tricks[:OUTCOMES], tricks[OUTCOMES:], turn_up)


def _class_of(hand: CardSet, turn_up: Card) -> int:
    trumps, rank = turn_up >> 3, turn_up & 7
    held = hand >> 8 * trumps & _SUIT
    # Without the turned card's rank, every turn-up has the same classes.
    live = held & (1 << rank) - 1 | held >> rank + 1 << rank
    plain = sorted(hand >> 8 * suit & _SUIT for suit in range(4) if suit != trumps)
    return live << 24 | plain[2] << 16 | plain[1] << 8 | plain[0]


def _column(planes: bytes) -> array[int]:
    whole = [planes[at : at + CLASSES] for at in range(0, len(planes), CLASSES)]
    # Numbers of three bytes are padded to four.
    whole += [bytes(CLASSES)] * (4 - len(whole))
    return array("L", (a | b << 8 | c << 16 | d << 24 for a, b, c, d in zip(*whole, strict=True)))
