"""Describe table events as lines of text for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from rich.markup import escape

from casino.chips import format_chips
from casino.events.types import void_reason_text

if TYPE_CHECKING:
    from casino.table.public.state import Message


UNCUT: Final = "no bettor cut the pack: the house could foresee the cards"

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


def describe(event: Message) -> str:
    """Describe an event in one line, or return "" for an event that is not shown."""
    narrator: Callable[[Message], str] | None = TELL.get(event["type"])
    return narrator(event) if narrator else ""


def score_text(score: Message) -> str:
    """Format a score, the house first."""
    return f"{score['house']}–{score['challenger']}"


def _standing(snapshot: Message) -> str:
    table = f"[bold]{snapshot['table']}[/]"
    if "game" not in snapshot:
        return f"{table}: between two games"
    players = snapshot["players"]
    deal = snapshot["deal"]
    stage = f"deal {deal['number']}, {score_text(deal['score'])}" if deal else "the book is open"
    names = escape(f"{players['house']} against {players['challenger']}")
    return f"{table}: {snapshot['game']}, {names}, {stage}"


def _own(you: Message) -> str:
    if you.get("balance_cents") is None:
        return ""
    return escape(f"  {you['name']} has {format_chips(you['balance_cents'])}")


def _action(event: Message) -> str:
    action, seat = event["action"], event["seat"] or "a player"
    if action in _SPOKEN:
        return f"  {seat} {_SPOKEN[action]}"
    if action.startswith("X"):
        return f"  {seat} exchanges {len(action) // 2}"
    return f"  {seat} plays {_card(action[-2:])}"


def _card(card: str) -> str:
    return f"[bold]{card[0].replace('T', '10')}[/]{_SUITS[card[1]]}"


def _poule(event: Message) -> str:
    poule, result = event["poule"], event["result"]
    if poule is None and "void" in result:
        return "the poule is void: all entries go back"
    if poule is None:
        return escape(f"{result['name']} wins the pool of {format_chips(result['pool_cents'])}")
    names = [f"{n} {poule['entrants'][n - 1]}" for n in poule["line"]]
    pool = f"{format_chips(poule['pool_cents'])} in the pool"
    return escape(f"poule: {', '.join(names)}; {poule['wins']} in a row; {pool}")


TELL: Final[Mapping[str, Callable[[Message], str]]] = {
    "snapshot": _standing,
    "poule": _poule,
    "broken": lambda _: "the line is broken: waiting for the casino",
    "you": _own,
    "game_opened": lambda e: escape(
        f"{e['game']}: {e['players']['house']} against {e['players']['challenger']}; "
        f"commitment {e['commitment']}"
    ),
    "bet_accepted": lambda e: escape(
        f"  {e['player']} bets {format_chips(e['unit_cents'])} on the {e['side']}"
    ),
    "book_locked": lambda e: (
        f"  the book is locked; {e['seals']} sealed texts are opened" if e["seals"] else ""
    ),
    "betting_closed": lambda e: (
        f"  no more bets; {format_chips(e['matched_cents'])} a side; "
        + (f"cut {e['cut']}" if e["opened"] else UNCUT)
    ),
    "dealt": lambda e: f"  deal {e['deal']['number']}, {e['deal']['dealer']} deals",
    "turned_up": lambda e: f"  turned up {_card(e['card'])}",
    "action": _action,
    "trick": lambda e: f"  {e['taker']} takes the trick, {score_text(e['tricks'])}",
    "points": lambda e: f"  score {score_text(e['score'])}",
    "game_over": lambda e: (
        f"[bold]{e['winner']} wins[/], {_STAKES[e['stake']]}, {score_text(e['score'])}; "
        f"seed {e['server_seed']}"
    ),
    "game_void": lambda e: escape(f"the game is void: {void_reason_text(e['reason'])}"),
    "seat": lambda e: escape(f"  {e['player']}: {e['what']}"),
}
