"""`casino simulate`: play games in memory, with a report, records and plots."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Final, TextIO

import click

from casino.cli import common
from casino.config import Config

if TYPE_CHECKING:
    from casino.simulate.executor import WorkerPool
    from casino.simulate.run_files import RunFiles
    from casino.simulate.series import Run, RunTotal
    from casino.simulate.sweep import Settings

EXAMPLE: Final = """\b
Examples:
  casino simulate --games 1000000 --plot evening.svg
  casino simulate --games 100000 --house regle --challenger novice --law target=7 --json
  casino simulate --games 1000000 --sweep law.vole_unexchanged=1,2 house=regle,novice
  casino simulate --games 10000000000 --checkpoint long.json --resume
"""


_BOTS: Final = f"{common.BOT_LIST}, expert:FILE or module:Class."
_bot_options = common.add_options(
    *[
        click.option(
            flag,
            type=common.BotNameType(),
            default="regle",
            show_default=True,
            metavar="BOT",
            help=text,
        )
        for flag, text in (("--house", _BOTS), ("--challenger", "Any of the above."))
    ]
)


@click.command("simulate", epilog=EXAMPLE)
@click.option("--games", type=common.WholeNumber(1), default=1_000_000, show_default=True)
@_bot_options
@common.playing_options
@click.option(
    "--sweep",
    "sweeps",
    multiple=True,
    metavar="K=V,V ...",
    help="Play every combination of values for house, challenger, seed or law.NAME.",
)
@click.argument("more", nargs=-1, metavar="")
@click.option(
    "--records", type=common.FILE, metavar="FILE", help="Write the games' records; - is stdout."
)
@click.option("--checkpoint", type=common.FILE, metavar="FILE", help="Save the progress in a file.")
@click.option("--resume", is_flag=True, help="Resume from the checkpoint, if there is one.")
@common.config_option
def command(
    games: int,
    house: str,
    challenger: str,
    seed: int,
    law: Sequence[str],
    sweeps: Sequence[str],
    more: Sequence[str],
    as_json: bool,
    records: Path | None,
    plot: Path | None,
    checkpoint: Path | None,
    resume: bool,
    workers: int,
    engine_name: str,
    config: Config,
) -> None:
    """Play many games in memory and report the results.

    Prints the counts, the shares and what the house keeps of each unit staked; ± is the 95 %
    confidence interval. Ctrl-C or SIGTERM prints the results so far and exits with 130.

    Your own bot is module:Class with a method choose(view, legal_actions, rng). Its results and
    checkpoints come in blocks of 8,192 games.
    """
    from casino.simulate.executor import create_engine
    from casino.simulate.run_files import check_writable, is_stdout
    from casino.simulate.series import Run, is_compiled
    from casino.simulate.sweep import change_laws, sweep

    if more and not sweeps:
        raise click.UsageError(f"unexpected {more[0]!r}: put --sweep before it.")
    _refuse_swept([*sweeps, *more], law)
    run = Run(games, seed, house, challenger, change_laws(config.laws, law))
    if records == common.DASH:
        records = Path("/dev/stdout")
    common.refuse_without("checkpoint", "resume")
    common.refuse_conflicting("sweeps", "records", "checkpoint")
    common.refuse_same_file("records", "checkpoint", "plot")
    to_stdout = records is not None and is_stdout(records)
    if as_json and to_stdout:
        raise click.UsageError(
            "--json and --records both write to standard output: give --records a file."
        )
    if plot is not None:
        common.check_image_file(plot)
        if not resume:
            check_writable(plot)
    runs = sweep(run, [*sweeps, *more])
    if engine_name.startswith("dask://"):
        common.refuse_conflicting("engine_name", "workers")
    # Records are written in Python, which threads cannot do side by side.
    quick = records is None and all(is_compiled(run) for _, run in runs)
    common.interrupt_on_sigterm()
    with create_engine(engine_name, workers, quick) as players:
        played, finished = _play_all(players, runs, records, checkpoint, resume)
    has_results = any(total.counts.games for _, total in played)
    if has_results or as_json:
        # If the records go to standard output, the report must not mix with them.
        out = sys.stderr if to_stdout else sys.stdout
        _tell(played, config.gallery.commission_bp, bool(sweeps), as_json, plot, out)
    if not finished:
        raise common.interruption(has_results)


def _refuse_swept(sweeps: Sequence[str], laws: Sequence[str]) -> None:
    swept = {text.partition("=")[0] for text in sweeps}
    for key in ("house", "challenger", "seed"):
        if key in swept:
            common.refuse_conflicting("sweeps", key)
    for text in laws:
        name = text.partition("=")[0]
        if f"law.{name}" in swept:
            raise click.UsageError(f"--law {name} and --sweep law.{name}: leave one of them out.")


def _play_all(
    players: WorkerPool,
    runs: Sequence[tuple[Settings, Run]],
    records: Path | None,
    checkpoint: Path | None,
    resume: bool,
) -> tuple[list[tuple[Settings, RunTotal]], bool]:
    from casino.simulate.run_files import RunFiles
    from casino.simulate.series import compile_games, run_job

    played: list[tuple[Settings, RunTotal]] = []
    with common.progress(sum(run.games for _, run in runs), "shuffling the cards") as update:
        for settings, run in runs:
            job = run_job(run, records is not None)
            with RunFiles(job, records, checkpoint, resume) as files:
                if not played:  # compile for all runs, now that the files can be written
                    compile_games((run for _, run in runs), common.say_compiling, job.recording)
                played.append((settings, files.total))
                update(advance=files.total.counts.games)
                if not _play(players, files, update):
                    return played, False
    return played, True


def _play(players: WorkerPool, files: RunFiles, update: Callable[..., object]) -> bool:
    from casino.simulate.executor import uninterrupted
    from casino.simulate.report import percent
    from casino.simulate.statistics import share

    now = perf_counter()
    try:
        for chunk in players.play(files.total.job.tasks(files.total.chunks)):
            before, now = now, perf_counter()
            # Ctrl-C must not separate the records of a chunk from its checkpoint.
            with uninterrupted():
                files.add(chunk, now - before)
            played = files.total.counts
            wins = f"the house wins {percent(share(played.house_wins, played.games))}"
            update(advance=chunk.counts.games, description=wins)
    except KeyboardInterrupt:
        return False
    return True


def _tell(
    played: Sequence[tuple[Settings, RunTotal]],
    commission_bp: int,
    is_sweep: bool,
    as_json: bool,
    plot: Path | None,
    out: TextIO,
) -> None:
    from casino.simulate import report

    rows = [(settings, total.counts) for settings, total in played]
    _, first = played[0]
    if plot is not None:
        from casino.simulate.plot import draw_run, draw_sweep

        with common.writing(plot):
            if is_sweep:
                draw_sweep(first.job.run, rows, plot)
            else:
                draw_run(first, plot)
    if as_json:
        results = [
            ({"settings": dict(settings)} if is_sweep else {})
            | report.as_json(total.job.run, total.counts, commission_bp, total.seconds)
            for settings, total in played
        ]
        click.echo(json.dumps({"sweep": results} if is_sweep else results[0]))
        return
    terminal = common.make_console(out)
    if is_sweep:
        terminal.print(report.sweep_table(rows, commission_bp))
        return
    terminal.print(report.headline(first.job.run, first.counts, first.seconds), "")
    terminal.print(report.finals_table(first.counts), "")
    terminal.print(report.figures_table(first.counts, commission_bp))
