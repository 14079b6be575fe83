"""Chips for tests: grant terms that allow any sum to any player at any time."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Final

from casino.events.types import GrantTerms
from casino.ledger.entries import MAX_INT
from casino.ledger.ledger import Ledger, grant
from casino.ledger.transaction import Answer

MILLION: Final = 100_000_000
REFILL: Final = "refill"
GRANT_TERMS: Final = GrantTerms(
    bank_cents=MILLION, opening_cents=MILLION, refill_cents=MAX_INT, refill_ms=0, spectator_cents=0
)


def issue(bank: Ledger) -> None:
    bank.submit(lambda tx: {"leaf": tx.log(GRANT_TERMS)}, "issues", b"").result(timeout=60)


def give(bank: Ledger, player: str, cents: int, command: str) -> Future[Answer]:
    return grant(bank, player, cents, command, REFILL)
