"""The bank closes while others still ask."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future

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
    """It is served or refused at that very moment, and the end of a run is its last leaf."""
    for _ in range(4):
        bank = open_bank(place)
        asked: list[Future[Answer]] = []

        def ask(bank: Ledger = bank, asked: list[Future[Answer]] = asked) -> None:
            while not (asked and asked[-1].done() and asked[-1].exception()):
                asked.append(bank.submit(lambda tx: {"leaf": tx.log(RunStarted())}))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        bank.close()
        for thread in threads:
            thread.join()
        assert all(future.done() for future in asked)
        log = open_log(place)
        assert next(log.leaves(log.size() - 1)).kind == "run_stopped"
        log.close()
