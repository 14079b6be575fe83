"""An answer that is still to come, as cheap as a lock: a table has hundreds of them a second.

It is a `Future` that only the writer can settle: it is never cancelled, and it costs whoever
waits, and the writer, a third of what the library's own does.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import Any

from casino.ledger.transaction import Answer

_log = logging.getLogger(__name__)


class Promise(Future[Answer]):
    """The answer to a command, or its refusal, once that is durable."""

    def __init__(self) -> None:
        # Not super().__init__(): its condition is what this class is there to do without.
        self._is_done = False
        self._answer: Answer = {}
        self._error: BaseException | None = None
        self._told: list[Callable[[Future[Answer]], Any]] = []
        self._pending = Lock()
        self._pending.acquire()

    def done(self) -> bool:
        """Whether the answer is there."""
        return self._is_done

    def running(self) -> bool:
        """Whether the answer is still to come: nobody can tell what waits from what is served."""
        return not self._is_done

    def cancel(self) -> bool:
        """What has been asked cannot be taken back."""
        return False

    def cancelled(self) -> bool:
        """It never is."""
        return False

    def result(self, timeout: Any = None) -> Answer:
        """The answer, waiting for it; a refusal is raised."""
        if not self._is_done:
            self._wait(timeout)
        if self._error is not None:
            raise self._error
        return self._answer

    def exception(self, timeout: Any = None) -> BaseException | None:
        """Why there is no answer, waiting for it; None: there is one."""
        if not self._is_done:
            self._wait(timeout)
        return self._error

    def add_done_callback(self, fn: Callable[[Future[Answer]], object]) -> None:
        """Have somebody told when the answer is there; at once if it is."""
        self._told.append(fn)
        if self._is_done:
            self._tell()

    def set_result(self, result: Answer) -> None:
        """Answer."""
        self._answer = result
        self._settle()

    def set_exception(self, exception: BaseException | None) -> None:
        """Refuse."""
        self._error = exception
        self._settle()

    def _settle(self) -> None:
        self._is_done = True
        self._pending.release()
        if self._told:
            self._tell()

    def _wait(self, timeout: Any) -> None:
        """Wait for a wake-up, then wake the next waiter."""
        if not self._pending.acquire(timeout=-1 if timeout is None else timeout):
            raise TimeoutError
        self._pending.release()

    def _tell(self) -> None:
        """Call each callback once, whichever thread comes first."""
        while self._told:
            try:
                self._told.pop(0)(self)
            except IndexError:
                return
            except Exception:  # noqa: BLE001 - who asks to be told must not stop the writer
                _log.exception("what was to be told of an answer failed")
