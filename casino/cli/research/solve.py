"""`casino solve`: compute the expert's exchange tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from casino.cli import common
from casino.config import Config

EXAMPLE: Final = """\b
Examples:
  casino solve -o tables.xz
  casino solve -o mine.xz --law vole_unexchanged=2 --iterations 300000 --passes 1
  casino solve -o seven.xz --law target=7 --engine dask://solver:8786
"""


@click.command("solve", epilog=EXAMPLE)
@click.option(
    "-o", "--output", type=common.FILE, required=True, help="Write the tables to a new file."
)
@click.option(
    "--keep",
    type=common.FOLDER,
    default=Path("solving"),
    show_default=True,
    help="The folder for the progress; the same command resumes from it.",
)
@click.option("--passes", type=common.WholeNumber(1, 20), default=3, show_default=True)
@click.option(
    "--iterations",
    type=common.WholeNumber(8),  # an eighth of them is measured
    default=700_000,
    show_default=True,
    help="Iterations for each score in each pass.",
)
@click.option("--seed", type=common.WholeNumber(0, 10**6), default=1, show_default=True)
@click.option("--law", multiple=True, metavar="K=V", help="Change a law. Repeatable.")
@common.workers_options
@common.config_option
def command(
    output: Path,
    keep: Path,
    passes: int,
    iterations: int,
    seed: int,
    law: Sequence[str],
    workers: int,
    engine_name: str,
    config: Config,
) -> None:
    """Solve the exchanges at every score and write the expert's tables.

    The values of hands in play come from the shipped tables. The file does not depend on the engine
    or the number of workers. Ctrl-C or SIGTERM exits with 130, and the same command resumes.
    """
    from casino.simulate.executor import create_engine
    from casino.simulate.run_files import check_writable
    from casino.simulate.sweep import change_laws
    from casino.solver.policy.tables import load_packed
    from casino.solver.training.cfr import scores
    from casino.solver.training.run import TrainingPlan, make_tables, solve

    laws = change_laws(config.laws, law)
    plan = TrainingPlan(laws, (iterations,) * passes, min(300_000, iterations), seed)
    plan.check()
    check_writable(output)
    keep.mkdir(parents=True, exist_ok=True)
    shipped = load_packed()
    total = iterations * passes * len(scores(laws.target))
    common.interrupt_on_sigterm()
    try:
        with create_engine(engine_name, workers) as players:
            with common.progress(total, "dealing") as update:

                def done(iterations: int, score: str) -> None:
                    update(advance=iterations, description=f"solved {score}")

                solution = solve(plan, shipped.about["leaves"], keep, done, players.play)
            body = make_tables(plan, solution, shipped)
            with common.writing(output):
                size = output.write_bytes(body)
    except KeyboardInterrupt:
        raise click.Abort(f"the same command resumes from {keep}") from None
    common.make_console().print(f"{output}: {size:,} bytes, all scores solved with seed {seed}.")
