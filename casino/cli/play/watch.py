"""`casino watch`: watch a table in the terminal, over the same socket as the browser."""

from __future__ import annotations

import json
import queue
import sys
import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING, Final, NoReturn

import click
from rich.console import Console
from rich.live import Live

from casino.cli.common import (
    config_checked,
    link_option,
    make_console,
    refuse_without,
    url_argument,
)
from casino.client.table_view import Message, TableView, describe, draw
from casino.errors import Refused

if TYPE_CHECKING:
    from casino.client.client import CasinoClient


WAIT_SECONDS: Final = 0.5
MAX_BATCH: Final = 200
NOTICES: Final = ("checkpoint", "notice")


@click.command(epilog="Example: casino watch http://127.0.0.1:5000 --table petit --name ann")
@config_checked
@click.option("--table", metavar="ID", help="The table (default: the first in the lobby).")
@link_option
@click.option("--name", metavar="NAME", help="Your name, to see your bets and balance.")
@click.option("--json", "as_json", is_flag=True, help="Print each event as a line of JSON.")
@url_argument
def command(table: str | None, link: str | None, name: str | None, as_json: bool, url: str) -> None:
    """Show a table of the casino at URL, until interrupted with Ctrl-C.

    In a terminal it draws the table and keeps it up to date; to a pipe or a file it prints a line
    for each event. A password is read from CASINO_PASSWORD, or prompted for.
    """
    from casino.client.client import CasinoClient  # only here: --help needs none of it

    refuse_without("table", "link")
    client = CasinoClient(url, name)
    if name is not None:
        client.sign_in(name)
    tables = client.tables(table, link)
    spectator = TableWatcher(client, table or tables[0])
    spectator.connect()
    terminal = make_console()
    with closing(client):
        if not as_json and sys.stdout.isatty() and not terminal.is_dumb_terminal:
            _show(spectator, terminal)
        while True:
            for event in spectator.next_messages():
                if as_json and event["type"] != "broken":
                    click.echo(json.dumps(event))
                elif not as_json and (line := describe(event)):
                    terminal.print(line)


def _show(spectator: TableWatcher, terminal: Console) -> NoReturn:
    seen = TableView(spectator.table)
    with Live(console=terminal, screen=True, auto_refresh=False) as live:
        while True:
            for event in spectator.next_messages():
                seen.apply(event, time.monotonic())
            drawn = draw(seen, time.monotonic(), *terminal.size)
            live.update(drawn, refresh=True)


class TableWatcher:
    """Follows a table's messages by version, and requests any that it missed."""

    def __init__(self, client: CasinoClient, table: str) -> None:
        self._client = client
        self.table = table
        self.version: int | None = None
        # Filled by the socket's thread, drained by the main thread.
        self._heard: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._must_join = threading.Event()
        self._must_join.set()

    def connect(self) -> None:
        """Connect the client, and follow the messages that it receives."""
        self._client.connect(
            event=self._heard.put,
            you=lambda you: self._heard.put({**you, "type": "you"}),
            # The client library reconnects: `join` then fetches the messages that were missed.
            connect=self._must_join.set,
            disconnect=lambda *_: self._heard.put({"type": "broken"}),
        )

    def request_snapshot(self) -> None:
        """Schedule a request for a full snapshot."""
        self.version = None
        self._must_join.set()

    def next_messages(self) -> list[Message]:
        """Return new messages (events, a snapshot, private state), waiting briefly for them."""
        if self._must_join.is_set():
            self._must_join.clear()
            return self._join()
        try:
            news = self._take(self._heard.get(timeout=WAIT_SECONDS))
        except queue.Empty:
            return []
        for _ in range(min(MAX_BATCH, self._heard.qsize())):
            news += self._take(self._heard.get())
        return news

    def _take(self, event: Message) -> list[Message]:
        if event["type"] in ("broken", "you"):
            return [event]
        if self.version is None or event["table"] != self.table:
            return []
        if event["type"] == "restored":
            self.request_snapshot()
            return [event]
        # A notice carries the current version; only an event increments it.
        new = event["version"] - self.version
        if new > (event["type"] not in NOTICES):
            # A gap in the versions: events were missed.
            return self._join()
        if (new == 0 and event["type"] not in NOTICES) or new < 0:
            return []
        self.version = event["version"]
        return [event]

    def _join(self) -> list[Message]:
        since = {} if self.version is None else {"since": self.version}
        try:
            answer = self._client.request("join", table=self.table, **since)
        except Refused as refusal:
            if refusal.code != "unavailable":
                raise
            return []
        self.version = answer["version"]
        own = [{**answer["you"], "type": "you"}] if "you" in answer else []
        if "events" in answer:
            return [*answer["events"], *own]
        return [{"type": "snapshot", **answer["snapshot"]}, *own]
