"""Refusals over the socket: malformed messages, anonymous visitors, invalid bets, rate limits."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from casino.web.sockets.handlers import MESSAGE_RATE
from tests.web.server import LONG_BETTING, TIMEOUT_SECONDS, Visitor, now_ms, open_server

NUMBERS = count(1)
Visit = Callable[..., Visitor]

WRONG_SHAPES: list[tuple[str, Any]] = [
    ("join", {}),
    ("join", {"table": 7}),
    ("join", {"table": "open", "since": -1}),
    ("join", {"table": "open", "since": True}),
    ("join", {"table": "open", "more": 1}),
    ("join", ["open"]),
    ("join", None),
    ("place_bet", {"table": "open"}),
    ("cut", {"table": "open", "game": "g", "seal": 5}),
    ("act", {"table": "open", "version": "1", "action": "P"}),
    ("leave", "open"),
    ("take_seat", {"table": "open", "cover_cents": 0.5}),
]


def test_malformed_payloads_are_bad_requests(visit: Visit) -> None:
    visitor = visit("shape")
    for message, payload in WRONG_SHAPES:
        answer = visitor.line.call(message, payload, timeout=TIMEOUT_SECONDS)
        assert (answer["ok"], answer["code"]) == (False, "bad_request"), (message, payload)
        assert answer["message"]


def bet(visitor: Visitor, **changed: object) -> str:
    """Place a valid bet with some changes; return the refusal's code, or ok."""
    payload = {
        "table": "open",
        "game": visitor.game("open"),
        "bet_id": f"refused-{next(NUMBERS)}",
        "side": "house",
        "unit_cents": 500,
    }
    return visitor.refused("place_bet", **{**payload, **changed})


WRONG_BETS: list[tuple[dict[str, object], str]] = [
    ({"side": "bank"}, "bad_request"),
    ({"bet_id": ""}, "bad_request"),
    ({"bet_id": "enter/ann"}, "bad_request"),
    ({"unit_cents": 5.0}, "bad_request"),
    ({"table": "nowhere"}, "unknown_table"),
    ({"game": "open-999999"}, "unknown_game"),
    ({"unit_cents": 99}, "below_minimum"),
]


def test_invalid_bets_are_refused(visit: Visit) -> None:
    visitor = visit("careless")
    before = visitor.get("/api/me")["balance_cents"]
    assert [bet(visitor, **changed) for changed, _ in WRONG_BETS] == [
        code for _, code in WRONG_BETS
    ]
    assert visitor.get("/api/me")["balance_cents"] == before


def test_anonymous_visitors_cannot_bet_play_or_cut(visit: Visit) -> None:
    stranger = visit()
    game = stranger.game("open")
    assert bet(stranger) == "not_entered"
    assert stranger.refused("cut", table="open", game=game, seal="0" * 64) == "not_entered"
    assert stranger.refused("take_seat", table="open") == "not_entered"
    assert stranger.refused("leave_seat", table="open") == "not_entered"
    assert stranger.refused("act", table="open", version=1, action="P") == "not_entered"


def test_illegal_stale_and_out_of_turn_actions_are_refused(visit: Visit) -> None:
    player = visit("ada")
    player.join("seat")
    player.request("take_seat", table="seat")
    you = player.until(lambda: next((y for y in player.yous if y["legal"]), None))
    act = {"table": "seat", "version": you["version"]}
    assert player.refused("act", **act, action="ZZ") == "illegal_action"
    assert player.refused("act", table="seat", version=0, action=you["legal"][0]) == "stale_version"
    assert visit("eve").refused("act", **act, action=you["legal"][0]) == "not_your_turn"
    player.request("leave_seat", table="seat")


def test_too_many_messages_are_rate_limited(tmp_path: Path) -> None:
    now = [now_ms()]
    with open_server(tmp_path / "a.db", {"open": LONG_BETTING}, lambda: now[0]) as server:
        visitor = server.visitor("flood")
        codes = [visitor.refused("leave", table="open") for _ in range(MESSAGE_RATE.most + 2)]
        assert codes == ["ok"] * MESSAGE_RATE.most + ["rate_limited"] * 2
        now[0] += 1_000
        assert visitor.refused("leave", table="open") == "ok"
        visitor.close()
