"""The table runner: book, pauses, turns, time-outs, grace time, and faults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from casino.ecarte import CHALLENGER, Laws, parse_token
from casino.errors import Refused
from casino.events.types import BOT_FAILED, BetAccepted, BettingClosed, GameVoid
from casino.ledger.storage.base import StorageError
from casino.ledger.storage.store import SqlStore
from casino.ledger.transaction import Answer, Transaction
from casino.table.domain.commands import PlayAction, TakeSeat
from casino.table.domain.handlers.play import waits_for_person
from casino.table.public.private_view import hand_message
from casino.table.runtime.service import CommittedEvent, EventListener
from casino.table.runtime.table_runner import MAX_EXTENSIONS
from tests.table.casino_harness import PACE, CasinoHarness, audited, log_of, plan

LAWS = Laws(first_dealer="house")


class Timeline(EventListener):
    def __init__(self, harness: CasinoHarness) -> None:
        self.harness = harness
        self.notes: list[tuple[int, object]] = []
        self.told = 0
        harness.house.service.listeners.append(self)

    def on_event(self, happening: CommittedEvent) -> None:
        self.notes.append((self.harness.clock.now, happening.event))

    def on_signed(self, note: str) -> None:
        self.told += 1

    def first(self, kind: type) -> int:
        return next(at for at, fact in self.notes if isinstance(fact, kind))


def with_ann(path: Path, **rules: Any) -> CasinoHarness:
    """Return a table where ann is seated, the house deals first, and it is ann's turn."""
    harness = CasinoHarness(path, [plan(laws=LAWS, **rules)])
    harness.chips("ann")
    harness.house.service.submit(TakeSeat("t1", "ann")).result()
    while not (harness.state.running and waits_for_person(harness.state.running)):
        harness.advance()
    return harness


def test_l12_short_storage_outage_does_not_end_betting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = CasinoHarness(tmp_path / "a.db", [plan(spectators=3)])
    timeline = Timeline(harness)
    while harness.state.running is None:
        harness.advance()
    opened, bank = harness.clock.now, harness.house.service.ledger

    def away() -> SqlStore:
        raise StorageError("simulated")

    def fails(_: Transaction) -> Answer:
        raise StorageError("simulated")

    with monkeypatch.context() as outage:
        outage.setattr(bank._writer, "_open_store", away)
        with pytest.raises(Refused):
            bank.submit(fails).result()
        assert not bank.can_take_bets
        assert harness.runner.step(opened) == opened + PACE.betting_ms
        assert harness.runner.step(opened + 10) == opened + PACE.betting_ms
        with pytest.raises(Refused):
            bank.submit(lambda _: {}).result()
    bank.submit(lambda _: {}).result()
    while harness.state.number < 2:
        harness.advance()
    harness.house.close()
    assert opened < timeline.first(BetAccepted) < timeline.first(BettingClosed)
    assert timeline.first(BettingClosed) == opened + PACE.betting_ms
    assert {finding.check for finding in audited(tmp_path / "a.db").findings} == {"unfinished"}


def test_lost_connection_gets_grace_time(tmp_path: Path) -> None:
    harness = with_ann(tmp_path / "a.db")
    began = harness.clock.now
    assert harness.runner.step(began) == began + PACE.turn_ms
    harness.runner.set_connected("ann", False, began + 1)
    harness.runner.set_connected("ann", True, began + 2)
    assert harness.runner.step(began + 2) == began + PACE.turn_ms
    harness.runner.set_connected("ann", False, began + 3)
    assert harness.runner.step(began + 3) == began + PACE.turn_ms
    until = began + 3 + PACE.grace_ms
    assert harness.runner.step(began + PACE.turn_ms) == until
    harness.runner.set_connected("ann", True, until - 2)
    assert harness.runner.step(until - 1) == began + 2 * PACE.turn_ms > until
    assert harness.state.holder == "ann"
    harness.runner.step(began + 2 * PACE.turn_ms)
    assert harness.state.running is not None and harness.state.running.abandoned
    harness.house.close()


def test_grace_time_is_granted_once_per_game(tmp_path: Path) -> None:
    harness = with_ann(tmp_path / "a.db")
    waited = []
    for _ in range(2):
        while not (harness.state.running and waits_for_person(harness.state.running)):
            harness.advance()
        began = harness.clock.now
        harness.runner.set_connected("ann", False, began)
        harness.runner.step(began)
        due = harness.runner.step(began + PACE.turn_ms)
        waited.append(due - began)
        harness.runner.set_connected("ann", True, due - 1)
        harness.clock.now = due - 1
        if len(waited) == 1:
            harness.house.service.submit(first_legal(harness)).result()
    assert waited == [PACE.grace_ms, PACE.turn_ms]
    assert any(b'"defaulted"' in body for body in log_of(tmp_path / "a.db"))
    harness.house.close()


def test_player_can_ask_for_more_time(tmp_path: Path) -> None:
    harness = with_ann(tmp_path / "a.db")
    runner, began = harness.runner, harness.clock.now
    with pytest.raises(Refused):
        runner.give_more_time("ben")
    for times in range(1, MAX_EXTENSIONS + 1):
        runner.give_more_time("ann")
        assert runner.turn_ms_left(began) == (1 + times) * PACE.turn_ms
        assert runner.step(began) == began + (1 + times) * PACE.turn_ms
    with pytest.raises(Refused) as refusal:
        runner.give_more_time("ann")
    assert refusal.value.code == "over_limit"
    harness.house.service.submit(first_legal(harness)).result()
    assert runner.turn_ms_left(began) == PACE.turn_ms, "the next turn has its own time"
    harness.house.close()


def first_legal(harness: CasinoHarness) -> PlayAction:
    action = hand_message(harness.state, CHALLENGER)["legal"][0]
    return PlayAction("t1", harness.state.turn, "ann", parse_token(action))


def test_g14_failing_bot_makes_game_void(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = CasinoHarness(tmp_path / "a.db", [plan(laws=LAWS, spectators=3)])
    harness.advance(steps=12)
    timeline = Timeline(harness)
    monkeypatch.setattr("casino.table.domain.handlers.play.get_bot", {}.__getitem__)
    while harness.state.running is not None:
        harness.advance()
    void = timeline.notes[-1][1]
    assert isinstance(void, GameVoid)
    assert (void.reason, void.fault) == (BOT_FAILED, "KeyError")
    harness.house.close()
    monkeypatch.undo()
    found = [(finding.check, finding.severity) for finding in audited(tmp_path / "a.db").findings]
    assert found == [("voids", "note")]
