"""How the terminal describes each event."""

from __future__ import annotations

from typing import Any

import pytest

from casino.client.table_view import describe

FULL = "the casino takes no bets now: its disk is full or failing"
NAMES = {"house": "regle", "challenger": "ann[red]"}
SAID: list[tuple[dict[str, Any], str]] = [
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
def test_events_are_described(event: dict[str, Any], said: str) -> None:
    assert describe(event) == said
