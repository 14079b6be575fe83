"""Rebuild the shipped chart of all hands: `python -m tools.chart_table`.

It also evaluates the rules of the old books: how many hands each rule plays, the minimum, mean and
maximum of the 65,780 hands that these beat with open cards, and how often the expert proposes.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from casino.ecarte import suit_of
from casino.solver.evaluation import hand_chart
from casino.solver.evaluation.hand_chart import OUTCOMES, PLANES, TURNED, HandClass, words_for
from casino.solver.evaluation.odds import count_class_tricks, opponent_hands
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


def exact() -> list[HandClass]:
    """Count the tricks of every class of hands with cards open."""
    table, (hands, sizes) = policy_tables(True).open_cards, hand_classes()
    elder, dealer = (
        map(tuple, count_class_tricks(table, hands, TURNED, leads).tolist())
        for leads in (True, False)
    )
    return list(map(HandClass, hands.tolist(), sizes.tolist(), elder, dealer))


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
    rows = exact()
    columns = [[row.elder[taken] for row in rows] for taken in range(OUTCOMES)]
    columns += [[row.dealer[taken] for row in rows] for taken in range(OUTCOMES)]
    families = [family(name, rows) for name in RULES]
    body = pack([row.hand for row in rows], [row.hands for row in rows], columns, families)
    FILE.write_bytes(body)
    print(f"{FILE}: {len(body)} bytes")
    print(*families, sep="\n")


if __name__ == "__main__":
    main()
