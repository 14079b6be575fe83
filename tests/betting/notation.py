"""Notation for betting tests: one line per case, expected results in the last columns.

Bets are written `ann H 1000; ben C 400` (H house, C challenger), postings `escrow/ann -2100`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from casino import betting
from casino.ecarte import CHALLENGER, HOUSE

Rows: TypeAlias = list[tuple[Any, ...]]

SIDES = {"H": HOUSE, "C": CHALLENGER}
LIFO = "last_in_first_out"
FIVE = "ann H 1000; ben C 400; cy H 500; dee C 300; eve H 200"


def book_of(bets: str, stake_cents: int = 0, **laws: Any) -> betting.Book:
    rows = [line.split() for line in bets.split(";") if line.strip()]
    entries = tuple(
        betting.Bet(order, bettor, SIDES[side], int(unit))
        for order, (bettor, side, unit) in enumerate(rows, 1)
    )
    limits = betting.BetSizeLimits(1, 10**30, 10**30, 10**30)
    return betting.Book("cat", stake_cents, betting.BettingRules(**laws), limits, entries)


def outcomes_text(outcomes: Any) -> str:
    return "; ".join(
        f"{one.bet.bettor} {one.gain_cents:+}"
        + (f" {-fee}" if (fee := one.commission_cents) else "")
        for one in outcomes
    )


def move_text(move: Any) -> str:
    postings = (f"{account}/{owner} {cents:+}" for account, owner, cents in move.postings)
    return "; ".join([f"{move.kind}:", *postings]).replace(":;", ":")
