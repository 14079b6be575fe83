"""The caches of a web process: sessions, and the private state of players."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import gevent
import pytest

from casino.errors import Refused
from casino.web.accounts.store import SessionCache
from casino.web.backend.concurrency import NO_ANSWER
from casino.web.backend.interface import TableFeeds
from casino.web.broadcast.broadcaster import Broadcaster
from casino.web.schemas.requests import Join
from casino.web.sockets.handlers import SocketHandlers
from casino.web.websocket.framing import event_frame

# --- sessions


def test_a_session_is_cached_until_it_changes() -> None:
    asked: list[str] = []

    def ask(keys: list[str]) -> dict[str, str | None]:
        asked.extend(keys)
        return {key: "ann" if key == "a" else None for key in keys}

    sessions = SessionCache(ask)
    assert [sessions.player_of(key) for key in ("a", "a", "b", "b", "")] == ["ann"] * 2 + [None] * 3
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


def test_private_views_are_pushed_to_present_players_and_fetched_again_after_a_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("casino.web.broadcast.broadcaster.AGAIN_SECONDS", 0)
    asked: list[Any] = []
    told: list[bytes] = []

    def ask(people: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
        asked.append(people)
        if len(asked) == 1:
            raise Refused(NO_ANSWER)
        return [{"table": table, "name": player} for table, player in people]

    tabs = [SimpleNamespace(send=told.append)]
    registry = SimpleNamespace(sockets_of=lambda _, player: [] if player == "ben" else tabs)
    backend = SimpleNamespace(private_views=ask)
    shared: Any = SimpleNamespace(feeds={}, backend=backend, registry=registry)
    broadcaster = Broadcaster(shared)
    gevent.spawn(broadcaster.push_private_views)
    for player in ("ann", "ben", "ann", "cy"):
        broadcaster.mark_dirty("t1", player)
    for _ in range(20):
        gevent.sleep(0)
    assert asked == [[("t1", "ann"), ("t1", "cy")]] * 2
    assert told == [event_frame("you", {"table": "t1", "name": name}) for name in ("ann", "cy")]


def test_player_or_table_may_change_during_a_join(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("casino.web.sockets.handlers._sid", lambda: "line")
    connection: Any = SimpleNamespace(player="ann", address="")
    dirty: list[tuple[str, str]] = []

    def ask(people: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
        connection.player = "ben"
        return [{"name": player, "version": 7} for _, player in people]

    feed: Any = SimpleNamespace(version=7, messages_since=lambda *_: [], betting_status=dict)
    feeds, backend = TableFeeds({"t1": feed}), SimpleNamespace(private_views=ask)
    handlers: Any = SimpleNamespace(
        shared=SimpleNamespace(feeds=feeds, backend=backend, now=lambda: 0),
        joining=SimpleNamespace(wait=lambda _: None),
        registry=SimpleNamespace(by_id={"line": connection}, join=lambda *_, **__: None),
        broadcaster=SimpleNamespace(mark_dirty=lambda *key: dirty.append(key)),
        odds=SimpleNamespace(latest={}, mark_changed=lambda _: None),
    )
    answer = SocketHandlers._join(handlers, Join(table="t1", since=7), connection)
    assert (answer, dirty) == ({"events": []}, [("t1", "ben")])
    connection.player = None
    handlers.joining.wait = lambda _: feeds.clear()
    with pytest.raises(Refused, match="there is no table t1"):
        SocketHandlers._join(handlers, Join(table="t1", since=7), connection)
