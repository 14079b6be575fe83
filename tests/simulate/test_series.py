"""How a run is split into chunks and series."""

from __future__ import annotations

from itertools import pairwise

import pytest

from casino.ecarte import PACK, Laws, read_record, replay
from casino.ecarte.laws import ALLOWED
from casino.ecarte.rules import can_propose, min_exchange, score_after
from casino.errors import InputError
from casino.simulate.compiled.splitmix import word
from casino.simulate.series import (
    SERIES_GAMES,
    SERIES_IN_CHUNK,
    STEP_GAMES,
    Chunk,
    Run,
    RunJob,
    RunTotal,
    new_table,
    play_block,
    play_series,
)
from casino.simulate.statistics import GameCounts

LOSER = Laws(first_dealer="loser")


def test_games_are_numbered_across_series() -> None:
    chunk = play_series(Run(2 * SERIES_GAMES + 37, 9, "novice", "regle"), 2, recording=True)
    games = [read_record(line).game for line in chunk.lines.splitlines()]
    assert games == [f"s9-{number:07d}" for number in range(16_385, 16_422)]


@pytest.mark.parametrize("recording", [False, True])
def test_loser_deals_across_steps_of_a_series(recording: bool) -> None:
    run = Run(STEP_GAMES + 30, 2, "novice", "regle", LOSER)
    played = play_series(run, 0, recording)
    whole = play_block(run, word(2, 0), STEP_GAMES + 30)
    assert played.counts == whole
    assert len(played.course) == 2
    if recording:
        records = [read_record(line) for line in played.lines.splitlines()]
        winners = [replay(record).winner for record in records]
        for (before, after), won in zip(pairwise(records), winners, strict=False):
            assert before.game != after.game and after.first_dealer == 1 - (won or 0)


@pytest.mark.parametrize("target", ALLOWED["target"])
def test_longest_games_fit_on_a_tape(target: int) -> None:
    score, deals = [0, 0], 0
    while target not in score:
        seat = deals % 2
        score[seat] = score_after(score[seat], 1, target)
        deals += 1
    said, stock = 0, len(PACK) - 11
    while can_propose(stock):
        said += 4
        stock -= min_exchange(stock)
        stock -= min_exchange(stock)
    longest = said + 1 + 10  # the king, and a card of each seat to five tricks
    trace = new_table(Run(1, laws=Laws(target)), recording=True).trace
    assert trace is not None
    assert trace.decks.shape == (STEP_GAMES * deals, 32)
    needed = 2 + STEP_GAMES * (deals * (1 + longest) + 1)
    assert len(trace.actions) >= needed


@pytest.mark.parametrize("bots", [("croesus", "regle"), ("regle", "croesus")])
def test_unknown_bot_is_refused(bots: tuple[str, str]) -> None:
    with pytest.raises(InputError, match="no bot 'croesus'"):
        play_series(Run(10, 1, *bots), 0)


STEPS = SERIES_GAMES // STEP_GAMES
FULL = SERIES_IN_CHUNK * SERIES_GAMES


@pytest.mark.parametrize("games", [1, SERIES_GAMES, SERIES_GAMES + 1, FULL, FULL + 1, 3 * FULL - 1])
def test_chunks_cover_every_series_once(games: int) -> None:
    job = RunJob(Run(games))
    found = [series for number in range(job.chunks) for series in job.series_of(number)]
    assert found == list(range(job.run.series))
    assert sum(map(job.run.games_of, found)) == games
    assert len(job.series_of(job.chunks - 1)) > 0 == len(job.series_of(job.chunks))


def added(games: int, *points: tuple[int, ...]) -> RunTotal:
    """Return a run's total after chunks with these points, half a second each."""
    total = RunTotal(RunJob(Run(games), width=1))
    for course in points:
        total.add(Chunk(GameCounts(), course, ""), 0.5)
    return total


def test_short_run_keeps_points_of_every_step() -> None:
    first, second = tuple(range(STEPS)), (7, -9)
    total = added(SERIES_GAMES + 2 * STEP_GAMES, first, second)
    assert total.piece_games == STEP_GAMES
    assert tuple(total.course) == first + second
    assert (total.chunks, total.seconds) == (2, 1.0)


def test_long_run_keeps_sums_of_steps() -> None:
    games = 512 * 3 * STEP_GAMES
    courses = [tuple(range(at, at + STEPS)) for at in (0, 100, 200)]
    total = added(games, *courses)
    assert total.piece_games == 3 * STEP_GAMES
    steps = [points for course in courses for points in course]
    assert list(total.course) == [sum(steps[at : at + 3]) for at in range(0, len(steps), 3)]
    assert added(games + 1).piece_games == 4 * STEP_GAMES
