"""`casino bet`: one bet from a script, acknowledged when it is durable."""

from __future__ import annotations

import json
import threading
from typing import Any, Final

import click

from casino.chips import cents_of, chips
from casino.cli.options import DEFAULT_URL, config_checked, shortened
from casino.errors import BadInput, Reason, Refused

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
@click.option("--unit", required=True, metavar="CHIPS", help="The loss in a single game: 5.00.")
@click.option("--name", required=True, metavar="NAME", help="The name to bet under.")
@click.option("--bet-id", metavar="ID", help="Sent again, the same id is the same bet.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
@click.argument("url", default=DEFAULT_URL)
def command(
    table: str,
    side: str,
    unit: str,
    name: str,
    bet_id: str | None,
    as_json: bool,
    url: str,
) -> None:
    """Bet on a side of the game at a table of the casino at URL, or of the next game there.

    If the name has a password, it is read from CASINO_PASSWORD in the environment, or asked for.
    """
    from casino.cli.client import Client, cookies_of  # only here: --help needs none of it
    from casino.fairness import fresh_seed

    unit_cents = cents_of(unit)
    if unit_cents is None:
        raise BadInput(f"--unit {shortened(unit)} is not an amount of chips: write 5 or 5.00")
    client = Client(url, cookies_of(name))
    payload = {"side": side, "unit_cents": unit_cents, "bet_id": bet_id or fresh_seed().hex()}
    client.enter_as_person(name)
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
    held = f"{chips(unit_cents * book.risk)} is held"
    if book.risk > 1:
        held += f", because a triple costs {book.risk} units"
    game, balance = answer["bet"]["game"], chips(answer["balance_cents"])
    click.echo(f"{game}: {name} bets {chips(unit_cents)} on the {side}. {held}. Balance {balance}.")


class _Book:
    """Waits for a game whose book is open; `risk` is how many units a bet can lose there."""

    def __init__(self) -> None:
        self.risk = 1
        self._game = ""
        self._opened = threading.Event()

    def look(self, snapshot: dict[str, Any]) -> None:
        """Look at the table as it stands."""
        if snapshot.get("game") and not snapshot["closed"]:
            self._open(snapshot)

    def heard(self, event: dict[str, Any]) -> None:
        """Something happens at the table."""
        if event["type"] == "game_opened":
            self._open(event)

    def wait(self, table: str) -> str:
        """The game to bet on."""
        if not self._opened.wait(LONGEST_WAIT):
            raise Refused(NO_BOOK, table=table)
        return self._game

    def _open(self, told: dict[str, Any]) -> None:
        """A book is open."""
        self._game = told["game"]
        self.risk = 1 if told["gallery"]["gallery_stakes"] == "single" else 3
        self._opened.set()
