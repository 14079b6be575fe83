"""Casinos for tests: a few games in temporary files, under a simulated clock."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakSet

import orjson

from casino import fairness
from casino.audit import FileSource, Report, audit
from casino.cli.verify.audit import decide_again
from casino.ecarte import parse_token
from casino.errors import Refused
from casino.ledger.ledger import grant
from casino.ledger.storage.location import open_log
from casino.ledger.transaction import Answer
from casino.table.domain.commands import Command, OpenGame, PlaceBet, PlayAction, TakeSeat
from casino.table.domain.settings import GrantPolicy, PaceSettings, TableSettings
from casino.table.domain.state import TableState
from casino.table.public.private_view import hand_message, viewer_seat
from casino.table.runtime import simulated_bettors
from casino.table.runtime.casino import START_MS, Casino, SimulatedClock, TablePlan
from casino.table.runtime.service import TableService
from casino.table.runtime.table_runner import TableRunner
from tests.table.naive_client import Recorder

PACE = PaceSettings(
    betting_ms=1_000, action_ms=10, deal_ms=20, game_ms=30, turn_ms=5_000, grace_ms=9_000
)
OPENING_CENTS = 1
CHIPS = GrantPolicy(opening_cents=OPENING_CENTS, refill_cents=10**9, refill_ms=0)
HABITS = tuple(simulated_bettors.HABITS)
GAME = "t1-000001"


def plan(name: str = "t1", spectators: int = 0, **rules: Any) -> TablePlan:
    return TablePlan(TableSettings(name, **{"pace": PACE, **rules}), spectators, HABITS)


class CasinoHarness:
    """A casino under a simulated clock that can be restarted."""

    opened: ClassVar[WeakSet[CasinoHarness]] = WeakSet()

    def __init__(self, path: Path, plans: Sequence[TablePlan], seed: int | None = 1) -> None:
        self.path = path
        self.plans = plans
        self.seed = seed
        self.clock = SimulatedClock()
        self.house = self._open()
        self.opened.add(self)

    def restart(self) -> None:
        """Reopen the casino, as after a crash: memory is lost, the file is not."""
        self.house.close()
        self.house = self._open()

    def audit(self) -> Report:
        """Close the casino and audit its log."""
        self.house.close()
        return audited(self.path)

    def chips(self, player: str, cents: int = 1_000_000) -> None:
        bank = self.house.service.ledger
        grant(bank, player, OPENING_CENTS, f"{player}.opened").result()
        grant(bank, player, cents - OPENING_CENTS, f"{player}.opening", "refill").result()

    def submit(self, command: Command) -> Answer:
        return self.house.service.submit(command).result(30)

    def record(self) -> Recorder:
        recorder = Recorder()
        self.house.service.listeners.append(recorder)
        return recorder

    @property
    def runner(self) -> TableRunner:
        return self.house.croupiers[0]

    @property
    def state(self) -> TableState:
        return self.house.service.durable_state(self.plans[0].rules.name)

    def advance(self, steps: int = 1) -> None:
        """Run some steps of the table runner, advancing the clock to each due time."""
        for _ in range(steps):
            self.clock.now = max(self.clock.now, self.runner.step(self.clock.now))

    def _open(self) -> Casino:
        return Casino(self.path, self.plans, self.clock, lambda: START_MS, self.seed, CHIPS)


def open_game(service: TableService, table: str = "t1") -> None:
    begin = service.seeds.chain_to_begin(service.durable_state(table))
    if begin is not None:
        service.submit(begin).result()
    service.submit(OpenGame(table, service.seeds.next_seed(service.durable_state(table)))).result()


def exchanged_casino(path: Path, seed: int | None = 1, **rules: Any) -> tuple[CasinoHarness, str]:
    """Return a casino in whose game ann has exchanged cards, and her exchange."""
    harness = CasinoHarness(path, [plan(challenger="", **rules)], seed)
    harness.chips("ann")
    harness.submit(TakeSeat("t1", "ann", 777_123))
    return harness, play_until_exchange(harness)


def play_until_exchange(harness: CasinoHarness) -> str:
    """Play until ann, the challenger, has exchanged cards; return her exchange."""
    while True:
        running = harness.state.running
        if running is not None and running.waits_for_person:
            legal = hand_message(harness.state, viewer_seat(harness.state, "ann"))["legal"]
            # As many cards as possible: a short text may occur in the file by chance.
            action = max((one for one in legal if one.startswith("X")), key=len, default=None)
            action = action or next(one for one in (*"PA", *legal) if one in legal)
            act = PlayAction("t1", harness.state.turn, "ann", parse_token(action))
            harness.submit(act)
            if action.startswith("X"):
                return str(action)
        else:
            harness.advance()


def lose(path: Path, loss: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(loss).rowcount > 0


def audited(path: Path) -> Report:
    return audit(FileSource(path), workers=1, decide=decide_again)


def log_of(path: Path) -> list[bytes]:
    with closing(open_log(path)) as log:
        return [leaf.body for leaf in log.leaves()]


def leaves_of(path: Path, *kinds: str) -> list[dict[str, Any]]:
    return [leaf for leaf in map(orjson.loads, log_of(path)) if leaf["type"] in kinds]


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
