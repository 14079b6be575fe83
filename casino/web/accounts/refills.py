"""Refills (G18): chips for a player who cannot place a bet, at most once in some hours."""

from __future__ import annotations

from typing import Final

from casino.errors import RefusalReason, Refused
from casino.ledger import accounts
from casino.ledger.transaction import Answer, Transaction
from casino.table.runtime.casino import Casino
from casino.web.backend.concurrency import LogReaderPool

NO_REFILLS: Final = RefusalReason("no_refills", "over_limit", "this casino gives no refills")
CHIPS_LEFT: Final = RefusalReason(
    "chips_left",
    "over_limit",
    "you have {has_cents:chips} chips, bets included: "
    "a refill is for less than {least_cents:chips}",
)
REFILL_TOO_SOON: Final = RefusalReason(
    "refill_too_soon",
    "rate_limited",
    "you had a refill not long ago: ask again in {n} second",
    plural="you had a refill not long ago: ask again in {n} seconds",
)

REFILL: Final = "refill"


def refill_threshold_cents(house: Casino) -> int:
    """Return the funds, bets included, that allow a refill if lower; 0 if none are given."""
    if house.chips.refill_cents == 0:
        return 0
    return min(rules.limits.least_cents for rules in house.service.rules.values())


def refill(house: Casino, bridge: LogReaderPool, player: str) -> Answer:
    """Refill a wallet; return the chips granted and the balance."""
    chips = house.chips
    if chips.refill_cents == 0:
        raise Refused(NO_REFILLS)
    has_cents, last, last_at = bridge.read(lambda log: log.funds_and_last_grant(player, REFILL))
    least_cents = refill_threshold_cents(house)
    granted_cents = chips.refill_cents - has_cents
    if has_cents >= least_cents or granted_cents <= 0:
        raise Refused(CHIPS_LEFT, has_cents=has_cents, least_cents=least_cents)
    wait_ms = last_at + chips.refill_ms - house.clock()
    if last and wait_ms > 0:
        raise Refused(REFILL_TOO_SOON, n=-(-wait_ms // 1000))

    def work(transaction: Transaction) -> Answer:
        transaction.post(accounts.grant(player, granted_cents, REFILL))
        balance_cents = transaction.balance(accounts.spending_account(player))
        return {"granted_cents": granted_cents, "balance_cents": balance_cents}

    # The command's id names the refill before it: of two asked for at once, one is granted. Whoever
    # had too little when he was looked at cannot have got more since but by such a grant.
    command = f"{REFILL}/{player}/{last}"
    return bridge.wait(house.service.ledger.submit(work, command, player.encode()))
