"""`casino statement`: a player's account statement, as tables or JSON."""

from __future__ import annotations

import json

import click
from msgspec import to_builtins
from rich.table import Table

from casino.chips import format_chips
from casino.cli import common
from casino.config import Config
from casino.errors import InputError, Refused, escape_unprintable, moment
from casino.reports.statement import Statement, statement


@click.command(epilog="Example: casino statement alice")
@common.config_option
@common.db_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
@click.argument("player", type=common.WORDS)
def command(config: Config, db: str | None, as_json: bool, player: str) -> None:
    """Show every bet of PLAYER with its result, every change of the balance, and the balance."""
    try:
        account = statement(common.log_location(config, db), player)
    except Refused as refusal:
        raise InputError(str(refusal)) from None
    if as_json:
        click.echo(json.dumps(to_builtins(account)))
    else:
        print_statement(account)


def print_statement(account: Statement) -> None:
    """Print a statement as tables, and the balance below them."""
    bets = Table("game", "side", title="Bets", box=None)
    for name in ("unit", "matched", "result", "gain", "commission"):
        bets.add_column(name, justify="left" if name == "result" else "right")
    for bet in account.bets:
        unit, matched = format_chips(bet.unit_cents), _chips(bet.matched_cents)
        gain, fee = _chips(bet.gain_cents), _chips(bet.commission_cents)
        game, side, result = map(escape_unprintable, (bet.game, bet.side, bet.result))
        bets.add_row(game, side, unit, matched, result, gain, fee)
    changes = Table("entry", "time (UTC)", "move", "game", title="Changes", box=None)
    for name in ("chips", "balance"):
        changes.add_column(name, justify="right")
    for change in account.changes:
        at = moment(change.at_ms).removesuffix(" UTC")
        amounts = format_chips(change.cents), format_chips(change.balance_cents)
        move, game = map(escape_unprintable, (change.move, change.game))
        changes.add_row(str(change.entry), at, move, game, *amounts)
    terminal = common.make_console()
    terminal.print(*(table for table in (bets, changes) if table.row_count))
    held = f", in games {format_chips(account.escrow_cents)}" if account.escrow_cents else ""
    player = escape_unprintable(account.player)
    terminal.print(f"{player}: balance {format_chips(account.balance_cents)}{held}")


def _chips(cents: int | None) -> str:
    return "" if cents is None else format_chips(cents)
