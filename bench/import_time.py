"""How long `import casino.ecarte` takes in a fresh interpreter, beyond starting the interpreter.

Run it with `make bench`, or, from the project's folder, `python -m bench.import_time`.
"""

import subprocess
import sys
from statistics import median
from time import perf_counter

import click


def seconds(program: str) -> float:
    """Run a program in a fresh interpreter that looks at no site packages, and time it."""
    start = perf_counter()
    subprocess.run([sys.executable, "-S", "-c", program], check=True)
    return perf_counter() - start


@click.command()
@click.option("--times", default=21, show_default=True, help="How many interpreters of each kind.")
def main(times: int) -> None:
    """Time the import, a bare interpreter and one that imports taking turns."""
    importing = "import casino.ecarte"
    seconds(importing)  # the first run compiles
    pairs = [(seconds("pass"), seconds(importing)) for _ in range(times)]
    bare = median(before for before, _ in pairs)
    extra = median(after - before for before, after in pairs)
    click.echo(
        f"{importing}: {extra * 1000:.1f} ms more than a bare interpreter's "
        f"{bare * 1000:.1f} ms (median of {times}; goal: at most 50 ms)"
    )


if __name__ == "__main__":
    main()
