"""What a card is worth, the slow way: every hand the other side may hold, on names of cards."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from casino.ecarte import card_set, cards
from casino.solver.evaluation.endgame import position
from casino.solver.policy import tables
from casino.solver.policy.play_policy import REST, SURE
from tests.analysis.naive import beats, replies

Names = frozenset[str]


class Spot(NamedTuple):
    """A player's hand, the card led to him if there is one, and what is known of the rest."""

    hand: Names
    led: str | None
    trump: str
    strict: bool
    unseen: Names
    sure: Names
    size: int
    taken: int


def rest(leader: Names, other: Names, spot: Spot) -> list[Fraction]:
    brain = tables.policy_tables(spot.strict)
    leads, waits = (card_set(cards(" ".join(some))) for some in (leader, other))
    at = REST * position(brain.open_cards, leads, waits, "SHDC".index(spot.trump))
    least = [SURE, *(brain.rests[at + n] for n in range(REST)), 0]
    return [Fraction(least[n] - least[n + 1], SURE) for n in range(len(leader) + 1)]


def worth(spot: Spot, mine: Names, other: Names, won: bool, worths: Sequence[int]) -> Fraction:
    """What is left after a trick that was won or lost."""
    if won:
        chances = rest(mine, other, spot)
        return sum((p * worths[spot.taken + 1 + n] for n, p in enumerate(chances)), Fraction(0))
    chances, left = rest(other, mine, spot), len(mine)
    return sum((p * worths[spot.taken + left - n] for n, p in enumerate(chances)), Fraction(0))


def values(spot: Spot, worths: Sequence[int]) -> dict[str, Fraction]:
    """What each legal card is worth on the mean of all hands, all as likely."""
    found: dict[str, list[Fraction]] = {}
    for some in combinations(sorted(spot.unseen), spot.size):
        other = spot.sure | frozenset(some)
        if spot.led is None:
            for card in spot.hand:
                kept, left = spot.hand - {card}, []
                for reply in replies(other, card, spot.trump, spot.strict):
                    won = not beats(reply, card, spot.trump)
                    left.append(worth(spot, kept, other - {reply}, won, worths))
                found.setdefault(card, []).append(min(left))
        else:
            for card in replies(spot.hand, spot.led, spot.trump, spot.strict):
                won = beats(card, spot.led, spot.trump)
                value = worth(spot, spot.hand - {card}, other, won, worths)
                found.setdefault(card, []).append(value)
    return {card: sum(some, Fraction(0)) / len(some) for card, some in found.items()}
