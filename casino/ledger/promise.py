"""A `Future` that only the writer settles, for hundreds of answers a second.

It cannot be cancelled and costs both sides a third of `concurrent.futures.Future`.
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
        self._callbacks: list[Callable[[Future[Answer]], Any]] = []
        self._pending = Lock()
        self._pending.acquire()

    def done(self) -> bool:
        """Return True if the answer is there."""
        return self._is_done

    def running(self) -> bool:
        """Return True until the answer is there: queued and running look the same."""
        return not self._is_done

    def cancel(self) -> bool:
        """Return False: a command cannot be cancelled."""
        return False

    def cancelled(self) -> bool:
        """Return False."""
        return False

    def result(self, timeout: Any = None) -> Answer:
        """Wait for the answer and return it; raise a refusal."""
        if not self._is_done:
            self._wait(timeout)
        if self._error is not None:
            raise self._error
        return self._answer

    def exception(self, timeout: Any = None) -> BaseException | None:
        """Wait, and return why there is no answer, or None."""
        if not self._is_done:
            self._wait(timeout)
        return self._error

    def add_done_callback(self, fn: Callable[[Future[Answer]], object]) -> None:
        """Call `fn` when the answer is there, or now if it is."""
        self._callbacks.append(fn)
        if self._is_done:
            self._tell()

    def set_result(self, result: Answer) -> None:
        """Set the answer."""
        self._answer = result
        self._settle()

    def set_exception(self, exception: BaseException | None) -> None:
        """Set the refusal."""
        self._error = exception
        self._settle()

    def _settle(self) -> None:
        self._is_done = True
        self._pending.release()
        if self._callbacks:
            self._tell()

    def _wait(self, timeout: Any) -> None:
        """Wait for a wake-up, then wake the next waiter."""
        if not self._pending.acquire(timeout=-1 if timeout is None else timeout):
            raise TimeoutError
        self._pending.release()

    def _tell(self) -> None:
        """Call each callback once, whichever thread comes first."""
        while self._callbacks:
            try:
                self._callbacks.pop(0)(self)
            except IndexError:
                return
            except Exception:  # noqa: BLE001 - who asks to be told must not stop the writer
                _log.exception("what was to be told of an answer failed")
