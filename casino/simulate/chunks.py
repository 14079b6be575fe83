"""Chunks of a run, which take a fraction of a second each, and their running total."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Final, NamedTuple

from casino.bots.registry import get_tables_path
from casino.simulate.counts import GameCounts
from casino.simulate.series import SERIES_GAMES, STEP_GAMES, Run, is_slow, play_series
from casino.solver.policy import tables

SERIES_IN_CHUNK: Final = 32  # series in a chunk of games that are only counted
SERIES_SLOW: Final = 1  # series in a chunk of recorded games, or of bots that sample hands
_PIECES: Final = 512  # maximum number of pieces in a run's course


class RunJob(NamedTuple):
    """A run, whether to record its games, and the number of series in a chunk.

    `tables` has a digest of each bot's table file, so that a checkpoint notices a changed file.
    """

    run: Run
    recording: bool = False
    width: int = SERIES_IN_CHUNK
    tables: tuple[str, ...] = ()

    @property
    def chunks(self) -> int:
        """The number of chunks."""
        return -(-self.run.series // self.width)

    def series_of(self, chunk: int) -> range:
        """Return the series of a chunk."""
        return range(self.run.series)[chunk * self.width : (chunk + 1) * self.width]

    def portion(self, number: int) -> Callable[[], Chunk]:
        """Return a picklable callable that plays one chunk."""
        return partial(play_chunk, self, number)


def run_job(run: Run, recording: bool = False) -> RunJob:
    """Return a run as a job, with smaller chunks if its games are slow."""
    width = SERIES_SLOW if recording or is_slow(run) else SERIES_IN_CHUNK
    return RunJob(run, recording, width, tuple(map(_tables_held, (run.house, run.challenger))))


def _tables_held(bot: str) -> str:
    # A digest, because the file may be replaced under the same name before a run is resumed.
    file = get_tables_path(bot)
    return sha256(b"".join(tables.load_packed(file)[1:])).hexdigest() if file else ""


class Chunk(NamedTuple):
    """The result of a chunk: its counts, the house's net stakes by step, and its records."""

    number: int
    counts: GameCounts
    course: tuple[int, ...]
    lines: str


def play_chunk(job: RunJob, number: int) -> Chunk:
    """Play one chunk. The result depends only on the job and the chunk's number."""
    played = [play_series(job.run, series, job.recording) for series in job.series_of(number)]
    return Chunk(
        number,
        sum((series.counts for series in played), GameCounts()),
        tuple(points for series in played for points in series.course),
        "".join(series.lines for series in played),
    )


@dataclass
class RunTotal:
    """The combined results of a job's first chunks.

    `course` has the house's net stakes in each piece of `piece_games` games.
    """

    job: RunJob
    chunks: int = 0
    counts: GameCounts = GameCounts()  # noqa: RUF009 (frozen)
    course: Sequence[int] = ()
    seconds: float = 0.0

    @property
    def piece_games(self) -> int:
        """The number of games in a piece of `course`, a multiple of `STEP_GAMES`."""
        return STEP_GAMES * -(-self.job.run.games // (STEP_GAMES * _PIECES))

    def add(self, chunk: Chunk, seconds: float) -> None:
        """Add the next chunk, which took `seconds` to play."""
        course = list(self.course)
        game = self.job.series_of(chunk.number).start * SERIES_GAMES
        for points in chunk.course:
            if game // self.piece_games == len(course):
                course.append(0)
            course[-1] += points
            game += STEP_GAMES
        self.course = course
        self.counts += chunk.counts
        self.chunks = chunk.number + 1
        self.seconds += seconds


def play_run(run: Run) -> RunTotal:
    """Play a run in this process, without workers.

    >>> play_run(Run(1000, seed=3)).counts.games
    1000
    """
    total = RunTotal(RunJob(run))
    for number in range(total.job.chunks):
        total.add(play_chunk(total.job, number), 0)
    return total
