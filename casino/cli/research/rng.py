"""`casino rng`: write the deck generator's output for statistical tests."""

from __future__ import annotations

import sys
from itertools import islice

import click

from casino import fairness
from casino.cli import common
from casino.ecarte import format_cards


@click.command(epilog="Example: casino rng --raw | dieharder -a -g 200")
@click.option("--raw", is_flag=True, help="Write random bytes until the reader closes the pipe.")
@click.option(
    "--decks",
    type=common.WholeNumber(1),
    metavar="N",
    help="Write N shuffled decks, one a line, in dealing order.",
)
@click.option("--seed", metavar="HEX", help="Start from these 32 bytes instead of random ones.")
@common.config_checked
def command(raw: bool, decks: int | None, seed: str | None) -> None:
    """Write random bytes or shuffled decks to standard output.

    They are what a live game named `rng` would use without contributions. Feed a test program
    from a pipe: a test that rewinds a short file reports false failures.
    """
    common.refuse_conflicting("raw", "decks")
    if not raw and decks is None:
        raise click.UsageError("give --raw or --decks N.")
    server_seed = fairness.fresh_seed() if seed is None else fairness.parse_seed(seed)
    out, cut = sys.stdout.buffer, fairness.combine(())
    if decks is None:
        stream = fairness.blocks(server_seed, f"rng|1|{cut}")  # which shuffles the first deck
        while True:
            out.write(b"".join(islice(stream, 2048)))
    for deal in range(1, decks + 1):
        out.write(f"{format_cards(fairness.deck(server_seed, 'rng', cut, deal))}\n".encode())
