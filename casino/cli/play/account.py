"""`casino account`: a player's own account at a running casino, over the network."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import click
from msgspec import convert

from casino.chips import format_chips
from casino.cli.common import WORDS, WholeNumber, chips, config_checked, url_argument
from casino.cli.play.statement import print_statement
from casino.client.client import CasinoClient
from casino.clock import wall_ms
from casino.config import MIN_PASSWORD_LENGTH, PASSWORD_VARIABLE
from casino.errors import CasinoError, InputError, Refused, moment
from casino.player_limits import DAY_MS
from casino.reports.statement import Statement


@click.command(epilog="Example: casino account --name ann http://127.0.0.1:5000")
@config_checked
@click.option("--name", required=True, type=WORDS, metavar="NAME", help="The name you bet under.")
@click.option("--day-stake", type=chips, metavar="CHIPS", help="At risk in a day, at most.")
@click.option("--day-loss", type=chips, metavar="CHIPS", help="Lost in a day, at most.")
@click.option(
    "--break",
    "days",
    type=WholeNumber(1, 36_500),
    metavar="DAYS",
    help="Take a break from betting.",
)
@click.option(
    "--set-password",
    is_flag=True,
    help="Set a new password first, typed in or piped in as the only line.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
@url_argument
def command(
    name: str,
    day_stake: int | None,
    day_loss: int | None,
    days: int | None,
    set_password: bool,
    as_json: bool,
    url: str,
) -> None:
    """Show the balance, bets, history and limits of NAME's account at the casino at URL.

    --day-stake, --day-loss and --break set your own limits first. A lower limit takes effect at
    once. A higher limit, no limit (0) and a shorter break take effect after a day.

    If the name has a password, it is read from CASINO_PASSWORD, or prompted for, and later commands
    need it no more.
    """
    client = CasinoClient(url, name)
    client.sign_in(name)
    if set_password:
        new = _new_password()
        if len(new) < MIN_PASSWORD_LENGTH:
            raise CasinoError(f"use at least {MIN_PASSWORD_LENGTH} characters for a new password")
        old = os.environ.get(PASSWORD_VARIABLE)
        try:
            client.change_password(new, old)
        except Refused as refusal:
            if refusal.code != "name_taken" or old is not None:
                raise
            if not sys.stdin.isatty():
                raise InputError(f"set {PASSWORD_VARIABLE} to the current password") from None
            old = click.prompt("Current password", hide_input=True, err=True)
            client.change_password(new, old)
        click.echo(f"{name} has a new password.", err=True)
    until = None if days is None else wall_ms() + days * DAY_MS
    for key, value in (
        ("day_stake_cents", day_stake),
        ("day_loss_cents", day_loss),
        ("break_until_ms", until),
    ):
        if value is not None:
            client.post("/api/limits", {"key": key, "value": value})
    values = client.get("/api/statement")
    del values["ok"]
    me = client.get("/api/me")
    if as_json:
        click.echo(json.dumps({**values, "limits": me["limits"], "pending": me["pending"]}))
    else:
        print_statement(convert(values, Statement))
        _print_limits(me["limits"], me["pending"])


def _new_password() -> str:
    if sys.stdin.isatty():
        prompted = click.prompt("New password", hide_input=True, confirmation_prompt=True, err=True)
        return str(prompted)
    lines = sys.stdin.read().splitlines()
    if len(lines) != 1:
        raise InputError(
            f"{len(lines)} lines were piped in: pipe in one, the new password, and set"
            f" {PASSWORD_VARIABLE} to the current one, if there is one"
        )
    return lines[0]


def _print_limits(limits: dict[str, int], pending: list[dict[str, Any]]) -> None:
    later = {change["key"]: change for change in pending}
    for key, words in (("day_stake_cents", "At risk"), ("day_loss_cents", "Lost")):
        if limits[key]:
            text = f"{words} in a day, at most: {format_chips(limits[key])}"
            if change := later.get(key):
                new = format_chips(change["value"]) if change["value"] else "no limit"
                text += f", from {moment(change['from_ms'])}: {new}"
            click.echo(text)
    until = limits["break_until_ms"]
    if change := later.get("break_until_ms"):  # a shorter break, which applies after a day
        until = min(until, max(change["from_ms"], change["value"]))
    if until > wall_ms():
        click.echo(f"Your break lasts until {moment(until)}; a shorter one applies after a day.")
