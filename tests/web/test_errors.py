"""Every refusal of the contract, over the socket."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from casino.client.client import CasinoClient
from casino.errors import Refused
from casino.web.sockets.handlers import MESSAGES
from tests.web.doors import BETTING_FOR_EVER, PATIENCE, Doors, Visitor, now_ms, open_doors

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


def test_what_has_another_shape_is_a_bad_request(visit: Visit) -> None:
    """A message with a field missing, unknown or of another type says which."""
    visitor = visit("shape")
    for message, payload in WRONG_SHAPES:
        answer = visitor.line.call(message, payload, timeout=PATIENCE)
        assert (answer["ok"], answer["code"]) == (False, "bad_request"), (message, payload)
        assert answer["message"]


def bet(visitor: Visitor, **changed: object) -> str:
    """What a usual bet with some changes comes to."""
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
    ({"unit_cents": 0}, "below_minimum"),
    ({"unit_cents": -500}, "below_minimum"),
    ({"unit_cents": 100_001}, "over_limit"),
    ({"unit_cents": 90_000}, "insufficient_chips"),
]


def test_a_bet_that_cannot_be_is_refused(visit: Visit) -> None:
    """Each reason has its code, and nothing is taken."""
    visitor = visit("careless")
    before = visitor.get("/api/me")["balance_cents"]
    assert [bet(visitor, **changed) for changed, _ in WRONG_BETS] == [
        code for _, code in WRONG_BETS
    ]
    assert visitor.get("/api/me")["balance_cents"] == before


def test_who_has_not_entered_cannot_bet_play_or_cut(visit: Visit) -> None:
    """All commands ask who speaks; watching does not."""
    stranger = visit()
    game = stranger.game("open")
    assert bet(stranger) == "not_entered"
    assert stranger.refused("cut", table="open", game=game, seal="0" * 64) == "not_entered"
    assert stranger.refused("take_seat", table="open") == "not_entered"
    assert stranger.refused("leave_seat", table="open") == "not_entered"
    assert stranger.refused("act", table="open", version=1, action="P") == "not_entered"


def test_l5_an_id_means_one_bet(visit: Visit) -> None:
    """The same bet again gets the same answer; another under its id is refused."""
    visitor = visit("twice")
    first = visitor.bet("open", "l5-id")
    again = visitor.bet("open", "l5-id")
    assert again["bet"] == first["bet"]
    assert again["balance_cents"] == first["balance_cents"]
    assert bet(visitor, bet_id="l5-id", unit_cents=700) == "id_reused"
    assert bet(visit("namesake"), bet_id="l5-id", unit_cents=700) == "ok"


def test_g2_nobody_bets_on_both_sides(visit: Visit) -> None:
    """The second side of a game is refused."""
    visitor = visit("torn")
    visitor.bet("open", "torn-1")
    assert bet(visitor, side="challenger") == "wrong_side"


def test_g2_the_challenger_does_not_bet_on_his_game(visit: Visit) -> None:
    """Who sits in the seat is refused, and may lead only what the rules allow."""
    player = visit("ada")
    player.join("seat")
    player.request("take_seat", table="seat")
    assert player.refused("take_seat", table="seat") == "seat_taken"
    opened = player.wait_for("game_opened")
    payload = {"table": "seat", "game": opened["game"], "bet_id": "own", "side": "challenger"}
    assert player.refused("place_bet", **payload, unit_cents=500) == "own_game"
    you = player.until(lambda: next((y for y in player.yous if y["legal"]), None))
    act = {"table": "seat", "version": you["version"]}
    assert player.refused("act", **act, action="ZZ") == "illegal_action"
    assert player.refused("act", **act, action="N") == "illegal_action"
    assert player.refused("act", table="seat", version=0, action=you["legal"][0]) == "stale_version"
    other = visit("eve")
    assert other.refused("act", **act, action=you["legal"][0]) == "not_your_turn"
    player.request("leave_seat", table="seat")
    assert player.refused("leave_seat", table="seat") == "not_your_turn"


def test_g1_no_bet_and_no_cut_when_the_book_is_closed(visit: Visit) -> None:
    """Once the cards are on the way it is too late."""
    visitor = visit("late")
    visitor.join("slow")
    snapshot = visitor.until(
        lambda: next((s for s in [visitor.join("slow")["snapshot"]] if s.get("closed")), None)
    )
    asked = {"table": "slow", "game": snapshot["game"]}
    late = {**asked, "bet_id": "late", "side": "house", "unit_cents": 500}
    assert visitor.refused("place_bet", **late) == "betting_closed"
    assert visitor.refused("open_cut", **asked, text="late") == "betting_closed"
    assert visitor.refused("cut", **asked, seal="0" * 64) == "not_your_turn"
    other = {**asked, "game": "slow-000099", "seal": "0" * 64}
    assert visitor.refused("cut", **other) == "unknown_game"


def test_a_seat_that_is_too_dear_is_refused(visit: Visit) -> None:
    """The stake, three times, must be in the wallet."""
    assert visit("poor").refused("take_seat", table="dear") == "insufficient_chips"


def test_names_are_unique(doors: Doors) -> None:
    """A name that somebody else opened, or that a bot or a guest has, is taken."""
    CasinoClient(doors.url).enter("only")
    for name, code in (
        ("only", "name_taken"),
        ("novice", "name_taken"),
        ("regle", "name_taken"),
        ("Odette*", "name_taken"),
        ("house", "bad_request"),
        ("a/b", "bad_request"),
        ("  ", "bad_request"),
        ("x" * 41, "bad_request"),
        ("\x07", "bad_request"),
    ):
        with pytest.raises(Refused) as refusal:
            CasinoClient(doors.url).enter(name)
        assert refusal.value.code == code


def test_who_asks_too_often_is_told_to_wait(tmp_path: Path) -> None:
    """A flood of messages, here within one moment, is refused, and the line stays open."""
    now = [now_ms()]
    with open_doors(tmp_path / "a.db", {"open": BETTING_FOR_EVER}, lambda: now[0]) as doors:
        visitor = doors.visitor("flood")
        codes = [visitor.refused("leave", table="open") for _ in range(MESSAGES.most + 2)]
        assert codes == ["ok"] * MESSAGES.most + ["rate_limited"] * 2
        now[0] += 1_000
        assert visitor.refused("leave", table="open") == "ok"
        visitor.close()


def test_l12_no_bets_while_the_disk_is_full(tmp_path: Path) -> None:
    """With too little room bets are unavailable, and everybody is told so."""
    full = {"least_free_mib": 1_000_000}
    with open_doors(tmp_path / "a.db", {"open": BETTING_FOR_EVER}, bank=full) as doors:
        visitor = doors.visitor("ann")
        asked = {"table": "open", "game": "open-000001", "bet_id": "x", "side": "house"}
        assert visitor.refused("place_bet", **asked, unit_cents=500) == "unavailable"
        assert visitor.until(lambda: not visitor.join("open")["snapshot"]["taking"])
        visitor.close()
