"""In-memory state of the table service: the same after a restart and after a fault."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from casino.errors import Refused
from casino.events.types import BetAccepted
from casino.ledger.transaction import Answer
from casino.player_limits import DAY_MS
from casino.table.domain.commands import CloseBetting, CloseReveals, DealCards, OpenCut, SetLimit
from casino.table.runtime.casino import START_MS
from tests.table.casino_harness import CasinoHarness, log_of
from tests.table.service_helpers import (
    GAME,
    LOSS,
    STAKE,
    RecordingListener,
    ask,
    bet,
    harness,
    seal_of,
    text_of,
)
from tests.table.test_service import FlakyService

__all__ = ["harness"]


def test_l12_full_disk_refuses_bets_but_game_continues(
    harness: CasinoHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = harness.house.service
    monkeypatch.setattr(service.ledger, "_free_bytes", lambda: 0)
    assert ask(harness, bet("b1")) == "unavailable"
    assert ask(harness, CloseBetting("t1", GAME)) == ""
    assert ask(harness, DealCards("t1", harness.state.turn)) == ""
    monkeypatch.undo()
    assert ask(harness, bet("b1")) == "betting_closed"
    harness.house.close()


def test_limit_answer_has_current_limits_and_start_time(harness: CasinoHarness) -> None:
    service = harness.house.service
    lower = service.submit(SetLimit("ann", LOSS, 900)).result(30)
    assert (lower["limits"][LOSS], lower["from"]) == (900, START_MS)
    harness.clock.now += 5
    higher = service.submit(SetLimit("ann", LOSS, 2_000)).result(30)
    assert (higher["limits"][LOSS], higher["from"]) == (900, START_MS + 5 + DAY_MS)
    assert [wish.value for wish in service.wishes["ann"]] == [900, 2_000]
    assert ask(harness, SetLimit("no/body", LOSS, 5)) == "bad_request"
    assert "no/body" not in service.wishes
    harness.house.close()


def test_tallies_and_limit_changes_are_restored(harness: CasinoHarness) -> None:
    service = harness.house.service
    service.submit(SetLimit("ann", STAKE, 5_000)).result(30)
    service.submit(SetLimit("ann", LOSS, 0)).result(30)
    for name, player, cents in (("b1", "ann", 500), ("b2", "ben", 700), ("b3", "ann", 300)):
        service.submit(bet(name, player, cents)).result(30)
    tallies, wishes = dict(service.tallies), dict(service.wishes)
    assert tallies["ann"].risked_cents == tallies["ann"].away_cents == 3 * 800
    harness.restart()
    again = harness.house.service
    assert {name: again.tallies[name] for name in ("ann", "ben")} == {
        name: tallies[name] for name in ("ann", "ben")
    }
    assert again.wishes == wishes
    harness.clock.now += DAY_MS
    harness.restart()
    assert "ann" not in harness.house.service.tallies
    assert harness.house.service.wishes == wishes
    harness.house.close()


@pytest.mark.parametrize("fault", ["fail", "lie"])
def test_l12_service_state_matches_file_after_fault(tmp_path: Path, fault: str) -> None:
    desk = FlakyService(tmp_path / "a.db")
    desk.disk.does = fault
    limit = desk.service.submit(SetLimit("ann", LOSS, 900))
    assert isinstance(limit.exception(30), Refused) == (fault == "fail")
    assert ("ann" in desk.service.wishes) == (fault == "lie")
    desk.disk.does = fault
    code = desk.ask(bet("b1", cents=100))
    assert code == ("unavailable" if fault == "fail" else "")
    tally = desk.service.tallies["ann"]
    assert tally.risked_cents == (0 if fault == "fail" else 300)
    desk.service.ledger.close()


def test_bug_in_command_leaves_table_unchanged(
    harness: CasinoHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard, before = RecordingListener(harness), harness.state

    def breaks(*_: object) -> Answer:
        raise ZeroDivisionError

    monkeypatch.setattr("casino.table.runtime.service.decide", breaks)
    future = harness.house.service.submit(bet("b1"))
    assert isinstance(future.exception(30), ZeroDivisionError)
    monkeypatch.undo()
    assert heard.events == []
    assert harness.state is before
    assert ask(harness, bet("b2")) == "unavailable"
    harness.restart()
    assert ask(harness, bet("b2")) == ""
    harness.house.close()


def silent(harness: CasinoHarness) -> int:
    service = harness.house.service
    service.submit(bet("b1", seal=seal_of("ann"))).result(30)
    service.submit(CloseBetting("t1", GAME)).result(30)
    service.submit(CloseReveals("t1", GAME)).result(30)
    return harness.clock.now


@pytest.mark.parametrize("crash", [False, True])
@pytest.mark.parametrize(
    ("later_ms", "code"), [(0, ""), (DAY_MS, ""), (DAY_MS + 1, "betting_closed")]
)
def test_g16_late_text_is_logged_for_one_day(
    harness: CasinoHarness, later_ms: int, code: str, crash: bool
) -> None:
    closed = silent(harness)
    if crash:
        harness.restart()
    harness.clock.now = closed + later_ms
    assert ask(harness, OpenCut("t1", GAME, "ann", text_of("ann"))) == code
    assert any(b'"cut_late"' in body for body in log_of(harness.path)) == (code == "")
    harness.house.close()


def test_concurrent_bets_all_reach_the_book(harness: CasinoHarness) -> None:
    heard, service = RecordingListener(harness), harness.house.service
    answers: list[Answer] = []

    def bets(player: str) -> None:
        for number in range(10):
            answers.append(service.submit(bet(f"b{number}", player, 100)).result(30))

    threads = [threading.Thread(target=bets, args=(player,)) for player in ("ann", "ben")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(answer["bet"]["order"] for answer in answers) == list(range(1, 21))
    told = [one.event for one in heard.events]
    assert [one.order for one in told if isinstance(one, BetAccepted)] == list(range(1, 21))
    assert harness.state.running is not None
    assert len(harness.state.running.book.bets) == 20
    log = service.ledger.reader()
    assert log.balance("wallet/ann") == log.balance("wallet/ben") == 1_000_000 - 3_000
    log.close()
    harness.house.close()
