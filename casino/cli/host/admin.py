"""`casino admin`: operator commands for the casino that runs on this machine."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any, Final

import click

from casino.cli.common import WORDS, config_option, db_option, log_location
from casino.config import Config
from casino.errors import CasinoError, InputError

# The orders, each with the field that names its target.
ORDERS: Final = {
    "pause": "table",
    "resume": "table",
    "close": "table",
    "void": "game",
    "suspend": "name",
    "readmit": "name",
    "reset-password": "name",
    "announce": "text",
}
_SECONDS: Final = 30


@click.command(epilog="Example: casino admin pause petit")
@click.argument("order", type=click.Choice(list(ORDERS)), metavar="ORDER")
@click.argument("target", metavar="TABLE|GAME|NAME|TEXT", type=WORDS)
@click.option(
    "--reason", type=WORDS, metavar="TEXT", help="The reason for a void game, kept in the log."
)
@db_option
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@config_option
def command(
    config: Config, order: str, target: str, reason: str | None, db: str | None, as_json: bool
) -> None:
    """Give an order to the casino that runs on this machine.

    \b
    pause TABLE          finish the game and begin no other
    resume TABLE         reopen a paused or closed table
    close TABLE          like pause, and empty the seat and the queue
    void GAME            end a game and give everyone everything back
    suspend NAME         let a person neither bet nor play
    readmit NAME         end a suspension
    reset-password NAME  print a new password
    announce TEXT        show a text in the lobby and at all tables
    """  # noqa: D301 (in a raw string click would print its mark for lines that it must not join)
    if reason is not None and order != "void":
        raise click.UsageError("--reason can only be used with void.")
    asked = {"order": order, ORDERS[order]: target}
    if order == "void":
        asked["reason"] = reason or "voided by the house"
    answer = send_order(log_location(config, db).path, asked)
    if not answer.pop("ok"):
        raise CasinoError(answer["message"])
    click.echo(json.dumps(answer) if as_json else _sentence(order, answer))


def send_order(db: Path, asked: dict[str, str]) -> dict[str, Any]:
    """Send an order to the casino that runs with `db`, and return its JSON response."""
    path = db.with_name(db.name + ".admin")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.settimeout(_SECONDS)
        try:
            sock.connect(str(path))
            sock.sendall(json.dumps(asked).encode() + b"\n")
            with sock.makefile("rb") as file:
                answer: dict[str, Any] = json.loads(file.readline())
        except (OSError, ValueError):
            text = f"no running casino uses {db}, or it belongs to another user"
            raise InputError(f"{text}: start it, or give its file with --db") from None
    return answer


def _sentence(order: str, answer: dict[str, Any]) -> str:
    if order in ("pause", "resume", "close"):
        state = answer["stands"]
        if answer["running"] and order != "resume":
            state = f"playing {answer['running']}, and will then be {state}"
        return f"table {answer['table']} is {state}"
    if order == "reset-password":
        return f"{answer['name']} has a new password, shown only once: {answer['password']}"
    if order == "announce":
        pages = "page" if answer["told"] == 1 else "pages"
        return f"the text was sent to {answer['told']} open {pages}"
    if order == "void":
        return f"game {answer['game']} is void: everyone gets everything back"
    return f"{answer['name']} is {'suspended' if order == 'suspend' else 'readmitted'}"
