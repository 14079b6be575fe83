"""What the clerk keeps in mind: the same after a restart and after a fault."""

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
from tests.table.clerks import GAME, LOSS, STAKE, Hears, ask, bet, evening, seal_of, text_of
from tests.table.nights import Evening, log_of
from tests.table.test_service import Desk

__all__ = ["evening"]


def test_l12_without_room_nothing_new_begins_and_what_runs_goes_on(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    clerk = evening.house.service
    monkeypatch.setattr(clerk.ledger, "_free_bytes", lambda: 0)
    assert ask(evening, bet("b1")) == "unavailable"
    assert ask(evening, CloseBetting("t1", GAME)) == ""
    assert ask(evening, DealCards("t1", evening.state.turn)) == ""
    monkeypatch.undo()
    assert ask(evening, bet("b1")) == "betting_closed"
    evening.house.close()


def test_a_limit_is_answered_with_what_holds_and_from_when(evening: Evening) -> None:
    clerk = evening.house.service
    lower = clerk.submit(SetLimit("ann", LOSS, 900)).result(30)
    assert (lower["limits"][LOSS], lower["from"]) == (900, START_MS)
    evening.clock.now += 5
    higher = clerk.submit(SetLimit("ann", LOSS, 2_000)).result(30)
    assert (higher["limits"][LOSS], higher["from"]) == (900, START_MS + 5 + DAY_MS)
    assert [wish.value for wish in clerk.wishes["ann"]] == [900, 2_000]
    assert ask(evening, SetLimit("no/body", LOSS, 5)) == "bad_request"
    assert "no/body" not in clerk.wishes
    evening.house.close()


def test_what_moved_today_and_what_was_wished_are_read_again(evening: Evening) -> None:
    clerk = evening.house.service
    clerk.submit(SetLimit("ann", STAKE, 5_000)).result(30)
    clerk.submit(SetLimit("ann", LOSS, 0)).result(30)
    for name, player, cents in (("b1", "ann", 500), ("b2", "ben", 700), ("b3", "ann", 300)):
        clerk.submit(bet(name, player, cents)).result(30)
    tallies, wishes = dict(clerk.tallies), dict(clerk.wishes)
    assert tallies["ann"].risked_cents == tallies["ann"].away_cents == 3 * 800
    evening.again()
    again = evening.house.service
    assert {name: again.tallies[name] for name in ("ann", "ben")} == {
        name: tallies[name] for name in ("ann", "ben")
    }
    assert again.wishes == wishes
    evening.clock.now += DAY_MS
    evening.again()
    assert "ann" not in evening.house.service.tallies
    assert evening.house.service.wishes == wishes
    evening.house.close()


@pytest.mark.parametrize("fault", ["fail", "lie"])
def test_l12_after_a_fault_the_clerk_knows_what_is_in_the_file(tmp_path: Path, fault: str) -> None:
    desk = Desk(tmp_path / "a.db")
    desk.disk.does = fault
    limit = desk.clerk.submit(SetLimit("ann", LOSS, 900))
    assert isinstance(limit.exception(30), Refused) == (fault == "fail")
    assert ("ann" in desk.clerk.wishes) == (fault == "lie")
    desk.disk.does = fault
    code = desk.ask(bet("b1", cents=100))
    assert code == ("unavailable" if fault == "fail" else "")
    tally = desk.clerk.tallies["ann"]
    assert tally.risked_cents == (0 if fault == "fail" else 300)
    desk.clerk.ledger.close()


def test_a_bug_in_one_command_leaves_the_table_as_it_was(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard, before = Hears(evening), evening.state

    def breaks(*_: object) -> Answer:
        raise ZeroDivisionError

    monkeypatch.setattr("casino.table.runtime.service.decide", breaks)
    future = evening.house.service.submit(bet("b1"))
    assert isinstance(future.exception(30), ZeroDivisionError)
    monkeypatch.undo()
    assert heard.events == []
    assert evening.state is before
    assert ask(evening, bet("b2")) == "unavailable"
    evening.again()
    assert ask(evening, bet("b2")) == ""
    evening.house.close()


def silent(evening: Evening) -> int:
    clerk = evening.house.service
    clerk.submit(bet("b1", seal=seal_of("ann"))).result(30)
    clerk.submit(CloseBetting("t1", GAME)).result(30)
    clerk.submit(CloseReveals("t1", GAME)).result(30)
    return evening.clock.now


@pytest.mark.parametrize("crash", [False, True])
@pytest.mark.parametrize(
    ("later_ms", "code"), [(0, ""), (DAY_MS, ""), (DAY_MS + 1, "betting_closed")]
)
def test_g16_a_late_text_is_noted_for_a_day(
    evening: Evening, later_ms: int, code: str, crash: bool
) -> None:
    closed = silent(evening)
    if crash:
        evening.again()
    evening.clock.now = closed + later_ms
    assert ask(evening, OpenCut("t1", GAME, "ann", text_of("ann"))) == code
    assert any(b'"cut_late"' in body for body in log_of(evening.path)) == (code == "")
    evening.house.close()


def test_bets_from_many_threads_all_stand_in_the_book(evening: Evening) -> None:
    heard, clerk = Hears(evening), evening.house.service
    answers: list[Answer] = []

    def bets(player: str) -> None:
        for number in range(10):
            answers.append(clerk.submit(bet(f"b{number}", player, 100)).result(30))

    threads = [threading.Thread(target=bets, args=(player,)) for player in ("ann", "ben")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(answer["bet"]["order"] for answer in answers) == list(range(1, 21))
    told = [one.event for one in heard.events]
    assert [one.order for one in told if isinstance(one, BetAccepted)] == list(range(1, 21))
    assert evening.state.running is not None
    assert len(evening.state.running.book.bets) == 20
    log = clerk.ledger.reader()
    assert log.balance("wallet/ann") == log.balance("wallet/ben") == 1_000_000 - 3_000
    log.close()
    evening.house.close()
