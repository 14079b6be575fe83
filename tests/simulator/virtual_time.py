"""Virtual time for gevent: timers fire in order of their time, and nothing waits for a clock.

`install` comes before any other import of the program. It turns threads, locks and queues into
greenlets (`gevent.monkey`), gives the hub a loop whose timers are virtual, and replaces the clocks
of `time`. The whole casino then runs in one thread, in an order that depends on nothing but the
seed.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable
from typing import Any, Final

import gevent
from gevent import monkey
from gevent.event import AsyncResult

START_SECONDS: Final = 1_700_000_000.0

MAX_TURNS: Final = 5_000
"""Most turns of the hub at one moment; a normal moment needs some hundreds."""


class Process:
    """A simulated process: a name, and whether it still runs."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_alive = True


OUTSIDE: Final = Process("outside")
"""Everything outside the simulated processes: clients, the network, Redis."""


class Timer:
    """A timer of the hub, as gevent's own."""

    def __init__(self, loop: VirtualLoop, seconds: float) -> None:
        self._loop = loop
        self._seconds = max(0.0, seconds)
        self._process = loop.process
        self._work: tuple[Callable[..., object], tuple[Any, ...]] | None = None
        self.callback: Callable[..., object] | None = None
        self.args: tuple[Any, ...] = ()
        self.ref = True

    @property
    def active(self) -> bool:
        return self._work is not None

    pending = False

    def start(self, callback: Callable[..., object], *args: Any, update: object = None) -> None:
        self._work = callback, args
        self._loop.at(self._loop.now + self._seconds, self._fire)

    def again(self, callback: Callable[..., object], *args: Any, update: object = None) -> None:
        self.start(callback, *args)

    def stop(self) -> None:
        self._work = None

    def close(self) -> None:
        self._work = None

    def update(self) -> None:
        """Do nothing: the time is always up to date."""

    def __enter__(self) -> Timer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _fire(self) -> None:
        if self._work is not None:
            callback, args = self._work
            self._work = None
            self._loop.run_in(self._process, callback, args)


class VirtualLoop:
    """gevent's loop with virtual timers; callbacks of a dead process do not run."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self.now = 0.0
        self._process = OUTSIDE
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._hub: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    @property
    def process(self) -> Process:
        current = gevent.getcurrent()
        if current is self._hub:
            return self._process
        return getattr(current, "process", OUTSIDE)

    def reset(self) -> None:
        """Begin a new world: nothing is due, and its time is 0."""
        self._due.clear()
        self.now = 0.0

    def at(self, seconds: float, work: Callable[[], None]) -> None:
        heapq.heappush(self._due, (seconds, next(self._numbers), work))

    def after(self, seconds: float, work: Callable[[], None]) -> None:
        self.at(self.now + seconds, work)

    def timer(self, seconds: float, *_: Any, **__: Any) -> Timer:
        return Timer(self, seconds)

    def run_callback(self, work: Callable[..., object], *args: Any) -> Any:
        process = self.process
        _adopt(work, process)
        return self._real.run_callback(self._run, process, work, args)

    run_callback_threadsafe = run_callback

    def run_in(self, process: Process, work: Callable[..., object], args: tuple[Any, ...]) -> None:
        _adopt(work, process)
        self._real.run_callback(self._run, process, work, args)

    def _run(self, process: Process, work: Callable[..., object], args: tuple[Any, ...]) -> None:
        if process.is_alive:
            self._process = process
            work(*args)
            self._process = OUTSIDE

    def pass_time(self, until: float) -> None:
        """Let time pass; call from the main greenlet."""
        while True:
            turns = 0
            while len(self._real._callbacks):
                gevent.sleep(0)
                turns += 1
                assert turns < MAX_TURNS, "something is done again and again without a pause"
            if not self._due or self._due[0][0] > until:
                break
            self.now, _, work = heapq.heappop(self._due)
            work()
        self.now = max(self.now, until)


def _adopt(work: Callable[..., object], process: Process) -> None:
    """Note the process of a greenlet that is about to start: that of the one that starts it."""
    task = getattr(work, "__self__", None)
    if isinstance(task, gevent.Greenlet) and not hasattr(task, "process"):
        task.process = process


def replace(owner: Any, **values: Any) -> None:
    for name, value in values.items():
        setattr(owner, name, value)


class DirectPool:
    """gevent's thread pool without threads: work is done at once, after a moment."""

    def __init__(self, delay: Callable[[], float]) -> None:
        self._delay = delay

    def spawn(self, work: Callable[..., Any], *args: Any) -> Any:
        result: AsyncResult[Any] = AsyncResult()
        gevent.spawn(self._do, work, args).link(result)
        return result

    def _do(self, work: Callable[..., Any], args: Any) -> Any:
        gevent.sleep(self._delay())
        return work(*args)


def install() -> VirtualLoop:
    """Make time virtual, and return the loop that lets it pass."""
    monkey.patch_all(
        socket=False,
        dns=False,
        ssl=False,
        os=False,
        select=False,
        signal=False,
        subprocess=False,
        sys=False,
    )
    hub: Any = gevent.get_hub()
    loop = VirtualLoop(hub.loop)
    loop._hub = hub
    hub.loop = loop
    replace(
        time,
        monotonic=lambda: loop.now,
        time=lambda: START_SECONDS + loop.now,
        time_ns=lambda: int((START_SECONDS + loop.now) * 1e9),
    )
    return loop
