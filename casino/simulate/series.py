"""Runs of games, divided into independent series, which are grouped into chunks for workers.

Each series has its own key. Under the law `loser`, the first game of a series is cut for, and the
loser of each game deals first in the next one. The result of a series depends only on the run and
the series' number, so series can be played anywhere and in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import chain
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from casino import ecarte
from casino.analysis.numba_support import notify_on_compile
from casino.bots.random_bot import MixedBot, RandomBot
from casino.bots.registry import Bot, get_bot, get_tables_path
from casino.bots.rule_bot import RuleBot
from casino.ecarte import CHALLENGER, HOUSE, NO_SEAT, DealRecord, Game, Laws, Record, Seat
from casino.simulate.compiled import bot_actions, game_loop
from casino.simulate.compiled.bot_actions import make_state
from casino.simulate.compiled.game_loop import GameTrace, Table, law_numbers
from casino.simulate.compiled.splitmix import BLOCKS, word
from casino.simulate.reference_engine import count_game, play_game
from casino.simulate.statistics import COUNTED, FINALS, SIDE, GameCounts
from casino.solver.expert_bot import Expert
from casino.solver.policy.tables import load_packed

SERIES_GAMES: Final = 8192
# Bot numbers for compiled code; games of other bots use the Python engine.
COMPILED_BOTS: Final[Mapping[type, Callable[[Any], int]]] = {
    RandomBot: lambda _: bot_actions.NOVICE,
    RuleBot: lambda _: bot_actions.REGLE,
    Expert: lambda bot: bot.effort << bot_actions.EFFORT | bot_actions.EXPERT,
    MixedBot: lambda bot: (
        bot.error_rate << bot_actions.ERROR_RATE
        | bot_number(bot.worse) << bot_actions.WORSE
        | bot_number(bot.better)
    ),
}

STEP_GAMES: Final = 512  # games in a step of a series' course
_MAX_DEAL_ACTIONS: Final = 64  # recorded deal: 11 exchanges, the king, ten cards


class Run(NamedTuple):
    """The parameters of a run: number of games, seed, bots and laws."""

    games: int
    seed: int = 1
    house: str = "regle"
    challenger: str = "regle"
    laws: Laws = Laws()

    @property
    def series(self) -> int:
        """The number of series; the last one may be shorter."""
        return -(-self.games // SERIES_GAMES)

    def games_of(self, series: int) -> int:
        """Return the number of games in a series."""
        return min(SERIES_GAMES, self.games - series * SERIES_GAMES)


def is_compiled(run: Run) -> bool:
    """Return True if compiled code plays both bots of a run."""
    return {type(get_bot(run.house)), type(get_bot(run.challenger))} <= COMPILED_BOTS.keys()


def bot_number(bot: Bot) -> int:
    """Return the number of a compiled bot, with its options packed into higher bits."""
    return COMPILED_BOTS[type(bot)](bot)


RecordedGame: TypeAlias = tuple[Sequence[DealRecord], tuple[int, int]]  # deals, final score


class Chunk(NamedTuple):
    """The results of one series or of a whole chunk.

    `course` holds the house's net stakes in each step of `STEP_GAMES` games; `lines` holds the game
    records, if requested.
    """

    counts: GameCounts
    course: tuple[int, ...]
    lines: str


def compile_games(runs: Iterable[Run], say: Callable[[], object], recording: bool = False) -> None:
    """Compile the code that the runs need, before they are timed; call `say` if that takes time."""
    with notify_on_compile(say):
        for run in dict.fromkeys(run._replace(games=1) for run in runs):
            play_series(run, 0, recording)


def play_series(run: Run, series: int, recording: bool = False) -> Chunk:
    """Play one series of a run."""
    steps, lines = list[GameCounts](), list[str]()
    for counts, games in _play(run, word(run.seed, series), run.games_of(series), recording):
        first = len(steps) * STEP_GAMES
        lines += [_line(run, series, at, *game) for at, game in enumerate(games, first)]
        steps.append(counts)
    points = tuple(counts.stake_points_house for counts in steps)
    return Chunk(sum(steps, GameCounts()), points, "".join(lines))


def play_block(run: Run, key: int, games: int) -> GameCounts:
    """Play the first `games` games that a random key determines, and return their counts."""
    return sum((counts for counts, _ in _play(run, key, games)), GameCounts())


def _play(
    run: Run, key: int, games: int, recording: bool = False
) -> Iterator[tuple[GameCounts, Iterable[RecordedGame]]]:
    """Yield the counts of each step of `STEP_GAMES` games, and the games if they are recorded.

    They are played in compiled code if both bots are compiled.
    """
    steps = [range(games)[at : at + STEP_GAMES] for at in range(0, games, STEP_GAMES)]
    loser = NO_SEAT
    if is_compiled(run):
        table, bots = new_table(run, recording), bot_numbers(run)
        for step in steps:
            table.counts[:] = 0
            loser = game_loop.play(table, bots, key, step.start, step.stop, loser)
            yield GameCounts(tuple(table.counts.tolist())), _recorded_games(table.trace)
        return
    objects = get_bot(run.house), get_bot(run.challenger)
    for step in steps:
        counts, recorded = GameCounts(), list[RecordedGame]()
        for at in step:
            played = play_game(run.laws, objects, word(key, at), loser)
            loser = 1 - played.game.score.index(run.laws.target)
            counts += count_game(played)
            if recording:
                recorded.append((played.record.deals, played.game.score))
        yield counts, recorded


def bot_numbers(run: Run) -> tuple[int, int]:
    """Return the numbers of a run's bots."""
    house, challenger = (bot_number(get_bot(name)) for name in (run.house, run.challenger))
    if challenger & 15 == bot_actions.EXPERT:
        # The challenger's expert looks up the second table file of the expert's state.
        challenger |= 1 << bot_actions.TABLES
    return house, challenger


def new_table(run: Run, recording: bool = False) -> Table:
    """Return a table to play a run in compiled code; with `recording`, it can record one step."""
    bots = (get_bot(run.house), get_bot(run.challenger))
    state = trace = None
    if any(type(bot) is Expert for bot in bots):
        state = make_state(run.laws, [getattr(bot, "file", None) for bot in bots])
    if state is not None or recording:
        deals = STEP_GAMES * (2 * run.laws.target - 1) if recording else 0
        actions = np.zeros(2 + deals * _MAX_DEAL_ACTIONS, np.int64)
        trace = GameTrace(actions, np.zeros((deals, BLOCKS[-1]), np.int64))
    rows: Any = (np.zeros(size, np.int64) for size in (BLOCKS[-1], 2, COUNTED))
    return Table(law_numbers(run.laws), state, trace, *rows)


def _recorded_games(trace: GameTrace | None) -> Iterator[RecordedGame]:
    if trace is None:
        return
    decks = iter(trace.decks.tolist())
    deals: list[tuple[Seat, list[str]]] = []
    # Reset the counters, so that the next step reuses the buffers.
    end, trace.actions[:2] = trace.actions[0], 0
    for action in trace.actions[2 : 2 + end].tolist():
        if action >= 0:
            deals[-1][1].append(ecarte.token(action))
        elif action in (game_loop.HOUSE_DEALS, game_loop.CHALLENGER_DEALS):
            deals.append((HOUSE if action == game_loop.HOUSE_DEALS else CHALLENGER, []))
        else:
            deal_records = [
                DealRecord(by, tuple(next(decks)), " ".join(tokens)) for by, tokens in deals
            ]
            yield deal_records, divmod(game_loop.GAME_OVER - action - FINALS, SIDE)
            deals = []


def _line(
    run: Run, series: int, at: int, deals: Sequence[DealRecord], score: tuple[int, int]
) -> str:
    record = Record(
        run.laws,
        deals[0].dealer,
        tuple(deals),
        f"s{run.seed}-{series * SERIES_GAMES + at + 1:07d}",
        {"house": run.house, "challenger": run.challenger},
        ecarte.result_json(Game(run.laws, deals[-1].dealer, score, len(deals))),
    )
    return ecarte.write_record(record) + "\n"


SERIES_IN_CHUNK: Final = 32  # series in a chunk of games that are only counted
SERIES_SLOW: Final = 1  # series in a chunk of recorded games, or of bots that sample hands
_PIECES: Final = 512  # maximum number of pieces in a run's course


class RunJob(NamedTuple):
    """A run, whether to record its games, and the number of series in a chunk.

    `tables` holds a digest of each bot's table file, so that a changed file is noticed on resume.
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
        """Return the numbers of the series in a chunk."""
        return range(self.run.series)[chunk * self.width : (chunk + 1) * self.width]

    def tasks(self, first: int = 0) -> Iterator[Callable[[], Chunk]]:
        """Yield a picklable callable for each chunk, from chunk `first` on."""
        return (partial(play_chunk, self, number) for number in range(first, self.chunks))


def run_job(run: Run, recording: bool = False) -> RunJob:
    """Return the job for a run, with smaller chunks if its games are recorded or slow."""
    # A bot with an effort samples hands before it plays a card.
    slow = recording or not is_compiled(run) or max(bot_numbers(run)) >> bot_actions.EFFORT > 0
    width = SERIES_SLOW if slow else SERIES_IN_CHUNK
    files = map(get_tables_path, (run.house, run.challenger))
    # Digests, because a file may be replaced under the same name before a run is resumed.
    digests = [
        sha256(b"".join(load_packed(file)[1:])).hexdigest() if file else "" for file in files
    ]
    return RunJob(run, recording, width, tuple(digests))


def play_chunk(job: RunJob, number: int) -> Chunk:
    """Play one chunk. The result depends only on the job and the chunk's number."""
    played = [play_series(job.run, series, job.recording) for series in job.series_of(number)]
    return Chunk(
        sum((series.counts for series in played), GameCounts()),
        tuple(chain.from_iterable(series.course for series in played)),
        "".join(series.lines for series in played),
    )


@dataclass
class RunTotal:
    """The combined results of a job's first chunks.

    `course` holds the house's net stakes in each piece of `piece_games` games.
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
        game = self.job.series_of(self.chunks).start * SERIES_GAMES
        for points in chunk.course:
            if game // self.piece_games == len(course):
                course.append(0)
            course[-1] += points
            game += STEP_GAMES
        self.course = course
        self.counts += chunk.counts
        self.chunks += 1
        self.seconds += seconds
