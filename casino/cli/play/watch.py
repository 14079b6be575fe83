"""`casino watch`: watch a table in the terminal, over the same socket as the browser."""

from __future__ import annotations

import json
import sys
import time
from contextlib import closing
from typing import NoReturn

import click
from rich.console import Console
from rich.live import Live

from casino.cli import common
from casino.client.client import CasinoClient
from casino.client.table_view import TableView, describe, draw
from casino.client.table_watcher import TableWatcher


@click.command(epilog="Example: casino watch http://127.0.0.1:5000 --table petit --name ann")
@common.config_checked
@click.option("--table", metavar="ID", help="The table (default: the first in the lobby).")
@common.link_option
@click.option("--name", metavar="NAME", help="Your name, to see your bets and balance.")
@click.option("--json", "as_json", is_flag=True, help="Print each event as a line of JSON.")
@common.url_argument
def command(table: str | None, link: str | None, name: str | None, as_json: bool, url: str) -> None:
    """Show a table of the casino at URL, until interrupted with Ctrl-C.

    In a terminal it draws the table and keeps it up to date; to a pipe or a file it prints a line
    for each event. A password is read from CASINO_PASSWORD, or prompted for.
    """
    common.refuse_without("table", "link")
    client = CasinoClient(url, name)
    if name is not None:
        client.sign_in(name)
    tables = client.tables(table, link)
    spectator = TableWatcher(client, table or tables[0])
    spectator.connect()
    terminal = common.make_console()
    with closing(client):
        if not as_json and sys.stdout.isatty() and not terminal.is_dumb_terminal:
            _show(spectator, terminal)
        while True:
            for event in spectator.next_messages():
                if as_json and event["type"] not in ("broken", "back"):
                    click.echo(json.dumps(event))
                elif not as_json and (line := describe(event)):
                    terminal.print(line)


def _show(spectator: TableWatcher, terminal: Console) -> NoReturn:
    seen = TableView(spectator.table)
    with Live(console=terminal, screen=True, auto_refresh=False) as live:
        while True:
            for event in spectator.next_messages():
                seen.apply(event, time.monotonic())
            live.update(draw(seen, time.monotonic(), *terminal.size), refresh=True)
