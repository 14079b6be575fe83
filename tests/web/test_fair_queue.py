"""The turnstile: one begins at each turn of the loop, addresses take turns, floods wait alone."""

from __future__ import annotations

from itertools import pairwise

import gevent
import pytest

from casino.errors import Refused
from casino.web.server.fair_queue import MAX_IN_PROGRESS, MAX_WAITING, FairQueue
from tests.web.doors import PATIENCE


@pytest.fixture
def turnstile() -> FairQueue:
    """A turnstile that lets nobody through yet."""
    return FairQueue()


def come(turnstile: FairQueue, who: str, done: list[str], seconds: float = 0) -> gevent.Greenlet:
    """A worker that passes, does something for a while, and leaves."""

    def pass_through() -> None:
        turnstile.enter(who)
        done.append(who)
        gevent.sleep(seconds)
        turnstile.leave(who)

    return gevent.spawn(pass_through)


def test_addresses_take_turns(turnstile: FairQueue) -> None:
    done: list[str] = []
    flood = [come(turnstile, "flood", done) for _ in range(50)]
    gevent.sleep(0)
    one = come(turnstile, "one", done)
    turnstile.start()
    gevent.joinall([*flood, one])
    assert done.index("one") <= 2
    assert sorted(done) == ["flood"] * 50 + ["one"]


def test_the_loop_looks_at_everything_between_two(turnstile: FairQueue) -> None:
    done: list[str] = []
    seen: list[int] = []

    def others() -> None:
        while len(done) < 40:
            seen.append(len(done))
            gevent.sleep(1e-9)

    watching = gevent.spawn(others)
    flood = [come(turnstile, "flood", done) for _ in range(40)]
    turnstile.start()
    gevent.joinall([*flood, watching])
    assert max(after - before for before, after in pairwise(seen)) <= 2


def test_only_so_many_of_an_address_are_answered_at_once(turnstile: FairQueue) -> None:
    done: list[str] = []
    slow = [come(turnstile, "slow", done, seconds=30) for _ in range(MAX_IN_PROGRESS + 5)]
    turnstile.start()
    with gevent.Timeout(PATIENCE):
        while turnstile.waiting > 5:
            gevent.sleep(0.001)
    gevent.sleep(0.05)
    assert len(done) == MAX_IN_PROGRESS
    assert turnstile.waiting == 5
    come(turnstile, "other", done).join()
    assert done[-1] == "other"
    gevent.killall(slow)


def test_too_many_that_wait_are_refused(turnstile: FairQueue) -> None:
    done: list[str] = []
    there = [come(turnstile, "flood", done) for _ in range(MAX_WAITING)]
    gevent.sleep(0)
    with pytest.raises(Refused, match="wait 1 second"):
        turnstile.enter("flood")
    there.append(come(turnstile, "other", done))
    turnstile.start()
    gevent.joinall(there)
    assert len(done) == MAX_WAITING + 1
    assert turnstile.waiting == 0


def test_nothing_is_remembered_of_who_is_gone(turnstile: FairQueue) -> None:
    done: list[str] = []
    turnstile.start()
    gevent.joinall([come(turnstile, f"10.0.0.{n}", done) for n in range(30)])
    assert len(done) == 30
    assert not turnstile._waiting
    assert not turnstile._begun
