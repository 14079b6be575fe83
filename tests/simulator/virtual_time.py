"""Virtual time for gevent: timers fire in order of their time, and nothing waits for a clock.

`install` comes before any other import of the program. It turns threads into greenlets
(`gevent.monkey`), gives the hub a loop whose timers are virtual, and replaces the clocks of `time`.
The whole casino then runs in one thread, in an order that depends on nothing but the seed. Events,
queues and futures are replaced too: those of gevent and `threading` took a third of an episode.
"""

from __future__ import annotations

import heapq
import itertools
import math
import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import _base
from functools import partial
from types import SimpleNamespace
from typing import Any, Final

import gevent
import gevent.queue
from gevent import event, monkey
from gevent.libev.corecext import callback

START_SECONDS: Final = 1_700_000_000.0

MAX_CALLBACKS: Final = 100_000  # at one moment; a normal moment needs some hundreds


class Process:
    """A simulated process."""

    is_alive = True


OUTSIDE: Final = Process()
"""Everything outside the simulated processes: clients, the network, Redis."""


class Timer:
    """A timer of the hub, as far as gevent uses it."""

    pending = False

    def __init__(self, loop: VirtualLoop, seconds: float) -> None:
        self._loop, self._at = loop, loop.now + max(0.0, seconds)
        self._work: tuple[Callable[..., object], tuple[Any, ...]] | None = None

    @property
    def active(self) -> bool:
        return self._work is not None

    def start(self, work: Callable[..., object], *args: Any, update: object = None) -> None:
        self._work = work, args
        self._loop.at(self._at, partial(self._fire, _process_for(work)))

    def stop(self) -> None:
        self._work = None

    close = stop

    def _fire(self, process: Process) -> None:
        if self._work is not None:
            self._loop.ready.append((process, *self._work))
            self._work = None


class Waiter:
    """A greenlet that waits, until it is woken or, by a call, because its time is over."""

    __slots__ = ("is_over", "is_woken", "task")

    def __init__(self, task: Any) -> None:
        self.task = task
        self.is_woken = self.is_over = False

    def __call__(self) -> None:
        if not (self.is_woken or self.is_over) and self.task.process.is_alive:
            self.task.switch()

    def resume(self) -> None:
        if not self.is_over:  # it may have been killed
            self.task.switch()


class VirtualLoop:
    """gevent's loop with virtual timers; callbacks of a dead process do not run."""

    def __init__(self, real: Any, hub: Any) -> None:
        self._real = real
        self.now = 0.0
        self.ready: deque[tuple[Process, Callable[..., object], tuple[Any, ...]]] = deque()
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._hub = hub
        self._main: Any = gevent.getcurrent()
        self._main.process = hub.process = OUTSIDE
        self._until = math.inf

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def at(self, seconds: float, work: Callable[[], None]) -> None:
        heapq.heappush(self._due, (seconds, next(self._numbers), work))

    def after(self, seconds: float, work: Callable[[], None]) -> None:
        self.at(self.now + seconds, work)

    def timer(self, seconds: float, *_: Any, **__: Any) -> Timer:
        return Timer(self, seconds)

    def run_callback(self, work: Callable[..., object], *args: Any) -> Any:
        scheduled = callback(work, args)
        self.ready.append((_process_for(work), _run, (scheduled,)))
        return scheduled

    def run_callback_threadsafe(self, work: Callable[..., object], *args: Any) -> None:
        self.ready.append((gevent.getcurrent().process, work, args))

    def wait(self, seconds: float | None, waiting: list[Waiter] | None = None) -> bool:
        """Wait in a list, and at most for some seconds; return whether it was woken."""
        waiter = Waiter(gevent.getcurrent())
        if waiting is not None:
            waiting.append(waiter)
        if seconds is not None:
            self.at(self.now + max(0.0, seconds), waiter)
        try:
            self._hub.switch()
        finally:
            waiter.is_over = True
        return waiter.is_woken

    def wake(self, waiting: list[Waiter]) -> None:
        """Let all greenlets in a list run."""
        for waiter in waiting:
            if not (waiter.is_woken or waiter.is_over):
                waiter.is_woken = True
                self.ready.append((waiter.task.process, waiter.resume, ()))
        waiting.clear()

    def run(self, *_: object, **__: object) -> None:
        """Run everything in the hub; return if the main greenlet waits in vain."""
        hub, ready, due = self._hub, self.ready, self._due
        while True:
            for _turn in range(MAX_CALLBACKS):
                if not ready:
                    break
                process, work, args = ready.popleft()
                if process.is_alive:
                    hub.process = process
                    try:
                        work(*args)
                    except Exception:  # noqa: BLE001 - as gevent's loop does
                        hub.handle_error(None, *sys.exc_info())
            hub.process = OUTSIDE
            if ready:
                self._main.throw(AssertionError("something is done again and again"))
            elif due and due[0][0] <= self._until:
                self.now, _number, timer = heapq.heappop(due)
                try:
                    timer()
                except Exception:  # noqa: BLE001 - as if the main greenlet ran it
                    self._main.throw(*sys.exc_info())
            elif self._until < math.inf:
                self._main.switch()
            else:
                return

    def pass_time(self, until: float) -> None:
        """Let time pass; call from the main greenlet."""
        self._until = until
        try:
            self._hub.switch()
        finally:
            self._until = math.inf
        self.now = max(self.now, until)


def _run(scheduled: Any) -> None:
    work, args = scheduled.callback, scheduled.args
    if work is not None:  # it may have been stopped
        scheduled.callback = None  # so it is not pending
        try:
            work(*args)
        finally:
            scheduled.args = None


def _process_for(work: Callable[..., object]) -> Process:
    """Return the running process, and give it to a greenlet that it starts."""
    process: Process = gevent.getcurrent().process
    task = getattr(work, "__self__", None)
    if isinstance(task, gevent.Greenlet) and not hasattr(task, "process"):
        task.process = process
    return process


class Waiting:
    """Greenlets that wait for the same thing."""

    loop: VirtualLoop

    def __init__(self) -> None:
        self._waiting: list[Waiter] = []

    def wait(self, timeout: float | None = None) -> bool:
        """Wait, at most for some seconds; return whether the greenlet was woken."""
        return self.loop.wait(timeout, self._waiting)

    def notify_all(self) -> None:
        if self._waiting:
            self.loop.wake(self._waiting)


class Condition(Waiting):
    """The condition of a `Future`; its lock is free, as nothing waits with it."""

    def __enter__(self, *_: object) -> None:
        """Do nothing."""

    __exit__ = __enter__


class Event(Waiting):
    _is_set = False

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        self._is_set = True
        self.notify_all()

    def clear(self) -> None:
        self._is_set = False

    def wait(self, timeout: float | None = None) -> bool:
        return self._is_set or self.loop.wait(timeout, self._waiting)


class SimpleQueue(Waiting):
    def __init__(self) -> None:
        super().__init__()
        self._items: deque[Any] = deque()
        self.qsize = self._items.__len__

    def empty(self) -> bool:
        return not self._items

    def put(self, item: Any) -> None:
        self._items.append(item)
        self.notify_all()

    def get(self, *, timeout: float | None = None) -> Any:
        if not self._items:
            self.wait(timeout)
        return self.get_nowait()

    def get_nowait(self) -> Any:
        if not self._items:
            raise queue.Empty
        return self._items.popleft()


def replace(owner: Any, **values: Any) -> None:
    for name, value in values.items():
        setattr(owner, name, value)


def direct_pool(delay: Callable[[], float]) -> SimpleNamespace:
    """Return a thread pool without threads: the one that waits does the work, after a moment."""

    def get(work: Callable[..., Any], *arguments: Any) -> Any:
        gevent.sleep(delay())
        return work(*arguments)

    return SimpleNamespace(spawn=lambda *call: SimpleNamespace(get=partial(get, *call)))


def install() -> VirtualLoop:
    """Make time virtual, and return the loop that lets it pass."""
    monkey.patch_thread()
    gevent.config.track_greenlet_tree = False
    hub: Any = gevent.get_hub()
    loop = hub.loop = VirtualLoop(hub.loop, hub)

    def sleep(seconds: float = 0) -> None:
        loop.wait(seconds)

    replace(Waiting, loop=loop)
    # Nothing waits with a lock, so it needs no queue of greenlets.
    replace(threading, Event=Event, Lock=monkey.get_original("threading", "Lock"))
    replace(event, Event=Event)
    for owner in (queue, gevent.queue):
        replace(owner, SimpleQueue=SimpleQueue)
    replace(_base, threading=SimpleNamespace(Condition=Condition))
    replace(gevent, sleep=sleep)
    replace(
        time,
        sleep=sleep,
        monotonic=lambda: loop.now,
        time=lambda: START_SECONDS + loop.now,
        time_ns=lambda: int((START_SECONDS + loop.now) * 1e9),
    )
    return loop
