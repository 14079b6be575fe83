"""How long `import casino.ecarte` takes in a fresh interpreter, beyond starting the interpreter.

Run it with `make bench`, or, from the project's folder, `python -m bench.import_time`.
"""

import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import click

PROJECT = Path(__file__).parent.parent


def seconds(program: str, compiled: str) -> float:
    """Time a program in a fresh interpreter without site packages; `compiled` keeps bytecode."""
    variables = os.environ | {"PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-S", "-c", program]
    start = perf_counter()
    subprocess.run(command, check=True, cwd=PROJECT, env=variables)
    return perf_counter() - start


@click.command()
@click.option("--times", default=21, show_default=True, help="How many interpreters of each kind.")
def main(times: int) -> None:
    """Time the import, a bare interpreter and one that imports taking turns."""
    importing = "import casino.ecarte"
    with TemporaryDirectory() as compiled:
        first = seconds(importing, compiled)
        pairs = [(seconds("pass", compiled), seconds(importing, compiled)) for _ in range(times)]
    bare = median(before for before, _ in pairs)
    extra = median(after - before for before, after in pairs)
    click.echo(
        f"{importing}: {extra * 1000:.0f} ms more than the {bare * 1000:.0f} ms of a bare "
        f"interpreter (median of {times}; the first time ever, compiling: {first * 1000:.0f} ms)"
    )


if __name__ == "__main__":
    main()
