"""Socket handlers: replies in order with events, one account in many tabs, signed cookies."""

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
from tests.table.naive_client import NOTICES
from tests.web.raw_socket import RawSocket
from tests.web.server import TIMEOUT_SECONDS, Server, Visitor

Visit = Callable[..., Visitor]


def versions(raw: RawSocket) -> list[int]:
    """Return the versions of the events sent to a socket, without notices."""
    told = [json.loads(text[2:])[1] for text in raw.frames if text.startswith('42["event"')]
    return [event["version"] for event in told if event["type"] not in NOTICES]


def test_a_reply_never_overtakes_an_event(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flush_queue, "AT_ONCE", 1)
    slowly = SimpleNamespace(sleep=lambda _: gevent.sleep(0.002))
    monkeypatch.setattr(flush_queue, "gevent", slowly)
    with ExitStack() as stack:
        crowd = [stack.enter_context(RawSocket(server.url)) for _ in range(12)]
        start = [raw.ask("join", {"table": "fast"})["version"] for raw in crowd]
        while len(versions(crowd[0])) < 60:
            for raw, since in zip(crowd, start, strict=True):
                server.step("fast")
                answer = raw.ask("join", {"table": "fast", "since": since})
                assert answer["version"] == max([since, *versions(raw)])
        for raw, since in zip(crowd, start, strict=True):
            heard = versions(raw)
            assert heard == list(range(since + 1, since + 1 + len(heard)))


def test_incoming_data_is_handled_during_a_broadcast(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flush_queue, "AT_ONCE", 1)
    spoken, heard = socketpair()
    still_untold: Future[int] = Future()

    def listen() -> None:
        wait_read(heard.fileno())
        still_untold.set_result(len(server.site.broadcaster.flush_queue))

    def tell() -> None:
        gevent.spawn(listen)
        gevent.sleep(0)
        spoken.send(b"!")
        server.site.broadcaster.send("open", "said", {})

    with ExitStack() as stack, spoken, heard:
        for raw in [stack.enter_context(RawSocket(server.url)) for _ in range(12)]:
            raw.ask("join", {"table": "open"})
        server.casino.backend.bridge.post(gevent.spawn, tell)
        assert still_untold.result(TIMEOUT_SECONDS) > 0


def second_tab(visitor: Visitor) -> Visitor:
    tab = Visitor(visitor.url, None)
    tab.close()
    tab._jar = visitor._jar
    tab.connect(event=tab._heard, you=tab._you)
    return tab


def test_two_tabs_share_one_account(visit: Visit) -> None:
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


def test_a_bet_updates_the_balance_shown_at_other_tables(visit: Visit) -> None:
    first = visit("several")
    second = second_tab(first)
    second.join("dear")
    bet = first.bet("open", "several-bet")
    told = second.until(lambda: [y for y in second.yous if y.get("balance_cents") is not None])
    assert (told[-1]["table"], told[-1]["balance_cents"]) == ("dear", bet["balance_cents"])
    second.close()


def test_signing_in_updates_all_open_tabs(visit: Visit) -> None:
    first = visit("early")
    tab = second_tab(first)
    assert tab.join("open")["you"]["name"] == first.name
    first.enter(f"{first.name}.later")
    assert tab.until(lambda: tab.join("open")["you"]["name"] == f"{first.name}.later")
    tab.close()


def test_a_client_cannot_act_for_another_player(visit: Visit) -> None:
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


def test_a_cookie_with_a_false_signature_is_ignored(visit: Visit) -> None:
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
