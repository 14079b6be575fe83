"""`casino table`: open, change, close and list tables while a casino runs."""

from __future__ import annotations

import json
import os
from typing import Any, Final
from urllib.parse import quote

import click

from casino.cli.common import (
    WORDS,
    WholeNumber,
    chips,
    config_option,
    db_option,
    log_location,
    refuse_conflicting,
    refuse_without,
)
from casino.cli.host.admin import send_order
from casino.client import DEFAULT_URL
from casino.client.client import CasinoClient
from casino.config import Config
from casino.errors import CasinoError, suggest

_OPEN_ONLY: Final = ("preset", "spectators", "games", "private", "poule", "entry", "wins")


@click.command(epilog="Example: casino table open --preset salon --name ann")
@click.argument("action", type=click.Choice(["open", "change", "close", "list"]), metavar="ACTION")
@click.argument("table", type=WORDS, metavar="[TABLE]", required=False)
@click.option("--name", type=WORDS, metavar="NAME", help="The host; without it, the operator.")
@click.option("--url", metavar="URL", help=f"The casino of the host (default: {DEFAULT_URL}).")
@click.option(
    "--preset",
    type=click.Choice(["quick", "salon", "old_paris", "tournament"]),
    help="The kind of table (default: quick).",
)
@click.option("--house", type=WORDS, metavar="BOT", help="The bot in the house's seat.")
@click.option("--challenger", type=WORDS, metavar="BOT", help="The other bot; nobody: a person.")
@click.option("--target", type=click.Choice([5, 7, 11]), help="Points that win a game.")
@click.option("--law", multiple=True, metavar="K=V", help="Change a law, such as play=ordinary.")
@click.option("--stake", type=chips, help="What the two players play for, such as 5.00.")
@click.option("--min-bet", type=chips, help="The lowest bet of a spectator.")
@click.option("--max-bet", type=chips, help="The highest bet of a spectator.")
@click.option("--pace", type=click.Choice(["quick", "usual", "slow"]), help="The pace of play.")
@click.option("--spectators", type=WholeNumber(0), metavar="N", help="Simulated spectators.")
@click.option("--games", type=WholeNumber(1), metavar="N", help="Close after N games.")
@click.option(
    "--poule", type=WholeNumber(3, 8), metavar="N", help="Play a poule of 3 to 8: the winner stays."
)
@click.option("--entry", type=chips, help="What each entrant pays into the pool of a poule.")
@click.option("--wins", type=WholeNumber(2), metavar="N", help="Wins in a row that take the pool.")
@click.option("--private", is_flag=True, help="Let in only people who have the table's link.")
@click.option(
    "--id", "table_id", metavar="ID", help="Your id for the table; repeating it opens only one."
)
@db_option
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@config_option
def command(
    config: Config,
    action: str,
    table: str | None,
    name: str | None,
    url: str | None,
    table_id: str | None,
    db: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Open, change or close a TABLE of your own, or list all tables.

    ACTION is open, change, close or list. With --name, you act as that player at the casino at URL,
    within the limits of its [hosting]; without it, as the operator of the casino on this machine.

    Only open takes --preset, --spectators, --games, --poule, --entry, --wins, --private and --id;
    open and change take --house to --pace; close and list take no settings.

    A change applies from the tenth game after it. A table closes after its current game. The list
    shows private tables too, unless --name or --url is given.
    """
    if (table is None) != (action in ("open", "list")):
        hint = ": give the address with --url" if "://" in (table or "") else ""
        raise click.UsageError(f"{action} {'takes no' if table else 'needs a'} TABLE{hint}.")
    settings = _settings(action, options, table_id)
    refuse_conflicting("db", "url", "name")
    if action != "list":
        refuse_without("name", "url")
    url = url or (DEFAULT_URL if name else "")
    if url:
        client = CasinoClient(url, name)
        if name is not None:
            client.enter_interactively(name)
        path = f"/api/hosted/{quote(table)}/{action}" if table else "/api/hosted"
        is_list = action == "list"
        answer = client.get("/api/tables") if is_list else client.post(path, settings)
    else:
        order = {"order": "list-tables" if action == "list" else f"{action}-table"}
        order |= {"table": table} if table else {}
        if action in ("open", "change"):
            order["settings"] = json.dumps(settings)
        answer = send_order(log_location(config, db).path, order)
    if not answer.pop("ok"):
        raise CasinoError(answer["message"])
    click.echo(json.dumps(answer) if as_json else _sentence(action, answer, url))


def _settings(action: str, options: dict[str, Any], table_id: str | None) -> dict[str, Any]:
    chosen: dict[str, Any] = {
        key: value for key, value in options.items() if value or type(value) is int
    }
    refused = chosen if action in ("close", "list") else set(_OPEN_ONLY) & chosen.keys()
    if action != "open" and (refused or table_id):
        key = next(iter(refused), "id")
        raise click.UsageError(f"--{key.replace('_', '-')} cannot be used with {action}.")
    if action == "change" and not chosen:
        raise click.UsageError("give at least one setting to change, such as --pace slow.")
    refuse_without("poule", "entry", "wins")
    for key in {"stake", "entry", "min_bet", "max_bet"} & chosen.keys():
        chosen[f"{key}_cents"] = chosen.pop(key)
    if "law" in chosen:
        from casino.simulate.sweep import law_changes  # only here: --help needs no bots
        from casino.web.schemas.requests import HostLaws

        chosen["laws"] = law_changes(chosen.pop("law"))
        if "target" in chosen["laws"]:
            raise click.UsageError("--law does not change the target: use --target.")
        known = HostLaws.model_fields
        for law in chosen["laws"].keys() - known:
            raise click.UsageError(f"law {law[:40]} is unknown: {suggest(law, known)}.")
    if chosen.pop("private", False):
        chosen["audience"] = "link"
    if action == "open":
        chosen["table_id"] = table_id or os.urandom(16).hex()
    return chosen


def _sentence(action: str, answer: dict[str, Any], url: str) -> str:
    if action == "list":
        columns = ["table", "house", "challenger", "state", "score", "host"]
        rows = [{name: name for name in columns}]
        for row in answer["tables"]:
            score = "{house}-{challenger}".format(**row["score"]) if row["game"] else "-"
            # Only the operator knows that a table is paused, and who comes next.
            state = row.get("state", "open")
            if state == "open":
                state = row.get("phase", "no game")
            if row.get("audience") == "link":
                state += ", private"
            rows.append({"challenger": "-"} | row | {"state": state, "score": score})
        return "\n".join(
            " ".join(f"{row.get(name, ''):<13}" for name in columns).rstrip() for row in rows
        )
    table = answer["table"]
    if action == "open":
        link = f"?link={answer['link']}" if answer["link"] else ""
        # The operator's order goes through a file, which does not tell the casino's address.
        return f"table {table} is open: {url.rstrip('/')}/table/{table}{link}"
    if action == "change" and not answer["from_game"]:
        return f"table {table} has these settings already"
    if action == "change":
        return f"table {table} changes from game {answer['from_game']}"
    return f"table {table} closes" + (f" after {answer['running']}" if answer["running"] else "")
