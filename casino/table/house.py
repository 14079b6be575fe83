"""Many tables in one casino, for a night: open the bank, take every table up where it stands.

Live, every table runs in a thread of its own. A night without people (`headless`) goes round the
tables in a fixed order, so that with a seed and a simulated clock the same night comes again,
leaf for leaf.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from casino import fairness
from casino.bank.bank import LEAST_FREE_BYTES, Bank, grant
from casino.bank.files import DEFAULT_NAME
from casino.bank.transaction import Answer
from casino.bank.writer import GREATEST_GROUP, Clock
from casino.events.kinds import GameSettled, GameVoid
from casino.fairness.vault import fresh_nonce
from casino.table.clerk import Clerk, Happening, Listener, Restored
from casino.table.commands import SetTerms
from casino.table.croupier import Croupier
from casino.table.foresight import foresight
from casino.table.rules import Pace, TableRules
from casino.table.seeds import Seeds, load_master
from casino.table.spectators import Spectators, names

START_MS: Final = 1_700_000_000_000
TURN_MS: Final = 1_000
HOUSE_CENTS: Final = 100_000_000
"""When a simulated night begins, and how much later each turn at a table is."""

LONG_NIGHT: Final = 100
"""From so many games on a second process is worth its start."""

RARELY: Final = (100_000, 50, 1_000)
"""After how many new objects a headless night looks for garbage, and for older garbage."""

Turns: TypeAlias = Iterator[list[Future[Answer]]]


class TablePlan(NamedTuple):
    """A table of the house: its rules, its pace, its simulated spectators."""

    rules: TableRules
    pace: Pace = Pace()
    spectators: int = 0
    habits: tuple[str, ...] = ("flat",)
    least_cents: int = 100
    greatest_cents: int = 1_000
    bankroll_cents: int = 100_000


class SimulatedClock:
    """A clock that goes on only when it is told to."""

    def __init__(self, now: int = START_MS) -> None:
        self.now = now

    def __call__(self) -> int:
        """The time."""
        return self.now


def _raise(error: Exception) -> None:
    """Have a thread end with its error."""
    raise error


class House(Listener):
    """The open casino: its bank, its clerk, a croupier for each table."""

    def __init__(
        self,
        path: Path,
        plans: Sequence[TablePlan],
        clock: Clock,
        bank_clock: Clock | None = None,
        seed: int | None = None,
        chips_cents: int = HOUSE_CENTS,
        name: str = DEFAULT_NAME,
        least_free_bytes: int = LEAST_FREE_BYTES,
        chain_length: int = fairness.CHAIN_LENGTH,
    ) -> None:
        self.clock = clock
        crowd_seed, master = _secrets(path, seed)
        rules = [plan.rules._replace(pace=plan.pace) for plan in plans]
        self.clerk = Clerk(rules, clock, Seeds(master, fresh_nonce, chain_length))
        self.clerk.listeners.append(self)
        self.finished = 0
        self._woken = {plan.rules.name: threading.Event() for plan in plans}
        self._threads: list[threading.Thread] = []
        self._closing = threading.Event()
        self._on_fault: Callable[[Exception], None]
        self.clerk.bank = Bank(
            path,
            bank_clock or clock,
            name,
            watch=self.clerk,
            least_free_bytes=least_free_bytes,
            # What happens to be stored together must not show in a night that can be repeated.
            greatest_group=GREATEST_GROUP if seed is None else 1,
        )
        grant(self.clerk.bank, "house", chips_cents, "house.opening").result()
        for one in rules:
            self.clerk.submit(SetTerms(one.name, one)).result()
        self.croupiers: list[Croupier] = []
        for plan in plans:
            named = sum(len(croupier.names) for croupier in self.croupiers)
            crowd = _crowd(plan, named, crowd_seed)
            croupier = Croupier(self.clerk, plan.rules.name, crowd, plan.bankroll_cents)
            self.croupiers.append(croupier)

    def happened(self, happening: Happening) -> None:
        """Wake the croupier, and count the games that are over."""
        woken = self._woken[happening.after.rules.name]
        if not woken.is_set():
            woken.set()
        if isinstance(happening.event, (GameSettled, GameVoid)):
            self.finished += 1

    def restored(self, tables: Mapping[str, Restored]) -> None:
        """Wake all croupiers: what they wait for is numbered anew."""
        for woken in self._woken.values():
            woken.set()

    def headless(self, games: int | None, after_turn: Callable[[], None] = lambda: None) -> None:
        """Play so many games in all, those under way among them, as fast as they get durable."""
        running = [c for c in self.croupiers if self.clerk.state(c.table).running is not None]
        opened = count(len(running) + 1)

        def may_open() -> bool:
            return games is None or next(opened) <= games

        with rare_collections(), foresight(games is None or games >= LONG_NIGHT) as foreseen:
            turns = [croupier.play(may_open, foreseen) for croupier in self.croupiers]
            _take_turns(turns, after_turn)

    def open_doors(self, on_fault: Callable[[Exception], None] = _raise) -> None:
        """Run every table live, each in a thread of its own, until `close`.

        `on_fault` is told, in that thread, why a table cannot go on.
        """
        self._on_fault = on_fault
        for croupier in self.croupiers:
            woken = self._woken[croupier.table]
            thread = threading.Thread(
                target=self._run, args=(croupier, woken), name=f"croupier-{croupier.table}"
            )
            self._threads.append(thread)
            thread.start()

    def close(self) -> None:
        """Stop the tables where they are, finish what waits and close the bank."""
        self._closing.set()
        for woken in self._woken.values():
            woken.set()
        for thread in self._threads:
            thread.join()
        self.clerk.bank.close()

    def _run(self, croupier: Croupier, woken: threading.Event) -> None:
        """Look at a table whenever something is due there or has happened."""
        while not self._closing.is_set():
            woken.clear()
            now = self.clock()
            try:
                due = croupier.step(now)
            except Exception as error:  # noqa: BLE001 - whatever it is, the table stands still
                self._on_fault(error)
                return
            woken.wait(max(0, due - now) / 1000)


def simulated(
    path: Path,
    plans: Sequence[TablePlan],
    seed: int,
    games: int | None,
    chips_cents: int = HOUSE_CENTS,
    name: str = DEFAULT_NAME,
) -> int:
    """A night that comes again with its seed, leaf for leaf, the log's own key aside.

    How many games were finished.
    """
    clock = SimulatedClock()
    house = House(path, plans, clock, lambda: START_MS, seed, chips_cents, name)

    def later() -> None:
        clock.now += TURN_MS

    try:
        house.headless(games, later)
    finally:
        house.close()
    return house.finished


@contextmanager
def rare_collections() -> Iterator[None]:
    """Look for garbage seldom: a night makes many objects, and next to none that go in circles."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def _take_turns(turns: Iterable[Turns], after_turn: Callable[[], None]) -> None:
    """Let each table take its turn, once what it waits for is durable."""
    going: list[tuple[Turns, list[Future[Answer]]]] = [(turn, []) for turn in turns]
    while going:
        still = []
        for turn, waiting in going:
            for future in waiting:
                future.result()
            after_turn()
            following = next(turn, None)
            if following is not None:
                still.append((turn, following))
        going = still


def _secrets(path: Path, seed: int | None) -> tuple[bytes, Callable[[], bytes]]:
    """The seed of the spectators and the master secret, which is read when it is needed."""
    if seed is None:
        return fairness.fresh_seed(), lambda: load_master(path)
    return (
        sha256(f"{seed}|spectators".encode()).digest(),
        lambda: sha256(f"{seed}|master".encode()).digest(),
    )


def _crowd(plan: TablePlan, named: int, seed: bytes) -> Spectators:
    """The spectators of a table, so many of other tables having been named before."""
    return Spectators(
        names(named, plan.spectators), plan.habits, plan.least_cents, plan.greatest_cents, seed
    )
