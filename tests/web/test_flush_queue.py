"""The flush queue: a burst is sent to each connection in one write, in order and only once."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import gevent
import pytest

from casino.web.broadcast.broadcaster import AT_ONCE, Broadcaster, FlushQueue
from casino.web.server.fair_queue import MANY, WorkQueue
from casino.web.websocket.connection import WebSocketConnection
from casino.web.websocket.framing import event_frame
from tests.web.server import TIMEOUT_SECONDS


class Sent(list[bytes]):
    """A send buffer that records each write."""

    send = list.append


def make_connection() -> WebSocketConnection:
    peer = SimpleNamespace()
    handler: Any = SimpleNamespace(__self__=peer)
    wire = WebSocketConnection(WorkQueue().put, handler, None)
    wire.send_buffer = Sent()  # type: ignore[assignment]
    return wire


def writes(*wires: WebSocketConnection) -> list[list[bytes]]:
    found: list[Any] = [wire.send_buffer for wire in wires]
    return found


@pytest.fixture
def queue() -> Iterator[FlushQueue]:
    queue = FlushQueue(AT_ONCE)
    going = gevent.spawn(queue.run)
    yield queue
    going.kill()


def drain(queue: FlushQueue) -> None:
    with gevent.Timeout(TIMEOUT_SECONDS):
        while len(queue.waiting):
            gevent.sleep(0.001)


def test_a_burst_is_sent_in_one_write(queue: FlushQueue) -> None:
    one, both, other = make_connection(), make_connection(), make_connection()
    queue.enqueue([one, both], b"a")
    queue.enqueue([both, other], b"b")
    queue.enqueue([one, both], b"c")
    assert len(queue.waiting) == 3
    drain(queue)
    assert writes(one, both, other) == [[b"ac"], [b"abc"], [b"b"]]
    assert len(queue.waiting) == 0


def test_messages_queued_during_a_flush_are_sent_once(queue: FlushQueue) -> None:
    wires = [make_connection() for _ in range(2 * AT_ONCE)]
    first = AT_ONCE + len(wires) // MANY
    queue.enqueue(wires, b"a")
    gevent.sleep(0)
    assert len(queue.waiting) == len(wires) - first
    queue.enqueue(wires, b"b")
    drain(queue)
    assert writes(*wires) == [[b"a", b"b"]] * first + [[b"ab"]] * (len(wires) - first)


def test_a_reply_follows_queued_events(queue: FlushQueue) -> None:
    wire = make_connection()
    queue.enqueue([wire], b"a")
    wire.send(b"answer")
    drain(queue)
    wire.send(b"more")
    assert writes(wire) == [[b"aanswer", b"more"]]


def test_deferred_messages_are_sent_with_the_next_write(queue: FlushQueue) -> None:
    wire, other = make_connection(), make_connection()
    for one in (wire, other):
        one.enqueue(b"a")
    queue.enqueue([wire], b"b")
    drain(queue)
    assert writes(wire, other) == [[b"ab"], []]
    queue.schedule([wire, other])
    queue.schedule([other])
    assert len(queue.waiting) == 1
    drain(queue)
    assert writes(wire, other) == [[b"ab"], [b"a"]]


def test_message_sent_later_goes_with_the_next(queue: FlushQueue) -> None:
    wire = make_connection()
    registry = SimpleNamespace(sockets_at=lambda _: [wire])
    broadcaster: Any = SimpleNamespace(flush_queue=queue, _registry=registry)
    Broadcaster.send_later(broadcaster, "t1", "chance", {})
    drain(queue)
    assert writes(wire) == [[]]
    Broadcaster.send(broadcaster, "t1", "said", {})
    drain(queue)
    assert writes(wire) == [[event_frame("chance", {}) + event_frame("said", {})]]


def test_callbacks_run_after_earlier_messages_are_flushed(queue: FlushQueue) -> None:
    first, second = make_connection(), make_connection()
    seen: list[list[list[bytes]]] = []
    queue.enqueue([first], b"a")
    queue.put(lambda: seen.append([list(sent) for sent in writes(first, second)]))
    queue.enqueue([second], b"b")
    drain(queue)
    assert seen == [[[b"a"], []]]
    assert writes(second) == [[b"b"]]
