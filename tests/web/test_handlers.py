"""The live line: in step by version, one person in many tabs, nobody for another."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from socket import socketpair
from types import SimpleNamespace

import gevent
import pytest
from gevent.socket import wait_read

from casino.web.broadcast import flush_queue
from tests.table.following import NOTICES
from tests.web.doors import PATIENCE, Doors, Visitor
from tests.web.raw import Raw

Visit = Callable[..., Visitor]


def versions(raw: Raw) -> list[int]:
    """The versions of the events that a socket was sent, notices aside."""
    told = [json.loads(text[2:])[1] for text in raw.frames if text.startswith('42["event"')]
    return [event["version"] for event in told if event["type"] not in NOTICES]


def test_an_answer_never_overtakes_an_event(doors: Doors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flush_queue, "AT_ONCE", 1)
    slowly = SimpleNamespace(sleep=lambda _: gevent.sleep(0.002))
    monkeypatch.setattr(flush_queue, "gevent", slowly)
    with ExitStack() as stack:
        crowd = [stack.enter_context(Raw(doors.url)) for _ in range(12)]
        start = [raw.ask("join", {"table": "fast"})["version"] for raw in crowd]
        while len(versions(crowd[0])) < 60:
            for raw, since in zip(crowd, start, strict=True):
                doors.step("fast")
                answer = raw.ask("join", {"table": "fast", "since": since})
                assert answer["version"] == max([since, *versions(raw)])
        for raw, since in zip(crowd, start, strict=True):
            heard = versions(raw)
            assert heard == list(range(since + 1, since + 1 + len(heard)))


def test_who_asks_has_his_turn_while_all_are_told(
    doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flush_queue, "AT_ONCE", 1)
    spoken, heard = socketpair()
    still_untold: Future[int] = Future()

    def listen() -> None:
        wait_read(heard.fileno())
        still_untold.set_result(len(doors.site.broadcaster.flush_queue))

    def tell() -> None:
        gevent.spawn(listen)
        gevent.sleep(0)
        spoken.send(b"!")
        doors.site.broadcaster.send("open", "said", {})

    with ExitStack() as stack, spoken, heard:
        for raw in [stack.enter_context(Raw(doors.url)) for _ in range(12)]:
            raw.ask("join", {"table": "open"})
        doors.casino.backend.bridge.post(gevent.spawn, tell)
        assert still_untold.result(PATIENCE) > 0


def second_tab(visitor: Visitor) -> Visitor:
    tab = Visitor(visitor.url, None)
    tab.close()
    tab._jar = visitor._jar
    tab.connect(event=tab._heard, you=tab._you)
    return tab


def test_two_tabs_are_one_person(visit: Visit) -> None:
    first = visit("tabs")
    second = second_tab(first)
    second.join("open")
    bet = first.bet("open", "tab-bet")
    told = second.until(lambda: [y for y in second.yous if y.get("bets")])
    assert told[-1]["balance_cents"] == bet["balance_cents"]
    assert [one["unit_cents"] for one in told[-1]["bets"]] == [500]
    again = second.bet("open", "tab-bet")
    assert again["bet"] == bet["bet"]
    second.close()


def test_a_bet_is_paid_from_the_purse_that_is_in_sight_at_every_table(visit: Visit) -> None:
    first = visit("several")
    second = second_tab(first)
    second.join("dear")
    bet = first.bet("open", "several-bet")
    told = second.until(lambda: [y for y in second.yous if y.get("balance_cents") is not None])
    assert (told[-1]["table"], told[-1]["balance_cents"]) == ("dear", bet["balance_cents"])
    second.close()


def test_entering_makes_the_open_tabs_of_a_browser_the_same_person(visit: Visit) -> None:
    first = visit("early")
    tab = second_tab(first)
    assert tab.join("open")["you"]["name"] == first.name
    first.enter(f"{first.name}.later")
    assert tab.until(lambda: tab.join("open")["you"]["name"] == f"{first.name}.later")
    tab.close()


def test_nobody_speaks_for_another(visit: Visit) -> None:
    one, other = visit("one"), visit("other")
    one.join("open")
    other.join("open")
    one.bet("open", f"{one.name}-bet")
    one.until(lambda: [y for y in one.yous if y.get("bets")])
    assert not other.yous
    for field in ("name", "player"):
        game = other.game("open")
        asked = {"table": "open", "game": game, "bet_id": "z", "side": "house", "unit_cents": 500}
        assert other.refused("place_bet", **asked, **{field: one.name}) == "bad_request"
    assert other.get("/api/me")["bets"] == []


def test_a_cookie_that_is_not_signed_by_the_house_is_nobodys(visit: Visit) -> None:
    honest = visit("honest")
    forger = visit()
    (cookie,) = [one for one in honest._jar if one.name == "casino"]
    forger._jar.set_cookie(cookie)
    assert forger.get("/api/me")["name"] == honest.name
    body, _, signature = str(cookie.value).rpartition(".")
    cookie.value = f"{body}.{signature[::-1]}"
    forger.close()
    forger.connect()
    assert forger.refused("take_seat", table="seat") == "not_entered"
