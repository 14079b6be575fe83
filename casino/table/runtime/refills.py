"""Refills: new chips for people who have almost none left (G18)."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Final

from casino.errors import RefusalReason, Refused
from casino.ledger import accounts
from casino.ledger.log_reader import LogReader
from casino.ledger.transaction import Answer, Transaction
from casino.table.runtime.casino import REFILL, Casino

NO_REFILLS: Final = RefusalReason("no_refills", "over_limit", "this casino gives no refills")
CHIPS_LEFT: Final = RefusalReason(
    "chips_left",
    "over_limit",
    "you have {has_cents:chips} chips, including bets: refills are given below {least_cents:chips}",
)
REFILL_TOO_SOON: Final = RefusalReason(
    "refill_too_soon",
    "rate_limited",
    "you had a refill recently: ask again in {n} second",
    plural="you had a refill recently: ask again in {n} seconds",
)


def refill_threshold_cents(house: Casino) -> int:
    """Return the funds, bets included, below which players get a refill; 0 if refills are off."""
    if house.chips.refill_cents == 0:
        return 0
    tables = house.service.durable_states()
    return min(table.newest_settings.limits.least_cents for table in tables if not table.is_over)


def refill(log: LogReader, house: Casino, player: str) -> Future[Answer]:
    """Refill a player's wallet; the answer has the chips granted and the new balance, in cents."""
    chips = house.chips
    if chips.refill_cents == 0:
        raise Refused(NO_REFILLS)
    has_cents, last = log.funds(player), log.last_grant(player, REFILL)
    least_cents = refill_threshold_cents(house)
    if has_cents >= least_cents or has_cents >= chips.refill_cents:
        raise Refused(CHIPS_LEFT, has_cents=has_cents, least_cents=least_cents)
    wait_ms = last.at + chips.refill_ms - house.clock() if last else 0
    if wait_ms > 0:
        raise Refused(REFILL_TOO_SOON, n=-(-wait_ms // 1000))

    def work(transaction: Transaction) -> Answer:
        # A bet may have won since, so the grant is computed from the player's current funds.
        cents = transaction.funds(player)
        granted_cents = chips.refill_cents - cents
        if granted_cents <= 0:
            # The ledger does not remember `unavailable`: the id is the same until the next refill.
            now = CHIPS_LEFT._replace(code="unavailable")
            raise Refused(now, has_cents=cents, least_cents=least_cents)
        transaction.post(accounts.grant(player, granted_cents, REFILL))
        balance_cents = transaction.balance(accounts.spending_account(player))
        return {"granted_cents": granted_cents, "balance_cents": balance_cents}

    # The command's id contains the previous refill, so only one of two simultaneous refills is
    # granted.
    command = f"{REFILL}/{player}/{last.entry if last else 0}"
    return house.service.ledger.submit(work, command, player.encode())
