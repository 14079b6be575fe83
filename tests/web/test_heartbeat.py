"""The heartbeat: peers are pinged in turn, and gone ones are pinged no more."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise

import gevent
import pytest

from casino.web.server.fair_queue import NEXT_TURN
from casino.web.websocket.heartbeat import MANY, Heartbeat

SECONDS = 0.05


class Peer:
    """A peer that records its pings, and answers them if it is alive."""

    def __init__(self, heartbeat: Heartbeat, lives: bool = True) -> None:
        self.times: list[float] = []
        self._heartbeat = heartbeat
        self._lives = lives
        heartbeat.schedule_ping(self.ping)

    def ping(self) -> None:
        self.times.append(time.monotonic())
        if self._lives:
            self._heartbeat.schedule_ping(self.ping)


@pytest.fixture
def heartbeat() -> Iterator[Heartbeat]:
    heartbeat = Heartbeat(SECONDS)
    beating = gevent.spawn(heartbeat._run)
    yield heartbeat
    beating.kill()


def test_a_live_peer_is_pinged_again_after_the_interval(heartbeat: Heartbeat) -> None:
    began, one = time.monotonic(), Peer(heartbeat)
    gevent.sleep(SECONDS / 2)
    other = Peer(heartbeat)
    while len(other.times) < 3:
        gevent.sleep(SECONDS / 10)
    for asked, start in ((one, began), (other, began + SECONDS / 2)):
        times = [start, *asked.times]
        gaps = [after - before for before, after in pairwise(times)]
        assert min(gaps) >= SECONDS * 0.99


def test_silent_and_gone_peers_are_not_pinged_again(heartbeat: Heartbeat) -> None:
    silent, gone, there = Peer(heartbeat, lives=False), Peer(heartbeat), Peer(heartbeat)
    heartbeat.cancel_ping(gone.ping)
    heartbeat.cancel_ping(gone.ping)
    while len(there.times) < 2:
        gevent.sleep(SECONDS / 10)
    assert (len(silent.times), len(gone.times)) == (1, 0)
    assert silent.ping not in heartbeat._due_at


def test_other_greenlets_run_between_disconnects() -> None:
    heartbeat, gone, seen = Heartbeat(SECONDS), [], []

    def go() -> None:
        gone.append(time.monotonic())
        if len(gone) == 2:
            raise ValueError

    for _ in range(50):
        heartbeat.queue_disconnect(go)
    leaving = gevent.spawn(heartbeat._run_disconnects)
    gevent.sleep(0)
    while len(gone) < 50:
        gevent.spawn(lambda: seen.append(len(gone)))
        gevent.sleep(0)
    leaving.kill()
    assert len(set(seen)) > 25


def test_queued_disconnects_do_not_pile_up() -> None:
    heartbeat, gone = Heartbeat(SECONDS), []
    leaving = gevent.spawn(heartbeat._run_disconnects)
    for _ in range(500):
        for _ in range(20):
            heartbeat.queue_disconnect(lambda: gone.append(0))
        gevent.sleep(NEXT_TURN)
    waiting = len(heartbeat._gone)
    leaving.kill()
    assert waiting < 20 * MANY * 1.2
    assert len(gone) + len(heartbeat._gone) == 500 * 20
