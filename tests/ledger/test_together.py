"""What a thread submits together is committed together, in its order, whatever others submit."""

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
from casino.ledger.transaction import Answer, Transaction
from casino.ledger.writer import WriterListener
from tests.ledger.night import SimulatedClock
from tests.ledger.sealing import wait


class Commits(WriterListener):
    def __init__(self) -> None:
        self.number = 0

    def on_committed(self) -> None:
        self.number += 1


def opened(place: LogLocation, greatest_group: int = 1024) -> tuple[Ledger, Commits]:
    commits = Commits()
    bank = Ledger(place, SimulatedClock(), watch=commits, greatest_group=greatest_group)
    wait(bank.submit(lambda _: {}))
    commits.number = 0
    return bank, commits


def granting(player: str, cents: int):  # type: ignore[no-untyped-def]
    def work(tx: Transaction) -> Answer:
        tx.post(accounts.grant(player, cents))
        return {"cents": tx.balance(f"wallet/{player}")}

    return work


@pytest.mark.parametrize("greatest_group", [1, 3, 1024])
def test_l10_what_is_submitted_together_is_one_commit(
    place: LogLocation, greatest_group: int
) -> None:
    """In order, with one leaf for all answers, also where a group is of one command."""
    bank, commits = opened(place, greatest_group)
    first = bank.reader().size()
    with bank.batch():
        futures = [bank.submit(granting("ann", n), f"n{n}", b"") for n in range(1, 9)]
        assert not any(future.done() for future in futures)
    assert [wait(future)["cents"] for future in futures] == [1, 3, 6, 10, 15, 21, 28, 36]
    assert commits.number == 1
    kinds = [leaf.kind for leaf in bank.reader().leaves(first)]
    assert kinds == ["entry"] * 8 + ["answers"]
    bank.close()


def test_what_others_submit_meanwhile_does_not_wait(place: LogLocation) -> None:
    """Only the thread's own commands are put by, and only for as long as it says."""
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


def test_l10_a_bug_among_those_together_stops_the_writer(place: LogLocation) -> None:
    """What came before it stands, what comes behind it is refused, and nobody waits."""
    bank, _ = opened(place)

    def bug(_: Transaction) -> Answer:
        raise ZeroDivisionError

    with bank.batch():
        before = bank.submit(granting("ann", 5), "before", b"")
        broken = bank.submit(bug, "bug", b"")
        behind = bank.submit(granting("ann", 7), "behind", b"")
    assert wait(before) == {"cents": 5}
    assert isinstance(broken.exception(10), ZeroDivisionError)
    assert isinstance(behind.exception(10), Refused)
    assert bank.reader().balance("wallet/ann") == 5
    bank.close()


def test_l7_each_game_that_ends_in_a_commit_has_its_checkpoint(place: LogLocation) -> None:
    """Three games end in one commit: three checkpoints are stored, told and consistent."""
    notes: list[tuple[str, bool]] = []

    class Told(Commits):
        def on_signed(self, note: str, publish: bool) -> None:
            notes.append((note, publish))

    commits = Told()
    bank = Ledger(place, SimulatedClock(), watch=commits)
    wait(granting_now(bank, "ann", 100))
    commits.number, notes[:] = 0, []
    before = len(list(bank.reader().checkpoints()))
    with bank.batch():
        futures = [bank.submit(ending(f"t1-{n:06d}"), f"e{n}", b"") for n in (1, 2, 3)]
    ends = [wait(future)["leaf"] for future in futures]
    wait(bank.submit(lambda _: {}))
    log = bank.reader()
    stored = list(log.checkpoints())[before:]
    assert commits.number == 1
    assert [publish for _, publish in notes] == [True] * 3
    assert [note for note, _ in notes] == [one.note for one in stored]
    sizes = [one.size for one in stored]
    assert sizes == [ends[0] + 1, ends[1] + 1, log.size()]
    assert ends[2] < log.size()
    for one in stored:
        checkpoint = open_checkpoint(one.note, bank.key.public)
        assert checkpoint.root == log.root(one.size)
    assert bank.files.checkpoint.read_text() == stored[-1].note
    bank.close()


def granting_now(bank: Ledger, player: str, cents: int) -> Future[Answer]:
    return bank.submit(granting(player, cents), f"now.{player}", b"")


def ending(game: str):  # type: ignore[no-untyped-def]
    def work(tx: Transaction) -> Answer:
        leaf = tx.log(CutSealed(game=game, player="ann", seal="x"))
        tx.end_subject(game)
        return {"leaf": leaf}

    return work
