"""The bank closes while others still ask."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

from casino.ledger.entries import RunStarted
from casino.ledger.ledger import Ledger, open_log
from casino.ledger.storage.location import LogLocation
from casino.ledger.transaction import Answer
from tests.ledger.night import open_bank


@pytest.fixture
def restless() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("restless")
def test_every_command_gets_an_answer_while_the_bank_closes(place: LogLocation) -> None:
    """Whoever asks at that very moment is served or refused, and does not wait for ever."""
    for _ in range(4):
        bank = open_bank(place)
        asked: list[Future[Answer]] = []

        def ask(bank: Ledger = bank, asked: list[Future[Answer]] = asked) -> None:
            while not (asked and asked[-1].done() and asked[-1].exception()):
                asked.append(bank.submit(lambda _: {}))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        bank.close()
        for thread in threads:
            thread.join()
        assert all(future.done() for future in asked)


@pytest.mark.usefixtures("restless")
def test_the_end_of_a_run_is_its_last_leaf(tmp_path: Path) -> None:
    """Whatever others ask for while the bank closes: it is served before that, or refused."""
    for number in range(6):
        path = tmp_path / f"{number}.db"
        bank = open_bank(path)
        asked: list[Future[Answer]] = []

        def ask(bank: Ledger = bank, asked: list[Future[Answer]] = asked) -> None:
            while not (asked and asked[-1].done() and asked[-1].exception()):
                asked.append(
                    bank.submit(lambda tx: {"leaf": tx.log(RunStarted())}, f"{len(asked)}")
                )

        thread = threading.Thread(target=ask)
        thread.start()
        bank.close()
        thread.join()
        leaves = list(open_log(path).leaves())
        assert [leaf.kind for leaf in leaves].index("run_stopped") == len(leaves) - 1
