"""What a web process remembers of the house: whose browser is whose, and what is in the purses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gevent
import pytest

from casino.errors import Refused
from casino.web.accounts.sessions import SessionCache
from casino.web.backend.concurrency import NO_ANSWER
from casino.web.broadcast.broadcaster import PrivateStatePusher
from tests.web.doors import PATIENCE

# --- sessions


def test_a_session_is_asked_for_once_and_again_after_it_has_changed() -> None:
    asked: list[str] = []

    def ask(keys: list[str]) -> dict[str, str | None]:
        asked.extend(keys)
        return {key: "ann" if key == "a" else None for key in keys}

    sessions = SessionCache(ask)
    assert [sessions.player_of(key) for key in ("a", "a", "b", "b", "")] == ["ann", "ann"] + [
        None
    ] * 3
    assert asked == ["a", "b"]
    sessions.update(["a"])
    assert sessions.player_of("a") == "ann"
    sessions.clear()
    assert (sessions.player_of("a"), sessions.player_of("b")) == ("ann", None)
    assert asked == ["a", "b", "a", "a", "b"]


def test_many_sessions_are_asked_for_at_once() -> None:
    asked: list[Any] = []

    def ask(keys: list[str]) -> dict[str, str | None]:
        asked.append(keys)
        if len(asked) == 2:
            sessions.update(["b"])
        return dict.fromkeys(keys, "ann" if len(asked) < 3 else "ben")

    sessions = SessionCache(ask)
    assert sessions.players_of({"a"}) == {"a": "ann"}
    assert sessions.player_of("a") == "ann"
    assert sessions.players_of({"c", "b"}) == {"b": "ann", "c": "ann"}
    assert sessions.player_of("c") == "ben"
    assert sessions.players_of(set()) == {}
    assert asked == [["a"], ["b", "c"], ["c"]]


# --- purses


def test_those_who_are_not_there_are_not_asked_for() -> None:
    """The house is asked for people with a tab at the table, each once, and they are told."""
    asked: list[Any] = []
    told: list[str] = []

    def ask(people: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
        asked.append(people)
        return [{"name": player} for _, player in people]

    purses = PrivateStatePusher(
        ask, lambda _, player: player != "ben", lambda said: told.append(said["name"])
    )
    purses.start()
    for player in ("ann", "ben", "ann", "cy"):
        purses.mark_dirty("t1", player)
    gevent.sleep(0)
    assert asked == [[("t1", "ann"), ("t1", "cy")]]
    assert told == ["ann", "cy"]


def until_as_long(told: list[str], number: int) -> None:
    with gevent.Timeout(PATIENCE):
        while len(told) < number:
            gevent.sleep(0.001)


def test_what_changes_with_every_bet_of_others_is_told_now_and_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Many books in a moment are one word to each who has bet by then; the own comes at once."""
    monkeypatch.setattr("casino.web.broadcast.broadcaster.SOON_SECONDS", 0.02)
    told: list[str] = []
    bettors = ["ann"]

    def ask(people: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
        return [{"name": player} for _, player in people]

    purses = PrivateStatePusher(ask, lambda *_: True, lambda said: told.append(said["name"]))
    purses.start()
    for _ in range(5):
        purses.mark_dirty_later("t1", lambda: bettors)
        gevent.sleep(0)
    bettors.append("ben")
    purses.mark_dirty("t1", "cy")
    until_as_long(told, 3)
    assert told == ["cy", "ann", "ben"]
    purses.mark_dirty_later("t1", lambda: bettors)
    until_as_long(told, 5)
    assert told == ["cy", "ann", "ben", "ann", "ben"]


def test_a_house_that_does_not_answer_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("casino.web.broadcast.broadcaster.AGAIN_SECONDS", 0)
    told: list[str] = []
    refusals = iter([True, False])

    def ask(people: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
        if next(refusals):
            raise Refused(NO_ANSWER)
        return [{"name": player} for _, player in people]

    purses = PrivateStatePusher(ask, lambda *_: True, lambda said: told.append(said["name"]))
    purses.start()
    purses.mark_dirty("t1", "ann")
    for _ in range(20):
        gevent.sleep(0)
    assert told == ["ann"]
