"""How a run is cut into chunks, and how what comes in of them is put together."""

from __future__ import annotations

import pytest

from casino.simulate.chunks import SERIES_IN_CHUNK, Chunk, RunJob, RunTotal, play_run
from casino.simulate.counts import GameCounts
from casino.simulate.series import SERIES_GAMES, STEP_GAMES, Run, play_series

STEPS = SERIES_GAMES // STEP_GAMES
FULL = SERIES_IN_CHUNK * SERIES_GAMES


@pytest.mark.parametrize("games", [1, SERIES_GAMES, SERIES_GAMES + 1, FULL, FULL + 1, 3 * FULL - 1])
def test_the_chunks_hold_every_series_once(games: int) -> None:
    job = RunJob(Run(games))
    found = [series for number in range(job.chunks) for series in job.series_of(number)]
    assert found == list(range(job.run.series))
    assert sum(map(job.run.games_of, found)) == games
    assert len(job.series_of(job.chunks - 1)) > 0 == len(job.series_of(job.chunks))


def added(games: int, *points: tuple[int, ...]) -> RunTotal:
    """What has come in of a run whose chunks had these courses, after half a second each."""
    total = RunTotal(RunJob(Run(games), width=1))
    for number, course in enumerate(points):
        total.add(Chunk(number, GameCounts(), course, ""), 0.5)
    return total


def test_a_short_run_keeps_the_course_of_every_step() -> None:
    first, second = tuple(range(STEPS)), (7, -9)
    total = added(SERIES_GAMES + 2 * STEP_GAMES, first, second)
    assert total.piece_games == STEP_GAMES
    assert tuple(total.course) == first + second
    assert (total.chunks, total.seconds) == (2, 1.0)


def test_a_long_run_keeps_sums_of_steps() -> None:
    games = 512 * 3 * STEP_GAMES
    courses = [tuple(range(at, at + STEPS)) for at in (0, 100, 200)]
    total = added(games, *courses)
    assert total.piece_games == 3 * STEP_GAMES
    steps = [points for course in courses for points in course]
    assert list(total.course) == [sum(steps[at : at + 3]) for at in range(0, len(steps), 3)]
    assert added(games + 1).piece_games == 4 * STEP_GAMES


def test_a_run_without_an_engine_plays_every_chunk() -> None:
    run = Run(FULL + SERIES_GAMES + 3, 8)
    total = play_run(run)
    played = [play_series(run, series) for series in range(run.series)]
    assert total.chunks == total.job.chunks == 2
    assert total.counts == sum((series.counts for series in played), GameCounts())
    assert total.counts.games == run.games
    assert sum(total.course) == total.counts.stake_points_house
    assert total.seconds == 0
