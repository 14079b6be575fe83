"""Precompute game plans in a second process, on another processor, while bets are taken.

A plan is the same wherever it is computed: if the second process fails, this one continues alone.
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
# Answers that fit into a pipe, so that the second process never blocks on writing.
_MAX_REQUESTS: Final = 16


def plan_now(state: TableState, seed: bytes) -> Foreseen:
    """Return a plan computed in this process when it is asked for."""
    return lambda: plan_game(state, seed)


@contextmanager
def planner(is_worth_it: bool) -> Iterator[Foresight]:
    """Yield a planner: a second process, if that is worth it and there is a processor."""
    if not is_worth_it or (os.cpu_count() or 1) < _PROCESSES:
        yield plan_now
        return
    foreseer = PlannerProcess()
    try:
        yield foreseer.request
    finally:
        foreseer.close()


class PlannerProcess:
    """Computes plans in a second process while this one does something else."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "casino.table.runtime.headless.precompute"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._asked: deque[_PendingPlan] = deque()

    def request(self, state: TableState, seed: bytes) -> Foreseen:
        """Request the plan of a game; the returned function waits for it."""
        if len(self._asked) >= _MAX_REQUESTS:
            self._take()
        asked = _PendingPlan(state, seed)
        try:
            _send(self._process.stdin, (_without_bets(state), seed))
            self._asked.append(asked)
        except OSError:
            asked.course = plan_game(state, seed)

        def result() -> GamePlan:
            """Return the plan, after taking those requested earlier."""
            while asked.course is None:
                self._take()
            return asked.course

        return result

    def close(self) -> None:
        """End the second process."""
        self._process.kill()
        self._process.communicate()

    def _take(self) -> None:
        asked = self._asked.popleft()
        assert self._process.stdout is not None
        try:
            asked.course = GamePlan(*pickle.load(self._process.stdout))
        except (EOFError, OSError, pickle.UnpicklingError):
            asked.course = plan_game(asked.state, asked.seed)


class _PendingPlan:
    """A request, and its plan once that is there."""

    def __init__(self, state: TableState, seed: bytes) -> None:
        self.state = state
        self.seed = seed
        self.course: GamePlan | None = None


def _without_bets(state: TableState) -> TableState:
    """Return the table without what play does not depend on, to send less."""
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
        except EOFError:
            return
        try:
            _send(answers, tuple(plan_game(state, seed)))
        except OSError:
            return


if __name__ == "__main__":
    _serve(sys.stdin.buffer, sys.stdout.buffer)
