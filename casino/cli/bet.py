"""`casino bet`: one bet from a script, acknowledged when it is durable."""

from __future__ import annotations

import json
import re
import threading
from typing import Any, Final

import click

from casino.cli.client import DEFAULT_URL, Client, chips, cookies_of
from casino.cli.options import config_checked, shortened
from casino.errors import BadInput, Reason, Refused
from casino.fairness import fresh_seed

NO_BOOK: Final = Reason(
    "no_book", "betting_closed", "no book has opened at {table}: try again later"
)

LONGEST_WAIT: Final = 120
"""Seconds to wait for the next book to open."""


@click.command(
    epilog="Example: casino bet --table t1 --side house --unit 5.00 --name ann",
    short_help="Place one bet, from a script.",
)
@config_checked
@click.option("--table", required=True, metavar="ID", help="The table.")
@click.option("--side", required=True, type=click.Choice(["house", "challenger"]))
@click.option("--unit", required=True, metavar="CHIPS", help="What a single game costs: 5.00.")
@click.option("--name", required=True, metavar="NAME", help="Who bets.")
@click.option("--password", metavar="WORD", help="If the name has one.")
@click.option("--bet-id", metavar="ID", help="The same id again is the same bet.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.argument("url", default=DEFAULT_URL)
def command(
    table: str,
    side: str,
    unit: str,
    name: str,
    password: str | None,
    bet_id: str | None,
    as_json: bool,
    url: str,
) -> None:
    """Bet on a side of the game at a table of the casino at URL, or of its next game."""
    client = Client(url, cookies_of(name))
    payload = {"side": side, "unit_cents": _cents(unit), "bet_id": bet_id or fresh_seed().hex()}
    client.enter(name, password)
    book = _Book()
    client.connect(event=book.heard)
    try:
        book.look(client.ask("join", table=table)["snapshot"])
        answer = client.ask("place_bet", table=table, game=book.wait(table), **payload)
    finally:
        client.close()
    if as_json:
        click.echo(json.dumps(answer))
        return
    bet = answer["bet"]
    balance = chips(answer["balance_cents"])
    click.echo(f"{bet['game']}: {name} bets {unit} on the {side}; balance {balance}")


class _Book:
    """Waits for a game whose book is open."""

    def __init__(self) -> None:
        self._game = ""
        self._opened = threading.Event()

    def look(self, snapshot: dict[str, Any]) -> None:
        """Look at the table as it stands."""
        if snapshot.get("game") and not snapshot["closed"]:
            self._open(snapshot["game"])

    def heard(self, event: dict[str, Any]) -> None:
        """Something happens at the table."""
        if event["type"] == "game_opened":
            self._open(event["game"])

    def wait(self, table: str) -> str:
        """The game to bet on."""
        if not self._opened.wait(LONGEST_WAIT):
            raise Refused(NO_BOOK, table=table)
        return self._game

    def _open(self, game: str) -> None:
        """A book is open."""
        self._game = game
        self._opened.set()


def _cents(chips: str) -> int:
    """Chips with at most two decimals as whole cents."""
    found = re.fullmatch(r"([0-9]{1,12})(?:\.([0-9]{1,2}))?", chips)
    if found is None:
        raise BadInput(f"--unit {shortened(chips)} is not an amount of chips: write 5 or 5.00")
    whole, part = found.groups(default="")
    return int(whole) * 100 + int(part.ljust(2, "0"))
