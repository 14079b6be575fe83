"""`casino run`: the casino itself; without a web page so far, headless or as a game to look at."""

from __future__ import annotations

import time
from pathlib import Path

import click

from casino.cli.options import config_option
from casino.config import Config
from casino.errors import BadInput


@click.command(
    epilog="Examples: casino run; casino run --headless --games 1000 --tables 4 --db casino.db",
    short_help="Run the casino.",
)
@config_option
@click.option("--headless", is_flag=True, help="No web, no pauses: fill a ledger, test a disk.")
@click.option("--games", type=click.IntRange(1), metavar="N", help="Stop after N games in all.")
@click.option("--seed", type=int, metavar="S", help="A night that comes again; never for play.")
@click.option("--tables", type=click.IntRange(1, 100), metavar="N", help="How many tables.")
@click.option("--db", type=click.Path(path_type=Path), metavar="FILE", help="The casino's file.")
def command(
    config: Config,
    headless: bool,
    games: int | None,
    seed: int | None,
    tables: int | None,
    db: Path | None,
) -> None:
    """Run the casino: tables with bots, bets and a ledger.

    Without --headless one game between the bots of the configuration is told in the terminal.
    With --seed cards follow from the seed, and a simulated clock makes the same night twice.
    """
    if not headless:
        if (games, seed, tables, db) != (None, None, None, None):
            raise click.UsageError("--games, --seed, --tables and --db need --headless.")
        from casino.cli.terminal import tell_game  # only here: a night needs none of it

        tell_game(config)
        return
    _headless(config, games, seed, tables, db or Path(config.bank.db))


def _headless(
    config: Config, games: int | None, seed: int | None, tables: int | None, db: Path
) -> None:
    """A night without people."""
    from casino.cli.tables import plans_of  # only here: --help needs none of it
    from casino.table.house import House, simulated

    plans = plans_of(config, tables)
    if any(not plan.rules.challenger for plan in plans):
        raise BadInput("[table] challenger: a headless table needs a bot to challenge the house")
    started = time.monotonic()
    click.echo(f"{len(plans)} tables, {db}; stop with ctrl-c", err=True)
    if seed is not None:
        click.echo("Warning: with --seed everybody can know the cards: not for play.", err=True)
        finished = simulated(db, plans, seed, games, config.bank.house_cents, config.bank.name)
    else:
        house = House(
            db,
            plans,
            lambda: time.time_ns() // 1_000_000,
            chips_cents=config.bank.house_cents,
            name=config.bank.name,
            least_free_bytes=config.bank.least_free_mib << 20,
        )
        try:
            house.headless(games)
        finally:
            house.close()
        finished = house.finished
    seconds = time.monotonic() - started
    click.echo(f"{finished} games in {seconds:.1f} s, {finished / seconds:.0f} games/s")
