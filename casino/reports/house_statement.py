"""Statement of one table: who won and lost how much in its finished games and poules.

All figures come from public leaves. Chips only change hands, so the results of the house, the
challengers, the bettors and the commission account sum to zero.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from casino.events import types
from casino.ledger.accounts import COMMISSION, HOUSE_BANK, spending_account
from casino.ledger.entries import WALLET, Entry

COUNTED: Final = ("game_opened", "bet", "betting_closed", "entry")  # the leaf types that are summed


@dataclass
class HouseStatement:
    """Totals over a table's finished games and poules; amounts are in cents.

    The winners of poules took `pools_cents`, of which `people_pools_cents` went to people.
    """

    bets: int = 0
    matched_cents: int = 0
    house_cents: int = 0
    challengers_cents: int = 0
    bettors_cents: int = 0
    commission_cents: int = 0
    poules: int = 0
    pools_cents: int = 0
    people_pools_cents: int = 0

    def add(self, events: Iterable[types.Event]) -> None:
        """Add a finished game or poule, given all its events."""
        challenger, is_over = "", False
        for event in events:
            if isinstance(event, types.GameOpened):
                challenger = spending_account(event.players.challenger)
            elif isinstance(event, types.PouleOpened):
                challenger = spending_account(event.player or "")
            elif isinstance(event, types.PouleOver):
                self.poules += 1
                is_over = True
            elif isinstance(event, types.BetAccepted):
                self.bets += 1
            elif isinstance(event, types.BettingClosed):
                self.matched_cents += event.matched_cents
            elif isinstance(event, Entry):
                for account, cents in event.postings:
                    self._post(account, cents, challenger)
                if is_over:
                    self.pools_cents += sum(cents for _, cents in event.postings if cents > 0)
                    self.people_pools_cents += dict(event.postings).get(challenger, 0)

    def _post(self, account: str, cents: int, challenger: str) -> None:
        if account == HOUSE_BANK:
            self.house_cents += cents
        elif account == COMMISSION:
            self.commission_cents += cents
        elif account == challenger:
            self.challengers_cents += cents
        elif account.startswith(WALLET):
            self.bettors_cents += cents
