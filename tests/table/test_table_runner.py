"""The croupier's clock: the book, pauses, turns, time-outs, grace; and what he does with faults."""

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
from tests.table.nights import PACE, Evening, audited, log_of, plan

LAWS = Laws(first_dealer="house")


class Diary(EventListener):
    def __init__(self, evening: Evening) -> None:
        self.evening = evening
        self.notes: list[tuple[int, object]] = []
        self.told = 0
        evening.house.service.listeners.append(self)

    def on_event(self, happening: CommittedEvent) -> None:
        self.notes.append((self.evening.clock.now, happening.event))

    def on_signed(self, note: str) -> None:
        self.told += 1

    def first(self, kind: type) -> int:
        return next(at for at, fact in self.notes if isinstance(fact, kind))


def with_ann(path: Path, **rules: Any) -> Evening:
    """A table at which ann has the seat, the house deals first, and it is her turn."""
    evening = Evening(path, [plan(laws=LAWS, **rules)])
    evening.chips("ann")
    evening.house.service.submit(TakeSeat("t1", "ann")).result()
    while not (evening.state.running and waits_for_person(evening.state.running)):
        evening.go()
    return evening


def test_l12_a_bank_that_is_away_for_a_while_ends_no_betting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evening = Evening(tmp_path / "a.db", [plan(spectators=3)])
    diary = Diary(evening)
    while evening.state.running is None:
        evening.go()
    opened, bank = evening.clock.now, evening.house.service.ledger

    def away() -> SqlStore:
        raise StorageError("simulated")

    def fails(_: Transaction) -> Answer:
        raise StorageError("simulated")

    with monkeypatch.context() as outage:
        outage.setattr(bank._writer, "_open_store", away)
        with pytest.raises(Refused):
            bank.submit(fails).result()
        assert not bank.can_take_bets
        assert evening.croupier.step(opened) == opened + PACE.betting_ms
        assert evening.croupier.step(opened + 10) == opened + PACE.betting_ms
        with pytest.raises(Refused):
            bank.submit(lambda _: {}).result()
    bank.submit(lambda _: {}).result()
    while evening.state.number < 2:
        evening.go()
    evening.house.close()
    assert opened < diary.first(BetAccepted) < diary.first(BettingClosed)
    assert diary.first(BettingClosed) == opened + PACE.betting_ms
    assert {finding.check for finding in audited(tmp_path / "a.db").findings} == {"unfinished"}


def test_a_lost_connection_has_a_grace_time(tmp_path: Path) -> None:
    evening = with_ann(tmp_path / "a.db")
    began = evening.clock.now
    assert evening.croupier.step(began) == began + PACE.turn_ms
    evening.croupier.set_connected("ann", False, began + 1)
    evening.croupier.set_connected("ann", True, began + 2)
    assert evening.croupier.step(began + 2) == began + PACE.turn_ms
    evening.croupier.set_connected("ann", False, began + 3)
    assert evening.croupier.step(began + 3) == began + PACE.turn_ms
    until = began + 3 + PACE.grace_ms
    assert evening.croupier.step(began + PACE.turn_ms) == until
    evening.croupier.set_connected("ann", True, until - 2)
    assert evening.croupier.step(until - 1) == began + 2 * PACE.turn_ms > until
    assert evening.state.holder == "ann"
    evening.croupier.step(began + 2 * PACE.turn_ms)
    assert evening.state.running is not None and evening.state.running.abandoned
    evening.house.close()


def test_a_dropped_line_grants_its_grace_once_a_game(tmp_path: Path) -> None:
    evening = with_ann(tmp_path / "a.db")
    waited = []
    for _ in range(2):
        while not (evening.state.running and waits_for_person(evening.state.running)):
            evening.go()
        began = evening.clock.now
        evening.croupier.set_connected("ann", False, began)
        evening.croupier.step(began)
        due = evening.croupier.step(began + PACE.turn_ms)
        waited.append(due - began)
        evening.croupier.set_connected("ann", True, due - 1)
        evening.clock.now = due - 1
        if len(waited) == 1:
            evening.house.service.submit(first_legal(evening)).result()
    assert waited == [PACE.grace_ms, PACE.turn_ms]
    assert any(b'"defaulted"' in body for body in log_of(tmp_path / "a.db"))
    evening.house.close()


def test_a_person_who_asks_has_more_time(tmp_path: Path) -> None:
    evening = with_ann(tmp_path / "a.db")
    croupier, began = evening.croupier, evening.clock.now
    with pytest.raises(Refused):
        croupier.give_more_time("ben")
    for times in range(1, MAX_EXTENSIONS + 1):
        croupier.give_more_time("ann")
        assert croupier.turn_ms_left(began) == (1 + times) * PACE.turn_ms
        assert croupier.step(began) == began + (1 + times) * PACE.turn_ms
    with pytest.raises(Refused) as refusal:
        croupier.give_more_time("ann")
    assert refusal.value.code == "over_limit"
    evening.house.service.submit(first_legal(evening)).result()
    assert croupier.turn_ms_left(began) == PACE.turn_ms, "the next turn has its own time"
    evening.house.close()


def first_legal(evening: Evening) -> PlayAction:
    action = hand_message(evening.state, CHALLENGER)["legal"][0]
    return PlayAction("t1", evening.state.turn, "ann", parse_token(action))


def test_g14_a_bot_that_fails_makes_the_game_void(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evening = Evening(tmp_path / "a.db", [plan(laws=LAWS, spectators=3)])
    evening.go(steps=12)
    diary = Diary(evening)
    monkeypatch.setattr("casino.table.domain.handlers.play.get_bot", {}.__getitem__)
    while evening.state.running is not None:
        evening.go()
    void = diary.notes[-1][1]
    assert isinstance(void, GameVoid)
    assert (void.reason, void.fault) == (BOT_FAILED, "KeyError")
    evening.house.close()
    monkeypatch.undo()
    found = [(finding.check, finding.severity) for finding in audited(tmp_path / "a.db").findings]
    assert found == [("voids", "note")]
