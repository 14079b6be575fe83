"""An answer to come behaves as any future does, for whoever waits and whoever is told."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from pathlib import Path

import pytest

from casino.errors import RefusalReason, Refused
from casino.ledger.command_queue import Promise
from casino.ledger.transaction import Answer
from tests.ledger.night import open_bank

NO = Refused(RefusalReason("because", "over_limit", "refused"))


def test_an_answer_is_there_once_it_is_set() -> None:
    """Nobody waits for it then, however often it is asked for."""
    promise = Promise()
    assert not promise.done()
    assert promise.running()
    promise.set_result({"cents": 5})
    assert promise.done()
    assert not promise.running()
    assert promise.result() == promise.result(0) == {"cents": 5}
    assert promise.exception(0) is None


def test_a_refusal_is_raised_to_everybody_who_asks() -> None:
    """And can be looked at without being raised."""
    promise = Promise()
    promise.set_exception(NO)
    for _ in range(2):
        with pytest.raises(Refused) as refusal:
            promise.result(0)
        assert refusal.value is promise.exception(0) is NO


@pytest.mark.parametrize("ask", [Promise.result, Promise.exception])
def test_who_waits_too_long_goes_on_without_an_answer(ask) -> None:  # type: ignore[no-untyped-def]
    """And the answer comes all the same, for whoever asks again."""
    promise = Promise()
    with pytest.raises(TimeoutError):
        ask(promise, 0.01)
    promise.set_result({"cents": 1})
    assert promise.result(0) == {"cents": 1}


def test_all_who_wait_are_woken() -> None:
    """One answer is for many threads."""
    promise, heard = Promise(), list[int]()
    threads = [
        threading.Thread(target=lambda: heard.append(promise.result(10)["n"])) for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    assert heard == []
    promise.set_result({"n": 7})
    for thread in threads:
        thread.join(10)
    assert heard == [7] * 20


def test_whoever_asked_to_be_told_is_told_once() -> None:
    """Before the answer is there, or at once behind it."""
    promise, told = Promise(), list[str]()
    promise.add_done_callback(lambda one: told.append(f"first {one.result(0)['n']}"))
    promise.add_done_callback(lambda _: told.append("second"))
    assert told == []
    promise.set_result({"n": 3})
    assert told == ["first 3", "second"]
    promise.add_done_callback(lambda _: told.append("late"))
    assert told == ["first 3", "second", "late"]


def test_an_error_of_whoever_is_told_stops_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """It is logged; the others are told, and the writer goes on."""
    promise, told = Promise(), list[str]()

    def fails(_: Future[Answer]) -> None:
        raise ZeroDivisionError

    promise.add_done_callback(fails)
    promise.add_done_callback(lambda _: told.append("second"))
    promise.set_exception(NO)
    assert told == ["second"]
    assert "ZeroDivisionError" in caplog.text


def test_what_is_asked_cannot_be_taken_back() -> None:
    """A command that waits is carried out."""
    promise = Promise()
    assert not promise.cancel()
    assert not promise.cancelled()
    promise.set_result({})
    assert not promise.cancel()


def test_callbacks_from_many_threads_are_each_called_once() -> None:
    """However the answer and those who ask to be told fall together."""
    for _ in range(50):
        promise, told, begin = Promise(), list[int](), threading.Event()

        def ask(number: int, promise=promise, told=told, begin=begin) -> None:  # type: ignore[no-untyped-def]
            begin.wait(60)
            promise.add_done_callback(lambda _: told.append(number))

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        begin.set()
        promise.set_result({})
        for thread in threads:
            thread.join(10)
        assert sorted(told) == list(range(6))


def test_the_bank_answers_by_promises(tmp_path: Path) -> None:
    """Told in the writer's thread, when it is durable."""
    bank, threads = open_bank(tmp_path / "casino.db"), list[str]()
    promise = bank.submit(lambda _: {"n": 1})
    promise.add_done_callback(lambda _: threads.append(threading.current_thread().name))
    assert promise.result(10) == {"n": 1}
    again = bank.submit(lambda _: {"n": 2})
    assert again.result(10) == {"n": 2}
    assert set(threads) <= {"bank-writer", threading.current_thread().name}
    assert len(threads) == 1
    bank.close()
