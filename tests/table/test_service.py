"""The table service: answers, what it publishes, and its state after restarts and faults."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any, Final, cast

import pytest
from msgspec.structs import replace

from casino.errors import Refused
from casino.events.types import BetAccepted
from casino.ledger.ledger import Ledger, grant
from casino.ledger.storage import sqlite
from casino.ledger.storage.location import SqliteLocation
from casino.ledger.storage.sqlite import SqliteStore
from casino.ledger.tlog.note import open_checkpoint
from casino.player_limits import DAY_MS
from casino.table.domain.commands import (
    CloseBetting,
    CloseReveals,
    DealCards,
    OpenCut,
    OpenGame,
    PlayBotActions,
    SetLimit,
    TableCommand,
)
from casino.table.domain.handlers.play import bot_answer
from casino.table.domain.settings import TableSettings
from casino.table.domain.state import Transition, running_game
from casino.table.public.feed import TableFeed
from casino.table.runtime.casino import START_MS
from casino.table.runtime.seed_chains import SeedKeeper
from casino.table.runtime.service import EventListener, RestoredTable, TableService
from tests.table.casino_harness import (
    GAME,
    CasinoHarness,
    ask,
    bet,
    log_of,
    open_game,
    plan,
    seal_of,
    text_of,
)

LOSS: Final = "day_loss_cents"


@pytest.fixture
def harness(harness: CasinoHarness) -> CasinoHarness:
    """A casino whose first book is open."""
    open_game(harness.house.service)
    return harness


BET = bet("b1")


class Flaky:
    def __init__(self, disk: FlakyLocation) -> None:
        self._connection = sqlite.open_writer(disk.path)
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


class FlakyLocation(SqliteLocation):
    does = "work"
    """What the next COMMIT does: work, fail, or lie (succeed but report a failure)."""

    def reopen_store(self) -> SqliteStore:
        return SqliteStore(cast("Any", Flaky(self)))


class FlakyService(EventListener):
    def __init__(self, path: Path) -> None:
        self.disk = FlakyLocation(path)
        self.service = TableService(
            [TableSettings("t1")],
            lambda: START_MS,
            SeedKeeper(lambda: bytes(32)),
            lambda service: Ledger(self.disk, lambda: START_MS, watch=service),
        )
        self.service.listeners.append(self)
        self.told: list[str] = []
        self.restorations = 0
        self.troubles = 0
        grant(self.service.ledger, "house", 10**8, "house.opening").result()
        grant(self.service.ledger, "ann", 10**6, "ann.opening").result()
        open_game(self.service)

    def on_event(self, happening: Transition) -> None:
        self.told.append(type(happening.event).__name__)

    def on_restored(self, tables: Mapping[str, RestoredTable]) -> None:
        self.restorations += 1
        state, standing = tables["t1"]
        public = TableFeed(standing).table
        assert public.running is not None
        assert len(running_game(state).book.bets) == self.told.count("BetAccepted")
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
        return len(running_game(self.service.durable_state("t1")).book.bets)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[FlakyService]:
    desk = FlakyService(tmp_path / "a.db")
    yield desk
    desk.service.ledger.close()


def test_l12_events_are_published_only_when_durable(desk: FlakyService) -> None:
    desk.disk.does = "fail"
    assert desk.ask(BET) == "unavailable"
    assert desk.told == ["SeedChain", "GameOpened"]
    assert desk.troubles == 1
    assert desk.bets() == 0
    assert desk.ask(BET) == ""
    assert desk.told == ["SeedChain", "GameOpened", "BetAccepted"]
    assert desk.bets() == 1


def test_l11_commit_in_doubt_is_published_once(desk: FlakyService) -> None:
    desk.disk.does = "lie"
    assert desk.ask(BET) == ""
    assert desk.told == ["SeedChain", "GameOpened", "BetAccepted"]
    assert desk.bets() == 1
    assert desk.ask(BET) == ""
    assert desk.told == ["SeedChain", "GameOpened", "BetAccepted"]
    assert desk.bets() == 1
    # The balance of a bet that was stored in doubt is read from the file.
    answer = grant(desk.service.ledger, "ann", 7, "more").result()
    assert answer["balance_cents"] == 10**6 - 1_500 + 7


@pytest.mark.parametrize("fault", ["fail", "lie"])
def test_l12_table_continues_from_stored_version_after_fault(
    desk: FlakyService, fault: str
) -> None:
    assert desk.ask(CloseBetting("t1", "t1-000001")) == ""
    desk.disk.does = fault
    moved = desk.ask(DealCards("t1", desk.service.durable_state("t1").turn))
    assert moved == ("unavailable" if fault == "fail" else "")
    if fault == "fail":
        again = DealCards("t1", desk.service.durable_state("t1").turn)
        assert desk.ask(again) in ("", "stale_version")
    state = desk.service.durable_state("t1")
    action = bot_answer(running_game(state))
    assert action is not None
    assert desk.ask(PlayBotActions("t1", state.turn, (action,))) == ""
    assert desk.restorations >= 1


def test_bet_answer_has_order_seal_number_leaf_and_balance(harness: CasinoHarness) -> None:
    first = harness.submit(bet("b1", seal=seal_of("ann")))
    second = harness.submit(bet("b2", "ben", 700, seal=seal_of("ben")))
    third = harness.submit(bet("b3", "ann", 300))
    assert first["bet"] | {"leaf": 0} == {
        "bet_id": "b1",
        "game": GAME,
        "order": 1,
        "side": "house",
        "unit_cents": 500,
        "leaf": 0,
        "seal_number": 1,
    }
    assert (second["bet"]["order"], second["bet"]["seal_number"]) == (2, 2)
    assert third["bet"]["order"] == 3
    assert "seal_number" not in third["bet"]
    assert first["balance_cents"] == 1_000_000 - 3 * 500
    assert third["balance_cents"] == 1_000_000 - 3 * 800
    fourth = harness.submit(bet("b4", "ben", 300, seal=seal_of("ben")))
    assert (fourth["bet"]["order"], fourth["bet"]["seal_number"]) == (4, 2)
    leaves = log_of(harness.path)
    for answer, player in ((first, b"ann"), (second, b"ben"), (third, b"ann")):
        leaf = leaves[answer["bet"]["leaf"]]
        assert b'"type":"bet"' in leaf
        assert player in leaf


def test_l5_resent_bet_gets_first_answer_even_after_restart(harness: CasinoHarness) -> None:
    first = harness.submit(bet("b1"))
    assert harness.submit(bet("b1")) == first
    assert ask(harness, bet("b1", cents=600)) == "id_reused"
    assert ask(harness, replace(bet("b1"), side=1)) == "id_reused"
    assert ask(harness, bet("b1", "ben")) == ""
    harness.restart()
    assert harness.submit(bet("b1")) == first
    assert ask(harness, bet("b1", cents=600)) == "id_reused"
    assert len(running_game(harness.state).book.bets) == 2


def test_l5_refused_bet_stays_refused(harness: CasinoHarness) -> None:
    poor = bet("b1", "cy", 500)
    assert ask(harness, poor) == "insufficient_chips"
    harness.chips("cy")
    assert ask(harness, poor) == "insufficient_chips"
    assert ask(harness, replace(poor, bet_id="b2")) == ""


def test_batch_of_commands_is_atomic(harness: CasinoHarness) -> None:
    before, leaves = harness.state, len(log_of(harness.path))
    heard = harness.record()
    future = harness.house.service.submit_all([CloseBetting("t1", GAME), DealCards("t1", -5)])
    refusal = future.exception(30)
    assert isinstance(refusal, Refused)
    assert refusal.code == "stale_version"
    assert harness.state is before
    assert len(log_of(harness.path)) == leaves
    assert heard.heard == []


def test_l15_lock_has_its_own_checkpoint_before_texts_are_revealed(harness: CasinoHarness) -> None:
    harness.submit(bet("b1", seal=seal_of("ann")))
    heard = harness.record()
    harness.submit(CloseBetting("t1", GAME))
    harness.house.service.ledger.submit(lambda _: {}).result(30)
    log = harness.house.service.ledger.reader()
    lock = next(leaf for leaf in log.of_subject(GAME) if leaf.kind == "book_locked")
    assert [open_checkpoint(note, None).size > lock.n for note in heard.signed] == [True]
    assert log.receipt(lock.n) is not None
    log.close()


def test_g16_game_opens_only_with_next_seed_of_chain(tmp_path: Path) -> None:
    harness = CasinoHarness(tmp_path / "a.db", [plan()])
    service = harness.house.service
    begin = service.seeds.chain_to_begin(harness.state)
    assert begin is not None
    harness.submit(begin)
    right = service.seeds.next_seed(harness.state)
    after = service.seeds.next_seed(harness.state._replace(number=1))
    leaves = len(log_of(harness.path))
    for wrong in (after, bytes(32), b""):
        assert ask(harness, OpenGame("t1", wrong)) == "stale_version"
    assert len(log_of(harness.path)) == leaves
    assert ask(harness, OpenGame("t1", right)) == ""
    assert ask(harness, OpenGame("t1", after)) == "seat_taken"


def test_l12_full_disk_refuses_bets_but_game_continues(
    harness: CasinoHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harness.house.service.ledger, "_free_bytes", lambda: 0)
    assert ask(harness, bet("b1")) == "unavailable"
    assert ask(harness, CloseBetting("t1", GAME)) == ""
    assert ask(harness, DealCards("t1", harness.state.turn)) == ""
    monkeypatch.undo()
    assert ask(harness, bet("b1")) == "betting_closed"


def test_limit_answer_has_current_limits_and_start_time(harness: CasinoHarness) -> None:
    service = harness.house.service
    lower = harness.submit(SetLimit("ann", LOSS, 900))
    assert (lower["limits"][LOSS], lower["from"]) == (900, START_MS)
    harness.clock.now += 5
    higher = harness.submit(SetLimit("ann", LOSS, 2_000))
    assert (higher["limits"][LOSS], higher["from"]) == (900, START_MS + 5 + DAY_MS)
    assert [wish.value for wish in service.wishes["ann"]] == [900, 2_000]
    assert ask(harness, SetLimit("no/body", LOSS, 5)) == "bad_request"
    assert "no/body" not in service.wishes


@pytest.mark.parametrize("fault", ["fail", "lie"])
def test_l12_service_state_matches_file_after_fault(desk: FlakyService, fault: str) -> None:
    desk.disk.does = fault
    limit = desk.service.submit(SetLimit("ann", LOSS, 900))
    assert isinstance(limit.exception(30), Refused) == (fault == "fail")
    assert ("ann" in desk.service.wishes) == (fault == "lie")
    desk.disk.does = fault
    code = desk.ask(bet("b1", cents=100))
    assert code == ("unavailable" if fault == "fail" else "")
    tally = desk.service.tallies["ann"]
    assert tally.risked_cents == (0 if fault == "fail" else 300)


@pytest.mark.parametrize("crash", [False, True])
@pytest.mark.parametrize(
    ("later_ms", "code"), [(0, ""), (DAY_MS, ""), (DAY_MS + 1, "betting_closed")]
)
def test_g16_late_text_is_logged_for_one_day(
    harness: CasinoHarness, later_ms: int, code: str, crash: bool
) -> None:
    harness.submit(bet("b1", seal=seal_of("ann")))
    harness.submit(CloseBetting("t1", GAME))
    harness.submit(CloseReveals("t1", GAME))
    closed = harness.clock.now
    if crash:
        harness.house.run_headless(1)  # until the game is over
        harness.restart()
    harness.clock.now = closed + later_ms
    assert ask(harness, OpenCut("t1", GAME, "ann", text_of("ann"))) == code
    assert any(b'"cut_late"' in body for body in log_of(harness.path)) == (code == "")


def test_concurrent_bets_all_reach_the_book(harness: CasinoHarness) -> None:
    heard, service = harness.record(), harness.house.service

    def bets(player: str) -> list[int]:
        wagers = (bet(f"b{number}", player, 100) for number in range(10))
        return [service.submit(wager).result(30)["bet"]["order"] for wager in wagers]

    with ThreadPoolExecutor(2) as pool:
        orders = chain.from_iterable(pool.map(bets, ("ann", "ben")))
    assert sorted(orders) == list(range(1, 21))
    told = [one.event for one in heard.heard]
    assert [one.order for one in told if isinstance(one, BetAccepted)] == list(range(1, 21))
    assert len(running_game(harness.state).book.bets) == 20
    log = service.ledger.reader()
    assert log.balance("wallet/ann") == log.balance("wallet/ben") == 1_000_000 - 3_000
    log.close()
