"""L10: the queue of the writer: whole pieces, groups of a size, an end for everybody."""

from __future__ import annotations

from concurrent.futures import Future

import pytest

from casino.errors import Refused
from casino.ledger.command_queue import BANK_CLOSED, CommandQueue, WaitingCommand, fail, identity
from casino.ledger.transaction import Answer, CommandIdentity


def job(name: str) -> WaitingCommand:
    future: Future[Answer] = Future()
    return WaitingCommand(CommandIdentity.of(name, b""), lambda _: {}, future, identity)


def named(jobs: list[WaitingCommand]) -> list[str]:
    return [one.command.id for one in jobs if one.command is not None]


def put(waiting: CommandQueue, *pieces: str) -> list[WaitingCommand]:
    made = []
    for piece in pieces:
        jobs = [job(letter) for letter in piece]
        made += jobs
        if len(jobs) == 1:
            waiting.put(jobs[0])
            continue
        with waiting.batch():
            for one in jobs:
                waiting.put(one)
    return made


@pytest.mark.parametrize(
    ("pieces", "groups"),
    [
        (["a"], ["a"]),
        (["a", "b"], ["ab"]),
        (["a", "b", "c"], ["abc"]),
        (["a", "b", "c", "d"], ["abc", "d"]),
        (["ab", "cd", "e"], ["abcd", "e"]),
        (["abcde", "f"], ["abcde", "f"]),
        (["a", "bcdef"], ["abcdef"]),
    ],
)
def test_l10_groups_are_whole_pieces(pieces: list[str], groups: list[str]) -> None:
    """A group of three or more takes nothing more; a piece is never torn."""
    waiting = CommandQueue(3)
    put(waiting, *pieces)
    assert waiting.length() == len(pieces)
    for group in groups:
        jobs, more = waiting.take()
        assert (named(jobs), more) == (list(group), True)
    assert waiting.empty()


def test_l10_what_is_gathered_waits_for_the_end_of_it() -> None:
    """Nothing of it is in the queue before; nothing gathered is nothing queued."""
    waiting = CommandQueue(9)
    with waiting.batch():
        waiting.put(job("a"))
        assert waiting.empty()
        waiting.put(job("b"))
    assert waiting.length() == 1
    with waiting.batch():
        pass
    assert waiting.length() == 1
    assert named(waiting.take()[0]) == ["a", "b"]


def test_l10_an_error_within_loses_nothing_that_was_put() -> None:
    waiting = CommandQueue(9)

    def broken() -> None:
        with waiting.batch():
            waiting.put(job("a"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        broken()
    waiting.put(job("b"))
    assert named(waiting.take()[0]) == ["a", "b"]


def test_the_last_group_says_that_it_is_the_last() -> None:
    """What was queued before the closing is taken; what comes after it is refused at once."""
    waiting = CommandQueue(9)
    put(waiting, "a", "b")
    waiting.close()
    (late,) = put(waiting, "c")
    error = late.future.exception(timeout=0)
    assert isinstance(error, Refused) and error.reason == BANK_CLOSED.name
    jobs, more = waiting.take()
    assert (named(jobs), more) == (["a", "b"], False)
    assert not any(one.future.done() for one in jobs)


def test_a_full_group_leaves_the_end_for_the_next_look() -> None:
    waiting = CommandQueue(2)
    put(waiting, "a", "b")
    waiting.close()
    jobs, more = waiting.take()
    assert (named(jobs), more) == (["a", "b"], True)
    assert waiting.take() == ([], False)


def test_nobody_waits_for_a_writer_that_has_gone() -> None:
    """What still waits is refused, and so is what comes later; answers that are there stay."""
    waiting = CommandQueue(9)
    answered, *rest = put(waiting, "a", "bc", "d")
    answered.future.set_result({"leaf": 1})
    waiting.drain()
    assert waiting.empty()
    assert answered.future.result(timeout=0) == {"leaf": 1}
    for one in (*rest, *put(waiting, "e", "fg")):
        assert isinstance(one.future.exception(timeout=0), Refused)
    assert waiting.empty()


def test_an_error_is_told_to_who_has_no_answer_yet() -> None:
    jobs = [job("a"), job("b")]
    jobs[0].future.set_result({})
    error = ValueError("no")
    fail(jobs, error)
    assert jobs[0].future.exception(timeout=0) is None
    assert jobs[1].future.exception(timeout=0) is error
