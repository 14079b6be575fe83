"""How much an exact best response gains against the expert's card play.

Run it with `python -m bench.card_response`. For each hand of one side, hands of the
other are met, which play as the expert does. The best response knows how they play and sees the
cards as they fall; it looks for the plan that makes the point most often. What it gains over the
expert's own play, with the same hand against the same hands, is told in points made for each deal.
Nothing was said or exchanged, and nobody announces the king.

With `--drawn 0` all 65,780 hands are met and the gain is exact. Of hands drawn half are for finding
the plan and half for trying it: where it was found it gains too much, where it is tried too little,
and the truth lies between. Where many hands are met, each card is first tried against an eighth of
them, and only those go on that are not clearly worse.
"""

from __future__ import annotations

from itertools import combinations
from random import Random
from statistics import fmean, stdev
from typing import Any, Final, NamedTuple

import click
import numpy as np
from numba import njit

from casino.analysis.numba_support import borrow
from casino.ecarte import legal_replies, reply_wins, ruled_out
from casino.ecarte.cards import count, lowest
from casino.solver.expert_bot import EFFORT
from casino.solver.policy import compiled_tables as tables
from casino.solver.policy.play_policy import NO_ROW, ROOM, InfoState, best_card, card_values
from casino.solver.policy.tables import WHOLE

NO_LED: Final = -1
TRIED: Final = 8
MANY: Final = 1024
"""From so many hands on, cards are first tried against one of `TRIED` hands."""

CLEARLY: Final = 1.2
"""A card is clearly worse that makes so many times the root of the hands tried fewer points."""

TRUMPS: Final = 0
TURNED: Final = 0
"""Spades are trumps, the seven is turned up: a card as good as any other but the king."""


class Side(NamedTuple):
    """What a side has and knows: its hand, the one dealt, the other's cards, and its tricks.

    Of the other's cards: which were played, how (see `InfoState`), and what they refuted.
    """

    hand: int
    dealt: int
    met: int
    plays: int
    refuted: int
    taken: int


class Place(NamedTuple):
    """Where the walk is: the hands from one to another of a level, and the card led, if any.

    One value of whole numbers: constants that are handed on by themselves are compiled anew for
    each of them.
    """

    level: int
    first: int
    end: int
    led: int


class Tools(NamedTuple):
    """The expert's tables, what tricks are worth, and room to weigh cards."""

    brain: Any
    equities: Any
    pool: Any
    values: Any


@njit(nogil=True)
def _expert_card(tools: Tools, side: Side, led: int, size: int, legal: int, key: int) -> int:
    """What the expert plays who knows this of another hand of so many cards."""
    if legal & legal - 1 == 0:
        return lowest(legal)
    unseen = 0xFFFFFFFF & ~(side.dealt | side.met | side.refuted | 1 << TURNED)
    info = InfoState(
        side.hand, led, TURNED, True, side.met, 0, size, unseen, side.plays, side.taken,
        False, False, NO_ROW, False, NO_ROW,
    )  # fmt: skip
    tools.values[:] = 0
    card_values(tools.brain, info, tools.equities, EFFORT, key, tools.pool, tools.values)
    return best_card(info, tools.values)


@njit(nogil=True)
def _others_play(tools: Tools, levels: Any, place: Place, other: Side, size: int) -> None:
    """Choose a card for each hand that the other side may have; all know the same besides."""
    level, led = place.level, place.led
    for at in range(place.first, place.end):
        hand, dealt = levels[0][level, at], levels[1][level, at]
        side = Side(hand, dealt, other.met, other.plays, other.refuted, other.taken)
        legal = hand if led == NO_LED else legal_replies(hand, led, TRUMPS, True)
        key = (other.plays * 7919 + dealt * 31 + level) & 0x3FFFFFFF | 1
        levels[3][level, at] = _expert_card(tools, side, led, size, legal, key)


@njit(nogil=True)
def _met(side: Side, card: int, led: int, taken: int) -> Side:
    """A side that has met a card, played to the one led or to none."""
    never = side.refuted
    if led != NO_LED:
        never |= ruled_out(card, led, TRUMPS, True)
    plays = side.plays << 11 | led + 1 << 5 | card
    return Side(side.hand, side.dealt, side.met | 1 << card, plays, never, side.taken + taken)


@njit(nogil=True)
def _without(side: Side, card: int) -> Side:
    """A side that has played a card."""
    hand = side.hand & ~(1 << card)
    return Side(hand, side.dealt, side.met, side.plays, side.refuted, side.taken)


@njit(nogil=True)
def _split(levels: Any, place: Place, starts: Any) -> None:
    """Sort the hands of a level by the cards chosen into the next level, without these cards."""
    hands, origins, trying, chosen = levels
    level = place.level
    starts[:] = 0
    for at in range(place.first, place.end):
        starts[chosen[level, at] + 1] += 1
    starts[0] = place.first
    for card in range(32):
        starts[card + 1] += starts[card]
    places = starts.copy()
    for at in range(place.first, place.end):
        card = chosen[level, at]
        to = places[card]
        places[card] += 1
        hands[level + 1, to] = hands[level, at] ^ 1 << card
        origins[level + 1, to] = origins[level, at]
        trying[level + 1, to] = trying[level, at]


@njit(nogil=True)
def _made(levels: Any, place: Place, made: bool) -> tuple[int, int]:
    """In how many deals the point is made: of those that find the plan, of those that try it."""
    finding = trying = 0
    if made:
        for at in range(place.first, place.end):
            trying += levels[2][place.level, at]
        finding = place.end - place.first - trying
    return finding, trying


@njit(nogil=True)
def _play(
    tools: Tools, levels: Any, mine: Side, other: Side, place: Place, leads: bool, best: bool
) -> tuple[int, int]:
    """The deals in which the point is made, by the best plan or as the expert plays.

    Of `other`, whose hand is one of a level, only what is common to all these hands is told.
    """
    if mine.taken > 2 or other.taken > 2 or place.first == place.end:
        return _made(levels, place, mine.taken > 2)
    if leads:
        return _best(tools, levels, mine, other, place, best)
    starts = np.zeros(33, np.int64)
    found, tried = 0, 0
    _others_play(tools, levels, place, other, count(mine.hand))
    _split(levels, place, starts)
    for led in range(32):
        if starts[led] < starts[led + 1]:
            there = Place(place.level, starts[led], starts[led + 1], led)
            a, b = _best(tools, levels, _met(mine, led, place.led, 0), other, there, best)
            found, tried = found + a, tried + b
    return found, tried


@njit(nogil=True)
def _best(
    tools: Tools, levels: Any, mine: Side, other: Side, place: Place, best: bool
) -> tuple[int, int]:
    """The deals made with the best card, a lead or a reply, or with the one the expert plays."""
    led = place.led
    legal = mine.hand if led == NO_LED else legal_replies(mine.hand, led, TRUMPS, True)
    if not best:
        size = count(mine.hand) - int(led != NO_LED)
        key = (mine.plays * 104729 + place.level) & 0x3FFFFFFF | 1
        legal = 1 << _expert_card(tools, mine, led, size, legal, key)
    elif legal & legal - 1 and place.end - place.first >= MANY:
        legal = _promising(tools, levels, mine, other, place, legal, best)
    top, tried = -1, 0
    while legal:
        card = lowest(legal)
        legal &= legal - 1
        a, b = _after(tools, levels, mine, other, place, card, best)
        if a > top:
            top, tried = a, b
    return top, tried


@njit(nogil=True)
def _promising(
    tools: Tools, levels: Any, mine: Side, other: Side, place: Place, legal: int, best: bool
) -> int:
    """The cards that are not clearly worse than the best one against some of the hands."""
    some = (place.end - place.first) // TRIED
    few = Place(place.level, place.first, place.first + some, place.led)
    made = np.zeros(32, np.int64)
    left = legal
    while left:
        card = lowest(left)
        left &= left - 1
        made[card] = 1 + _after(tools, levels, mine, other, few, card, best)[0]
    least = made.max() - CLEARLY * some**0.5
    left, found = legal, 0
    while left:
        card = lowest(left)
        left &= left - 1
        found |= int(made[card] >= least) << card
    return found


@njit(nogil=True)
def _after(
    tools: Tools, levels: Any, mine: Side, other: Side, place: Place, card: int, best: bool
) -> tuple[int, int]:
    """The deals made after a card of ours: a reply to the card led, or a lead."""
    level, led = place.level, place.led
    if led != NO_LED:
        wins = reply_wins(led, card, TRUMPS)
        one = _without(mine, card)
        now = Side(one.hand, one.dealt, one.met, one.plays, one.refuted, one.taken + int(wins))
        then = _met(other, card, led, int(not wins))
        there = Place(level + 1, place.first, place.end, NO_LED)
        return _play(tools, levels, now, then, there, wins, best)
    starts = np.zeros(33, np.int64)
    after = _met(other, card, led, 0)
    _others_play(
        tools, levels, Place(level, place.first, place.end, card), after, count(mine.hand) - 1
    )
    _split(levels, place, starts)
    found, tried = 0, 0
    for reply in range(32):
        if starts[reply] < starts[reply + 1]:
            wins = not reply_wins(card, reply, TRUMPS)
            now = _met(_without(mine, card), reply, card, int(wins))
            then = Side(0, 0, after.met, after.plays, after.refuted, after.taken + int(not wins))
            there = Place(level + 1, starts[reply], starts[reply + 1], NO_LED)
            a, b = _play(tools, levels, now, then, there, wins, best)
            found, tried = found + a, tried + b
    return found, tried


@njit(nogil=True)
def _both(brain: Any, levels: Any, place: Place, hand: int, leads: bool) -> Any:
    """The deals made by the expert, and by the best plan."""
    equities = np.zeros(12, np.int64)
    equities[3:6] = WHOLE
    equities[9:12] = WHOLE
    tools = Tools(borrow(brain), equities, np.zeros(ROOM, np.int64), np.zeros(33, np.int64))
    found = np.zeros((2, 2), np.int64)
    mine, other = Side(hand, hand, 0, 1, 0, 0), Side(0, 0, 0, 1, 0, 0)
    for best in range(2):
        a, b = _play(tools, borrow(levels), mine, other, place, leads, best == 1)
        found[best, 0], found[best, 1] = a, b
    return found


def gains(leads: bool, hands: int, drawn: int, seed: int) -> list[tuple[float, float]]:
    """What the best response gains with so many hands: at most, and at least."""
    rng, found = Random(seed), list[tuple[float, float]]()
    for number in range(1, hands + 1):
        pack = [one for one in range(32) if one != TURNED]
        rng.shuffle(pack)
        hand = sum(1 << one for one in pack[:5])
        if drawn:
            others = [sum(1 << one for one in rng.sample(pack[5:], 5)) for _ in range(drawn)]
        else:
            others = [sum(1 << one for one in some) for some in combinations(pack[5:], 5)]
            rng.shuffle(others)
        levels = tuple(np.zeros((11, len(others)), np.int64) for _ in range(4))
        levels[0][0] = levels[1][0] = others
        levels[2][0] = np.arange(len(others)) & 1 if drawn else 0
        plain, best = _both(
            tables.policy_tables(True), levels, Place(0, 0, len(others), NO_LED), hand, leads
        )
        shares = (best - plain) / (len(others) / (2 if drawn else 1))
        found.append((float(shares[0]), float(shares[1 if drawn else 0])))
        if number % 10 == 0 or number == hands:
            most, least = (_told([one[at] for one in found]) for at in range(2))
            role = "elder" if leads else "dealer"
            print(f"{role}, {number} hands: at most {most}, at least {least}", flush=True)
    return found


def _told(found: list[float]) -> str:
    """A mean with two standard errors."""
    doubt = 2 * stdev(found) / len(found) ** 0.5 if len(found) > 1 else 1.0
    return f"{fmean(found):+.4f} ± {doubt:.4f}"


@click.command()
@click.option("--hands", default=20, show_default=True)
@click.option("--drawn", default=2_000, show_default=True, help="Hands met; 0: all of them.")
@click.option("--seed", default=1, show_default=True)
def main(hands: int, drawn: int, seed: int) -> None:
    """Measure and print."""
    for leads in (True, False):
        gains(leads, hands, drawn, seed)


if __name__ == "__main__":
    main()
