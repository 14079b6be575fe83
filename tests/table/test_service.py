"""The table service on a failing disk: only durable events are published, and only once."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from casino.errors import Refused
from casino.fairness.secret_box import fresh_nonce
from casino.ledger.ledger import Ledger, grant
from casino.ledger.storage import sqlite
from casino.ledger.storage.sqlite import SqliteStore
from casino.table.domain.commands import (
    CloseBetting,
    DealCards,
    PlaceBet,
    PlayBotActions,
    TableCommand,
)
from casino.table.domain.handlers.play import bot_answer
from casino.table.domain.settings import TableSettings
from casino.table.public.feed import TableFeed
from casino.table.runtime.casino import START_MS
from casino.table.runtime.seed_chains import SeedKeeper
from casino.table.runtime.service import CommittedEvent, EventListener, TableRestored, TableService
from tests.table.casino_harness import open_game

BET = PlaceBet("t1", "t1-000001", "b1", "ann", 0, 500)


Opener = Callable[[Path], sqlite3.Connection]


class Disk:
    """What the next COMMIT does: work, fail, or succeed but report a failure."""

    def __init__(self) -> None:
        self.does = "work"


class Flaky:
    def __init__(self, path: Path, disk: Disk, opened: Opener = sqlite.open_writer) -> None:
        self._connection = opened(path)
        self._disk = disk

    def execute(self, sql: str, *parameters: Any) -> Any:
        """Run a statement; a COMMIT may fail, before or after it is done."""
        if sql != "COMMIT" or self._disk.does == "work":
            return self._connection.execute(sql, *parameters)
        if self._disk.does == "lie":
            self._connection.execute(sql)
        self._disk.does = "work"
        raise sqlite3.OperationalError("disk I/O error")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


class FlakyService(EventListener):
    def __init__(self, path: Path) -> None:
        self.disk = Disk()
        self.service = TableService(
            [TableSettings("t1")],
            lambda: START_MS,
            SeedKeeper(lambda: bytes(32), fresh_nonce),
            lambda service: Ledger(
                path,
                lambda: START_MS,
                watch=service,
                open_store=lambda: SqliteStore(cast("Any", Flaky(path, self.disk))),
            ),
        )
        self.service.listeners.append(self)
        self.told: list[str] = []
        self.restorations = 0
        self.troubles = 0
        grant(self.service.ledger, "house", 10**8, "house.opening").result()
        grant(self.service.ledger, "ann", 10**6, "ann.opening").result()
        open_game(self.service)

    def on_event(self, happening: CommittedEvent) -> None:
        self.told.append(type(happening.event).__name__)

    def on_restored(self, tables: Mapping[str, TableRestored]) -> None:
        self.restorations += 1
        state, standing = tables["t1"]
        assert state.running is not None
        public = TableFeed(standing).table
        assert public.running is not None
        assert len(state.running.book.bets) == self.told.count("BetAccepted")
        assert len(public.running.book.bets) == self.told.count("BetAccepted")

    def on_fault(self, error: Exception) -> None:
        self.troubles += 1

    def ask(self, command: TableCommand) -> str:
        try:
            self.service.submit(command).result(timeout=30)
        except Refused as refused:
            return refused.code
        return ""

    def bets(self) -> int:
        running = self.service.durable_state("t1").running
        assert running is not None
        return len(running.book.bets)


@pytest.fixture
def desk(tmp_path: Path) -> FlakyService:
    return FlakyService(tmp_path / "a.db")


def test_l12_events_are_published_only_when_durable(desk: FlakyService) -> None:
    desk.disk.does = "fail"
    assert desk.ask(BET) == "unavailable"
    assert desk.told == ["SeedChain", "GameOpened"]
    assert desk.troubles == 1
    assert desk.bets() == 0
    assert desk.ask(BET) == ""
    assert desk.told == ["SeedChain", "GameOpened", "BetAccepted"]
    assert desk.bets() == 1
    desk.service.ledger.close()


def test_l11_commit_in_doubt_is_published_once(desk: FlakyService) -> None:
    desk.disk.does = "lie"
    assert desk.ask(BET) == ""
    assert desk.told == ["SeedChain", "GameOpened", "BetAccepted"]
    assert desk.bets() == 1
    assert desk.ask(BET) == ""
    assert desk.told == ["SeedChain", "GameOpened", "BetAccepted"]
    assert desk.bets() == 1
    # The balance of a bet that was stored in doubt is read from the file.
    assert (
        grant(desk.service.ledger, "ann", 7, "more").result()["balance_cents"] == 10**6 - 1_500 + 7
    )
    desk.service.ledger.close()


@pytest.mark.parametrize("fault", ["fail", "lie"])
def test_l12_table_continues_from_stored_version_after_fault(
    desk: FlakyService, fault: str
) -> None:
    assert desk.ask(CloseBetting("t1", "t1-000001")) == ""
    desk.disk.does = fault
    moved = desk.ask(DealCards("t1", desk.service.durable_state("t1").turn))
    assert moved == ("unavailable" if fault == "fail" else "")
    if fault == "fail":
        assert desk.ask(DealCards("t1", desk.service.durable_state("t1").turn)) in (
            "",
            "stale_version",
        )
    state = desk.service.durable_state("t1")
    assert state.running is not None
    action = bot_answer(state.running)
    assert action is not None
    assert desk.ask(PlayBotActions("t1", state.turn, (action,))) == ""
    assert desk.restorations >= 1
    desk.service.ledger.close()
