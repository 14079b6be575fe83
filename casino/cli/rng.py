"""`casino rng`: what the generator of the decks gives, for outside programs to test."""

from __future__ import annotations

import sys

import click

from casino.cli.options import Whole, config_option, refuse_together


@click.command(
    epilog="Example: casino rng --raw | dieharder -a -g 200, or: casino rng --decks 10000 > decks"
)
@click.option("--raw", is_flag=True, help="The stream of random bytes, until the reader has gone.")
@click.option(
    "--decks",
    type=Whole(0),
    metavar="N",
    help="N shuffled decks, one a line, in dealing order.",
)
@click.option("--seed", metavar="HEX", help="32 bytes to start from instead of fresh ones.")
@config_option
def command(raw: bool, decks: int | None, seed: str | None, **_settings: object) -> None:
    """Write the random stream, or decks shuffled with it, to standard output.

    They are made as those of a live game are, for a game called `rng` into whose cut nobody
    put anything. Feed a test program from a pipe: a file that it rewinds fails falsely.
    """
    from casino import fairness  # only here: --help needs no rules

    refuse_together("raw", "decks")
    if not raw and decks is None:
        raise click.UsageError("Give --raw or --decks N.")
    server_seed = fairness.fresh_seed() if seed is None else fairness.parse_seed(seed)
    out = sys.stdout.buffer
    if decks is None:
        for piece in fairness.raw_stream(server_seed):
            out.write(piece)
    else:
        for names in fairness.rng_decks(server_seed, decks):
            out.write(f"{names}\n".encode("ascii"))
