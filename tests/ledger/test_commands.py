"""L10: commands are queued, committed and answered in whole batches, in order."""

from __future__ import annotations

import threading
from concurrent.futures import Future

import pytest

from casino.errors import Refused
from casino.events.types import CutSealed
from casino.ledger import accounts
from casino.ledger.ledger import Ledger
from casino.ledger.storage.location import LogLocation
from casino.ledger.tlog.note import open_checkpoint
from casino.ledger.transaction import Answer, CommandIdentity, Transaction
from casino.ledger.writer import (
    BANK_CLOSED,
    CommandQueue,
    WaitingCommand,
    WriterListener,
    fail,
    identity,
)
from tests.ledger.game_simulator import SimulatedClock, wait


def job(name: str) -> WaitingCommand:
    future: Future[Answer] = Future()
    return WaitingCommand(CommandIdentity(name, b""), lambda _: {}, future, identity)


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
def test_l10_groups_do_not_split_batches(pieces: list[str], groups: list[str]) -> None:
    waiting = CommandQueue(3)
    put(waiting, *pieces)
    assert waiting.length() == len(pieces)
    for group in groups:
        jobs, more = waiting.take()
        assert (named(jobs), more) == (list(group), True)
    assert waiting.empty()


def test_l10_batch_is_queued_when_it_ends() -> None:
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


def test_last_group_after_close_is_marked() -> None:
    waiting = CommandQueue(9)
    put(waiting, "a", "b")
    waiting.close()
    for late in put(waiting, "c", "de"):
        error = late.future.exception(timeout=0)
        assert isinstance(error, Refused) and error.reason == BANK_CLOSED.name
    jobs, more = waiting.take()
    assert (named(jobs), more) == (["a", "b"], False)
    assert not any(one.future.done() for one in jobs)
    assert waiting.empty()


def test_error_goes_to_unanswered_commands_only() -> None:
    jobs = [job("a"), job("b")]
    jobs[0].future.set_result({})
    error = ValueError("no")
    fail(jobs, error)
    assert jobs[0].future.exception(timeout=0) is None
    assert jobs[1].future.exception(timeout=0) is error


class Listener(WriterListener):
    def __init__(self) -> None:
        self.commits = 0
        self.notes: list[str] = []

    def on_committed(self) -> None:
        self.commits += 1

    def on_signed(self, note: str) -> None:
        self.notes.append(note)


def opened(place: LogLocation, max_group_size: int = 1024) -> tuple[Ledger, Listener]:
    listener = Listener()
    bank = Ledger(place, SimulatedClock(), watch=listener, max_group_size=max_group_size)
    wait(bank.submit(lambda _: {}))
    listener.commits = 0
    listener.notes.clear()
    return bank, listener


def granting(player: str, cents: int):  # type: ignore[no-untyped-def]
    def work(tx: Transaction) -> Answer:
        tx.post(accounts.grant(player, cents))
        return {"cents": tx.balance(f"wallet/{player}")}

    return work


def sealing(game: str, player: str = "ann", *, ends: bool = False):  # type: ignore[no-untyped-def]
    def work(tx: Transaction) -> Answer:
        leaf = tx.log(CutSealed(game=game, player=player, seal="x"))
        if ends:
            tx.end_subject(game)
        return {"leaf": leaf}

    return work


@pytest.mark.parametrize("max_group_size", [1, 3, 1024])
def test_l10_batch_is_one_commit(place: LogLocation, max_group_size: int) -> None:
    bank, listener = opened(place, max_group_size)
    first = bank.reader().size()
    with bank.batch():
        futures = [bank.submit(granting("ann", n), f"n{n}", b"") for n in range(1, 9)]
        assert not any(future.done() for future in futures)
    assert [wait(future)["cents"] for future in futures] == [1, 3, 6, 10, 15, 21, 28, 36]
    assert listener.commits == 1
    kinds = [leaf.kind for leaf in bank.reader().leaves(first)]
    assert kinds == ["entry"] * 8 + ["answers"]
    bank.close()


def test_open_batch_does_not_block_other_threads(place: LogLocation) -> None:
    bank, _ = opened(place)
    answers: list[Answer] = []
    other = threading.Thread(
        target=lambda: answers.append(wait(bank.submit(granting("ben", 3), "ben", b"")))
    )
    with bank.batch():
        mine = bank.submit(granting("ann", 5), "ann", b"")
        other.start()
        other.join(10)
        assert answers == [{"cents": 3}]
        assert not mine.done()
    assert wait(mine) == {"cents": 5}
    assert wait(bank.submit(granting("ann", 2), "later", b"")) == {"cents": 7}
    bank.close()


def test_l7_each_game_ended_in_a_commit_has_its_checkpoint(place: LogLocation) -> None:
    bank, listener = opened(place)
    before = len(list(bank.reader().checkpoints()))
    with bank.batch():
        works = [sealing(f"t1-{n:06d}", ends=True) for n in (1, 2, 3)]
        futures = [bank.submit(work, f"e{n}", b"") for n, work in enumerate(works)]
    ends = [wait(future)["leaf"] for future in futures]
    wait(bank.submit(lambda _: {}))
    log = bank.reader()
    stored = list(log.checkpoints())[before:]
    assert listener.commits == 1
    assert listener.notes == [one.note for one in stored]
    sizes = [one.size for one in stored]
    assert sizes == [ends[0] + 1, ends[1] + 1, log.size()]
    assert ends[2] < log.size()
    for one in stored:
        checkpoint = open_checkpoint(one.note, bank.key.public)
        assert checkpoint.root == log.root(one.size)
    assert bank.files.checkpoint.read_text() == stored[-1].note
    bank.close()
