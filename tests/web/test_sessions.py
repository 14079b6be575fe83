"""The caches of a web process: sessions, and the private state of players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gevent
import pytest

from casino.errors import Refused
from casino.web.accounts.store import SessionCache
from casino.web.backend.concurrency import NO_ANSWER
from casino.web.broadcast.broadcaster import PrivateStatePusher

# --- sessions


def test_a_session_is_cached_until_it_changes() -> None:
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


def test_sessions_are_fetched_in_one_request() -> None:
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


# --- private state


def test_private_state_is_fetched_for_present_players_only() -> None:
    asked: list[Any] = []
    told: list[str] = []

    def ask(people: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
        asked.append(people)
        return [{"name": player} for _, player in people]

    pusher = PrivateStatePusher(
        ask, lambda _, player: player != "ben", lambda said: told.append(said["name"])
    )
    pusher.start()
    for player in ("ann", "ben", "ann", "cy"):
        pusher.mark_dirty("t1", player)
    gevent.sleep(0)
    assert asked == [[("t1", "ann"), ("t1", "cy")]]
    assert told == ["ann", "cy"]


def test_a_failed_fetch_is_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("casino.web.broadcast.broadcaster.AGAIN_SECONDS", 0)
    told: list[str] = []
    refusals = iter([True, False])

    def ask(people: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
        if next(refusals):
            raise Refused(NO_ANSWER)
        return [{"name": player} for _, player in people]

    pusher = PrivateStatePusher(ask, lambda *_: True, lambda said: told.append(said["name"]))
    pusher.start()
    pusher.mark_dirty("t1", "ann")
    for _ in range(20):
        gevent.sleep(0)
    assert told == ["ann"]
