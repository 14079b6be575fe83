"""What a spectator in a terminal knows: message after message, nothing worked out twice."""

from __future__ import annotations

from typing import Any

import pytest

from casino.client.table_view import SEATS, TableView
from tests.cli.test_watch_screen import CLOSED, DEALT, OPENED, TURNED, act

Told = dict[str, Any]


def seen_after(*messages: Told, now: float = 100.0) -> TableView:
    seen = TableView("t1")
    assert all(seen.apply(message, now) for message in messages)
    return seen


def bet(order: int, player: str = "bea") -> Told:
    return {
        "type": "bet_accepted", "order": order, "player": player, "side": "house",
        "unit_cents": 500,
    }  # fmt: skip


def test_a_bet_told_twice_is_one_bet() -> None:
    seen = seen_after(OPENED, bet(1), bet(2, "cy"), bet(1))
    assert [one["order"] for one in seen.game["bets"]] == [1, 2]
    book = {"type": "book", "new_bets": [bet(2, "cy"), bet(3, "di")], "totals_cents": [1500, 0]}
    assert seen.apply(book, 101.0)
    assert [one["player"] for one in seen.game["bets"]] == ["bea", "cy", "di"]
    assert seen.game["totals_cents"] == [1500, 0]


def test_the_clock_runs_down_to_nothing_and_no_further() -> None:
    seen = seen_after(OPENED)
    assert [seen.seconds_left(now) for now in (100.0, 101.4, 119.6, 120.0, 500.0)] == [
        20, 19, 0, 0, 0,
    ]  # fmt: skip
    assert seen.apply(CLOSED, 110.0)
    assert seen.seconds_left(110.0) is None
    assert seen.apply(DEALT, 111.0)
    assert seen.apply({**TURNED, "seconds": 30}, 112.0)
    assert seen.seconds_left(120.0) == 22
    assert seen.apply(act("challenger", "S", "challenger"), 121.0)
    assert seen.seconds_left(121.0) is None
    assert seen.apply({**act("challenger", "KS", "house"), "seconds": None}, 122.0)
    assert seen.seconds_left(122.0) is None


def test_a_snapshot_is_all_there_is_to_know() -> None:
    deal = {
        **DEALT["deal"], "turn_up": "8H", "turn": "house", "led": "QD",
        "score": {"house": 3, "challenger": 1},
    }  # fmt: skip
    snapshot = {**OPENED, "type": "snapshot", "table": "t1", "deal": deal}
    before = (OPENED, CLOSED, DEALT, TURNED, act("challenger", "KS", "house"))
    fresh = seen_after(*before, snapshot)
    assert fresh.trick == [("challenger", "QD")]
    assert fresh.score == {"house": 3, "challenger": 1}
    assert fresh.hand("house") == [None] * 5
    assert seen_after({"type": "snapshot", "table": "t1"}).game == {}
    assert seen_after({"type": "snapshot", "table": "t1"}).hand("house") == []


def test_a_trick_lies_until_the_next_card_is_led() -> None:
    trick = {"type": "trick", "taker": "house", "tricks": {"house": 1, "challenger": 0}}
    seen = seen_after(
        OPENED, CLOSED, DEALT, TURNED,
        act("challenger", "KS", "house"), act("house", "7S", "challenger"), trick,
    )  # fmt: skip
    assert (seen.trick, seen.taker) == ([("challenger", "KS"), ("house", "7S")], "house")
    assert seen.deal["tricks"] == {"house": 1, "challenger": 0}
    assert seen.deal["sizes"] == {"house": 4, "challenger": 4}
    assert seen.apply(act("house", "LAD", "challenger"), 103.0)
    assert (seen.trick, seen.taker) == ([("house", "AD")], "")


def test_words_stay_until_a_card_is_played_and_exchanges_thin_the_stock() -> None:
    seen = seen_after(OPENED, CLOSED, DEALT, TURNED)
    assert seen.apply(act("challenger", "P", "house"), 101.0)
    assert seen.apply(act("house", "A", "challenger"), 102.0)
    assert seen.apply(act("challenger", "XKS7S", "house"), 103.0)
    assert seen.words == {"challenger": "XKS7S", "house": "A"}
    assert seen.deal["stock"] == 19
    assert seen.apply(act("house", "X", "challenger"), 104.0)
    assert seen.deal["stock"] == 19
    assert seen.apply(act("challenger", "QD", "house"), 105.0)
    assert seen.words == {}


def test_what_is_held_is_what_was_shown() -> None:
    hands = {"house": "KSQS", "challenger": "7H"}
    seen = seen_after(OPENED, CLOSED, DEALT, TURNED)
    assert [seen.hand(seat) for seat in SEATS] == [[None] * 5, [None] * 5]
    over = {"type": "deal_over", "tricks": {"house": 3, "challenger": 0}, "hands": hands}
    assert seen.apply(over, 103.0)
    assert [seen.hand(seat) for seat in SEATS] == [["KS", "QS"], ["7H"]]
    assert seen.deal["turn"] is None


@pytest.mark.parametrize(("name", "gain_cents"), [("bea", -650), ("cy", 500), ("di", None)])
def test_own_bets_are_settled_together(name: str, gain_cents: int | None) -> None:
    bets = [
        {"player": "bea", "gain_cents": -900}, {"player": "cy", "gain_cents": 500},
        {"player": "bea", "gain_cents": 250},
    ]  # fmt: skip
    settled = {"type": "settled", "bets": bets, "commission_cents": 0}
    assert seen_after({"type": "you", "name": name}, OPENED, settled).own_gain_cents == gain_cents
