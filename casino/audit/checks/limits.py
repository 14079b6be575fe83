"""Check that bets stay within the players' own limits and the tables' daily limits.

A `limit` leaf records a player's new limit. Stakes and losses are summed from the entries that
change the player's wallet. The `hold` entry after a bet gives the amount at risk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

import msgspec
from msgspec.structs import asdict

from casino.audit.check import Check, Finding, count_cents
from casino.errors import Refused
from casino.events.types import BetAccepted, LimitSet
from casino.ledger.entries import WALLET, Entry
from casino.player_limits import DAY_MS, LimitChange, applies_from, check_own_limits, limits_at

DayCents: TypeAlias = Callable[[str], int]  # daily limit per player at a game's table, 0 if none


class OwnLimits(msgspec.Struct):
    """All limits that a player has set, including pending ones, in the order they were set."""

    wishes: list[LimitChange] = []


class LimitsCheck(Check):
    """Check of all bets against the limits of their players and tables.

    `totals` are what each player has staked and lost on a `day`, counted since 1970 (UTC): even
    without a limit, as the first may be set after staking. `bets` await their `hold`.
    """

    name = "limits"

    day: int
    totals: dict[str, tuple[int, int]]
    limits: dict[str, OwnLimits]
    bets: dict[str, tuple[int, BetAccepted]]

    def __init__(self, most: DayCents) -> None:
        self.day, self.totals, self.limits, self.bets = 0, {}, {}, {}
        self._most = most
        self.handlers = {LimitSet: self._set, BetAccepted: self._bet, Entry: self._entry}

    def _bet(self, number: int, leaf: BetAccepted) -> tuple[()]:
        self.bets[leaf.player] = number, leaf
        return ()

    def _entry(self, _: int, leaf: Entry) -> Iterable[Finding]:
        # Grants and corrections are neither stakes nor gains or losses.
        if leaf.move in ("grant", "correct"):
            return ()
        findings, is_hold = list[Finding](), leaf.move == "hold"
        if leaf.at // DAY_MS != self.day:
            self.day, self.totals = leaf.at // DAY_MS, {}
        totals = self.totals
        for account, cents in leaf.postings:
            if account.startswith(WALLET):
                player = account[len(WALLET) :]
                stake_cents, loss_cents = totals.get(player, (0, 0))
                if is_hold:
                    if player in self.bets:
                        today = stake_cents, loss_cents, -cents
                        findings += self._check(self.bets.pop(player), *today)
                    stake_cents -= cents
                totals[player] = stake_cents, loss_cents - cents
        return findings

    def _set(self, number: int, leaf: LimitSet) -> Iterator[Finding]:
        """Check that stricter limits take effect at once, and looser ones a day later."""
        wishes = self.limits.setdefault(leaf.player, OwnLimits()).wishes
        for key, value in asdict(leaf.limits).items():
            if value is None:
                continue
            expected = applies_from(limits_at(wishes, leaf.at), key, value, leaf.at)
            if leaf.from_ms != expected:
                text = f"{key} applies from {leaf.from_ms}, not from {expected}"
                yield Finding(self.name, text, number)
            wishes.append(LimitChange(leaf.at, leaf.from_ms, key, value))

    def _check(
        self, accepted: tuple[int, BetAccepted], stake_cents: int, loss_cents: int, risk_cents: int
    ) -> Iterator[Finding]:
        number, bet = accepted
        max_cents = self._most(bet.game)
        if max_cents and stake_cents + risk_cents > max_cents:
            fault = (
                f"{bet.player} could lose {count_cents(stake_cents + risk_cents)} in a day,"
                f" but the terms allow {max_cents:,}"
            )
            yield Finding(self.name, fault, number, bet.game)
        limits = self.limits.get(bet.player)
        if limits is None:
            return
        try:
            in_force = limits_at(limits.wishes, bet.at)
            check_own_limits(in_force, stake_cents, loss_cents, risk_cents, bet.at)
        except Refused as refusal:
            text = f"a bet of {bet.player} was accepted that must be refused: {refusal}"
            yield Finding(self.name, text, number, bet.game)
