"""Odds pushed to a table's watchers: the same as in the API, at low priority."""

from __future__ import annotations

import threading
from itertools import pairwise
from types import SimpleNamespace

import gevent
import pytest

from casino.web.services import odds
from casino.web.services.odds import OddsBroadcaster
from tests.web.raw_socket import RawSocket
from tests.web.server import Recorder, Server, Visitor


class Listener(Recorder):
    """A client that records the odds it receives."""

    def __init__(self, server: Server, name: str) -> None:
        self.visitor: Visitor = server.visitor(name)
        super().__init__(self.visitor, "chance")

    def join(self, table: str) -> None:
        """Join a table, and record the odds in the reply."""
        told = self.visitor.join(table).get("chance")
        # Odds that were pushed meanwhile may have arrived before the reply.
        if told is not None and all(told["version"] < one["version"] for one in self.heard):
            self.heard.insert(0, told)


def test_watchers_receive_odds_as_the_game_proceeds(server: Server) -> None:
    listener = Listener(server, "prospects-one")
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


def test_broadcast_odds_match_the_api(server: Server) -> None:
    listener = Listener(server, "prospects-two")
    listener.join("open")
    (told, *_) = listener.until(1)
    asked = listener.visitor.get("/api/tables/open/chance")
    assert (told["game"], told["chance"]) == (asked["game"], asked["chance"])
    late = server.visitor("prospects-late")
    assert late.join("open")["chance"] == told, "late visitors get the odds in the reply"
    late.close()
    listener.visitor.close()


DEFERRED_MESSAGE = {"table": "open", "version": 0, "game": None, "chance": None}


def test_odds_are_sent_with_the_next_message(server: Server) -> None:
    broadcaster, post = server.site.broadcaster, server.casino.backend.bridge.post
    with RawSocket(server.url) as raw:
        raw.ask("join", {"table": "open"})

        def tell() -> None:
            broadcaster.send_later("open", "chance", DEFERRED_MESSAGE)
            broadcaster.send("open", "said", {})

        # Both in one iteration of the loop, so that the delay cannot have passed.
        post(tell)
        while '"version":0' not in raw.receive():
            pass
        assert raw.receive().startswith('42["said"')


def test_odds_are_sent_to_watchers_only(server: Server) -> None:
    listener = Listener(server, "prospects-three")
    listener.join("open")
    listener.until(1)
    other = Listener(server, "prospects-four")
    other.join("fast")
    other.until(5)
    assert {told["table"] for told in listener.heard} == {"open"}
    other.visitor.request("leave", table="fast")
    number = len(other.heard)
    third = Listener(server, "prospects-five")
    third.join("fast")
    third.until(3)
    assert len(other.heard) == number
    for one in (listener, other, third):
        one.visitor.close()


def test_odds_of_unwatched_tables_are_discarded(server: Server) -> None:
    listener = Listener(server, "prospects-seven")
    listener.join("fast")
    listener.until(2)
    chances = server.site.prospects.latest
    assert "fast" in chances
    listener.visitor.request("leave", table="fast")
    listener.visitor.until(lambda: "fast" not in chances)
    listener.visitor.close()


def test_broadcaster_rests_nine_times_as_long_as_it_works(
    server: Server, monkeypatch: pytest.MonkeyPatch
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
    listener = Listener(server, "prospects-six")
    listener.join("fast")
    listener.visitor.until(done.is_set)
    assert set(rested) <= {9 * seconds for seconds in thought}
    listener.visitor.close()
