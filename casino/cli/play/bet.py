"""`casino bet`: place a bet from a script, and reveal its contribution to the shuffle."""

from __future__ import annotations

import json
import threading
from typing import Any, Final

import click

from casino.chips import format_chips, parse_chips
from casino.cli.options import config_checked, shorten
from casino.client import DEFAULT_URL
from casino.errors import InputError, RefusalReason, Refused

NO_BOOK: Final = RefusalReason(
    "no_book", "betting_closed", "no book has opened at {table}: try again later"
)

MAX_WAIT_SECONDS: Final = 120  # for the next book to open


@click.command(
    epilog="Example: casino bet --table t1 --side house --unit 5.00 --name ann",
    short_help="Place one bet, from a script.",
)
@config_checked
@click.option("--table", required=True, metavar="ID", help="The table.")
@click.option("--side", required=True, type=click.Choice(["house", "challenger"]))
@click.option(
    "--unit", required=True, metavar="CHIPS", help="Cost of losing a single game, such as 5.00."
)
@click.option("--name", required=True, metavar="NAME", help="The name to bet under.")
@click.option("--bet-id", metavar="ID", help="Your id for the bet; repeating it bets only once.")
@click.option("--no-cut", is_flag=True, help="Seal no text, and do not wait.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
@click.argument("url", default=DEFAULT_URL)
def command(
    table: str,
    side: str,
    unit: str,
    name: str,
    bet_id: str | None,
    no_cut: bool,
    as_json: bool,
    url: str,
) -> int:
    """Bet on a side of the game at a table of the casino at URL, or of the next game there.

    The bet carries a sealed contribution to the shuffle. The command waits until the book has
    closed: it reveals the contribution when the signed log proves that the book is locked, says
    whether it counted, and exits with 1 if it did not.

    A password is read from the environment variable CASINO_PASSWORD, or prompted for.
    """
    from casino.client.client import CasinoClient, cookie_file  # only here: --help needs none of it
    from casino.client.contribution import COUNTED, ContributionReveal
    from casino.fairness import fresh_seed

    unit_cents = parse_chips(unit)
    if unit_cents is None:
        raise InputError(f"--unit {shorten(unit)} is not an amount of chips: write 5 or 5.00")
    client = CasinoClient(url, cookie_file(name, url))
    payload = {"side": side, "unit_cents": unit_cents, "bet_id": bet_id or fresh_seed().hex()}
    client.enter_interactively(name)
    book, opening = _OpenBookWaiter(), None if no_cut else ContributionReveal(client, name)

    def heard(event: dict[str, Any]) -> None:
        book.heard(event)
        if opening:
            opening.on_event(event)

    client.connect(event=heard)
    try:
        # The socket is already open, so a book that opens after this snapshot is not missed.
        book.look(client.request("join", table=table)["snapshot"])
        game = book.wait(table)
        sealed = opening.commit(game) if opening else {}
        answer = client.request("place_bet", table=table, game=game, **payload, **sealed)
        if not as_json:
            _tell(answer, name, side, unit_cents, book.risk)
        if opening:
            answer["cut"] = opening.wait_until_closed(
                table, game, answer["bet"].get("seal_number", 0)
            )
    finally:
        client.close()
    if as_json:
        click.echo(json.dumps(answer))
    elif opening:
        click.echo(opening.describe(answer["cut"]))
    return 0 if no_cut or answer["cut"] == COUNTED else 1


def _tell(answer: dict[str, Any], name: str, side: str, unit_cents: int, risk: int) -> None:
    held = f"{format_chips(unit_cents * risk)} is held"
    if risk > 1:
        held += f", because a triple costs {risk} units"
    game, balance = answer["bet"]["game"], format_chips(answer["balance_cents"])
    click.echo(
        f"{game}: {name} bets {format_chips(unit_cents)} on the {side}. {held}. Balance {balance}."
    )


class _OpenBookWaiter:
    """Waits for a game with an open book; `risk` is a bet's maximum loss in units."""

    def __init__(self) -> None:
        self.risk = 1
        self._game = ""
        self._opened = threading.Event()

    def look(self, snapshot: dict[str, Any]) -> None:
        if snapshot.get("game") and not snapshot["locked"]:
            self._open(snapshot)

    def heard(self, event: dict[str, Any]) -> None:
        if event["type"] == "game_opened":
            self._open(event)

    def wait(self, table: str) -> str:
        if not self._opened.wait(MAX_WAIT_SECONDS):
            raise Refused(NO_BOOK, table=table)
        return self._game

    def _open(self, state: dict[str, Any]) -> None:
        self._game = state["game"]
        self.risk = 1 if state["gallery"]["gallery_stakes"] == "single" else 3
        self._opened.set()
