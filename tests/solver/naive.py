"""Naive card values: every hand the opponent may hold, on names of cards."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from casino.analysis.dd_index import table_index
from casino.ecarte import card_set, cards
from casino.solver.policy import tables
from casino.solver.policy.play_policy import SURE
from casino.solver.policy.tables import REST
from tests.analysis.naive import replies
from tests.naive.basics import reply_wins

Names = frozenset[str]


class Spot(NamedTuple):
    """A player's hand, the card led (if any), and what is known of the rest."""

    hand: Names
    led: str | None
    trump: str
    strict: bool
    unseen: Names
    sure: Names
    size: int
    taken: int


def rest(leader: Names, other: Names, info: Spot) -> list[Fraction]:
    policy = tables.policy_tables(info.strict)
    leads, waits = (card_set(cards(" ".join(some))) for some in (leader, other))
    at = REST * table_index(policy.open_cards, leads, waits, "SHDC".index(info.trump))
    least = [SURE, *(policy.endgame[at + n] for n in range(REST)), 0]
    return [Fraction(least[n] - least[n + 1], SURE) for n in range(len(leader) + 1)]


def equity(info: Spot, mine: Names, other: Names, won: bool, equities: Sequence[int]) -> Fraction:
    """Return the equity after a trick that was won or lost."""
    if won:
        chances = rest(mine, other, info)
        return sum((p * equities[info.taken + 1 + n] for n, p in enumerate(chances)), Fraction(0))
    chances, left = rest(other, mine, info), len(mine)
    return sum((p * equities[info.taken + left - n] for n, p in enumerate(chances)), Fraction(0))


def values(info: Spot, equities: Sequence[int]) -> dict[str, Fraction]:
    """Return the mean value of each legal card over all equally likely hands."""
    found: dict[str, list[Fraction]] = {}
    for some in combinations(sorted(info.unseen), info.size):
        other = info.sure | frozenset(some)
        if info.led is None:
            for card in info.hand:
                kept, left = info.hand - {card}, []
                for reply in replies(other, card, info.trump, info.strict):
                    won = not reply_wins(card, reply, info.trump)
                    left.append(equity(info, kept, other - {reply}, won, equities))
                found.setdefault(card, []).append(min(left))
        else:
            for card in replies(info.hand, info.led, info.trump, info.strict):
                won = reply_wins(info.led, card, info.trump)
                value = equity(info, info.hand - {card}, other, won, equities)
                found.setdefault(card, []).append(value)
    return {card: sum(some, Fraction(0)) / len(some) for card, some in found.items()}
