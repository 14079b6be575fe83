"""`casino account`: a player's own account at a running casino, over the network."""

from __future__ import annotations

import json
import os

import click

from casino.cli.common import WORDS, ask_password, config_checked, make_console, url_argument
from casino.cli.play.statement import print_statement
from casino.config import MIN_PASSWORD_LENGTH, PASSWORD_VARIABLE
from casino.errors import CasinoError, Refused
from casino.reports.statement import Statement


@click.command(epilog="Example: casino account --name ann http://127.0.0.1:5000")
@config_checked
@click.option("--name", required=True, type=WORDS, metavar="NAME", help="The name you bet under.")
@click.option("--set-password", is_flag=True, help="Set a new password first, typed or piped in.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
@url_argument
def command(name: str, set_password: bool, as_json: bool, url: str) -> None:
    """Show the balance, the bets and the history of NAME's account at the casino at URL.

    If the name has a password, it is read from CASINO_PASSWORD, or prompted for.
    """
    from casino.client.client import CasinoClient, cookie_file  # only here: --help needs none of it

    client = CasinoClient(url, cookie_file(name, url))
    client.sign_in(name)
    if set_password:
        new = ask_password("New password", twice=True)
        if len(new) < MIN_PASSWORD_LENGTH:
            raise CasinoError(f"use at least {MIN_PASSWORD_LENGTH} characters for a new password")
        old = os.environ.get(PASSWORD_VARIABLE)
        try:
            client.change_password(new, old)
        except Refused as refusal:
            if refusal.code != "name_taken" or old is not None:
                raise
            client.change_password(new, ask_password("Current password"))
    values = client.get("/api/statement")
    del values["ok"]
    if as_json:
        click.echo(json.dumps(values))
    else:
        print_statement(Statement.from_json(values), make_console())
