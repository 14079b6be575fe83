"""Casinos for tests: a few games in temporary files, under a simulated clock."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from casino.audit import FileSource, Report, audit
from casino.cli.verify.audit import decide_again
from casino.ledger.ledger import grant, open_log
from casino.table.domain.commands import OpenGame
from casino.table.domain.settings import GrantPolicy, PaceSettings, TableSettings
from casino.table.domain.state import TableState
from casino.table.runtime import simulated_bettors
from casino.table.runtime.casino import START_MS, Casino, SimulatedClock, TablePlan
from casino.table.runtime.service import TableService
from casino.table.runtime.table_runner import TableRunner

PACE = PaceSettings(
    betting_ms=1_000, action_ms=10, deal_ms=20, game_ms=30, turn_ms=5_000, grace_ms=9_000
)
OPENING_CENTS = 1
CHIPS = GrantPolicy(opening_cents=OPENING_CENTS, refill_cents=10**9, refill_ms=0)
HABITS = tuple(simulated_bettors.HABITS)


def plan(name: str = "t1", spectators: int = 0, **rules: Any) -> TablePlan:
    return TablePlan(TableSettings(name, **{"pace": PACE, **rules}), spectators, HABITS)


class CasinoHarness:
    """A casino under a simulated clock that can be restarted."""

    def __init__(self, path: Path, plans: Sequence[TablePlan], seed: int | None = 1) -> None:
        self.path = path
        self.plans = plans
        self.seed = seed
        self.clock = SimulatedClock()
        self.house = self._open()

    def restart(self) -> None:
        """Reopen the casino, as after a crash: memory is lost, the file is not."""
        self.house.close()
        self.house = self._open()

    def chips(self, player: str, cents: int = 1_000_000) -> None:
        bank = self.house.service.ledger
        grant(bank, player, OPENING_CENTS, f"{player}.opened").result()
        grant(bank, player, cents - OPENING_CENTS, f"{player}.opening", "refill").result()

    @property
    def runner(self) -> TableRunner:
        return self.house.croupiers[0]

    @property
    def state(self) -> TableState:
        return self.house.service.durable_state(self.plans[0].rules.name)

    def advance(self, until_ms: int = 0, steps: int = 1) -> None:
        """Run some steps of the table runner, advancing the clock to each due time."""
        for _ in range(steps):
            due = self.runner.step(self.clock.now)
            self.clock.now = max(self.clock.now, min(due, until_ms) if until_ms else due)

    def _open(self) -> Casino:
        return Casino(self.path, self.plans, self.clock, lambda: START_MS, self.seed, CHIPS)


def open_game(service: TableService, table: str = "t1") -> None:
    begin = service.seeds.chain_to_begin(service.durable_state(table))
    if begin is not None:
        service.submit(begin).result()
    service.submit(OpenGame(table, service.seeds.next_seed(service.durable_state(table)))).result()


def audited(path: Path) -> Report:
    return audit(FileSource(path), workers=1, decide=decide_again)


def log_of(path: Path) -> list[bytes]:
    log = open_log(path)
    try:
        return [leaf.body for leaf in log.leaves()]
    finally:
        log.close()
