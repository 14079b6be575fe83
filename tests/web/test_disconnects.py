"""The queue of disconnect handlers: they delay no one else, and do not pile up."""

from __future__ import annotations

import time

import gevent

from casino.web.server.fair_queue import NEXT_TURN
from casino.web.websocket.connection import MANY, DisconnectQueue


def test_other_greenlets_run_between_disconnects() -> None:
    queue, gone, seen = DisconnectQueue(), [], []

    def go() -> None:
        gone.append(time.monotonic())
        if len(gone) == 2:
            raise ValueError

    for _ in range(50):
        queue.put(go)
    leaving = gevent.spawn(queue.run)
    gevent.sleep(0)
    while len(gone) < 50:
        gevent.spawn(lambda: seen.append(len(gone)))
        gevent.sleep(0)
    leaving.kill()
    assert len(set(seen)) > 25


def test_queued_disconnects_do_not_pile_up() -> None:
    queue, gone = DisconnectQueue(), []
    leaving = gevent.spawn(queue.run)
    for _ in range(500):
        for _ in range(20):
            queue.put(lambda: gone.append(0))
        gevent.sleep(NEXT_TURN)
    waiting = len(queue)
    leaving.kill()
    assert waiting < 20 * MANY * 1.2
    assert len(gone) + len(queue) == 500 * 20
