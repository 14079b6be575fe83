"""A table drawn for a terminal, from what a spectator knows of it: 24 lines of 80 are enough."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from casino.chips import chips
from casino.cli.sight import SEATS, Sight
from casino.cli.telling import Event

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
_LONGEST_NAME: Final = 20
_FEW_BETS, _MANY_BETS, _HIGH = 3, 6, 32
_FIXED_LINES: Final = 14

Part = Text | str | tuple[str, str]


def scene(sight: Sight, now: float, width: int = 80, height: int = 24) -> RenderableType:
    """The whole table, no larger than the terminal."""
    most_bets = _MANY_BETS if height >= _HIGH else _FEW_BETS
    lines: list[RenderableType] = [
        _head(sight, now),
        Rule(style="green"),
        *_seat(sight, "house"),
        Text(),
        _middle(sight),
        Text(),
        *_seat(sight, "challenger"),
        Rule("the book", style="green"),
        *_book(sight, most_bets, width),
        _own(sight),
        Rule("what happens", style="green"),
    ]
    rest = max(0, height - _FIXED_LINES - most_bets)
    told = list(sight.lines)[-rest:] if rest else []
    return Group(*lines, *(_line(Text.from_markup(line)) for line in told))


def _line(*parts: Part) -> Text:
    """One line: what is too long for it is cut."""
    return Text.assemble(*parts, no_wrap=True, overflow="ellipsis", end="\n")


def _head(sight: Sight, now: float) -> Text:
    """Which table and game, and what goes on there."""
    if not sight.line_open:
        return _line((" the line is broken: waiting for the casino ", "bold white on red"))
    title = Text(f"Table {sight.table}", "bold")
    return _line(title, "".join(f" · {part}" for part in _stages(sight, now)))


def _stages(sight: Sight, now: float) -> Iterable[str]:
    """What goes on, from the game to the seconds left."""
    if not sight.known:
        yield "coming in"
        return
    if not sight.game:
        yield "no game runs: the next one is awaited"
        return
    yield sight.game["game"]
    if sight.deal:
        yield f"deal {sight.deal['number']}"
    if sight.result:
        yield _result(sight)
    elif not sight.game["closed"]:
        yield "bets are taken"
    seconds = sight.seconds_left(now)
    if seconds is not None:
        yield f"{seconds} s left"


def _result(sight: Sight) -> str:
    """How the game ended."""
    winner = sight.result.get("winner")
    if winner is None:
        return "the game is void"
    return f"{sight.game['players'][winner]} wins, {KINDS[sight.result['stake']]}"


def _seat(sight: Sight, seat: str) -> tuple[RenderableType, RenderableType]:
    """A seat: who sits there, his counters and marks; his cards and words."""
    row = Table.grid(expand=True, padding=(0, 1))
    row.add_column(width=_LONGEST_NAME + 18, no_wrap=True)
    row.add_column(no_wrap=True)
    row.add_column(justify="right", no_wrap=True)
    row.add_row(_name(sight, seat), _counters(sight, seat), _marks(sight, seat))
    cards = [_card(card) for card in sight.hand(seat)]
    return row, _line("  ", *_spaced(cards), "  ", _words(sight, seat))


def _name(sight: Sight, seat: str) -> Text:
    """Who sits there, and whether it is his turn."""
    players = sight.game.get("players", {})
    turn = bool(sight.deal) and sight.deal["turn"] == seat
    name = Text(players.get(seat, "…"), "bold")
    name.truncate(_LONGEST_NAME, overflow="ellipsis")
    bot = ", a bot" if seat in sight.game.get("bots", {}) else ""
    return _line(("▶ " if turn else "  ", "bold green"), name, f"  {TITLES[seat]}{bot}")


def _counters(sight: Sight, seat: str) -> Text:
    """The counters of a side: those that have moved over are full."""
    score, target = sight.score[seat], sight.game.get("laws", {}).get("target", 5)
    moved, left = min(score, target), max(0, target - score)
    return Text.assemble(("●" * moved, "bold yellow"), "○" * left, f" {score}")


def _marks(sight: Sight, seat: str) -> Text:
    """Who deals, how many tricks a seat has taken."""
    if not sight.deal:
        return Text()
    deals = Text(" D ", "bold black on yellow") if sight.deal["dealer"] == seat else Text("   ")
    return Text.assemble(deals, f"  tricks {sight.deal['tricks'][seat]}")


def _words(sight: Sight, seat: str) -> Text:
    """What a seat has said."""
    said = sight.said.get(seat, "")
    words = _NUMBERS[len(said) // 2] if said.startswith("X") else _WORDS.get(said, "")
    return Text(f"“{words}”" if words else "", "italic cyan")


def _middle(sight: Sight) -> Text:
    """The turn-up and the stock, and the trick on the table."""
    deal = sight.deal
    if not deal:
        return _line("  no cards yet")
    turned = deal["turn_up"]
    trumps = (_card(turned), " trumps ", _suit(turned[1])) if turned else ("no turn-up yet",)
    parts: list[Part] = ["  ", *trumps, f"   stock {deal['stock']}"]
    for seat, card in sight.trick:
        parts += ["    ", f"{_player(sight, seat)} ", _card(card)]
    if sight.taker:
        parts.append(f"    taken by {_player(sight, sight.taker)}")
    return _line(*parts)


def _player(sight: Sight, seat: str) -> str:
    """A player's name, no longer than there is room for."""
    name: str = sight.game["players"][seat]
    return name if len(name) <= _LONGEST_NAME // 2 else f"{name[: _LONGEST_NAME // 2 - 1]}…"


def _suit(suit: str) -> Part:
    """The sign of a suit."""
    return _SIGNS[suit], "red" if suit in _RED else ""


def _card(card: str | None) -> Text:
    """A card as a small piece of paper; its back if it is not shown."""
    if card is None:
        return Text(" ▒▒ ", "white on blue")
    rank = card[0].replace("T", "10")
    ink = "red" if card[1] in _RED else "black"
    return Text(f" {rank}{_SIGNS[card[1]]} ", f"bold {ink} on white")


def _spaced(cards: Iterable[Text]) -> Iterable[Text | str]:
    """Cards side by side."""
    for card in cards:
        yield card
        yield " "


def _book(sight: Sight, most_bets: int, width: int) -> list[RenderableType]:
    """Both sides of the book: totals, what is matched, the greatest bets."""
    book = Table.grid(expand=True, padding=(0, 2))
    for _ in SEATS:
        book.add_column(width=width // 2 - 4, no_wrap=True, overflow="ellipsis")
    totals = sight.game.get("totals_cents", (0, 0))
    book.add_row(
        *(
            _line((f"for {TITLES[seat]} {chips(total)}", "bold"))
            for seat, total in zip(SEATS, totals, strict=True)
        )
    )
    sides = [_greatest(sight, seat, most_bets) for seat in SEATS]
    for row in zip(*sides, strict=True):
        book.add_row(*row)
    matched = chips(sight.game.get("matched_cents", 0))
    until = "matched" if sight.game.get("closed") else "matched if it closed now"
    return [book, _line(f"{matched} a side {until}")]


def _greatest(sight: Sight, seat: str, most: int) -> list[Text]:
    """The greatest bets on a side, as many lines as asked for."""
    bets = [bet for bet in sight.game.get("bets", ()) if bet["side"] == seat]
    bets.sort(key=lambda bet: (-bet["unit_cents"], bet["order"]))
    lines = [_bet(bet, bool(sight.game["closed"])) for bet in bets[:most]]
    return lines + [Text()] * (most - len(lines))


def _bet(bet: Event, closed: bool) -> Text:
    """A bet: whose, how much, and how much of it is matched once the book has closed."""
    matched = f", {chips(bet['matched_cents'])} matched" if closed else ""
    return _line(f"  {bet['player']} {chips(bet['unit_cents'])}{matched}")


def _own(sight: Sight) -> Text:
    """What the one who watches has and has bet."""
    own = sight.own
    if not own.get("name"):
        return _line(("no name given: --name NAME shows your own bets", "dim"))
    parts = [own["name"]]
    if own.get("balance_cents") is not None:
        parts.append(f"{chips(own['balance_cents'])} chips")
    parts += [
        f"{chips(one['unit_cents'])} on the {one['side']}, {chips(one['matched_cents'])} matched"
        for one in own.get("bets", ())
    ]
    if sight.own_gain_cents is not None:
        parts.append(f"this game {chips(sight.own_gain_cents, signed=True)}")
    return _line((" · ".join(parts), "bold magenta"))
