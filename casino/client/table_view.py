"""A spectator's view of a table, built from the casino's messages.

Each message becomes a line of text; the table is drawn in at least 80 columns and 24 lines.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from casino.chips import format_chips
from casino.ecarte import SEATS
from casino.errors import card_sign
from casino.events.types import void_reason_text

Message: TypeAlias = dict[str, Any]

UNCUT: Final = "no bettor's text joined the shuffle: the house could foresee the cards"

# What a seat does with an action that plays no card, and what it says.
_SPOKEN: Final = {
    "P": ("proposes", "I propose"),
    "S": ("stands", "I play"),
    "A": ("accepts", "How many?"),
    "R": ("refuses", "Play!"),
    "K": ("marks the king", "The king!"),
    "C": ("concedes", "The rest is yours"),
    "N": ("asks for a new deal", "A new deal, please"),
    "O": ("lets the card stand", "Let it stand"),
    "V": ("claims a revoke", "A revoke!"),
    "W": ("takes the card back", "I take it back"),
}
_RED: Final = "HD"
STAKES: Final = {1: "single", 2: "double", 3: "triple"}


def describe(event: Message) -> str:
    """Describe an event in one line, or return "" for an event that is not shown."""
    narrator = TELL.get(event["type"])
    return narrator(event) if narrator else ""


def score_text(score: Message) -> str:
    """Format a score, with the house's points first."""
    return f"{score['house']}–{score['challenger']}"


def no_bets_reason(status: Message) -> str:
    """Return the reason in a snapshot or notice for taking no bets, or "" if betting is open."""
    if status.get("away"):
        return "the house is away: no bets are taken until it is back"
    if not status.get("taking", True):
        return "the casino takes no bets now: its disk is full or failing"
    return ""


def _standing(snapshot: Message) -> str:
    stage = "between games"
    if "game" in snapshot:
        players, deal = snapshot["players"], snapshot["deal"]
        names = escape(f"{players['house']} against {players['challenger']}")
        play = "the book is open"
        if deal:
            play = f"deal {deal['number']}, {score_text(deal['score'])}"
        stage = f"{snapshot['game']}, {names}, {play}"
    reason = no_bets_reason(snapshot)
    return f"[bold]{snapshot['table']}[/]: {stage}{'; ' * bool(reason)}{reason}"


def _balance(you: Message) -> str:
    if you.get("balance_cents") is None:
        return ""
    return escape(f"  {you['name']} has {format_chips(you['balance_cents'])}")


def _action(event: Message) -> str:
    action, seat = event["action"], event["seat"] or "a player"
    if action in _SPOKEN:
        return f"  {seat} {_SPOKEN[action][0]}"
    if action.startswith("X"):
        return f"  {seat} exchanges {len(action) // 2}"
    return f"  {seat} plays {_card_markup(action[-2:])}"


def _card_markup(card: str) -> str:
    rank, sign = map(card_sign, card)
    return f"[bold]{rank}[/][red]{sign}[/]" if card[1] in _RED else f"[bold]{rank}[/]{sign}"


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
    "broken": lambda _: "connection lost: trying again",
    "back": lambda _: "the casino is back",
    "you": _balance,
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
    "turned_up": lambda e: f"  turned up {_card_markup(e['card'])}",
    "action": _action,
    "trick": lambda e: f"  {e['taker']} takes the trick, {score_text(e['tricks'])}",
    "points": lambda e: f"  score {score_text(e['score'])}",
    "game_over": lambda e: (
        f"[bold]{e['winner']} wins[/], {STAKES[e['stake']]}, {score_text(e['score'])}; "
        f"seed {e['server_seed']}"
    ),
    "game_void": lambda e: escape(f"the game is void: {void_reason_text(e['reason'])}"),
    "seat": lambda e: escape(f"  {e['player']}: {e['what']}"),
    "notice": lambda e: no_bets_reason(e) or "the casino takes bets again",
}

MAX_LINES: Final = 100

_PLAYED: Final = re.compile(r"L?([KQJAT987][SHDC])")


class TableView:
    """A table as one spectator sees it, updated by each message."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.known = False
        self.line_open = True
        self.game: Message = {}
        self.deal: Message = {}
        self.score: Message = {"house": 0, "challenger": 0}
        self.trick: list[tuple[str, str]] = []
        self.taker = ""
        self.words: dict[str, str] = {}
        self.result: Message = {}
        self.own: Message = {}
        self.own_gain_cents: int | None = None
        self.lines: deque[str] = deque(maxlen=MAX_LINES)
        self._ends_at: float | None = None

    def apply(self, event: Message, now: float) -> None:
        """Apply a message; ignore one of a type that is not shown."""
        if "seconds" in event:
            self._ends_at = None if event["seconds"] is None else now + event["seconds"]
        self.line_open = event["type"] != "broken"
        if line := describe(event):
            self.lines.append(line)
        match event["type"]:
            case "snapshot":
                self._look(event)
            case "you":
                self.own |= event
            case "game_opened":
                empty = {"bets": [], "totals_cents": [0, 0], "matched_cents": 0, "closed": False}
                self._look({**event, **empty})
                self.own["hand"] = []
            case "bet_accepted":
                self._bet(event)
            case "book":
                self._book(event)
            case "betting_closed":
                self._book(event)
                self._ends_at = None
            case "dealt":
                self._lay(event["deal"])
            case "turned_up":
                self.deal |= {"turn_up": event["card"], "turn": event["turn"]}
            case "action":
                self._act(event)
            case "trick":
                # `self.trick` stays visible until the next lead.
                self.taker = event["taker"]
                self.deal["tricks"] = event["tricks"]
            case "points":
                self.score = event["score"]
            case "deal_over":
                hands = event.get("hands", {})
                self.deal |= {"turn": None, "tricks": event["tricks"], "hands": hands}
            case "settled":
                name = self.own.get("name")
                gains = [bet["gain_cents"] for bet in event["bets"] if bet["player"] == name]
                self.own_gain_cents = sum(gains) if gains else None
            case "game_over" | "game_void":
                self.result, self._ends_at = event, None

    def seconds_left(self, now: float) -> int | None:
        """Return the whole seconds left in the current countdown, or None if there is none."""
        return None if self._ends_at is None else max(0, round(self._ends_at - now))

    def hand(self, seat: str) -> list[str | None]:
        """Return a seat's cards, with None for each hidden one."""
        shown: str = self.deal.get("hands", {}).get(seat, "")
        if not shown and seat == "challenger":
            shown = "".join(self.own.get("hand", ()))
        if shown:
            return list(re.findall("..", shown))
        return [None] * self.deal["sizes"][seat] if self.deal else []

    def _look(self, snapshot: Message) -> None:
        self.known = True
        self.game = dict(snapshot) if "game" in snapshot else {}
        self.result, self.own_gain_cents = {}, None
        self._lay(self.game.get("deal") or {})

    def _lay(self, deal: Message) -> None:
        self.deal = {**deal, "sizes": dict(deal["sizes"])} if deal else {}
        self.trick, self.taker, self.words = [], "", {}
        self.score = deal.get("score", {"house": 0, "challenger": 0})
        if deal.get("led"):
            self.trick = [(SEATS[1 - SEATS.index(deal["turn"])], deal["led"])]

    def _bet(self, event: Message) -> None:
        if all(bet["order"] != event["order"] for bet in self.game["bets"]):
            self.game["bets"] = [*self.game["bets"], event]

    def _book(self, event: Message) -> None:
        for bet in event.get("new_bets", ()):
            self._bet(bet)
        keys = ("totals_cents", "matched_cents", "closed", "bets")
        self.game |= {key: event[key] for key in keys if key in event}

    def _act(self, event: Message) -> None:
        seat, action = event["seat"], event["action"]
        self.deal["turn"] = event.get("turn")
        self._ends_at = None
        if "deal" in event:
            self._lay(event["deal"])
        if played := _PLAYED.fullmatch(action):
            if self.taker:
                self.trick, self.taker = [], ""
            self.words, card = {}, played[1]
            self.trick.append((seat, card))
            self.deal["sizes"][seat] -= 1
            self.own["hand"] = [held for held in self.own.get("hand", ()) if held != card]
        else:
            self.words[seat] = action
        if action.startswith("X"):
            self.deal["stock"] -= len(action) // 2


_NUMBERS: Final = ("None", "One card", "Two cards", "Three cards", "Four cards", "Five cards")
_MAX_NAME_LENGTH: Final = 20
_FEW_BETS, _MANY_BETS, _HIGH = 3, 6, 32
_FIXED_LINES: Final = 14

TextPart = Text | str | tuple[str, str]


def draw(seen: TableView, now: float, width: int = 80, height: int = 24) -> RenderableType:
    """Draw the table; the terminal's height limits the bets and recent events shown."""
    max_bets = _MANY_BETS if height >= _HIGH else _FEW_BETS
    lines: list[RenderableType] = [
        _head(seen, now),
        Rule(style="green"),
        *_seat(seen, "house"),
        Text(),
        _middle(seen),
        Text(),
        *_seat(seen, "challenger"),
        Rule("the book", style="green"),
        *_book(seen, max_bets, width),
        _own(seen),
        Rule("events", style="green"),
    ]
    rest = max(0, height - _FIXED_LINES - max_bets)
    heard_lines = list(seen.lines)[-rest:] if rest else []
    return Group(*lines, *(_line(Text.from_markup(line)) for line in heard_lines))


def _line(*parts: TextPart) -> Text:
    return Text.assemble(*parts, no_wrap=True, overflow="ellipsis", end="\n")


def _head(seen: TableView, now: float) -> Text:
    if not seen.line_open:
        return _line((" connection lost: trying again ", "bold white on red"))
    title = Text(f"Table {seen.table}", "bold")
    return _line(title, "".join(f" · {part}" for part in _stages(seen, now)))


def _stages(seen: TableView, now: float) -> Iterable[str]:
    if not seen.known:
        yield "connecting"
        return
    if not seen.game:
        yield "no game is running: waiting for the next one"
        return
    yield seen.game["game"]
    if seen.deal:
        yield f"deal {seen.deal['number']}"
    if seen.result:
        winner = seen.result.get("winner")
        won = winner and f"{seen.game['players'][winner]} wins, a {STAKES[seen.result['stake']]}"
        yield won or "the game is void"
    elif not seen.game["closed"]:
        yield "bets are open"
    seconds = seen.seconds_left(now)
    if seconds is not None:
        yield f"{seconds} s left"


def _seat(seen: TableView, seat: str) -> tuple[RenderableType, RenderableType]:
    name = Text(seen.game.get("players", {}).get(seat, "…"), "bold")
    name.truncate(_MAX_NAME_LENGTH, overflow="ellipsis")
    turn = "▶ " if seen.deal.get("turn") == seat else "  "
    bot = ", a bot" if seat in seen.game.get("bots", {}) else ""
    score, target = seen.score[seat], seen.game.get("laws", {}).get("target", 5)
    moved, left = min(score, target), max(0, target - score)
    marks = Text()
    if seen.deal:
        deals = (" D ", "bold black on yellow") if seen.deal["dealer"] == seat else "   "
        marks = Text.assemble(deals, f"  tricks {seen.deal['tricks'][seat]}")
    row = Table.grid(expand=True, padding=(0, 1))
    row.add_column(width=_MAX_NAME_LENGTH + 18, no_wrap=True)
    row.add_column(no_wrap=True)
    row.add_column(justify="right", no_wrap=True)
    row.add_row(
        _line((turn, "bold green"), name, f"  the {seat}{bot}"),
        Text.assemble(("●" * moved, "bold yellow"), "○" * left, f" {score}"),
        marks,
    )
    spoken = seen.words.get(seat, "")
    _, words = _SPOKEN.get(spoken, ("", ""))
    if spoken.startswith("X"):
        words = _NUMBERS[len(spoken) // 2]
    cards = Text(" ").join(map(_card, seen.hand(seat)))
    return row, _line("  ", cards, "   ", (f"“{words}”" if words else "", "italic cyan"))


def _middle(seen: TableView) -> Text:
    deal = seen.deal
    if not deal:
        return _line("  no cards yet")
    turned = deal["turn_up"]
    sign = (card_sign(turned[1]), "red" if turned[1] in _RED else "") if turned else ""
    trumps = (_card(turned), " trumps ", sign) if turned else ("no turn-up yet",)
    parts: list[TextPart] = ["  ", *trumps, f"   stock {deal['stock']}"]
    for seat, card in seen.trick:
        parts += ["    ", f"{_player(seen, seat)} ", _card(card)]
    if seen.taker:
        parts.append(f"    taken by {_player(seen, seen.taker)}")
    return _line(*parts)


def _player(seen: TableView, seat: str) -> str:
    name: str = seen.game["players"][seat]
    return name if len(name) <= _MAX_NAME_LENGTH // 2 else f"{name[: _MAX_NAME_LENGTH // 2 - 1]}…"


def _card(card: str | None) -> Text:
    if card is None:
        return Text(" ▒▒ ", "white on blue")
    ink = "red" if card[1] in _RED else "black"
    return Text(f" {card_sign(card)} ", f"bold {ink} on white")


def _book(seen: TableView, max_bets: int, width: int) -> list[RenderableType]:
    book = Table.grid(expand=True, padding=(0, 2))
    for _ in SEATS:
        book.add_column(width=width // 2 - 4, no_wrap=True, overflow="ellipsis")
    totals = seen.game.get("totals_cents", (0, 0))
    sides = [_side(seen, seat, total, max_bets) for seat, total in zip(SEATS, totals, strict=True)]
    for row in zip(*sides, strict=True):
        book.add_row(*row)
    matched = format_chips(seen.game.get("matched_cents", 0))
    until = "matched" if seen.game.get("closed") else "matched if it closed now"
    return [book, _line(f"{matched} a side {until}")]


def _side(seen: TableView, seat: str, total_cents: int, limit: int) -> list[Text]:
    """Return the lines of a side: its total and its largest bets."""
    bets = [bet for bet in seen.game.get("bets", ()) if bet["side"] == seat]
    bets.sort(key=lambda bet: (-bet["unit_cents"], bet["order"]))
    lines = [_line((f"for the {seat} {format_chips(total_cents)}", "bold"))]
    for bet in bets[:limit]:
        matched = f", {format_chips(bet['matched_cents'])} matched" if seen.game["closed"] else ""
        lines.append(_line(f"  {bet['player']} {format_chips(bet['unit_cents'])}{matched}"))
    return lines + [Text()] * (1 + limit - len(lines))


def _own(seen: TableView) -> Text:
    own = seen.own
    if not own.get("name"):
        return _line(("give --name NAME to see your own bets", "dim"))
    parts = [own["name"]]
    if own.get("balance_cents") is not None:
        parts.append(f"{format_chips(own['balance_cents'])} chips")
    for bet in seen.game.get("bets", ()):
        if bet["player"] == own["name"]:
            parts.append(f"{format_chips(bet['unit_cents'])} on the {bet['side']}")
            if "matched_cents" in bet:
                parts[-1] += f", {format_chips(bet['matched_cents'])} matched"
    if seen.own_gain_cents is not None:
        parts.append(f"this game {format_chips(seen.own_gain_cents, signed=True)}")
    return _line((" · ".join(parts), "bold magenta"))
