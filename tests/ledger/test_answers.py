"""The future of a command behaves as any future does."""

from __future__ import annotations

import threading
from concurrent import futures
from concurrent.futures import Future
from pathlib import Path

import pytest

from casino.ledger.ledger import Ledger
from casino.ledger.transaction import Answer
from tests.ledger.night import open_bank


def held_up(bank: Ledger) -> tuple[Future[Answer], threading.Event]:
    release = threading.Event()

    def work(_: object) -> Answer:
        release.wait(60)
        return {"n": 1}

    return bank.submit(work), release


def test_an_answer_is_waited_for_as_any_future(tmp_path: Path) -> None:
    """Its repr, `wait` and `as_completed` work; a queued command is not cancelled."""
    bank = open_bank(tmp_path / "casino.db")
    answer, release = held_up(bank)
    assert "state=running" in repr(answer)
    assert not answer.cancel()
    with pytest.raises(TimeoutError):
        answer.result(0.01)
    release.set()
    again = bank.submit(lambda _: {"n": 2})
    done, pending = futures.wait([answer, again], timeout=10)
    assert (done, pending) == ({answer, again}, set())
    assert {future.result()["n"] for future in futures.as_completed([answer, again])} == {1, 2}
    assert "state=finished" in repr(answer)
    bank.close()


def test_a_callback_that_fails_stops_neither_the_others_nor_the_writer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bank, threads = open_bank(tmp_path / "casino.db"), list[str]()
    answer, release = held_up(bank)
    answer.add_done_callback(lambda _: 1 // 0)
    answer.add_done_callback(lambda _: threads.append(threading.current_thread().name))
    release.set()
    assert bank.submit(lambda _: {"n": 2}).result(10) == {"n": 2}
    assert threads == ["bank-writer"]
    assert "ZeroDivisionError" in caplog.text
    bank.close()
