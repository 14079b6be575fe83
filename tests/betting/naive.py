"""Naive matching and settlement: fractions, one cent at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import floor
from typing import NamedTuple


class Entry(NamedTuple):
    """A bet: bettor, side (`house` or `challenger`) and unit."""

    bettor: str
    side: str
    unit: int


def total(entries: Sequence[Entry], side: str) -> int:
    return sum(entry.unit for entry in entries if entry.side == side)


def in_proportion(units: Sequence[int], goal: int) -> list[int]:
    if not units:
        return []
    shares = [Fraction(unit * goal, sum(units)) for unit in units]
    kept = [floor(share) for share in shares]
    while sum(kept) < goal:
        wants = [share - cents for share, cents in zip(shares, kept, strict=True)]
        kept[wants.index(max(wants))] += 1
    return kept


def last_first(units: Sequence[int], goal: int) -> list[int]:
    """Match the entries in order until nothing is left."""
    kept: list[int] = []
    for unit in units:
        kept.append(min(unit, goal - sum(kept)))
    return kept


def matched(entries: Sequence[Entry], law: str) -> list[int]:
    goal = min(total(entries, "house"), total(entries, "challenger"))
    cut = in_proportion if law == "pro_rata" else last_first
    sides = {
        side: iter(cut([entry.unit for entry in entries if entry.side == side], goal))
        for side in ("house", "challenger")
    }
    return [next(sides[entry.side]) for entry in entries]


def won(entries: Sequence[Entry], law: str, winner: str, multiplier: int, bp: int) -> Counter[str]:
    """Return each bettor's gain or loss, and the commission."""
    balance: Counter[str] = Counter()
    for entry, unit in zip(entries, matched(entries, law), strict=True):
        if entry.side == winner:
            fee = floor(Fraction(multiplier * unit * bp, 10_000))
            balance[entry.bettor] += multiplier * unit - fee
            balance["commission"] += fee
        else:
            balance[entry.bettor] -= multiplier * unit
    return balance
