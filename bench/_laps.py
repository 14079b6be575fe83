"""Fair timing on a busy machine: engines take turns, lap after lap, and medians are kept.

Each lap runs every engine once for about the same time, in an order that rotates, so that a
slow spell of the machine falls on all of them. The clock counts the processor time of this
process: what other programs take is not charged to whoever happened to be running.
"""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from statistics import median
from time import process_time
from typing import NamedTuple, Protocol, TypeVar

T = TypeVar("T")

PlayOne = Callable[[Random], tuple[int, int]]
"""Plays one random game; returns how many decisions and how many chance steps it took."""


class Lap(NamedTuple):
    """What one engine did in one lap."""

    games: int
    decisions: int
    chances: int
    seconds: float


class Speed(NamedTuple):
    """The medians over all laps of one engine."""

    games: float
    decisions: float
    steps: float


def run(play_one: PlayOne, rng: Random, games: int) -> Lap:
    """Play a number of games against the clock."""
    decisions = chances = 0
    start = process_time()
    for _ in range(games):
        decided, chanced = play_one(rng)
        decisions += decided
        chances += chanced
    return Lap(games, decisions, chances, process_time() - start)


def games_within(play_one: PlayOne, rng: Random, seconds: float) -> int:
    """Find, while warming up, how many games fill a lap of so many seconds."""
    games = 1
    while (lap := run(play_one, rng, games)).seconds < seconds / 4:
        games *= 2
    return max(1, round(games * seconds / lap.seconds))


def interleave(
    engines: Sequence[PlayOne], laps: int, seconds: float, seed: int
) -> Iterator[list[Lap]]:
    """Yield lap after lap, each holding what every engine did, in the engines' order."""
    rng = Random(seed)
    games = [games_within(play_one, rng, seconds) for play_one in engines]
    for lap in range(laps):
        turns = [(lap + turn) % len(engines) for turn in range(len(engines))]
        done = {turn: run(engines[turn], rng, games[turn]) for turn in turns}
        yield [done[turn] for turn in range(len(engines))]


class Timed(Protocol):
    """What can be timed lap by lap: how much it did in one, and in how many seconds."""

    @property
    def lap(self) -> Callable[[], tuple[int, float]]:
        """Does one lap."""


def speeds(timed: Sequence[Timed], laps: int) -> list[list[float]]:
    """What each did per second in every lap; the order rotates from lap to lap."""
    found: list[list[float]] = [[] for _ in timed]
    for lap in range(laps):
        for turn in range(len(timed)):
            at = (lap + turn) % len(timed)
            done, seconds = timed[at].lap()
            found[at].append(done / seconds)
    return found


def speed(laps: Sequence[Lap]) -> Speed:
    """Take the medians of one engine's laps; a step is a decision or a chance step."""
    return Speed(
        median(lap.games / lap.seconds for lap in laps),
        median(lap.decisions / lap.seconds for lap in laps),
        median((lap.decisions + lap.chances) / lap.seconds for lap in laps),
    )


def ratio(ours: Sequence[Lap], theirs: Sequence[Lap]) -> float:
    """Take the median, lap by lap, of our decisions per second over theirs."""
    return median(
        (our.decisions / our.seconds) / (their.decisions / their.seconds)
        for our, their in zip(ours, theirs, strict=True)
    )


def microseconds(
    call: Callable[[T], object], things: Sequence[T], laps: int = 9, times: int = 20
) -> float:
    """Take the median cost of one call, less an empty one's, in millionths of a second."""

    def cost(called: Callable[[T], object]) -> float:
        start = process_time()
        for _ in range(times):
            for thing in things:
                called(thing)
        return (process_time() - start) / times / len(things) * 1e6

    return median(cost(call) - cost(lambda _: None) for _ in range(laps))
