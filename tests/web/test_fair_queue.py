"""Queues: one request starts per loop iteration, addresses take turns, work takes turns."""

from __future__ import annotations

from itertools import pairwise

import gevent
import pytest

from casino.errors import Refused
from casino.web.server.fair_queue import (
    MANY,
    MAX_IN_PROGRESS,
    MAX_WAITING,
    NEXT_TURN,
    FairQueue,
    WorkQueue,
)
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
