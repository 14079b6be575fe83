"""Helpers for tests of `TableService`: commands, bets, seals."""

from __future__ import annotations

from typing import Any

from casino import fairness
from casino.errors import Refused
from casino.table.domain.commands import Command, PlaceBet
from tests.table.casino_harness import CasinoHarness

GAME = "t1-000001"


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
