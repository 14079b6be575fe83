"""Match between two bots: every deal is played twice with seats swapped, so that luck evens out.

Pairs of games form blocks, each with its own key. The standard error is estimated from the variance
between blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import sqrt
from operator import add
from typing import Any, Final, NamedTuple

from casino.ecarte import CHALLENGER, HOUSE, Laws, laws_json
from casino.simulate.compiled.splitmix import word
from casino.simulate.series import Run, play_block
from casino.simulate.statistics import STAKES, Estimate, GameCounts, ratio, share, wilson_interval

BLOCK: Final = 32  # pairs of games in a block
BLOCKS_IN_CHUNK: Final = 32


class MatchSums(NamedTuple):
    """Sums over blocks: the games, the first bot's wins and stakes, and their products."""

    blocks: int = 0
    games: int = 0
    wins: int = 0
    stakes: int = 0
    games_games: int = 0
    wins_wins: int = 0
    wins_games: int = 0
    stakes_stakes: int = 0
    stakes_games: int = 0


class MatchResult(NamedTuple):
    """The result so far, counted apart for games with the first bot as house and as challenger."""

    as_house: GameCounts = GameCounts()
    as_challenger: GameCounts = GameCounts()
    sums: MatchSums = MatchSums()

    @property
    def games(self) -> int:
        """The number of games played."""
        return self.sums.games

    @property
    def win_rate(self) -> Estimate:
        """The share of games won by the first bot."""
        sums = self.sums
        # A single block has no variance: treat its games as independent.
        if sums.blocks < 2:
            return share(sums.wins, sums.games)
        wins, squares, products = sums.wins, sums.wins_wins, sums.wins_games
        return ratio(wins, squares, products, sums.games, sums.games_games, sums.blocks)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the win rate.

        Its sample size is the number of independent games that would have the same standard error.
        If one side won every game, each pair counts as one game.
        """
        won, error = self.win_rate
        spread = won * (1 - won)
        if not self.games:
            return 0.0, 1.0
        if spread and not error:
            return won, won
        return wilson_interval(won, spread / error**2 if spread else self.games / 2)

    @property
    def by_seat(self) -> tuple[Estimate, Estimate]:
        """The shares of games won by the first bot as the house and as the challenger."""
        house, challenger = self.as_house, self.as_challenger
        return (
            share(house.house_wins, house.games),
            share(challenger.challenger_wins, challenger.games),
        )

    @property
    def stakes(self) -> Estimate:
        """The first bot's average profit per game, in stakes."""
        sums = self.sums
        if sums.blocks < 2:
            won, lost = self.stakes_won
            games = max(1, sums.games)
            squares = sum((at + 1) ** 2 * (won[at] + lost[at]) for at in range(3))
            mean = sums.stakes / games
            return Estimate(mean, sqrt(max(0.0, squares / games - mean**2) / games))
        stakes, squares, products = sums.stakes, sums.stakes_stakes, sums.stakes_games
        return ratio(stakes, squares, products, sums.games, sums.games_games, sums.blocks)

    @property
    def stakes_won(self) -> tuple[list[int], list[int]]:
        """The numbers of single, double and triple games won, and lost, by the first bot."""
        house, challenger = self.as_house, self.as_challenger
        won = map(add, house.stakes(HOUSE), challenger.stakes(CHALLENGER))
        lost = map(add, house.stakes(CHALLENGER), challenger.stakes(HOUSE))
        return list(won), list(lost)

    def plus(self, other: MatchResult) -> MatchResult:
        """Return the sum of two results."""
        return MatchResult(
            self.as_house + other.as_house,
            self.as_challenger + other.as_challenger,
            MatchSums(*(a + b for a, b in zip(self.sums, other.sums, strict=True))),
        )


class MatchJob(NamedTuple):
    """The bots, the number of pairs, the seed and the laws of a match."""

    first: str
    second: str
    pairs: int
    seed: int = 1
    laws: Laws = Laws()

    def tasks(self) -> Iterator[Callable[[], MatchResult]]:
        """Yield a picklable callable for each chunk."""
        chunks = -(-self.pairs // (BLOCK * BLOCKS_IN_CHUNK))
        return (partial(self.play, number) for number in range(chunks))

    def play(self, number: int) -> MatchResult:
        """Play one chunk. The result depends only on the job and the chunk's number."""
        run = Run(self.pairs, self.seed, self.first, self.second, self.laws)
        swapped = run._replace(house=self.second, challenger=self.first)
        result = MatchResult()
        for block in range(number * BLOCKS_IN_CHUNK, (number + 1) * BLOCKS_IN_CHUNK):
            pairs = min(BLOCK, self.pairs - block * BLOCK)
            if pairs <= 0:
                break
            key = word(self.seed, block)
            house, challenger = play_block(run, key, pairs), play_block(swapped, key, pairs)
            wins = house.house_wins + challenger.challenger_wins
            stakes = house.stake_points_house - challenger.stake_points_house
            games = 2 * pairs
            products = (games * games, wins * wins, wins * games, stakes * stakes, stakes * games)
            sums = MatchSums(1, games, wins, stakes, *products)
            result = result.plus(MatchResult(house, challenger, sums))
        return result


def as_json(match: MatchJob, result: MatchResult, seconds: float) -> dict[str, Any]:
    """Return a match result as JSON values."""
    won, lost = result.stakes_won
    low, high = result.interval
    return {
        "first": match.first,
        "second": match.second,
        "games": result.games,
        "seed": match.seed,
        "laws": laws_json(match.laws),
        "first_wins": result.sums.wins,
        "second_wins": result.games - result.sums.wins,
        "win_rate": _figure_json(result.win_rate) | {"low": low, "high": high},
        "stakes_per_game": _figure_json(result.stakes),
        "as_house": _figure_json(result.by_seat[0]),
        "as_challenger": _figure_json(result.by_seat[1]),
        "first_won": dict(zip(STAKES, won, strict=True)),
        "second_won": dict(zip(STAKES, lost, strict=True)),
        "seconds": round(seconds, 6),
        "games_per_second": round(result.games / seconds, 1) if seconds else 0.0,
    }


def _figure_json(figure: Estimate) -> dict[str, float]:
    low, high = figure.value - figure.margin, figure.value + figure.margin
    return {**figure.json(), "low": low, "high": high}
