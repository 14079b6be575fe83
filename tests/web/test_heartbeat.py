"""Signs of life: everybody is asked in his turn, and whoever has gone is asked no more."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise

import gevent
import pytest

from casino.web.server.fair_queue import NEXT_TURN
from casino.web.websocket.heartbeat import MANY, Heartbeat

SECONDS = 0.05


class Asked:
    """A peer that notes when it is asked, and answers if it lives."""

    def __init__(self, pulse: Heartbeat, lives: bool = True) -> None:
        self.times: list[float] = []
        self._pulse = pulse
        self._lives = lives
        pulse.schedule_ping(self)

    def ping(self) -> None:
        self.times.append(time.monotonic())
        if self._lives:
            self._pulse.schedule_ping(self)


@pytest.fixture
def pulse() -> Iterator[Heartbeat]:
    pulse = Heartbeat(SECONDS)
    beating = gevent.spawn(pulse._run)
    yield pulse
    beating.kill()


def test_who_answers_is_asked_again_so_long_after(pulse: Heartbeat) -> None:
    began, one = time.monotonic(), Asked(pulse)
    gevent.sleep(SECONDS / 2)
    other = Asked(pulse)
    while len(other.times) < 3:
        gevent.sleep(SECONDS / 10)
    for asked, start in ((one, began), (other, began + SECONDS / 2)):
        times = [start, *asked.times]
        gaps = [after - before for before, after in pairwise(times)]
        assert min(gaps) >= SECONDS * 0.99


def test_who_is_silent_or_gone_is_not_asked_again(pulse: Heartbeat) -> None:
    silent, gone, there = Asked(pulse, lives=False), Asked(pulse), Asked(pulse)
    pulse.cancel_ping(gone)
    pulse.cancel_ping(gone)
    while len(there.times) < 2:
        gevent.sleep(SECONDS / 10)
    assert (len(silent.times), len(gone.times)) == (1, 0)
    assert silent not in pulse._due_at


def test_others_have_their_turn_while_many_leave() -> None:
    pulse, gone, seen = Heartbeat(SECONDS), [], []

    def go() -> None:
        gone.append(time.monotonic())
        if len(gone) == 2:
            raise ValueError

    for _ in range(50):
        pulse.queue_disconnect(go)
    leaving = gevent.spawn(pulse._run_disconnects)
    gevent.sleep(0)
    while len(gone) < 50:
        gevent.spawn(lambda: seen.append(len(gone)))
        gevent.sleep(0)
    leaving.kill()
    assert len(set(seen)) > 25


def test_those_who_come_and_go_do_not_pile_up() -> None:
    pulse, gone = Heartbeat(SECONDS), []
    leaving = gevent.spawn(pulse._run_disconnects)
    for _ in range(500):
        for _ in range(20):
            pulse.queue_disconnect(lambda: gone.append(0))
        gevent.sleep(NEXT_TURN)
    waiting = len(pulse._gone)
    leaving.kill()
    assert waiting < 20 * MANY * 1.2
    assert len(gone) + len(pulse._gone) == 500 * 20
