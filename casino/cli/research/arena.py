"""`casino arena`: measure which of two bots is stronger, with a confidence interval."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Final

import click

from casino.bots.registry import get_tables_path
from casino.cli import common
from casino.config import Config

if TYPE_CHECKING:
    from casino.simulate.match import MatchJob, MatchResult

EXAMPLE: Final = f"""A and B are bots: {common.BOT_LIST}, expert:FILE, or your own
as module:Class, found in this folder: a class with a method choose(view, legal_actions, rng).

\b
Examples:
  casino arena expert regle --games 200000 --plot strength.svg
  casino arena regle novice --games 20000 --seed 7 --json
  casino arena expert:seven.xz expert --law target=7
  casino arena mymodule:MyBot regle --games 2000
"""


@click.command("arena", epilog=EXAMPLE)
@click.argument("first", type=common.BotNameType(), metavar="A")
@click.argument("second", type=common.BotNameType(), metavar="B")
@click.option(
    "--games",
    type=common.WholeNumber(2),
    default=20_000,
    show_default=True,
    help="An odd number is rounded up, because every deal is played twice.",
)
@common.playing_options
@common.config_option
def command(
    first: str,
    second: str,
    games: int,
    seed: int,
    law: Sequence[str],
    as_json: bool,
    plot: Path | None,
    workers: int,
    engine_name: str,
    config: Config,
) -> None:
    """Match two bots and report how often the first one wins.

    Every deal is played twice with the seats swapped, so that both bots get the same cards. The
    interval contains the true share 95 times in 100. expert:FILE and eugenie:FILE play by tables
    made by casino solve. Ctrl-C or SIGTERM prints the results so far and exits with 130.
    """
    from casino.simulate.executor import create_engine
    from casino.simulate.match import MatchJob, MatchResult
    from casino.simulate.match import as_json as values
    from casino.simulate.run_files import check_writable
    from casino.simulate.series import Run, compile_games, is_compiled
    from casino.simulate.sweep import change_laws

    if plot is not None:
        common.check_image_file(plot)
        check_writable(plot)
    match = MatchJob(first, second, -(-games // 2), seed, change_laws(config.laws, law))
    for bot in (first, second):
        _warn_of_other_laws(bot, match)
    run = Run(1, house=first, challenger=second, laws=match.laws)
    compile_games([run, run._replace(house=second, challenger=first)], common.say_compiling)
    started = perf_counter()
    common.interrupt_on_sigterm()
    course, finished = [MatchResult()], True
    with (
        create_engine(engine_name, workers, is_compiled(run)) as players,
        common.progress(2 * match.pairs, "shuffling the cards") as update,
    ):
        try:
            for result in players.play(match.tasks()):
                course.append(course[-1].plus(result))
                update(advance=result.games, description=f"{first} wins {_share(course[-1])}")
        except KeyboardInterrupt:
            finished = False
    seconds, result = perf_counter() - started, course[-1]
    if plot is not None and result.games:
        from casino.simulate.plot import draw_match

        with common.writing(plot):
            draw_match(match, course[1:], plot)
    if as_json:
        click.echo(json.dumps(values(match, result, seconds)))
    elif result.games:
        common.make_console().print(_sentence(match, result, seconds))
    if not finished:
        raise common.interruption(result.games > 0)


def _warn_of_other_laws(bot: str, match: MatchJob) -> None:
    from casino.ecarte import laws_json
    from casino.solver.policy.tables import load_packed

    path = get_tables_path(bot)
    solved = None if path is None else load_packed(path).about.get("laws")
    played = laws_json(match.laws)
    others = [f"{law}={value}" for law, value in (solved or played).items() if value != played[law]]
    if others:
        text = f"{path} was solved for other laws ({', '.join(others)}): change them with --law"
        click.echo(f"Warning: {text}", err=True)


def _sentence(match: MatchJob, result: MatchResult, seconds: float) -> str:
    from casino.simulate.report import number

    gain, verb = result.stakes, "wins"
    if gain.value < 0:
        gain, verb = gain._replace(value=-gain.value), "loses"
    return (
        f"{match.first} wins [bold]{_share(result)}[/bold] of {result.games:,} games against "
        f"{match.second}, every deal played from both seats "
        f"(seed {match.seed}, {seconds:.1f} s).\n"
        f"It {verb} {number(gain, '.4f')} stakes per game. "
        "Intervals and ± are 95 % confidence intervals."
    )


def _share(result: MatchResult) -> str:
    low, high = result.interval
    return f"{100 * result.win_rate.value:.2f} % ({100 * low:.2f} to {100 * high:.2f} %)"
