"""The running casino, which opens the ledger and runs the tables.

In live play every table has its own thread. In headless play tables take turns in a fixed order, so
that a seed and a simulated clock reproduce a night leaf for leaf.
"""

from __future__ import annotations

import gc
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from concurrent.futures import Future
from contextlib import closing, contextmanager
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from casino import fairness
from casino.ecarte import SEATS
from casino.errors import InputError, RefusalReason, Refused
from casino.events.types import BetAccepted, GameOver, GameVoid, GrantTerms, TermsSet, decode
from casino.ledger.ledger import MIN_FREE_BYTES, Ledger, grant
from casino.ledger.side_files import DEFAULT_NAME
from casino.ledger.storage.location import LogLocation, as_location
from casino.ledger.transaction import Answer
from casino.ledger.writer import MAX_GROUP_SIZE, Clock
from casino.table.domain.commands import UNKNOWN_TABLE, SetTableSettings, Stands
from casino.table.domain.settings import GrantPolicy, TableSettings
from casino.table.domain.state import Transition
from casino.table.runtime.headless import planner
from casino.table.runtime.seed_chains import SeedKeeper, load_former_master, load_master
from casino.table.runtime.service import EventListener, RestoredTable, TableService
from casino.table.runtime.simulated_bettors import SimulatedBettors, names
from casino.table.runtime.table_runner import TURNS_AHEAD, TableRunner

START_MS: Final = 1_700_000_000_000
TURN_MS: Final = 1_000  # start of a simulated night, and the length of a turn in it

CHIPS: Final = GrantPolicy()

REFILL: Final = "refill"
PERSONS_CHIPS: Final = ("opening chips", REFILL)  # reasons for grants to people, never to bots

LONG_NIGHT: Final = 100  # number of games from which a second process pays off

# Games per commit of a headless night, over all tables; at least one per table.
GAMES_A_ROUND: Final = 16

MAX_STOP_SECONDS: Final = 10  # time for a table to stop

RARELY: Final = (100_000, 50, 1_000)  # garbage collection thresholds of a headless night

GAMES_ORDERED: Final = RefusalReason(
    "games_ordered",
    "unavailable",
    "{table} is playing games without pauses: wait until they are over",
)

HouseTurns: TypeAlias = Iterator[list[Future[Answer]]]


class TablePlan(NamedTuple):
    """Configuration of a table: its settings and its simulated bettors."""

    rules: TableSettings
    spectators: int = 0
    habits: tuple[str, ...] = ("flat",)
    least_cents: int = 100
    greatest_cents: int = 1_000
    bankroll_cents: int = 100_000


class SimulatedClock:
    """Clock whose time changes only when `now` is set."""

    def __init__(self, now: int = START_MS) -> None:
        self.now = now

    def __call__(self) -> int:
        """Return the simulated time in milliseconds."""
        return self.now


class Casino(EventListener):
    """An open casino, with its ledger, its table service and a runner for each table.

    `hosted_plan` describes the simulated bettors at hosted tables. The settings of these tables and
    their numbers of bettors come from the log.
    """

    def __init__(
        self,
        where: Path | LogLocation,
        plans: Sequence[TablePlan],
        clock: Clock,
        bank_clock: Clock | None = None,
        seed: int | None = None,
        chips: GrantPolicy = CHIPS,
        name: str = DEFAULT_NAME,
        least_free_bytes: int = MIN_FREE_BYTES,
        chain_length: int = fairness.CHAIN_LENGTH,
        hosted_plan: TablePlan | None = None,
    ) -> None:
        self.clock = clock
        self.chips = chips
        path = as_location(where).path
        crowd_seed, master = _derive_secrets(path, seed)
        rules = [plan.rules for plan in plans]
        self.service = TableService(
            rules,
            clock,
            SeedKeeper(master, chain_length, lambda: load_former_master(path)),
            lambda service: Ledger(
                where,
                bank_clock or clock,
                name,
                watch=service,
                least_free_bytes=least_free_bytes,
                # Group sizes depend on timing, which must not affect the log of a seeded night.
                max_group_size=MAX_GROUP_SIZE if seed is None else 1,
            ),
        )
        self.service.listeners.append(self)
        self.finished = 0
        # The writer's thread adds hosted tables, and the thread of a closed one removes it.
        self._runners: dict[str, TableRunner] = {}
        self._threads: list[threading.Thread] = []
        self._crowd_seed = crowd_seed
        self._hosted_plan = hosted_plan or TablePlan(TableSettings(""))
        self._on_fault: Callable[[Exception], None] | None = None  # set while the tables run
        self._closing = threading.Event()
        self.seats: list[tuple[str, str, str]] = [
            (rule_set.name, seat, getattr(rule_set, seat)) for rule_set in rules for seat in SEATS
        ]
        try:
            self._check_names(rules)
        except InputError:
            self.service.ledger.close()
            raise
        bankrolls = (plan.bankroll_cents for plan in (*plans, *filter(None, [hosted_plan])))
        self._publish_grants(max(bankrolls, default=0))
        for rule_set in rules:
            self.service.submit(SetTableSettings(rule_set.name, rule_set)).result()
        for plan in plans:
            self._add_runner(plan)
        for state in self.service.durable_states():
            if state.rules.hosted is not None:
                self._add_runner(self._plan_of(state.rules))

    @property
    def croupiers(self) -> list[TableRunner]:
        """The runners of all tables that are not over."""
        return list(self._runners.values())

    def _add_runner(self, plan: TablePlan) -> TableRunner:
        used = {name for runner in self.croupiers for name in runner.crowd.names}
        crowd = _crowd(plan, used, self._crowd_seed)
        runner = TableRunner(self.service, plan.rules.name, crowd, plan.bankroll_cents)
        self._runners[runner.table] = runner
        return runner

    def _plan_of(self, rules: TableSettings) -> TablePlan:
        assert rules.hosted is not None
        return self._hosted_plan._replace(rules=rules, spectators=rules.hosted.spectators)

    def _check_names(self, rules: Sequence[TableSettings]) -> None:
        """Refuse tables named like hosted ones, and bots named like people with granted chips."""
        for name in (rule_set.name for rule_set in rules):
            if self.service.durable_state(name).newest_settings.hosted is not None:
                raise InputError(f"[tables.{name}]: {name} was hosted here: use another name")
        with closing(self.service.ledger.reader()) as log:
            self.refuse_namesakes(
                lambda bot: any(log.last_grant(bot, reason) for reason in PERSONS_CHIPS)
            )

    def refuse_namesakes(self, is_person: Callable[[str], bool]) -> None:
        """Raise `InputError` if a bot has a person's name, because they would share a wallet."""
        for table, seat, bot in self.seats:
            if is_person(bot):
                raise InputError(
                    f"table {table}, {seat}: a person here is called {bot}: choose another bot"
                )

    def _publish_grants(self, spectator_cents: int) -> None:
        """Log the grant policy if it is new; at the first start, issue the house's chips."""
        ledger = self.service.ledger
        terms = GrantTerms(**self.chips._asdict(), spectator_cents=spectator_cents)
        with closing(ledger.reader()) as log:
            policies = [decode(leaf.body) for leaf in log.of_kinds([terms.kind])]
        if not policies or policies[-1] != replace(terms, at=policies[-1].at):
            ledger.submit(lambda transaction: {"leaf": transaction.log(terms)}).result()
        try:
            grant(ledger, "house", self.chips.bank_cents, "house.opening").result()
        except Refused as refusal:
            # Already issued at the first start, when the settings had another amount.
            if refusal.code != "id_reused":
                raise

    def on_event(self, happening: Transition) -> None:
        """Wake the table's runner, or start one for a new table; count finished games."""
        rules = happening.after.rules
        runner = self._runners.get(rules.name)
        if runner is None:
            # Other events are the settings of configured tables at the start, and contributions
            # that arrive after the end of a closed table.
            if isinstance(happening.event, TermsSet) and rules.hosted is not None:
                self._start(self._add_runner(self._plan_of(rules)))
        # `set` takes a lock even if the flag is set already.
        elif not runner.woken.is_set():
            runner.woken.set()
        if isinstance(happening.event, (GameOver, GameVoid)):
            self.finished += 1

    def on_restored(self, tables: Mapping[str, RestoredTable]) -> None:
        """Wake all runners, because the tables have new turn numbers."""
        for runner in self.croupiers:
            runner.woken.set()

    def run_headless(
        self, games: int | None, after_turn: Callable[[], None] = lambda: None
    ) -> None:
        """Play `games` games without pauses, including those in progress; None means no limit.

        Hosted tables only finish a running game, because a person may be expected there.
        """
        for runner in self.croupiers:
            if self.service.durable_state(runner.table).rules.hosted is not None:
                runner.stands = "paused"
        running = [
            c for c in self.croupiers if self.service.durable_state(c.table).running is not None
        ]
        opened = count(len(running) + 1)

        def may_open() -> bool:
            return games is None or next(opened) <= games

        with rare_collections(), planner(games is None or games >= LONG_NIGHT) as foreseen:
            # A commit holds about as many games with one table as with many.
            games_a_turn = -(-GAMES_A_ROUND // len(self.croupiers))
            turns = [runner.play(may_open, games_a_turn, foreseen) for runner in self.croupiers]
            self._take_turns(turns, after_turn)

    def _take_turns(self, turns: Sequence[HouseTurns], after_turn: Callable[[], None]) -> None:
        """Play rounds of one turn per table; a round is one commit."""
        going, pending = turns, deque[list[Future[Answer]]]()
        while going:
            still: list[HouseTurns] = []
            waiting: list[Future[Answer]] = []
            with self.service.ledger.batch():
                for turn in going:
                    after_turn()
                    asked = next(turn, None)
                    if asked is not None:
                        still.append(turn)
                        waiting += asked
            pending.append(waiting)
            # Rounds that are still being stored keep the writer busy.
            while len(pending) > (TURNS_AHEAD if still else 0):
                for future in pending.popleft():
                    future.result()
            going = still

    def start_tables(self, on_fault: Callable[[Exception], None]) -> None:
        """Run each table in its own thread, which calls `on_fault` with the error that stops it."""
        self._on_fault = on_fault
        for runner in self.croupiers:
            self._start(runner)

    def _start(self, runner: TableRunner) -> None:
        if self._on_fault is not None:
            name, arguments = f"croupier-{runner.table}", (runner, self._on_fault)
            # A daemon, because an operator's own bot may think for minutes while the casino closes.
            thread = threading.Thread(target=self._run, args=arguments, name=name, daemon=True)
            self._threads = [*filter(threading.Thread.is_alive, self._threads), thread]
            thread.start()

    def set_table_state(self, table: str, how: Stands) -> None:
        """Open, pause or close a table until the program exits; the state is not stored."""
        runner = self.runner(table)
        runner.stands = how
        runner.woken.set()

    def order_games(self, table: str, games: int) -> range:
        """Play the next games at a table without pauses, and return their numbers.

        Only one table does so at a time. The order ends early if the table closes, a person takes
        the seat, or a game is refused.
        """
        busy = [runner.table for runner in self.croupiers if runner.ordered]
        if busy:
            raise Refused(GAMES_ORDERED, table=busy[0])
        runner = self.runner(table)
        first = self.service.durable_state(table).number + 1
        runner.ordered = range(first, first + games)
        runner.woken.set()
        return runner.ordered

    def ordered_games(self, table: str) -> range:
        """Return the numbers of the games that a table is playing without pauses."""
        runner = self._runners.get(table)
        return range(0) if runner is None else runner.ordered

    def plays_at_once(self, table: str) -> bool:
        """Return True while a whole game of the table is being committed."""
        runner = self._runners.get(table)
        return runner is not None and runner.plays_at_once

    def runner(self, table: str) -> TableRunner:
        """Return the runner of a table; raise `Refused` if there is none."""
        # A closed table's runner is gone, although the last events may not be published yet.
        runner = self._runners.get(table)
        if runner is None:
            raise Refused(UNKNOWN_TABLE, table=table[:40])
        return runner

    def close(self) -> None:
        """Stop the tables, finish all queued commands and close the ledger."""
        self._closing.set()
        for runner in self.croupiers:
            runner.woken.set()
        for thread in self._threads:
            thread.join(MAX_STOP_SECONDS)
        # Last, because a closed ledger refuses commands.
        self.service.ledger.close()

    def _run(self, runner: TableRunner, on_fault: Callable[[Exception], None]) -> None:
        while not self._closing.is_set():
            # Cleared before the step, so that an event during it is not missed.
            runner.woken.clear()
            now = self.clock()
            try:
                next_step = runner.step(now)
            except Exception as error:  # noqa: BLE001 - any error stops the table
                on_fault(error)
                return
            if self.service.durable_state(runner.table).is_over:
                del self._runners[runner.table]
                self.service.seeds.forget(runner.table)
                return
            # While the disk fails, every attempt to write reopens the file and wakes all tables, so
            # ignore wake-ups, or the tables would retry without a pause.
            bell = runner.woken if self.service.ledger.is_writable else self._closing
            bell.wait(max(0, next_step - now) / 1000)


class NightCounts(EventListener):
    """Counts bets, and games by result; calls `game_ended` with the number of games so far."""

    def __init__(self, game_ended: Callable[[int], object]) -> None:
        self._game_ended = game_ended
        self.faults = set[str]()  # types of the errors with which bots failed
        self.results = {"house": 0, "challenger": 0, "void": 0}
        self.bets = 0
        self.units_cents = 0

    @property
    def games(self) -> int:
        """The number of games that have ended."""
        return sum(self.results.values())

    def on_event(self, happening: Transition) -> None:
        """Count the end of a game, or a bet."""
        event = happening.event
        if isinstance(event, BetAccepted):
            self.bets += 1
            self.units_cents += event.unit_cents
        elif isinstance(event, (GameOver, GameVoid)):
            self.results[event.winner if isinstance(event, GameOver) else "void"] += 1
            if isinstance(event, GameVoid) and event.fault:
                self.faults.add(event.fault)
            self._game_ended(self.games)


def run_simulated(
    where: Path | LogLocation,
    plans: Sequence[TablePlan],
    seed: int,
    games: int | None,
    chips: GrantPolicy = CHIPS,
    name: str = DEFAULT_NAME,
    listener: EventListener | None = None,
) -> int:
    """Play a night reproducible from `seed`, except the log's key; return the number of games."""
    clock = SimulatedClock()
    house = Casino(where, plans, clock, lambda: START_MS, seed, chips, name)
    if listener is not None:
        house.service.listeners.append(listener)

    def later() -> None:
        clock.now += TURN_MS

    with closing(house):
        house.run_headless(games, later)
    return house.finished


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collect garbage rarely, as few objects form cycles; this speeds games up by a sixth."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def _derive_secrets(path: Path, seed: int | None) -> tuple[bytes, Callable[[], bytes]]:
    """Return the simulated bettors' seed, and a function that reads the master secret."""
    if seed is None:
        return fairness.fresh_seed(), lambda: load_master(path)
    return (
        sha256(f"{seed}|spectators".encode()).digest(),
        lambda: sha256(f"{seed}|master".encode()).digest(),
    )


def _crowd(plan: TablePlan, used: Set[str], seed: bytes) -> SimulatedBettors:
    free = [name for name in names(len(used) + plan.spectators) if name not in used]
    bettors = free[: plan.spectators]
    return SimulatedBettors(bettors, plan.habits, plan.least_cents, plan.greatest_cents, seed)
