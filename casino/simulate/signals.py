"""Protect blocks that must not be interrupted from Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

_ONLY = {signal.SIGINT}


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay an interruption to the end of a block; processes started in the block ignore it.

    A process inherits the blocked signals of its parent, so it prints no traceback of its own when
    a person interrupts the whole group.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    seen: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: seen.append(number))
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, _ONLY)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        signal.signal(signal.SIGINT, before)
    if seen:
        raise KeyboardInterrupt


def start_resource_tracker() -> None:
    """Start the helper of processes, which would otherwise unblock interruptions in them."""
    resource_tracker.ensure_running()
