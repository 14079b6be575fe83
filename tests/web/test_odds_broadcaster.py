"""Chances pushed to whoever watches: what anybody may ask for, to nobody else, at its leisure."""

from __future__ import annotations

import threading
from itertools import pairwise
from types import SimpleNamespace

import gevent
import pytest

from casino.web.services import odds
from casino.web.services.odds import OddsBroadcaster
from tests.web.doors import Doors, Ear, Visitor
from tests.web.raw import Raw


class Listener(Ear):
    """A client that keeps the chances it hears."""

    def __init__(self, doors: Doors, name: str) -> None:
        self.visitor: Visitor = doors.visitor(name)
        super().__init__(self.visitor, "chance")

    def join(self, table: str) -> None:
        """Watch a table, and keep what is known there already."""
        told = self.visitor.join(table).get("chance")
        # A chance that was pushed meanwhile may have been heard before the answer.
        if told is not None and all(told["version"] < one["version"] for one in self.heard):
            self.heard.insert(0, told)


def test_watchers_are_told_as_the_game_goes_on(doors: Doors) -> None:
    listener = Listener(doors, "prospects-one")
    listener.join("fast")
    heard = listener.until(8)
    assert {told["table"] for told in heard} == {"fast"}
    versions = [told["version"] for told in heard]
    assert versions == sorted(set(versions))
    for before, told in pairwise(heard):
        assert (before["game"], before["chance"]) != (told["game"], told["chance"])
    chances = [told["chance"] for told in heard if told["chance"]]
    assert chances
    for chance in chances:
        assert chance["house"]["win"] + chance["challenger"]["win"] == pytest.approx(1, abs=2e-4)
    listener.visitor.close()


def test_it_is_what_anybody_may_ask_for(doors: Doors) -> None:
    listener = Listener(doors, "prospects-two")
    listener.join("open")
    (told, *_) = listener.until(1)
    asked = listener.visitor.get("/api/tables/open/chance")
    assert (told["game"], told["chance"]) == (asked["game"], asked["chance"])
    late = doors.visitor("prospects-late")
    assert late.join("open")["chance"] == told, "whoever comes later is told in the answer"
    late.close()
    listener.visitor.close()


TOLD_AT_LEISURE = {"table": "open", "version": 0, "game": None, "chance": None}


def test_a_chance_goes_out_with_what_is_said_next(doors: Doors) -> None:
    broadcaster, post = doors.site.broadcaster, doors.casino.backend.bridge.post
    with Raw(doors.url) as raw:
        raw.ask("join", {"table": "open"})

        def tell() -> None:
            broadcaster.send_later("open", "chance", TOLD_AT_LEISURE)
            broadcaster.send("open", "said", {})

        # In one turn of the loop: it cannot have waited until its leisure was over.
        post(tell)
        while '"version":0' not in raw.receive():
            pass
        assert raw.receive().startswith('42["said"')


def test_nobody_is_told_of_a_table_that_is_not_watched(doors: Doors) -> None:
    listener = Listener(doors, "prospects-three")
    listener.join("open")
    listener.until(1)
    other = Listener(doors, "prospects-four")
    other.join("fast")
    other.until(5)
    assert {told["table"] for told in listener.heard} == {"open"}
    other.visitor.request("leave", table="fast")
    number = len(other.heard)
    third = Listener(doors, "prospects-five")
    third.join("fast")
    third.until(3)
    assert len(other.heard) == number
    for one in (listener, other, third):
        one.visitor.close()


def test_nothing_is_kept_of_a_table_that_nobody_watches(doors: Doors) -> None:
    listener = Listener(doors, "prospects-seven")
    listener.join("fast")
    listener.until(2)
    chances = doors.site.prospects.latest
    assert "fast" in chances
    listener.visitor.request("leave", table="fast")
    listener.visitor.until(lambda: "fast" not in chances)
    listener.visitor.close()


def test_most_of_the_time_is_left_to_everybody_else(
    doors: Doors, monkeypatch: pytest.MonkeyPatch
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
    listener = Listener(doors, "prospects-six")
    listener.join("fast")
    listener.visitor.until(done.is_set)
    assert set(rested) <= {9 * seconds for seconds in thought}
    listener.visitor.close()
