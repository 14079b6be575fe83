"""Opening a game: funds, grants and cover of the principals."""

from __future__ import annotations

import pytest

from casino.errors import Refused
from casino.ledger.entries import Entry
from casino.table.domain.commands import OpenGame, TakeSeat
from casino.table.domain.decide import decide
from casino.table.domain.state import TableState
from tests.table.test_decide import CHAIN, IDLE, RULES, SEED, StubContext, after, kinds

POOR_CONTEXT = StubContext(cents=10)


def test_house_without_chips_cannot_open_a_game() -> None:
    with pytest.raises(Refused) as refused:
        decide(IDLE, OpenGame("t1", SEED), POOR_CONTEXT)
    assert refused.value.code == "insufficient_chips"


def test_bot_without_chips_gets_a_refill() -> None:
    state = TableState(RULES._replace(challenger="novice", refill_cents=50), chain=CHAIN)
    poor = _Poor()
    steps = decide(state, OpenGame("t1", SEED), poor)
    refill = steps[0].event
    assert isinstance(refill, Entry)
    assert dict(refill.postings) == {
        "treasury": -3 * RULES.stake_cents,
        "wallet/novice": 3 * RULES.stake_cents,
    }
    assert kinds(steps) == ["GameOpened"]


class _Poor(StubContext):
    def funds_cents(self, player: str) -> int:
        return 10**9 if player == "house" else 0


def test_g7_offered_cover_is_capped_by_available_chips() -> None:
    boasting = after(IDLE, TakeSeat("t1", "ann", 10**12))
    stakes_cents, has_cents = 3 * RULES.stake_cents, 3 * RULES.stake_cents + 700
    opened, _held = decide(boasting, OpenGame("t1", SEED), StubContext(cents=has_cents))
    running = opened.after.running
    assert running is not None
    assert running.wished.challenger_cents == (has_cents - stakes_cents) // RULES.gallery.risk
    assert opened.after.cover_cents == 10**12
