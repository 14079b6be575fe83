"""Helpers for tests of `TableService`: a table with an open book, bets, seals, a listener."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from casino import fairness
from casino.errors import Refused
from casino.table.domain.commands import Command, PlaceBet
from casino.table.runtime.service import CommittedEvent, EventListener, TableRestored
from tests.table.casino_harness import CasinoHarness, open_game, plan

GAME = "t1-000001"
LOSS: Final = "day_loss_cents"
STAKE: Final = "day_stake_cents"


class RecordingListener(EventListener):
    """Listener that records events, notes and restorations in order."""

    def __init__(self, harness: CasinoHarness) -> None:
        self.events: list[CommittedEvent] = []
        self.notes: list[str] = []
        self.restorations: list[Mapping[str, TableRestored]] = []
        harness.house.service.listeners.append(self)

    def on_event(self, happening: CommittedEvent) -> None:
        self.events.append(happening)

    def on_signed(self, note: str) -> None:
        self.notes.append(note)

    def on_restored(self, tables: Mapping[str, TableRestored]) -> None:
        self.restorations.append(tables)


@pytest.fixture
def harness(tmp_path: Path) -> CasinoHarness:
    harness = CasinoHarness(tmp_path / "a.db", [plan()])
    for player in ("ann", "ben"):
        harness.chips(player)
    open_game(harness.house.service)
    return harness


def ask(harness: CasinoHarness, command: Command) -> str:
    refusal = harness.house.service.submit(command).exception(30)
    if refusal is None:
        return ""
    assert isinstance(refusal, Refused)
    return refusal.code


def bet(name: str, player: str = "ann", cents: int = 500, **more: Any) -> PlaceBet:
    return PlaceBet("t1", GAME, name, player, 0, cents, **more)


def text_of(player: str) -> str:
    return fairness.make_contribution("", player.encode().ljust(16, b"."))


def seal_of(player: str, game: str = GAME) -> str:
    return fairness.commitment_to(game, player, text_of(player))
