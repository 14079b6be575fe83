"""Rounds: a burst goes out in one write to each, in its order, and nobody is told twice."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import gevent
import pytest

from casino.web.broadcast.flush_queue import AT_ONCE, FlushQueue
from casino.web.websocket.connection import WebSocketConnection
from casino.web.websocket.heartbeat import Heartbeat
from tests.web.doors import PATIENCE


class Sent(list[bytes]):
    """An outlet that keeps each write."""

    send = list.append


def wired() -> WebSocketConnection:
    peer = SimpleNamespace()
    handler: Any = SimpleNamespace(__self__=peer)
    wire = WebSocketConnection(Heartbeat(1), handler, None)
    wire.send_buffer = Sent()  # type: ignore[assignment]
    return wire


def writes(*wires: WebSocketConnection) -> list[list[bytes]]:
    found: list[Any] = [wire.send_buffer for wire in wires]
    return found


@pytest.fixture
def rounds() -> Iterator[FlushQueue]:
    rounds = FlushQueue()
    going = gevent.spawn(rounds._run)
    yield rounds
    going.kill()


def go_round(rounds: FlushQueue) -> None:
    """Let everybody who has a turn have it."""
    with gevent.Timeout(PATIENCE):
        while len(rounds):
            gevent.sleep(0.001)


def test_a_burst_is_one_write(rounds: FlushQueue) -> None:
    one, both, other = wired(), wired(), wired()
    rounds.enqueue([one, both], b"a")
    rounds.enqueue([both, other], b"b")
    rounds.enqueue([one, both], b"c")
    assert len(rounds) == 3
    go_round(rounds)
    assert writes(one, both, other) == [[b"ac"], [b"abc"], [b"b"]]
    assert len(rounds) == 0


def test_what_is_said_while_others_are_told_comes_once_to_all(rounds: FlushQueue) -> None:
    wires = [wired() for _ in range(2 * AT_ONCE)]
    rounds.enqueue(wires, b"a")
    gevent.sleep(0)
    assert len(rounds) == AT_ONCE
    rounds.enqueue(wires, b"b")
    go_round(rounds)
    assert writes(*wires) == [[b"a", b"b"]] * AT_ONCE + [[b"ab"]] * AT_ONCE


def test_an_answer_comes_after_all_that_is_owed(rounds: FlushQueue) -> None:
    wire = wired()
    rounds.enqueue([wire], b"a")
    wire.send(b"answer")
    go_round(rounds)
    wire.send(b"more")
    assert writes(wire) == [[b"aanswer", b"more"]]


def test_what_may_wait_goes_with_what_is_sent_next(rounds: FlushQueue) -> None:
    wire, other = wired(), wired()
    for one in (wire, other):
        one.enqueue(b"a")
    rounds.enqueue([wire], b"b")
    go_round(rounds)
    assert writes(wire, other) == [[b"ab"], []]
    rounds.schedule([wire, other])
    rounds.schedule([other])
    assert len(rounds) == 1
    go_round(rounds)
    assert writes(wire, other) == [[b"ab"], [b"a"]]


def test_work_waits_until_all_have_been_told(rounds: FlushQueue) -> None:
    first, second = wired(), wired()
    seen: list[list[list[bytes]]] = []
    rounds.enqueue([first], b"a")
    rounds.after(lambda: seen.append([list(sent) for sent in writes(first, second)]))
    rounds.enqueue([second], b"b")
    go_round(rounds)
    assert seen == [[[b"a"], []]]
    assert writes(second) == [[b"b"]]
