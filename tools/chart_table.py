"""Rebuild the shipped chart of all hands: `python -m tools.chart_table`.

It also evaluates the rules of the old books: how many hands each rule plays, the minimum, mean and
maximum of the 65,780 hands that these beat with open cards, and how often the expert proposes.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from casino.analysis.dd_index import MAX_CARDS, TrickTable
from casino.analysis.numba_support import compiled
from casino.ecarte import Card, CardSet, Suit, count, suit_of
from casino.solver.evaluation import hand_chart
from casino.solver.evaluation.hand_chart import PLANES, TURNED, HandClass, words_for
from casino.solver.evaluation.odds import ALL_CARDS, opponent_hands
from casino.solver.policy.compiled_tables import policy_tables

FILE = Path(hand_chart.__file__).parents[1] / hand_chart.SHIPPED
KING, QUEEN, JACK = 1 << 7, 1 << 6, 1 << 5
COURT = KING | QUEEN | JACK


def _plain(hand: int) -> list[int]:
    return [hand >> 8 * suit & 255 for suit in (1, 2, 3)]


def _trumps(hand: int) -> int:
    return (hand & 255).bit_count()


def _kings(hand: int) -> int:
    return sum(hand >> 8 * suit + 7 & 1 for suit in range(4))


def _guarded(suit: int, cards: int = 2) -> bool:
    return bool(suit & QUEEN) and suit.bit_count() >= cards


RULES: dict[str, Callable[[int], bool]] = {
    "three_trumps": lambda hand: _trumps(hand) >= 3,
    "king_and_void": lambda hand: _trumps(hand) == 2 and _kings(hand) > 0 and 0 in _plain(hand),
    "guarded_queen": lambda hand: _trumps(hand) == 2 and any(map(_guarded, _plain(hand))),
    "three_of_a_suit": lambda hand: (
        _trumps(hand) == 2 and any(suit.bit_count() >= 3 for suit in _plain(hand))
    ),
    "king_queen_jack": lambda hand: (
        _trumps(hand) == 1 and any(suit & COURT == COURT for suit in _plain(hand))
    ),
    "third_queen": lambda hand: _trumps(hand) == 1 and any(_guarded(s, 3) for s in _plain(hand)),
    "guarded_queens": lambda hand: _trumps(hand) == 1 and sum(map(_guarded, _plain(hand))) >= 2,
    "court_cards": lambda hand: (
        _trumps(hand) == 0
        and sum((suit & (KING | QUEEN)).bit_count() for suit in _plain(hand)) >= 4
    ),
}
"""The rules of thumb on which the old books play without proposing."""


def hand_classes() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a hand of each class, those with the most trumps first, and the classes' sizes."""
    dealt, trumps = opponent_hands(0, TURNED), suit_of(TURNED)
    held = dealt >> 8 * trumps & 255
    third, second, first = np.sort([dealt >> 8 * suit & 255 for suit in (1, 2, 3)], axis=0)
    number = np.bitwise_count(held).astype(np.int64)
    key = number << 32 | held << 24 | first << 16 | second << 8 | third
    keys, sizes = np.unique(key, return_counts=True)
    bytes_of = keys[::-1, None] >> np.array([24, 16, 8, 0]) & 255
    return (bytes_of << 8 * np.arange(4)).sum(axis=1), sizes[::-1]


@compiled
def count_tricks(
    table: TrickTable, hand: CardSet, free: CardSet, trumps: Suit, leads: bool
) -> NDArray[np.int64]:
    """Count the opposing hands drawn from `free` against which the holder takes 0 to 5 tricks.

    `leads` is true if the holder leads first. Opposing cards that lie between the same two of the
    holder's cards are equivalent, so counting suit by suit takes a few thousand lookups instead of
    65,780.
    """
    suits = (
        _by_number(table, hand, free, trumps, leads),
        _by_number(table, hand, free, trumps ^ 1, leads),
        _by_number(table, hand, free, trumps ^ 2, leads),
        _by_number(table, hand, free, trumps ^ 3, leads),
    )
    counts = np.zeros(MAX_CARDS + 1, np.int64)
    for first in range(MAX_CARDS + 1):
        for second in range(MAX_CARDS + 1 - first):
            for third in range(MAX_CARDS + 1 - first - second):
                fourth = MAX_CARDS - first - second - third
                _count_shape(table, suits, (first, second, third, fourth), counts)
    # The counts are of the leader's tricks; the follower takes the others.
    return counts if leads else counts[::-1].copy()


class SuitRows(NamedTuple):
    """The possible marks for one suit, grouped by the number of cards the opponent holds in it.

    The rows for k cards are `ends[k]` to `ends[k + 1]`; `times` is the number of sets of k cards
    that have these marks.
    """

    held: int
    marks: NDArray[np.int64]
    times: NDArray[np.int64]
    ends: NDArray[np.int64]


@register_jitable
def _by_number(
    table: TrickTable, hand: CardSet, free: CardSet, suit: Suit, leads: bool
) -> SuitRows:
    own, theirs = hand >> 8 * suit & 255, free >> 8 * suit & 255
    marks, times = np.zeros(256, np.int64), np.zeros(256, np.int64)
    ends = np.zeros(MAX_CARDS + 2, np.int64)
    end = 0
    for number in range(MAX_CARDS + 1):
        ends[number] = end
        chosen = theirs
        while True:
            if count(chosen) == number:
                code = table.suits[own << 8 | chosen if leads else chosen << 8 | own]
                at = ends[number]
                while at < end and marks[at] != code >> 4:
                    at += 1
                marks[at] = code >> 4
                times[at] += 1
                end = max(end, at + 1)
            if chosen == 0:
                break
            # The next smaller subset of `theirs`.
            chosen = (chosen - 1) & theirs
    ends[MAX_CARDS + 1] = end
    return SuitRows(count(own), marks, times, ends)


@register_jitable
def _count_shape(
    table: TrickTable,
    suits: tuple[SuitRows, SuitRows, SuitRows, SuitRows],
    numbers: tuple[int, int, int, int],
    counts: NDArray[np.int64],
) -> None:
    a, b, c, d = suits
    len_b, len_c, len_d = b.held + numbers[1], c.held + numbers[2], d.held + numbers[3]
    start = table.starts[(((a.held + numbers[0]) * 9 + len_b) * 9 + len_c) * 9 + len_d]
    for at_a in range(a.ends[numbers[0]], a.ends[numbers[0] + 1]):
        row_a = 1 << a.held + numbers[0] | a.marks[at_a]
        for at_b in range(b.ends[numbers[1]], b.ends[numbers[1] + 1]):
            row_b = row_a << len_b | b.marks[at_b]
            times_b = a.times[at_a] * b.times[at_b]
            for at_c in range(c.ends[numbers[2]], c.ends[numbers[2] + 1]):
                row_c = (row_b << len_c | c.marks[at_c]) << len_d
                times_c = times_b * c.times[at_c]
                for at_d in range(d.ends[numbers[3]], d.ends[numbers[3] + 1]):
                    index = start + table.ranks[np.uint64(row_c | d.marks[at_d])]
                    counts[table.tricks[np.uint64(index)]] += times_c * d.times[at_d]


@compiled
def count_class_tricks(
    table: TrickTable, hands: NDArray[np.int64], turn_up: Card, leads: bool
) -> NDArray[np.int64]:
    """Return, for each hand, the counts of opposing hands against which it takes 0 to 5 tricks."""
    counts = np.zeros((len(hands), MAX_CARDS + 1), np.int64)
    for at in range(len(hands)):
        free = ALL_CARDS & ~hands[at] & ~(1 << turn_up)
        row = count_tricks(table, hands[at], free, turn_up >> 3, leads)
        # Assigning the whole row makes numba spend seconds on compiling an error message.
        for taken in range(MAX_CARDS + 1):
            counts[at, taken] = row[taken]
    return counts


def count_all_tricks(hands: NDArray[np.int64], strict: bool) -> NDArray[np.int64]:
    """Count the tricks of hands as elder and as dealer, with cards open, in a column for each."""
    table = policy_tables(strict).open_cards
    roles = [count_class_tricks(table, hands, TURNED, leads) for leads in (True, False)]
    return np.concatenate(roles, axis=1).T


def family(name: str, rows: list[HandClass]) -> dict[str, Any]:
    """Evaluate a rule of the books over all hands that it plays."""
    played = [row for row in rows if RULES[name](row.hand)]
    hands = sum(row.hands for row in played)
    weakest = min(played, key=lambda row: row.elder_wins)
    level = [words_for(row.hand, TURNED)[0]["proposes"] for row in played]
    proposes = sum(row.hands * word for row, word in zip(played, level, strict=True))
    return {
        "name": name,
        "hands": hands,
        "least": weakest.elder_wins,
        "weakest": weakest.text,
        "mean": sum(row.hands * row.elder_wins for row in played) // hands,
        "most": max(row.elder_wins for row in played),
        "losing": sum(row.hands for row in played if 2 * row.elder_wins < hand_chart.OPPONENTS),
        "proposes": round(proposes / hands, 4),
    }


def pack(
    hands: Sequence[int],
    sizes: Sequence[int],
    tricks: Sequence[Sequence[int]],
    families: list[dict[str, Any]],
) -> bytes:
    """Return the bytes of a chart file: a line of JSON, then columns split into byte planes."""
    body = (
        _planes(hands, 4) + bytes(sizes) + b"".join(_planes(numbers, PLANES) for numbers in tricks)
    )
    head = json.dumps({"families": families}, sort_keys=True).encode()
    return head + b"\n" + lzma.compress(body, preset=9 | lzma.PRESET_EXTREME)


def _planes(numbers: Sequence[int], planes: int) -> bytes:
    return b"".join(
        bytes(number >> 8 * plane & 255 for number in numbers) for plane in range(planes)
    )


def main() -> None:
    """Write the chart."""
    hands, sizes = hand_classes()
    strict, ordinary = (count_all_tricks(hands, is_strict) for is_strict in (True, False))
    elder, dealer = (map(tuple, part.T.tolist()) for part in np.split(strict, 2))
    rows = list(map(HandClass, hands.tolist(), sizes.tolist(), elder, dealer))
    families = [family(name, rows) for name in RULES]
    # The two laws seldom differ, so the differing bits take a fifth of the room.
    columns = [*strict.tolist(), *(strict ^ ordinary).tolist()]
    body = pack(hands.tolist(), sizes.tolist(), columns, families)
    FILE.write_bytes(body)
    print(f"{FILE}: {len(body)} bytes")
    print(*families, sep="\n")


if __name__ == "__main__":
    main()
