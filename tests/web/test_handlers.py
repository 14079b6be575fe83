"""The live line: in step by version, one person in many tabs, nobody for another."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from socket import socketpair
from types import SimpleNamespace
from typing import Any

import gevent
import pytest
from gevent.socket import wait_read

from casino.table.public.private_view import OwnBets, own_bets
from casino.table.public.state import PublicGame
from casino.web.backend import local
from casino.web.broadcast import flush_queue
from tests.table.following import NOTICES
from tests.web.doors import BETTING_FOR_EVER, FAST, PATIENCE, Doors, Visitor, now_ms, open_doors
from tests.web.raw import Raw

Visit = Callable[..., Visitor]
HOUR_MS = 3_600_000
Told = dict[str, Any]


def play(
    player: Visitor, table: str, games: int, enough: Callable[[], bool] = lambda: True
) -> list[str]:
    """Take the seat and do whatever is legal first, until so many games are over, and enough."""
    player.join(table)
    player.request("take_seat", table=table)
    done: list[str] = []
    acted = heard = 0

    def turn() -> Told | None:
        you = player.yous[-1] if player.yous else None
        return you if you and you["legal"] and you["version"] > acted else None

    def news() -> list[Told]:
        return player.events[heard:]

    while len(done) < games or not enough():
        player.until(lambda: turn() or news())
        if you := turn():
            action = you["legal"][min(1, len(you["legal"]) - 1)]
            answer = player.refused("act", table=table, version=you["version"], action=action)
            if answer == "ok":
                acted = you["version"]
            elif answer == "rate_limited":
                time.sleep(0.1)  # who asks on all the same is taken for a flood, and cut off
        fresh = news()
        heard += len(fresh)
        done += [event["game"] for event in fresh if event["type"] == "game_over"]
    return done


def test_versions_grow_by_one(visit: Visit) -> None:
    """Who listens to a fast table hears every number, and every type of event of a game."""
    visitor = visit()
    start = visitor.join("fast")["version"]
    over = visitor.wait_for("game_over", visitor.wait_for("game_opened")["version"])
    visitor.wait_for("checkpoint", over["version"])
    wanted = {
        "game_opened", "bet_accepted", "book", "betting_closed", "dealt", "turned_up", "action",
        "trick", "points", "deal_over", "game_over", "settled", "checkpoint",
    }  # fmt: skip
    visitor.until(lambda: wanted <= {event["type"] for event in list(visitor.events)})
    told = [event for event in list(visitor.events) if event["type"] not in NOTICES]
    versions = [event["version"] for event in told]
    assert versions == list(range(start + 1, start + 1 + len(versions)))
    heard = [event["version"] for event in list(visitor.events)]
    assert heard == sorted(heard)
    assert all(event["table"] == "fast" for event in visitor.events)


def test_what_was_missed_is_told_by_version(visit: Visit) -> None:
    """A visitor who comes back with his last version gets the events between, and no more."""
    listener, traveller = visit(), visit()
    listener.join("fast")
    since: int = traveller.join("fast")["version"]
    traveller.request("leave", table="fast")
    listener.wait_for("deal_over", since)
    back = traveller.request("join", table="fast", since=since)
    assert [event["version"] for event in back["events"]] == list(
        range(since + 1, back["version"] + 1)
    )
    listener.until(lambda: listener.events[-1]["version"] >= back["version"])
    events = [event for event in listener.events if event["type"] not in NOTICES]
    known = {event["version"]: event for event in events}
    for event in back["events"]:
        # Only clocks may differ: they tell what is left now.
        heard = known.get(event["version"], event)
        assert {**event, "seconds": 0} == {**heard, "seconds": 0}


def test_who_missed_how_a_clock_began_is_told_what_is_left(tmp_path: Path) -> None:
    """Who comes back in the middle of the betting is not shown the seconds of its beginning."""
    passed = [0]
    tables = {"t1": BETTING_FOR_EVER}
    with open_doors(tmp_path / "a.db", tables, lambda: now_ms() + passed[0]) as doors:
        visitor = doors.visitor()
        visitor.game("t1")
        passed[0] = 600_000
        since = doors.site.shared.feeds["t1"].version - 1
        timed = [
            event["seconds"]
            for event in visitor.request("join", table="t1", since=since)["events"]
            if "seconds" in event
        ]
        assert timed == [pytest.approx(3_000, abs=60)]
        visitor.close()


def test_who_knows_nothing_true_gets_a_snapshot(visit: Visit) -> None:
    """A version of the future, or one too old to be remembered, is answered by a snapshot."""
    visitor = visit()
    visitor.wait_for("dealt") if visitor.join("fast")["version"] < 20 else None
    assert "snapshot" in visitor.request("join", table="fast", since=10**9)
    now = visitor.join("open")["version"]
    missed = visitor.request("join", table="open", since=now)["events"]
    # Others' bets may be told in this moment.
    assert all(event["version"] > now or event["type"] == "checkpoint" for event in missed)


def test_who_has_left_hears_no_more(visit: Visit) -> None:
    """After `leave` a table is silent."""
    visitor = visit()
    visitor.join("fast")
    visitor.wait_for("action")
    visitor.request("leave", table="fast")
    heard = len(visitor.events)
    other = visit()
    since = other.join("fast")["version"]
    other.wait_for("dealt", since)
    assert len(visitor.events) == heard


def versions(raw: Raw) -> list[int]:
    """The versions of the events that a socket was sent, notices aside."""
    told = [json.loads(text[2:])[1] for text in raw.frames if text.startswith('42["event"')]
    return [event["version"] for event in told if event["type"] not in NOTICES]


def test_an_answer_never_overtakes_an_event(doors: Doors, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks while an event is on its way to all has been told it before he is answered."""
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
    """What has come over a socket is heard between two slices of a crowd, not behind the last."""
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
    """Another socket of the same browser."""
    tab = Visitor(visitor.url, None)
    tab.close()
    tab._jar = visitor._jar
    tab.connect(event=tab._heard, you=tab._you)
    return tab


def test_two_tabs_are_one_person(visit: Visit) -> None:
    """A bet made in one tab is the other's too: its balance, its side, its id."""
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
    """Who sits at several tables sees at each what he has left."""
    first = visit("several")
    second = second_tab(first)
    second.join("dear")
    bet = first.bet("open", "several-bet")
    told = second.until(lambda: [y for y in second.yous if y.get("balance_cents") is not None])
    assert (told[-1]["table"], told[-1]["balance_cents"]) == ("dear", bet["balance_cents"])
    second.close()


def test_entering_makes_the_open_tabs_of_a_browser_the_same_person(visit: Visit) -> None:
    """A tab that was a stranger's speaks for whoever has entered in the same browser."""
    first = visit("early")
    tab = second_tab(first)
    assert tab.join("open")["you"]["name"] == first.name
    first.enter(f"{first.name}.later")
    assert tab.until(lambda: tab.join("open")["you"]["name"] == f"{first.name}.later")
    tab.close()


def test_nobody_speaks_for_another(visit: Visit) -> None:
    """What is told to one person alone reaches nobody else, and no message can name a person."""
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
    """Who writes himself a cookie has not entered."""
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


def test_a_bettor_is_paid_to_the_cent(tmp_path: Path) -> None:
    """Bet, be matched, win or lose: balance, settlement and statement say the same."""
    tables = {"t1": {**FAST, "betting_ms": HOUR_MS, "number": 0}}
    later = [0]
    with open_doors(tmp_path / "a.db", tables, lambda: now_ms() + later[0]) as doors:
        ann, ben = doors.visitor("ann"), doors.visitor("ben")
        ann.join("t1")
        game = ann.bet("t1", "a", "house", 1000)["bet"]["game"]
        ben.bet("t1", "b", "challenger", 400)
        # The book is open until both have bet, however long that takes; a seat wakes the croupier.
        later[0] = HOUR_MS
        cy = doors.visitor("cy")
        cy.request("take_seat", table="t1")
        settled = ann.until(
            lambda: [e for e in ann.events if e["type"] == "settled" and e["game"] == game]
        )[0]
        (row,) = [bet for bet in settled["bets"] if bet["player"] == "ann"]
        assert row["matched_cents"] == 400
        balance = 100_000 + row["gain_cents"] - row["commission_cents"]
        assert ann.get("/api/me")["balance_cents"] == balance
        statement = ann.get("/api/statement")
        assert statement["balance_cents"] == balance
        (line,) = statement["bets"]
        assert (line["game"], line["gain_cents"]) == (game, row["gain_cents"])
        ann.until(lambda: [y for y in ann.yous if y.get("balance_cents") == balance])
        receipt = ann.get("/api/receipts/a")["receipt"]
        assert receipt.startswith("c2sp.org/tlog-proof@v1")
        for visitor in (ann, ben, cy):
            visitor.close()


def test_a_person_plays_a_whole_game(doors: Doors, visit: Visit) -> None:
    """The seat, the hand, what is legal, and the record of the game afterwards."""
    player = visit("player")

    def own() -> set[str]:
        # Who left the seat before may have a game there that goes on without him.
        opened = [event for event in player.events if event["type"] == "game_opened"]
        return {one["game"] for one in opened if one["players"]["challenger"] == player.name}

    games = play(player, "seat", 2)
    game = next(game for game in games if game in own())
    player.request("leave_seat", table="seat")
    record = player.get(f"/api/games/{game}")
    assert record["players"]["challenger"] == player.name
    assert record["winner"] in ("house", "challenger")


def test_l13_a_table_is_taken_up_where_it_stood(tmp_path: Path) -> None:
    """After a restart versions go on, the bet stands, and the cookie still speaks for its owner."""
    path = tmp_path / "a.db"
    with open_doors(path, {"open": BETTING_FOR_EVER}) as doors:
        ann = doors.visitor("ann")
        before = ann.bet("open", "stay")
        ann.close()
        jar = ann._jar
    with open_doors(path, {"open": BETTING_FOR_EVER}) as doors:
        back = Visitor(doors.url, None)
        back.close()
        back._jar = jar
        back.connect()
        answer = back.request("join", table="open", since=before["version"])
        assert answer["version"] >= before["version"]
        assert [bet["player"] for bet in answer["snapshot"]["bets"]] == ["ann"]
        assert answer["you"]["balance_cents"] == before["balance_cents"]
        assert back.bet("open", "stay")["bet"] == before["bet"]
        back.close()


def test_a_book_is_matched_once_for_all_who_have_bet(
    doors: Doors, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is told his own bets; of no state of the table is a book matched twice."""
    matched: list[Any] = []
    answered: Future[Any] = Future()

    def counted(running: PublicGame) -> OwnBets:
        matched.append(running)
        return own_bets(running)

    monkeypatch.setattr(local, "own_bets", counted)
    bettors = [visit(name) for name in ("dora", "emil", "fritz")]
    for bettor in bettors:
        bettor.join("open")
        assert bettor.bet("open", "b1")["ok"]
    names = [bettor.name for bettor in bettors]
    first = bettors[0]
    first.until(lambda: set(names) <= {event.get("player") for event in first.events})

    def ask() -> None:
        house, asked = doors.casino.backend, [("open", str(name)) for name in names]
        answered.set_result([*house.private_views(asked), *house.private_views(asked)])

    doors.casino.backend.bridge.post(gevent.spawn, ask)
    told = answered.result(PATIENCE)
    assert [len(one["bets"]) for one in told] == [1] * 6
    assert len({one["bets"][0]["order"] for one in told}) == 3
    assert matched and len({id(one) for one in matched}) == len(matched)
