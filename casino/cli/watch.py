"""`casino watch`: a spectator in the terminal, over the same line as the browser."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

import click
from rich.console import Console
from rich.markup import escape

from casino.cli.client import DEFAULT_URL, Client
from casino.cli.options import config_checked
from casino.errors import Refused

Event = dict[str, Any]

_SPOKEN: Final = {
    "P": "proposes",
    "S": "stands",
    "A": "accepts",
    "R": "refuses",
    "K": "marks the king",
    "C": "concedes",
    "N": "asks for a new deal",
    "O": "lets the card stand",
    "V": "claims a revoke",
    "W": "takes the card back",
}
_SUITS: Final = {"S": "♠", "H": "[red]♥[/]", "D": "[red]♦[/]", "C": "♣"}
_STAKES: Final = {1: "single", 2: "double", 3: "triple"}


@click.command(
    epilog="Example: casino watch http://127.0.0.1:5000 --table t1",
    short_help="Watch a table from the terminal.",
)
@config_checked
@click.option("--table", metavar="ID", help="The table; the first of the lobby by default.")
@click.option("--json", "as_json", is_flag=True, help="Print each event as a line of JSON.")
@click.argument("url", default=DEFAULT_URL)
def command(table: str | None, as_json: bool, url: str) -> None:
    """Tell what happens at a table of the casino at URL, until interrupted."""
    client = Client(url)
    say = click.echo if as_json else Console(highlight=False).print
    chosen = table or client.get("/api/tables")["tables"][0]["table"]
    spectator = Spectator(chosen, as_json)
    client.connect(
        event=spectator.heard, connect=spectator.connected, disconnect=spectator.disconnected
    )
    try:
        while True:
            for line in spectator.lines(client):
                say(line)
    finally:
        client.close()


class Spectator:
    """Keeps in step with a table by version; a lost line is taken up where it broke."""

    def __init__(self, table: str, as_json: bool = False) -> None:
        self.table = table
        self._as_json = as_json
        self.version: int | None = None
        self._heard: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._must_join = threading.Event()
        self._must_join.set()

    def connected(self) -> None:
        """The line is open, for the first time or again."""
        self._must_join.set()

    def disconnected(self, *_: object) -> None:
        """The line is broken; it is tried again for as long as it takes."""
        self._heard.put(None)

    def heard(self, event: Event) -> None:
        """An event has come."""
        self._heard.put(event)

    def lines(self, client: Client) -> list[str]:
        """What is to be said now; waits for it a moment."""
        if self._must_join.is_set():
            self._must_join.clear()
            return self._join(client)
        try:
            event = self._heard.get(timeout=0.5)
        except queue.Empty:
            return []
        if event is None:
            return [] if self._as_json else ["the line is broken: waiting for the casino"]
        if self.version is None or event["table"] != self.table:
            return []
        if event["version"] > self.version + 1:
            return self._join(client)
        return self._take(event)

    def _join(self, client: Client) -> list[str]:
        """Come to the table, or back to it."""
        since = {} if self.version is None else {"since": self.version}
        try:
            answer = client.ask("join", table=self.table, **since)
        except Refused as refusal:
            if refusal.code != "unavailable":
                raise
            return []
        if "events" in answer:
            return [line for event in answer["events"] for line in self._take(event)]
        self.version = answer["version"]
        if self._as_json:
            return [json.dumps({"type": "snapshot", **answer["snapshot"]})]
        return [f"[bold]{self.table}[/]: {_standing(answer['snapshot'])}"]

    def _take(self, event: Event) -> list[str]:
        """Say an event that is new."""
        if self.version is not None and event["version"] <= self.version:
            return []
        self.version = event["version"]
        line = json.dumps(event) if self._as_json else sentence(event)
        return [line] if line else []


def sentence(event: Event) -> str:
    """An event in a few words; nothing for one that says nothing by itself."""
    told: Callable[[Event], str] | None = _TELL.get(event["type"])
    return told(event) if told else ""


def _standing(snapshot: Event) -> str:
    """A table in a few words."""
    if "game" not in snapshot:
        return "between two games"
    players = snapshot["players"]
    deal = snapshot["deal"]
    stage = f"deal {deal['number']}, {_score(deal['score'])}" if deal else "the book is open"
    return escape(
        f"{snapshot['game']}, {players['house']} against {players['challenger']}, {stage}"
    )


def _action(event: Event) -> str:
    """An action."""
    said, seat = event["action"], event["seat"] or "a player"
    if said in _SPOKEN:
        return f"  {seat} {_SPOKEN[said]}"
    if said.startswith("X"):
        return f"  {seat} exchanges {len(said) // 2}"
    return f"  {seat} plays {_card(said[-2:])}"


def _card(card: str) -> str:
    """A card with its sign."""
    return f"[bold]{card[0].replace('T', '10')}[/]{_SUITS[card[1]]}"


def _score(score: Event) -> str:
    """House first."""
    return f"{score['house']}–{score['challenger']}"


def _chips(cents: int) -> str:
    """Cents as chips."""
    whole, rest = divmod(cents, 100)
    return f"{whole}.{rest:02}"


_TELL: Final[Mapping[str, Callable[[Event], str]]] = {
    "game_opened": lambda e: escape(
        f"{e['game']}: {e['players']['house']} against {e['players']['challenger']}; "
        f"commitment {e['commitment']}"
    ),
    "bet_accepted": lambda e: escape(
        f"  {e['player']} bets {_chips(e['unit_cents'])} on the {e['side']}"
    ),
    "betting_closed": lambda e: (
        f"  no more bets; {_chips(e['matched_cents'])} a side; cut {e['cut']}"
    ),
    "dealt": lambda e: f"  deal {e['deal']['number']}, {e['deal']['dealer']} deals",
    "turned_up": lambda e: f"  turned up {_card(e['card'])}",
    "action": _action,
    "trick": lambda e: f"  {e['taker']} takes the trick, {_score(e['tricks'])}",
    "points": lambda e: f"  score {_score(e['score'])}",
    "game_over": lambda e: (
        f"[bold]{e['winner']} wins[/], {_STAKES[e['stake']]}, {_score(e['score'])}; "
        f"seed {e['server_seed']}"
    ),
    "game_void": lambda e: escape(f"the game is void: {e['reason']}"),
    "seat": lambda e: escape(f"  {e['player']}: {e['what']}"),
}
