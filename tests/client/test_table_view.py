"""`casino watch`: the state that a spectator sees, how it is drawn, and events in words."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from casino.client.table_view import TableView, describe, draw
from casino.table.public.feed import EventBatcher, TableFeed, TableTransfer
from casino.table.public.state import PublicTable
from tests.table.casino_harness import CasinoHarness, plan

JsonObject = dict[str, Any]
WIDTH, HEIGHT = 80, 24

NIL: JsonObject = {"house": 0, "challenger": 0}
OPENED: JsonObject = {
    "type": "game_opened", "game": "t1-000001", "commitment": "00", "laws": {"target": 5},
    "players": {"house": "regle", "challenger": "[red]ann[/]"}, "bots": {"house": "regle"},
    "seconds": 20,
}  # fmt: skip
CLOSED: JsonObject = {
    "type": "betting_closed", "totals_cents": [1200, 500], "matched_cents": 500, "closed": True,
    "cut": "ab", "opened": [1], "bets": [
        {"order": 1, "player": "bea", "side": "house", "unit_cents": 700, "matched_cents": 291},
        {"order": 2, "player": "cy", "side": "house", "unit_cents": 500, "matched_cents": 209},
        {"order": 3, "player": "di", "side": "challenger", "unit_cents": 500, "matched_cents": 500},
    ],
}  # fmt: skip
DEALT: JsonObject = {
    "type": "dealt", "deal": {
        "number": 1, "dealer": "house", "turn": None, "turn_up": None, "score": NIL, "tricks": NIL,
        "stock": 21, "sizes": {"house": 5, "challenger": 5}, "hands": {}, "led": None,
    },
}  # fmt: skip
TURNED: JsonObject = {"type": "turned_up", "card": "8H", "turn": "challenger"}


def act(seat: str, action: str, turn: str | None) -> JsonObject:
    return {"type": "action", "seat": seat, "action": action, "turn": turn}


def view_after(*events: JsonObject) -> TableView:
    seen = TableView("t1")
    for event in events:
        seen.apply(event, 100.0)
    return seen


def draw_lines(
    seen: TableView, now: float = 100.0, width: int = WIDTH, height: int = HEIGHT
) -> list[str]:
    console = Console(width=width, height=height, file=StringIO(), record=True)
    console.print(draw(seen, now, width, height))
    return console.export_text().splitlines()


def single_line(lines: list[str], pattern: str) -> str:
    found = [line for line in lines if re.search(pattern, line)]
    assert len(found) == 1, (pattern, lines)
    return found[0]


def test_an_open_book_shows_both_sides_and_the_seconds_left() -> None:
    bets = [
        {"type": "bet_accepted", "order": n, "player": f"p{n}", "side": "house", "unit_cents": n}
        for n in (100, 400, 300, 200)
    ]
    new = [{"order": 500, "player": "cy", "side": "challenger", "unit_cents": 250}]
    book = {
        "type": "book", "totals_cents": [1000, 250], "matched_cents": 250, "closed": False,
        "new_bets": new, "seconds": 12,
    }  # fmt: skip
    seen = view_after(OPENED, *bets, bets[0], book)
    lines = draw_lines(seen, 103.0)
    assert single_line(lines, "^Table") == "Table t1 · t1-000001 · bets are open · 9 s left"
    assert re.search(r"for the house 10\.00 +for the challenger 2\.50", "\n".join(lines))
    assert single_line(lines, r"^  p400 4\.00 +cy 2\.50")
    table = "\n".join(lines[: lines.index(single_line(lines, " events "))])
    assert re.findall(r"^  (p\d+) ", table, re.M) == ["p400", "p300", "p200"]
    assert single_line(lines, "a side") == "2.50 a side matched if it closed now"


def test_a_deal_shows_cards_words_turn_and_trick() -> None:
    seen = view_after(OPENED, CLOSED, DEALT, TURNED, act("challenger", "P", "house"))
    lines = draw_lines(seen)
    assert single_line(lines, "trumps") == "   8♥  trumps ♥   stock 21"
    assert re.fullmatch(r"▶ regle  the house, a bot .* ○○○○○ 0 .* D   tricks 0", lines[2])
    assert re.fullmatch(r"  \[red\]ann\[/\]  the challenger .*  tricks 0", lines[7])
    assert [line.count("▒▒") for line in (lines[3], lines[8])] == [5, 5]
    assert "“I propose”" in lines[8]
    assert single_line(lines, r"bea 7\.00, 2\.91 matched +di 5\.00, 5\.00 matched")
    for event in (act("house", "A", "challenger"), act("challenger", "X????", "house")):
        seen.apply(event, 100.0)
    lines = draw_lines(seen)
    assert "“How many?”" in lines[3]
    assert "“Two cards”" in lines[8]
    assert single_line(lines, "stock 19")
    seen.apply(act("challenger", "KS", "house"), 100.0)
    seen.apply(act("house", "TS", "challenger"), 100.0)
    seen.apply({"type": "trick", "taker": "challenger", "tricks": {**NIL, "challenger": 1}}, 100.0)
    lines = draw_lines(seen)
    assert single_line(lines, "taken by").count("K♠") == 1
    assert [line.count("▒▒") for line in (lines[3], lines[8])] == [4, 4]
    assert "“" not in lines[3] + lines[8]
    seen.apply(act("challenger", "9C", "house"), 100.0)
    assert seen.trick == [("challenger", "9C")]


def test_the_end_of_a_deal_and_of_a_game_is_shown() -> None:
    you = {"type": "you", "name": "bea", "balance_cents": 99_300}
    hands = {"house": "KHTSAS7C8C", "challenger": "QHJHAH7H9H"}
    over = {"type": "deal_over", "score": NIL, "tricks": {"house": 2, "challenger": 3}}
    seen = view_after(OPENED, you, CLOSED, DEALT, TURNED, {**over, "hands": hands})
    seen.apply(you, 100.0)
    seen.apply({"type": "points", "score": {"house": 5, "challenger": 2}}, 100.0)
    lines = draw_lines(seen)
    assert "K♥   10♠   A♠   7♣   8♣" in lines[3]
    assert "●●●●● 5" in lines[2]
    assert "●●○○○ 2" in lines[7]
    assert single_line(lines, "^bea") == "bea · 993.00 chips · 7.00 on the house, 2.91 matched"
    won = {"winner": "house", "stake": 2, "score": seen.score, "server_seed": "00"}
    seen.apply({"type": "game_over", **won}, 100.0)
    gains = [{"player": "bea", "gain_cents": 582}, {"player": "di", "gain_cents": -1000}]
    seen.apply({"type": "settled", "bets": gains}, 100.0)
    lines = draw_lines(seen)
    assert single_line(lines, "^Table").endswith("regle wins, a double")
    assert single_line(lines, "^bea").endswith("· this game +5.82")
    void = view_after(OPENED, {"type": "game_void", "reason": "why"})
    assert single_line(draw_lines(void), "^Table").endswith("the game is void")


def test_a_player_sees_their_own_cards() -> None:
    you = {"type": "you", "name": "ann", "hand": ["KS", "7H"]}
    seen = view_after(OPENED, CLOSED, DEALT, TURNED, you)
    assert seen.hand("challenger") == ["KS", "7H"]
    seen.apply(act("challenger", "KS", "house"), 100.0)
    assert seen.hand("challenger") == ["7H"]
    assert seen.hand("house") == [None] * 5


@pytest.mark.parametrize(("width", "height"), [(80, 24), (40, 24), (120, 50), (80, 17)])
def test_the_view_fits_the_terminal(width: int, height: int) -> None:
    names = {"house": "h" * 40, "challenger": "c" * 40}
    bets = [{**bet, "player": "b" * 40} for bet in CLOSED["bets"]]
    events = [act("challenger", "KS", "house"), act("house", "KH", "house")]
    seen = view_after(
        {**OPENED, "players": names}, {**CLOSED, "bets": bets}, DEALT, TURNED, *events
    )
    seen.lines.extend(["x" * 300] * 60)
    lines = draw_lines(seen, width=width, height=height)
    assert len(lines) == height
    assert max(map(cell_len, lines)) <= width


def test_view_from_events_matches_snapshots(tmp_path: Path) -> None:
    harness = CasinoHarness(tmp_path / "casino.db", [plan(spectators=3)])
    recorder = harness.record()
    board = TableFeed(TableTransfer(PublicTable(harness.state.rules)))
    grouping = EventBatcher("t1")
    while harness.state.number < 3:
        harness.advance()
    harness.house.close()
    seen, newcomer, stages = TableView("t1"), TableView("t1"), set()
    seen.apply({"type": "snapshot", **board.snapshot(0)}, 0.0)
    for one in recorder.heard:
        for group in grouping.add(one.event, one.after.turn, one.event.at):
            for message in board.publish(group):
                seen.apply(message, 0.0)
        newcomer.apply({"type": "snapshot", **board.snapshot(0)}, 0.0)
        if newcomer.game:
            stages.add((bool(newcomer.deal), newcomer.game["closed"]))
            assert known(seen) == known(newcomer)
    assert (True, True) in stages


def known(seen: TableView) -> list[Any]:
    deal = seen.deal
    told = [seen.score, *(seen.game[key] for key in ("game", "players", "closed"))]
    told += [[(bet["order"], bet["unit_cents"]) for bet in seen.game["bets"]]]
    told += [seen.game[key] for key in ("totals_cents", "matched_cents")]
    if not deal or deal["turn"] is None:
        return told
    open_trick = [] if seen.taker else seen.trick
    told += [deal[key] for key in ("number", "dealer", "turn", "turn_up", "stock", "tricks")]
    return [*told, open_trick, *(len(seen.hand(seat)) for seat in ("house", "challenger"))]


def test_the_clock_stops_at_zero() -> None:
    seen = view_after(OPENED)
    left = [seen.seconds_left(now) for now in (100.0, 101.4, 119.6, 120.0, 500.0)]
    assert left == [20, 19, 0, 0, 0]
    seen.apply(CLOSED, 110.0)
    assert seen.seconds_left(110.0) is None
    seen.apply(DEALT, 111.0)
    seen.apply({**TURNED, "seconds": 30}, 112.0)
    assert seen.seconds_left(120.0) == 22
    seen.apply(act("challenger", "S", "challenger"), 121.0)
    assert seen.seconds_left(121.0) is None
    seen.apply({**act("challenger", "KS", "house"), "seconds": None}, 122.0)
    assert seen.seconds_left(122.0) is None


FULL = "the casino takes no bets now: its disk is full or failing"
NAMES = {"house": "regle", "challenger": "ann[red]"}
SAID: list[tuple[JsonObject, str]] = [
    ({"type": "broken"}, "connection lost: trying again"),
    ({"type": "you", "name": "ann", "balance_cents": 0}, "  ann has 0.00"),
    ({"type": "you", "name": "ann", "balance_cents": None}, ""),
    (
        {"type": "game_opened", "game": "t1-000001", "players": NAMES, "commitment": "ab" * 32},
        f"t1-000001: regle against ann\\[red]; commitment {'ab' * 32}",
    ),
    (
        {"type": "bet_accepted", "player": "ben", "unit_cents": 500, "side": "house"},
        "  ben bets 5.00 on the house",
    ),
    (
        {
            "type": "poule", "result": None,
            "poule": {
                "entrants": ["regle", "ann[red]", "novice"], "line": [2, 1, 3], "wins": 1,
                "pool_cents": 1500,
            },
        },
        "poule: 2 ann\\[red], 1 regle, 3 novice; 1 in a row; 15.00 in the pool",
    ),
    (
        {"type": "poule", "poule": None, "result": {"name": "ann[red]", "pool_cents": 1500}},
        "ann\\[red] wins the pool of 15.00",
    ),
    (
        {"type": "poule", "poule": None, "result": {"void": "closed"}},
        "the poule is void: all entries go back",
    ),
    ({"type": "book_locked", "seals": 0}, ""),
    ({"type": "book_locked", "seals": 2}, "  the book is locked; 2 sealed texts are opened"),
    (
        {"type": "betting_closed", "matched_cents": 1500, "cut": "7S8H", "opened": [0]},
        "  no more bets; 15.00 a side; cut 7S8H",
    ),
    (
        {"type": "betting_closed", "matched_cents": 0, "cut": "7S8H", "opened": []},
        "  no more bets; 0.00 a side; no bettor's text joined the shuffle: "
        "the house could foresee the cards",
    ),
    ({"type": "dealt", "deal": {"number": 3, "dealer": "house"}}, "  deal 3, house deals"),
    ({"type": "turned_up", "card": "TH"}, "  turned up [bold]10[/][red]♥[/]"),
    ({"type": "action", "action": "KS", "seat": "house"}, "  house plays [bold]K[/]♠"),
    ({"type": "action", "action": "LQD", "seat": "house"}, "  house plays [bold]Q[/][red]♦[/]"),
    ({"type": "action", "action": "E9C", "seat": None}, "  a player plays [bold]9[/]♣"),
    ({"type": "action", "action": "X??????", "seat": "challenger"}, "  challenger exchanges 3"),
    ({"type": "action", "action": "P", "seat": "house"}, "  house proposes"),
    (
        {"type": "trick", "taker": "house", "tricks": {"house": 2, "challenger": 1}},
        "  house takes the trick, 2–1",
    ),
    ({"type": "points", "score": {"house": 4, "challenger": 3}}, "  score 4–3"),
    (
        {
            "type": "game_over", "winner": "house", "stake": 2, "server_seed": "cd" * 32,
            "score": {"house": 5, "challenger": 2},
        },
        f"[bold]house wins[/], double, 5–2; seed {'cd' * 32}",
    ),
    ({"type": "seat", "player": "a[b]", "what": "sat_down"}, "  a\\[b]: sat_down"),
    ({"type": "game_void", "reason": "bot_failed"}, "the game is void: the bot failed"),
    ({"type": "game_void", "reason": "a[b]"}, "the game is void: a\\[b]"),
    ({"type": "snapshot", "table": "t1"}, "[bold]t1[/]: between games"),
    (
        {"type": "snapshot", "table": "t1", "game": "t1-000001", "players": NAMES, "deal": None},
        "[bold]t1[/]: t1-000001, regle against ann\\[red], the book is open",
    ),
    (
        {
            "type": "snapshot", "table": "t1", "game": "t1-000001", "players": NAMES,
            "deal": {"number": 2, "score": {"house": 1, "challenger": 0}},
        },
        "[bold]t1[/]: t1-000001, regle against ann\\[red], deal 2, 1–0",
    ),
    ({"type": "presence", "watching": 3}, ""),
    ({"type": "notice", "taking": False}, FULL),
    ({"type": "notice", "taking": True}, "the casino takes bets again"),
    ({"type": "notice", "away": True}, "the house is away: no bets are taken until it is back"),
    ({"type": "snapshot", "table": "t1", "taking": False}, f"[bold]t1[/]: between games; {FULL}"),
]  # fmt: skip


@pytest.mark.parametrize(("event", "said"), SAID, ids=lambda one: str(one)[:40])
def test_events_are_described(event: JsonObject, said: str) -> None:
    assert describe(event) == said
