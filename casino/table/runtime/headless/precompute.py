"""Compute game plans in a second process, on another CPU, while bets are placed.

A plan is the same wherever it is computed, so if the second process fails, this one takes over.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Final, TypeAlias

from casino.table.domain.state import TableState
from casino.table.runtime.headless.plan import GamePlan, plan_game

Foreseen: TypeAlias = Callable[[], GamePlan]
Foresight: TypeAlias = Callable[[TableState, bytes], Foreseen]

_PROCESSES: Final = 2
# Few enough for all replies to fit into a pipe, so that the second process never blocks.
_MAX_REQUESTS: Final = 16


def plan_now(state: TableState, seed: bytes) -> Foreseen:
    """Return a function that computes the plan in this process."""
    return lambda: plan_game(state, seed)


@contextmanager
def planner(is_worth_it: bool) -> Iterator[Foresight]:
    """Yield a planner, which uses a second process if that pays off and there are two CPUs."""
    if not is_worth_it or (os.cpu_count() or 1) < _PROCESSES:
        yield plan_now
        return
    foreseer = PlannerProcess()
    try:
        yield foreseer.request
    finally:
        foreseer.close()


class PlannerProcess:
    """Second process that computes game plans."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "casino.table.runtime.headless.precompute"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Keeps a Ctrl-C in the terminal from reaching it.
            start_new_session=True,
        )
        self._asked: deque[_PendingPlan] = deque()

    def request(self, state: TableState, seed: bytes) -> Foreseen:
        """Request a game's plan, and return a function that waits for it."""
        if len(self._asked) >= _MAX_REQUESTS:
            self._take()
        asked = _PendingPlan(state, seed)
        try:
            _send(self._process.stdin, (_without_bets(state), seed))
            self._asked.append(asked)
        except OSError:
            asked.course = plan_game(state, seed)

        def result() -> GamePlan:
            while asked.course is None:
                self._take()
            return asked.course

        return result

    def close(self) -> None:
        """Kill the second process, which has nothing to save."""
        self._process.kill()
        self._process.communicate()

    def _take(self) -> None:
        # Replies come in the order of the requests.
        asked = self._asked.popleft()
        assert self._process.stdout is not None
        try:
            asked.course = GamePlan(*pickle.load(self._process.stdout))
        except (EOFError, OSError, pickle.UnpicklingError):
            asked.course = plan_game(asked.state, asked.seed)


class _PendingPlan:
    def __init__(self, state: TableState, seed: bytes) -> None:
        self.state = state
        self.seed = seed
        self.course: GamePlan | None = None


def _without_bets(state: TableState) -> TableState:
    """Drop the bets, on which play does not depend, so that there is less to send."""
    running = state.running
    if running is None or running.closing is not None:
        return state
    book = running.book._replace(bets=())
    return state._replace(running=running._replace(book=book))


def _send(pipe: IO[bytes] | None, something: object) -> None:
    assert pipe is not None
    pipe.write(pickle.dumps(something, pickle.HIGHEST_PROTOCOL))
    pipe.flush()


def _serve(questions: IO[bytes], answers: IO[bytes]) -> None:
    while True:
        try:
            state, seed = pickle.load(questions)
        # The other process has ended.
        except EOFError:
            return
        try:
            _send(answers, tuple(plan_game(state, seed)))
        except OSError:
            return


if __name__ == "__main__":
    _serve(sys.stdin.buffer, sys.stdout.buffer)
