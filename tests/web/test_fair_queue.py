"""Queues of requests, of other work and of flushes, all of which take turns."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import gevent
import pytest

from casino.errors import Refused
from casino.web.broadcast.broadcaster import AT_ONCE, Broadcaster, FlushQueue
from casino.web.server.fair_queue import (
    MANY,
    MAX_IN_PROGRESS,
    MAX_WAITING,
    NEXT_TURN,
    FairQueue,
    WorkQueue,
)
from casino.web.websocket.connection import WebSocketConnection
from casino.web.websocket.framing import event_frame
from tests.web.server import TIMEOUT_SECONDS


@pytest.fixture
def fair_queue() -> FairQueue:
    """A fair queue that is not started yet."""
    return FairQueue()


def spawn_worker(
    fair_queue: FairQueue, who: str, done: list[str], seconds: float = 0
) -> gevent.Greenlet:
    """Spawn a worker that enters the queue, sleeps for a while, and leaves."""

    def pass_through() -> None:
        fair_queue.enter(who)
        done.append(who)
        gevent.sleep(seconds)
        fair_queue.leave(who)

    return gevent.spawn(pass_through)


def test_addresses_take_turns(fair_queue: FairQueue) -> None:
    done: list[str] = []
    flood = [spawn_worker(fair_queue, "flood", done) for _ in range(50)]
    gevent.sleep(0)
    one = spawn_worker(fair_queue, "one", done)
    gevent.spawn(fair_queue.run)
    gevent.joinall([*flood, one])
    assert done.index("one") <= 2
    assert sorted(done) == ["flood"] * 50 + ["one"]
    assert not fair_queue._waiting
    assert not fair_queue._begun


def test_other_greenlets_run_between_admissions(fair_queue: FairQueue) -> None:
    done: list[str] = []
    seen: list[int] = []

    def others() -> None:
        while len(done) < 40:
            seen.append(len(done))
            gevent.sleep(1e-9)

    watching = gevent.spawn(others)
    flood = [spawn_worker(fair_queue, "flood", done) for _ in range(40)]
    gevent.spawn(fair_queue.run)
    gevent.joinall([*flood, watching])
    assert max(after - before for before, after in pairwise(seen)) <= 2


def test_concurrent_requests_per_address_are_limited(fair_queue: FairQueue) -> None:
    done: list[str] = []
    slow = [spawn_worker(fair_queue, "slow", done, seconds=30) for _ in range(MAX_IN_PROGRESS + 5)]
    gevent.spawn(fair_queue.run)
    with gevent.Timeout(TIMEOUT_SECONDS):
        while fair_queue.waiting > 5:
            gevent.sleep(0.001)
    gevent.sleep(0.05)
    assert len(done) == MAX_IN_PROGRESS
    assert fair_queue.waiting == 5
    spawn_worker(fair_queue, "other", done).join()
    assert done[-1] == "other"
    gevent.killall(slow)


def test_an_address_with_too_many_waiting_requests_is_refused(fair_queue: FairQueue) -> None:
    done: list[str] = []
    there = [spawn_worker(fair_queue, "flood", done) for _ in range(MAX_WAITING)]
    gevent.sleep(0)
    with pytest.raises(Refused, match="wait 1 second"):
        fair_queue.enter("flood")
    there.append(spawn_worker(fair_queue, "other", done))
    gevent.spawn(fair_queue.run)
    gevent.joinall(there)
    assert len(done) == MAX_WAITING + 1
    assert fair_queue.waiting == 0


def test_other_greenlets_run_between_queued_functions() -> None:
    queue, done, seen = WorkQueue(), list[int](), list[int]()

    def work() -> None:
        done.append(0)
        if len(done) == 2:
            raise ValueError

    queue.put(*[work] * 50)
    running = gevent.spawn(queue.run)
    gevent.sleep(0)
    while len(done) < 50:
        gevent.spawn(lambda: seen.append(len(done)))
        gevent.sleep(0)
    running.kill()
    assert len(set(seen)) > 25


def test_queued_work_does_not_pile_up() -> None:
    queue, done = WorkQueue(), list[int]()
    running = gevent.spawn(queue.run)
    for _ in range(500):
        for _ in range(20):
            queue.put(lambda: done.append(0))
        gevent.sleep(NEXT_TURN)
    waiting = len(queue.waiting)
    running.kill()
    assert waiting < 20 * MANY * 1.2
    assert len(done) + len(queue.waiting) == 500 * 20


# --- the flush queue: a burst is sent to each connection in one write, in order and only once


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
