"""Odds pushed to a table's watchers: the same as in the API, at low priority."""

from __future__ import annotations

import threading
from itertools import pairwise
from types import SimpleNamespace

import gevent
import pytest

from casino.web.services import odds
from casino.web.services.odds import OddsBroadcaster
from tests.web.server import Recorder, Server, Visit


def listen(visit: Visit, table: str) -> Recorder:
    """Join a table, and record its odds, those in the reply too."""
    listener = Recorder(visit("listener"), "chance")
    told = listener.visitor.join(table).get("chance")
    # Odds that were pushed meanwhile may have arrived before the reply.
    if told is not None and all(told["version"] < one["version"] for one in listener.heard):
        listener.heard.insert(0, told)
    return listener


def test_watchers_receive_odds_as_the_game_proceeds(visit: Visit) -> None:
    heard = listen(visit, "fast").until(8)
    assert {told["table"] for told in heard} == {"fast"}
    versions = [told["version"] for told in heard]
    assert versions == sorted(set(versions))
    for before, told in pairwise(heard):
        assert (before["game"], before["chance"]) != (told["game"], told["chance"])
    chances = [told["chance"] for told in heard if told["chance"]]
    assert chances
    for chance in chances:
        assert chance["house"]["win"] + chance["challenger"]["win"] == pytest.approx(1, abs=2e-4)


def test_late_visitors_get_the_odds_in_the_reply(visit: Visit) -> None:
    (told, *_) = listen(visit, "open").until(1)
    assert visit("late").join("open")["chance"] == told


def test_odds_are_sent_to_watchers_only(visit: Visit) -> None:
    listener, other = listen(visit, "open"), listen(visit, "fast")
    listener.until(1)
    other.until(5)
    assert {told["table"] for told in listener.heard} == {"open"}
    other.visitor.request("leave", table="fast")
    number = len(other.heard)
    listen(visit, "fast").until(3)
    assert len(other.heard) == number


def test_the_lobby_gets_a_tables_odds_but_does_not_count_as_watching(visit: Visit) -> None:
    lobby = Recorder(visit(), "chance")

    def watching() -> int:
        tables = lobby.visitor.get("/api/tables")["tables"]
        return int(next(table["watching"] for table in tables if table["table"] == "dear"))

    lobby.visitor.until(lambda: watching() == 0)
    lobby.visitor.request("join", table="dear", preview=True)
    assert lobby.until(1)[0]["watching"] == watching() == 0
    watcher = visit()
    assert watcher.join("dear")["chance"]["watching"] == 0
    assert watching() == 1
    watcher.request("leave", table="dear")
    assert watching() == 0


def test_odds_of_unwatched_tables_are_discarded(server: Server, visit: Visit) -> None:
    listener = listen(visit, "fast")
    listener.until(2)
    assert server.site.prospects is not None
    chances = server.site.prospects.latest
    assert "fast" in chances
    listener.visitor.request("leave", table="fast")
    listener.visitor.until(lambda: "fast" not in chances)


def test_broadcaster_rests_nine_times_as_long_as_it_works(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    thought: list[float] = []
    rested: list[float] = []
    done, tell = threading.Event(), OddsBroadcaster._push

    def sleep(seconds: float) -> None:
        if seconds:
            rested.append(seconds)
            done.set()
        gevent.sleep(0.001)

    def measured(self: OddsBroadcaster, table: str) -> float:
        thought.append(tell(self, table))
        return thought[-1]

    monkeypatch.setattr(OddsBroadcaster, "_push", measured)
    monkeypatch.setattr(odds, "gevent", SimpleNamespace(sleep=sleep))
    listen(visit, "fast").visitor.until(done.is_set)
    assert set(rested) <= {9 * seconds for seconds in thought}
