"""`casino run`: run the casino, with web pages or headless."""

from __future__ import annotations

import logging
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

import click

from casino import fairness
from casino.chips import format_chips
from casino.cli import common
from casino.cli.common import WholeNumber, progress
from casino.clock import MonotonicClock, monotonic_ms, wall_ms
from casino.config import Config
from casino.config_tables import (
    grant_policy,
    table_plan,
    table_plans,
    unfair_tables,
    unfinished_plans,
    with_default_tables,
)
from casino.errors import CasinoError, FileError, InputError, Refused
from casino.ledger.accounts import COMMISSION, escrow
from casino.ledger.log_reader import LogReader
from casino.ledger.side_files import NEW_MASTER, CasinoFiles, write_private
from casino.ledger.storage.location import LogLocation, open_log
from casino.logging_setup import logging_to_stderr
from casino.table.runtime.casino import Casino, NightCounts, TablePlan, run_simulated
from casino.table.runtime.recovery import load_newest_terms

log = logging.getLogger(__name__)


class _Run(NamedTuple):
    config: Config
    location: LogLocation
    games: int | None
    tables: int | None
    accept_clock: bool


@click.command(epilog="Example: casino run --headless --games 1000 --tables 4 --db casino.db")
@common.config_option
@common.address_options
@click.option("--headless", is_flag=True, help="Play without pages or pauses, to fill a ledger.")
@click.option("--house-only", is_flag=True, help="Leave the pages to casino web, through Redis.")
@click.option("--games", type=WholeNumber(1), metavar="N", help="Stop after N games, void or not.")
@click.option(
    "--seed", type=WholeNumber(0), metavar="S", help="Make the night repeatable; not for real play."
)
@click.option("--tables", type=WholeNumber(1, 100), metavar="N", help="The number of tables.")
@common.db_option
@click.option("--new", is_flag=True, help="Begin a new log; the old files are moved aside.")
@click.option("--accept-clock", is_flag=True, help="Accept a clock that was set far ahead.")
def command(
    config: Config,
    host: str | None,
    port: int | None,
    headless: bool,
    house_only: bool,
    games: int | None,
    seed: int | None,
    tables: int | None,
    db: str | None,
    new: bool,
    accept_clock: bool,
) -> None:
    """Run the casino: tables with bots, bets and a ledger, live in the browser.

    Prints the address when it is ready. With --seed, the cards follow from the seed and the clock
    is simulated, so the same night can be repeated. With --headless, Ctrl-C or SIGTERM prints the
    results so far and exits with 130. --games counts resumed games too.
    """
    location = common.log_location(config, db, waits=True)
    common.refuse_conflicting("headless", "host", "port", "house_only")
    if house_only and not config.scale.redis_url:
        raise click.UsageError("--house-only needs [scale] redis_url: web processes use it.")
    common.refuse_conflicting("seed", "accept_clock")
    run = _Run(config, location, games, tables, accept_clock)
    if headless:
        common.interrupt_on_sigterm()
        with _locked(location, new):
            _headless(run, seed)
        return
    if seed is not None:
        raise click.UsageError("--seed needs --headless: no one may know the cards of a live game.")
    from casino.web.app import check_address
    from casino.web.assets import load_manifest

    # Before any file is made: pages that are not built, a taken port.
    load_manifest()
    address = host or config.web.host, config.web.port if port is None else port
    check_address(*address)
    exit_on_sigterm()
    with _locked(location, new):
        _live(run, address, house_only)


@contextmanager
def _locked(location: LogLocation, new: bool) -> Iterator[None]:
    """Lock the log, and move its files aside for a new one."""
    if not new and not CasinoFiles(location.path).key.exists() and location.exists():
        location.open_queries().close()  # refuses a foreign file before a lock lies next to it
    with location.lock():
        for moved in location.move_aside() if new else ():
            click.echo(f"moved aside: {moved}", err=True)
        yield


def exit_on_sigterm() -> None:
    """Exit normally on SIGTERM, so that files are closed and the log is signed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))


def announce(subject: str, interrupted: list[bool], url: str, stop: Callable[[], None]) -> None:
    """Print the address of an open server, and `stop` it on SIGTERM or on Ctrl-C, noted in a list.

    The last two arguments are those of a server's `ready`.
    """
    import gevent  # only here: --help needs none of it

    gevent.signal_handler(signal.SIGTERM, stop)
    gevent.signal_handler(signal.SIGINT, interrupted.append, True)
    gevent.signal_handler(signal.SIGINT, stop)
    click.echo(f"The {subject} is open: {reachable_url(url)}")


def _open(run: _Run, plans: list[TablePlan]) -> Casino:
    config, say = run.config, partial(click.echo, err=True)
    for warning in unfair_tables(plans):
        say(f"Warning: {warning}.")
    held = _held_cents(run.location)
    clock = MonotonicClock(wall_ms, monotonic_ms, say, accept=run.accept_clock)
    unfinished = unfinished_plans(config, plans, held)
    house = Casino(
        run.location,
        [*plans, *unfinished.values()],
        clock,
        chips=grant_policy(config),
        name=config.bank.name,
        least_free_bytes=config.bank.least_free_mib << 20,
        hosted_plan=table_plan("", config),
    )
    # Times in the log must never decrease, even if the machine's clock was set back.
    clock.hold(house.service.ledger.newest_time())
    for game, plan in unfinished.items():
        table = plan.rules.name
        house.set_table_state(table, "closed")
        text = f"{game} is unfinished and holds {format_chips(held[game])}, but [tables] has no"
        running = house.service.durable_state(table).running
        end = "is void" if running and running.lost else "is played to its end"
        click.echo(f"{text} {table}: it {end}, then {table} stays closed.", err=True)
    return house


def _existing_log(location: LogLocation) -> AbstractContextManager[LogReader | None]:
    """Open a log; give None for a new one, or one that the ledger will refuse."""
    with suppress(FileError):
        return closing(open_log(location))
    return nullcontext()


def _held_cents(location: LogLocation) -> dict[str, int]:
    """Return what each unfinished game holds in escrow, except at hosted tables.

    Raises `FileError` if the log has seeds, but the secret they are derived from is missing.
    """
    secret, key = CasinoFiles(location.path).master, CasinoFiles(location.path).key
    with _existing_log(location) as log:
        if log is None:
            return {}
        if key.exists() and not secret.exists() and any(log.of_kinds(["seed_chain"])):
            raise FileError(
                f"{secret} is missing, and only it reveals the cards of running games: put it back"
                " from a copy made with casino backup --with-keys, or give these games up with"
                f" 'echo new > {secret}', but every later audit then reports them as errors"
            )
        hosted = {table for table, terms in load_newest_terms(log).items() if terms.hosted}
        games = [game for game in log.open_subjects() if game.rpartition("-")[0] not in hosted]
        return {game: sum(log.balances(escrow(game, "")).values()) for game in games}


def _live(run: _Run, address: tuple[str, int], house_only: bool) -> None:
    from casino.audit.background_audit import BackgroundAudit
    from casino.table.runtime.gc_schedule import scheduled_gc
    from casino.web.admin_socket import AdminCommands, admin_socket
    from casino.web.app import create_app, serve

    config, location = run.config, run.location
    described = with_default_tables(config) if run.tables is None else config
    house = _open(run, table_plans(described, run.tables))
    interrupted: list[bool] = []
    ready = partial(announce, "house" if house_only else "casino", interrupted)
    with closing(house):
        casino = create_app(config, house, fairness.fresh_seed, with_pages=not house_only)
        record = casino.backend.figures.record_audit
        with (
            logging_to_stderr(config.log),
            scheduled_gc(lambda: house.finished),
            casino.rpc_server or nullcontext(),
            BackgroundAudit(location, config.audit.every_minutes, record),
            admin_socket(AdminCommands(casino.backend, casino.connection_count), location.path),
        ):
            serve(casino, *address, ready, run.games)
        if not house.service.ledger.is_writable:
            raise CasinoError(f"{location} could not be written at the end: see the errors above")
    if interrupted:
        click.echo("The casino is closed; the same command opens it again.", err=True)


def _headless(run: _Run, seed: int | None) -> None:
    plans, location = table_plans(run.config, run.tables), run.location
    if any(not plan.rules.challenger for plan in plans):
        raise InputError("[table] challenger: name a bot: only bots play at a headless table")
    if seed is not None:
        click.echo("Warning: with --seed anyone can know the cards: not for real play.", err=True)
    number = f"{len(plans)} tables" if len(plans) > 1 else "1 table"
    opened = partial(click.echo, f"{number}, {location}; press Ctrl-C to stop", err=True)
    earned, interrupted = -_commission_cents(location), False
    started = time.monotonic()
    with progress(run.games, "games") as update:
        night = NightCounts(lambda finished: update(completed=finished))
        try:
            if seed is None:
                house = _open(run, plans)
                opened()
                house.service.listeners.append(night)
                with closing(house):
                    house.run_headless(run.games)
            else:
                # Its seeds do not derive from a master secret: the next run may create one.
                secret = CasinoFiles(location.path).master
                if not (secret.exists() or location.exists()):
                    write_private(secret, NEW_MASTER)
                opened()
                policy, name = grant_policy(run.config), run.config.bank.name
                run_simulated(location, plans, seed, run.games, policy, name, night)
        except KeyboardInterrupt:
            interrupted = True
        except Refused as refusal:
            why = str(refusal.__cause__ or refusal).removesuffix(": wait")
            again = "free some space and give the same command again, or check the disk"
            raise CasinoError(f"{location}: {why}: {again}") from None
    earned += _commission_cents(location)
    for line in _summarize(night, earned, time.monotonic() - started, location):
        click.echo(line)
    if interrupted:
        raise click.Abort


def _commission_cents(location: LogLocation) -> int:
    with _existing_log(location) as log:
        return 0 if log is None else log.balance(COMMISSION)


def _summarize(
    night: NightCounts, earned_cents: int, seconds: float, location: LogLocation
) -> Iterator[str]:
    won = night.results
    games = "1 game" if night.games == 1 else f"{night.games:,} games"
    void = f"; {won['void']:,} void" if won["void"] else ""
    if night.faults:
        void += f", because a bot failed: {', '.join(sorted(night.faults))}"
    rate = f" ({night.games / seconds:,.0f} a second)" if night.games > seconds else ""
    yield (
        f"{games} in {seconds:.1f} s{rate}: the house won"
        f" {won['house']:,}, the challenger {won['challenger']:,}{void}."
    )
    bets = "1 bet" if night.bets == 1 else f"{night.bets:,} bets"
    yield (
        f"{bets}, with units totalling {format_chips(night.units_cents)};"
        f" the house earned {format_chips(earned_cents)} in commission."
    )
    yield f"To check every card and cent: casino audit --db {location}"


def reachable_url(url: str) -> str:
    """Return the URL for a browser: the LAN address if the server listens on all interfaces."""
    parts = urlsplit(url)
    return f"http://{lan_address()}:{parts.port}" if parts.hostname in ("0.0.0.0", "::") else url


def lan_address() -> str:
    """Return this machine's address in the local network, without sending a packet."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock, suppress(OSError):
        sock.connect(("192.0.2.1", 9))
        return str(sock.getsockname()[0])
    return "127.0.0.1"
