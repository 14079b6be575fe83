"""What an exact best response gains against the expert's card play.

A player with a fixed hand plays against many hands that the other side, the expert, may hold. The
best response knows how the expert plays and sees the cards as they fall: it searches the plan that
makes the point against most of these hands. The gain is that over the expert's own play with the
same hand against the same hands, in points a deal. The deals have no exchange and no king.

With `--drawn 0` all 65,780 hands are tried and the gain is exact. Otherwise half of the hands drawn
choose the plan and half only try it: the gain is too high over the first and too low over the
second, so the two bound it. Where many hands are possible, cards are compared over an eighth of
them first, and those that are clearly worse are dropped.
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
from casino.solver.policy.play_policy import ROOM, InfoState, add_play, best_card, card_values
from casino.solver.policy.tables import HAND, NO_ROW, WHOLE

NO_LED: Final = -1
MANY_HANDS: Final = 1024  # from here on, cards are compared over a sample first
SAMPLE: Final = 8  # one of this many hands
WORSE: Final = 1.2  # times the root of the sample: drop a card that makes this much less
TRUMPS: Final = 0  # spades
TURN_UP: Final = 0  # their seven: as good as any other card but the king
REPORT_HANDS: Final = 10


class Player(NamedTuple):
    """The knowledge of one side: its hand now and as dealt, and what it has seen of the other.

    `plays` and `refuted` are the other side's plays, packed as in `InfoState`, and the cards that
    these plays rule out.
    """

    hand: int
    dealt: int
    seen: int
    plays: int
    refuted: int
    taken: int


class Node(NamedTuple):
    """A point of the search: the tricks played, a range of possible hands, and the card led.

    One tuple of integers: numba would compile a function again for each constant argument.
    """

    trick: int
    first: int
    end: int
    led: int


class Search(NamedTuple):
    """The hands that the expert may hold, the tables it plays by, and scratch space.

    `hands`, `dealt` and `trials` have a row for each trick; hands that played the same cards are
    next to each other. A trial hand tries the plan and has no say in it.
    """

    hands: Any
    dealt: Any
    trials: Any
    cards: Any
    policy: Any
    equities: Any
    pool: Any
    values: Any
    is_best: bool  # search the best plan; otherwise play as the expert does


@njit(nogil=True)
def _expert_card(search: Search, player: Player, led: int, size: int, legal: int, key: int) -> int:
    """Return the expert's card if the other side holds `size` cards."""
    if legal & legal - 1 == 0:
        return lowest(legal)
    unseen = 0xFFFFFFFF & ~(player.dealt | player.seen | player.refuted | 1 << TURN_UP)
    info = InfoState(
        player.hand, led, TURN_UP, True, player.seen, 0, size, unseen, player.plays, player.taken,
        False, False, NO_ROW, False, NO_ROW,
    )  # fmt: skip
    search.values[:] = 0
    card_values(search.policy, info, search.equities, EFFORT, key, search.pool, search.values)
    return best_card(info, search.values)


@njit(nogil=True)
def _split(search: Search, node: Node, other: Player, size: int) -> Any:
    """Play the expert's card from every possible hand, and sort the hands by it for the next trick.

    Returns the starts: the hands that played `card` are from `starts[card]` to `starts[card + 1]`.
    """
    trick, led = node.trick, node.led
    starts = np.zeros(33, np.int64)
    for at in range(node.first, node.end):
        hand, dealt = search.hands[trick, at], search.dealt[trick, at]
        player = Player(hand, dealt, other.seen, other.plays, other.refuted, other.taken)
        legal = hand if led == NO_LED else legal_replies(hand, led, TRUMPS, True)
        key = (other.plays * 7919 + dealt * 31 + trick) & 0x3FFFFFFF | 1
        card = _expert_card(search, player, led, size, legal, key)
        search.cards[at] = card
        starts[card + 1] += 1
    starts[0] = node.first
    for card in range(32):
        starts[card + 1] += starts[card]
    free = starts.copy()
    for at in range(node.first, node.end):
        card = search.cards[at]
        to = free[card]
        free[card] += 1
        search.hands[trick + 1, to] = search.hands[trick, at] ^ 1 << card
        search.dealt[trick + 1, to] = search.dealt[trick, at]
        search.trials[trick + 1, to] = search.trials[trick, at]
    return starts


@njit(nogil=True)
def _after_own(player: Player, card: int, wins: int) -> Player:
    return Player(
        player.hand & ~(1 << card), player.dealt, player.seen, player.plays, player.refuted,
        player.taken + wins,
    )  # fmt: skip


@njit(nogil=True)
def _after_other(player: Player, card: int, led: int, wins: int) -> Player:
    refuted = player.refuted
    if led != NO_LED:
        refuted |= ruled_out(card, led, TRUMPS, True)
    plays = add_play(player.plays, card, led)
    return Player(
        player.hand, player.dealt, player.seen | 1 << card, plays, refuted, player.taken + wins
    )


@njit(nogil=True)
def _count_points(search: Search, node: Node, is_made: bool) -> tuple[int, int]:
    """Return the points made against the hands that choose the plan, and against trial hands."""
    choosing = trying = 0
    if is_made:
        for at in range(node.first, node.end):
            trying += search.trials[node.trick, at]
        choosing = node.end - node.first - trying
    return choosing, trying


@njit(nogil=True)
def _play_trick(
    search: Search, mine: Player, other: Player, node: Node, leads: bool
) -> tuple[int, int]:
    """Return the points made from a trick on; `other` has what all its possible hands share."""
    if mine.taken > 2 or other.taken > 2 or node.first == node.end:
        return _count_points(search, node, mine.taken > 2)
    if leads:
        return _choose_card(search, mine, other, node)
    starts = _split(search, node, other, count(mine.hand))
    choosing, trying = 0, 0
    for led in range(32):
        if starts[led] < starts[led + 1]:
            part = Node(node.trick, starts[led], starts[led + 1], led)
            a, b = _choose_card(search, _after_other(mine, led, NO_LED, 0), other, part)
            choosing, trying = choosing + a, trying + b
    return choosing, trying


@njit(nogil=True)
def _choose_card(search: Search, mine: Player, other: Player, node: Node) -> tuple[int, int]:
    """Return the points made with the best card, or with the expert's."""
    led = node.led
    legal = mine.hand if led == NO_LED else legal_replies(mine.hand, led, TRUMPS, True)
    if not search.is_best:
        size = count(mine.hand) - int(led != NO_LED)
        key = (mine.plays * 104729 + node.trick) & 0x3FFFFFFF | 1
        legal = 1 << _expert_card(search, mine, led, size, legal, key)
    elif legal & legal - 1 and node.end - node.first >= MANY_HANDS:
        legal = _promising(search, mine, other, node, legal)
    best, tried = -1, 0
    while legal:
        card = lowest(legal)
        legal &= legal - 1
        a, b = _play_card(search, mine, other, node, card)
        if a > best:
            best, tried = a, b
    return best, tried


@njit(nogil=True)
def _promising(search: Search, mine: Player, other: Player, node: Node, legal: int) -> int:
    """Return the cards that are not clearly worse than the best one over a sample of the hands."""
    size = (node.end - node.first) // SAMPLE
    sample = Node(node.trick, node.first, node.first + size, node.led)
    made = np.zeros(32, np.int64)
    left = legal
    while left:
        card = lowest(left)
        left &= left - 1
        made[card] = 1 + _play_card(search, mine, other, sample, card)[0]
    threshold = made.max() - WORSE * size**0.5
    left, cards = legal, 0
    while left:
        card = lowest(left)
        left &= left - 1
        cards |= int(made[card] >= threshold) << card
    return cards


@njit(nogil=True)
def _play_card(
    search: Search, mine: Player, other: Player, node: Node, card: int
) -> tuple[int, int]:
    """Return the points made after a card of ours: a reply to the card led, or a lead."""
    trick, led = node.trick + 1, node.led
    if led != NO_LED:
        wins = reply_wins(led, card, TRUMPS)
        after = _after_other(other, card, led, int(not wins))
        rest = Node(trick, node.first, node.end, NO_LED)
        return _play_trick(search, _after_own(mine, card, int(wins)), after, rest, wins)
    after = _after_other(other, card, NO_LED, 0)
    lead = Node(node.trick, node.first, node.end, card)
    starts = _split(search, lead, after, count(mine.hand) - 1)
    choosing, trying = 0, 0
    for reply in range(32):
        if starts[reply] < starts[reply + 1]:
            wins = not reply_wins(card, reply, TRUMPS)
            me = _after_other(_after_own(mine, card, 0), reply, card, int(wins))
            opponent = _after_own(after, card, int(not wins))
            rest = Node(trick, starts[reply], starts[reply + 1], NO_LED)
            a, b = _play_trick(search, me, opponent, rest, wins)
            choosing, trying = choosing + a, trying + b
    return choosing, trying


@njit(nogil=True)
def _points_made(hands: Any, dealt: Any, trials: Any, policy: Any, hand: int, leads: bool) -> Any:
    """Return the points of the expert, then those of the best plan, of choosing and trial hands."""
    equities = np.zeros(12, np.int64)
    equities[3:6] = WHOLE
    equities[9:12] = WHOLE
    cards, pool, values = np.zeros_like(hands[0]), np.zeros(ROOM, np.int64), np.zeros(33, np.int64)
    made = np.zeros((2, 2), np.int64)
    mine, other = Player(hand, hand, 0, 1, 0, 0), Player(0, 0, 0, 1, 0, 0)
    root = Node(0, 0, hands.shape[1], NO_LED)
    for is_best in range(2):
        search = Search(hands, dealt, trials, cards, policy, equities, pool, values, is_best == 1)
        made[is_best, 0], made[is_best, 1] = _play_trick(borrow(search), mine, other, root, leads)
    return made


def measure(leads: bool, hands: int, drawn: int, seed: int) -> None:
    """Print the bounds of the gain with random hands, as the elder or as the dealer."""
    rng, upper, lower = Random(seed), list[float](), list[float]()
    for number in range(1, hands + 1):
        pack = [card for card in range(32) if card != TURN_UP]
        rng.shuffle(pack)
        hand = sum(1 << card for card in pack[:5])
        if drawn:
            others = [sum(1 << card for card in rng.sample(pack[5:], 5)) for _ in range(drawn)]
        else:
            others = [sum(1 << card for card in cards) for cards in combinations(pack[5:], 5)]
            rng.shuffle(others)
        possible, dealt, trials = (np.zeros((HAND + 1, len(others)), np.int64) for _ in range(3))
        possible[0] = dealt[0] = others
        trials[0] = np.arange(len(others)) & 1 if drawn else 0
        policy = tables.policy_tables(True)
        expert, best = _points_made(possible, dealt, trials, policy, hand, leads)
        gains = (best - expert) / (len(others) / (2 if drawn else 1))
        upper.append(float(gains[0]))
        lower.append(float(gains[1 if drawn else 0]))
        if number % REPORT_HANDS == 0 or number == hands:
            role = "elder" if leads else "dealer"
            print(
                f"{role}, {number} hands: at most {_mean(upper)}, at least {_mean(lower)}",
                flush=True,
            )


def _mean(values: list[float]) -> str:
    """Return a mean with two standard errors."""
    error = 2 * stdev(values) / len(values) ** 0.5 if len(values) > 1 else 1.0
    return f"{fmean(values):+.4f} ± {error:.4f}"


@click.command()
@click.option("--hands", default=20, show_default=True, help="Hands of the best response.")
@click.option("--drawn", default=2_000, show_default=True, help="Hands of the expert; 0: all.")
@click.option("--seed", default=1, show_default=True)
def main(hands: int, drawn: int, seed: int) -> None:
    """Measure as the elder and as the dealer."""
    for leads in (True, False):
        measure(leads, hands, drawn, seed)


if __name__ == "__main__":
    main()
