"""Draw a table in a terminal of at least 80 columns and 24 lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from casino.chips import format_chips
from casino.client.table_view import SEATS, TableView

if TYPE_CHECKING:
    from casino.table.public.state import Message


TITLES: Final = {"house": "the house", "challenger": "the challenger"}
KINDS: Final = {1: "a single", 2: "a double", 3: "a triple"}

_SIGNS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_RED: Final = "HD"
_WORDS: Final = {
    "P": "I propose",
    "S": "I play",
    "A": "How many?",
    "R": "Play!",
    "K": "The king!",
    "C": "The rest is yours",
    "N": "A new deal, please",
    "O": "Let it stand",
    "V": "A revoke!",
    "W": "I take it back",
}
_NUMBERS: Final = ("None", "One card", "Two cards", "Three cards", "Four cards", "Five cards")
_MAX_NAME_LENGTH: Final = 20
_FEW_BETS, _MANY_BETS, _HIGH = 3, 6, 32
_FIXED_LINES: Final = 14

TextPart = Text | str | tuple[str, str]


def draw(seen: TableView, now: float, width: int = 80, height: int = 24) -> RenderableType:
    """Draw the table; the terminal's height limits the bets and recent events shown."""
    most_bets = _MANY_BETS if height >= _HIGH else _FEW_BETS
    lines: list[RenderableType] = [
        _head(seen, now),
        Rule(style="green"),
        *_seat(seen, "house"),
        Text(),
        _middle(seen),
        Text(),
        *_seat(seen, "challenger"),
        Rule("the book", style="green"),
        *_book(seen, most_bets, width),
        _own(seen),
        Rule("what happens", style="green"),
    ]
    rest = max(0, height - _FIXED_LINES - most_bets)
    heard_lines = list(seen.lines)[-rest:] if rest else []
    return Group(*lines, *(_line(Text.from_markup(line)) for line in heard_lines))


def _line(*parts: TextPart) -> Text:
    return Text.assemble(*parts, no_wrap=True, overflow="ellipsis", end="\n")


def _head(seen: TableView, now: float) -> Text:
    if not seen.line_open:
        return _line((" the line is broken: waiting for the casino ", "bold white on red"))
    title = Text(f"Table {seen.table}", "bold")
    return _line(title, "".join(f" · {part}" for part in _stages(seen, now)))


def _stages(seen: TableView, now: float) -> Iterable[str]:
    if not seen.known:
        yield "coming in"
        return
    if not seen.game:
        yield "no game runs: the next one is awaited"
        return
    yield seen.game["game"]
    if seen.deal:
        yield f"deal {seen.deal['number']}"
    if seen.result:
        yield _result(seen)
    elif not seen.game["closed"]:
        yield "bets are taken"
    seconds = seen.seconds_left(now)
    if seconds is not None:
        yield f"{seconds} s left"


def _result(seen: TableView) -> str:
    winner = seen.result.get("winner")
    if winner is None:
        return "the game is void"
    return f"{seen.game['players'][winner]} wins, {KINDS[seen.result['stake']]}"


def _seat(seen: TableView, seat: str) -> tuple[RenderableType, RenderableType]:
    row = Table.grid(expand=True, padding=(0, 1))
    row.add_column(width=_MAX_NAME_LENGTH + 18, no_wrap=True)
    row.add_column(no_wrap=True)
    row.add_column(justify="right", no_wrap=True)
    row.add_row(_name(seen, seat), _counters(seen, seat), _marks(seen, seat))
    cards = [_card(card) for card in seen.hand(seat)]
    return row, _line("  ", *_spaced(cards), "  ", _words(seen, seat))


def _name(seen: TableView, seat: str) -> Text:
    players = seen.game.get("players", {})
    turn = bool(seen.deal) and seen.deal["turn"] == seat
    name = Text(players.get(seat, "…"), "bold")
    name.truncate(_MAX_NAME_LENGTH, overflow="ellipsis")
    bot = ", a bot" if seat in seen.game.get("bots", {}) else ""
    return _line(("▶ " if turn else "  ", "bold green"), name, f"  {TITLES[seat]}{bot}")


def _counters(seen: TableView, seat: str) -> Text:
    score, target = seen.score[seat], seen.game.get("laws", {}).get("target", 5)
    moved, left = min(score, target), max(0, target - score)
    return Text.assemble(("●" * moved, "bold yellow"), "○" * left, f" {score}")


def _marks(seen: TableView, seat: str) -> Text:
    if not seen.deal:
        return Text()
    deals = Text(" D ", "bold black on yellow") if seen.deal["dealer"] == seat else Text("   ")
    return Text.assemble(deals, f"  tricks {seen.deal['tricks'][seat]}")


def _words(seen: TableView, seat: str) -> Text:
    spoken = seen.words.get(seat, "")
    words = _NUMBERS[len(spoken) // 2] if spoken.startswith("X") else _WORDS.get(spoken, "")
    return Text(f"“{words}”" if words else "", "italic cyan")


def _middle(seen: TableView) -> Text:
    deal = seen.deal
    if not deal:
        return _line("  no cards yet")
    turned = deal["turn_up"]
    trumps = (_card(turned), " trumps ", _suit(turned[1])) if turned else ("no turn-up yet",)
    parts: list[TextPart] = ["  ", *trumps, f"   stock {deal['stock']}"]
    for seat, card in seen.trick:
        parts += ["    ", f"{_player(seen, seat)} ", _card(card)]
    if seen.taker:
        parts.append(f"    taken by {_player(seen, seen.taker)}")
    return _line(*parts)


def _player(seen: TableView, seat: str) -> str:
    name: str = seen.game["players"][seat]
    return name if len(name) <= _MAX_NAME_LENGTH // 2 else f"{name[: _MAX_NAME_LENGTH // 2 - 1]}…"


def _suit(suit: str) -> TextPart:
    return _SIGNS[suit], "red" if suit in _RED else ""


def _card(card: str | None) -> Text:
    if card is None:
        return Text(" ▒▒ ", "white on blue")
    rank = card[0].replace("T", "10")
    ink = "red" if card[1] in _RED else "black"
    return Text(f" {rank}{_SIGNS[card[1]]} ", f"bold {ink} on white")


def _spaced(cards: Iterable[Text]) -> Iterable[Text | str]:
    for card in cards:
        yield card
        yield " "


def _book(seen: TableView, most_bets: int, width: int) -> list[RenderableType]:
    book = Table.grid(expand=True, padding=(0, 2))
    for _ in SEATS:
        book.add_column(width=width // 2 - 4, no_wrap=True, overflow="ellipsis")
    totals = seen.game.get("totals_cents", (0, 0))
    book.add_row(
        *(
            _line((f"for {TITLES[seat]} {format_chips(total)}", "bold"))
            for seat, total in zip(SEATS, totals, strict=True)
        )
    )
    sides = [_greatest(seen, seat, most_bets) for seat in SEATS]
    for row in zip(*sides, strict=True):
        book.add_row(*row)
    matched = format_chips(seen.game.get("matched_cents", 0))
    until = "matched" if seen.game.get("closed") else "matched if it closed now"
    return [book, _line(f"{matched} a side {until}")]


def _greatest(seen: TableView, seat: str, most: int) -> list[Text]:
    bets = [bet for bet in seen.game.get("bets", ()) if bet["side"] == seat]
    bets.sort(key=lambda bet: (-bet["unit_cents"], bet["order"]))
    lines = [_bet(bet, bool(seen.game["closed"])) for bet in bets[:most]]
    return lines + [Text()] * (most - len(lines))


def _bet(bet: Message, closed: bool) -> Text:
    matched = f", {format_chips(bet['matched_cents'])} matched" if closed else ""
    return _line(f"  {bet['player']} {format_chips(bet['unit_cents'])}{matched}")


def _own(seen: TableView) -> Text:
    own = seen.own
    if not own.get("name"):
        return _line(("no name given: --name NAME shows your own bets", "dim"))
    parts = [own["name"]]
    if own.get("balance_cents") is not None:
        parts.append(f"{format_chips(own['balance_cents'])} chips")
    parts += [
        f"{format_chips(bet['unit_cents'])} on the {bet['side']}, "
        f"{format_chips(bet['matched_cents'])} matched"
        for bet in own.get("bets", ())
    ]
    if seen.own_gain_cents is not None:
        parts.append(f"this game {format_chips(seen.own_gain_cents, signed=True)}")
    return _line((" · ".join(parts), "bold magenta"))
