"""How long it takes to enter, and to match and settle, galleries of 10,000 and of 100,000 bets.

The yardstick beside it, in the same run, is one plain pass over the same bets that adds up each
bettor's units in a dictionary: the least that any settlement must do.

    python bench/gallery.py
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable
from random import Random
from statistics import median
from time import perf_counter

from casino.betting import Bet, BetSizeLimits, BettingRules, Book, Cover, close, enter_bet, settle
from casino.ecarte import HOUSE

SEED = 1
LAPS = 9


def book_of(bets: int, matching: str) -> Book:
    """A book full of bets by half as many bettors."""
    rng = Random(SEED)
    entries = tuple(
        Bet(order, f"p{order >> 1}", order >> 1 & 1, rng.randrange(100, 100_000))
        for order in range(1, bets + 1)
    )
    limits = BetSizeLimits(1, 10**9, 10**9, 10**12)
    return Book("cat", 1000, BettingRules(matching=matching), limits, entries)


def add_up(book: Book) -> int:
    """The yardstick: every bettor's units in one dictionary."""
    units: Counter[str] = Counter()
    for bet in book.bets:
        units[bet.bettor] += bet.unit_cents
    return len(units)


def match_and_settle(book: Book) -> int:
    """Close the book and settle a triple game, all moves of chips included."""
    return len(settle(close(book, Cover()), HOUSE, 3).move.postings)


def enter_all(book: Book) -> int:
    """Enter the same bets one by one, each checked against those before it."""
    entered = book._replace(bets=())
    for _, bettor, side, unit_cents in book.bets:
        entered = enter_bet(entered, bettor, side, unit_cents, 10**9).book
    return len(entered.bets)


def milliseconds(work: Callable[[Book], int], book: Book) -> float:
    """How long one call takes."""
    gc.collect()
    start = perf_counter()
    work(book)
    return 1000 * (perf_counter() - start)


def main() -> None:
    """Print a line for each size and law: the median and the best lap, and the ratio."""
    print(f"{'bets':>8}  {'matching':<18} {'median ms':>9} {'best ms':>8} {'x one pass':>10}")
    for bets in (10_000, 100_000):
        for matching in ("pro_rata", "last_in_first_out"):
            book = book_of(bets, matching)
            laps = [
                (milliseconds(match_and_settle, book), milliseconds(add_up, book))
                for _ in range(LAPS)
            ]
            whole, least = (median(times) for times in zip(*laps, strict=True))
            best = min(lap[0] for lap in laps)
            print(f"{bets:>8,}  {matching:<18} {whole:>9.1f} {best:>8.1f} {whole / least:>10.1f}")
        each = 1000 * min(milliseconds(enter_all, book) for _ in range(LAPS)) / bets
        print(f"{bets:>8,}  entered one by one: {each:.1f} microseconds a bet at best")


if __name__ == "__main__":
    main()
