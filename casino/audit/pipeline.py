"""The audit: one ordered list of checks, and one pass over the log that feeds them.

Each event goes to the checks that handle its type. Once a game has ended, it goes to the checks of
whole games, and another process replays it. Memory grows only with accounts and unfinished games.
"""

from __future__ import annotations

import gc
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

import msgspec

from casino.audit.check import (
    ERROR,
    NOTE,
    WARNING,
    Check,
    Decide,
    Finding,
    Game,
    GameLeaf,
    Handler,
    RunningGames,
    table_of,
)
from casino.audit.checks.game import check_game
from casino.audit.checks.grants import GrantsCheck
from casino.audit.checks.ledger import LedgerCheck
from casino.audit.checks.limits import LimitsCheck
from casino.audit.checks.log import LeafRulesCheck, OrderCheck
from casino.audit.checks.poules import PoulesCheck
from casino.audit.checks.seats import SeatsCheck
from casino.audit.checks.seed_chains import SeedChainsCheck
from casino.audit.checks.table_rules import TableRulesCheck
from casino.audit.checks.timing import TimingCheck
from casino.audit.checks.voids import VoidsCheck
from casino.audit.checks.withholding import WithholdingCheck
from casino.events.types import (
    KINDS,
    CutLate,
    Event,
    GameOpened,
    GameOver,
    GameVoid,
    decode_canonical,
    is_poule,
    read_any,
)
from casino.ledger.entries import BROKEN, Entry, canonical
from casino.simulate.executor import spawn_context, uninterrupted

# Starts a job, and returns a function that waits for its result and returns it.
StartJob: TypeAlias = Callable[..., Callable[[], Any]]

# Findings kept per severity. An audit stops after this many errors, because the log is known to be
# bad. Warnings and notes must not stop it, or a log full of them could hide its errors.
MAX_FINDINGS: Final = {ERROR: 1000, WARNING: 200, NOTE: 200}

_TOGETHER: Final = 512  # leaves decoded per call, twice as fast as one by one
_BATCH: Final = 16  # games sent to another process together
_MAX_WAITING: Final = 48  # batches being checked: enough for dozens of processes

# A late contribution may follow the end of its game.
_OF_GAMES: Final = frozenset(
    kind for kind in KINDS.values() if "game" in kind.__struct_fields__ and kind is not CutLate
)
_ENDS: Final = (GameOver, GameVoid)


class PipelineState(msgspec.Struct):
    """A pipeline's findings and counts, and the state of each check by name."""

    games: int = 0
    left_out: int = 0
    findings: list[Finding] = []
    checks: dict[str, msgspec.Raw] = {}


class AuditPipeline:
    """The checks of one audit, to which the leaves of the log are fed in order.

    A partial audit runs only the checks named in `only`, and replays the games that `wants_game`
    selects. Table settings are always followed, because other checks depend on them.
    """

    def __init__(
        self,
        decide: Decide | None,
        only: Collection[str] | None = None,
        wants_game: Callable[[Game], bool] = lambda _: True,
    ) -> None:
        self.start_job: StartJob = run_here
        self.findings: list[Finding] = []
        self.kept: Counter[str] = Counter()
        self.left_out = 0
        self.games = 0
        self.running = RunningGames()
        self.rules = TableRulesCheck()
        self.ledger = LedgerCheck(self.running)
        self.order = OrderCheck(self.running)
        seats = SeatsCheck(self.rules.in_force)
        self.checks: list[Check] = []
        self._decide = decide
        self._wants_game = wants_game
        self._batch: list[Game] = []
        self._waiting: deque[Callable[[], list[Finding]]] = deque()
        self._handlers: dict[type, list[Handler]] = {kind: [] for kind in KINDS.values()}
        self._game_handlers: list[Callable[[Game], Iterable[Finding]]] = []
        for check in (
            self.running,
            self.order,
            LeafRulesCheck(),
            self.ledger,
            SeedChainsCheck(),
            self.rules,
            seats,
            PoulesCheck(self.rules, seats, self.running),
            GrantsCheck(self.ledger, self.rules),
            LimitsCheck(self.rules.day_cents),
            TimingCheck(),
            WithholdingCheck(self.rules, self.running, decide),
            VoidsCheck(self.rules, decide),
        ):
            if only is None or check.name in only:
                self.add_check(check)
        if self.rules not in self.checks:
            for event in self.rules.handlers:
                self._handlers[event].append(self._follow_rules)

    def add_check(self, check: Check) -> None:
        """Add a check to the end of the list."""
        self.checks.append(check)
        for event, handler in check.handlers.items():
            self._handlers[event].append(handler)
        if type(check).on_game is not Check.on_game:
            self._game_handlers.append(check.on_game)

    def feed(self, leaves: Sequence[tuple[Any, ...]]) -> None:
        """Check the next leaves of the log, given as rows that begin with number and bytes."""
        for start in range(0, len(leaves), _TOGETHER):
            chunk = leaves[start : start + _TOGETHER]
            events = decode_canonical([row[1] for row in chunk])
            # One malformed leaf fails the whole chunk, which is then decoded leaf by leaf.
            self._fold(chunk, events or [self._read(*row[:2]) for row in chunk])

    def drain(self) -> None:
        """Wait until all games that have ended are checked."""
        self._start_batch()
        self._receive(0)

    def finish(self) -> None:
        """Add the findings that depend on the end of the log, such as unfinished games."""
        for name, rows in self.running.rows.items():
            self._check_game(name, rows)
        self.drain()
        for check in self.checks:
            self.add_findings(check.finish())
        self.add_findings(self.totals())

    def totals(self) -> Iterator[Finding]:
        """Yield the findings from statistics over many games: withholding and voids."""
        for check in self.checks:
            yield from check.statistics()
        if self.left_out:
            yield Finding("more", f"{self.left_out} more are not listed", severity=NOTE)

    def add_findings(self, findings: Iterable[Finding]) -> None:
        """Add findings, but keep at most `MAX_FINDINGS`, because a monitor runs for years."""
        for finding in findings:
            if self.kept[finding.severity] < MAX_FINDINGS[finding.severity]:
                self.findings.append(finding)
                self.kept[finding.severity] += 1
            else:
                self.left_out += 1

    @property
    def is_full(self) -> bool:
        """Whether the maximum number of errors has been reached, so that the audit can stop."""
        return self.kept[ERROR] >= MAX_FINDINGS[ERROR]

    def state(self) -> PipelineState:
        """Return the findings and the state of every check."""
        encode = msgspec.json.encode
        checks = {check.name: msgspec.Raw(encode(check.state())) for check in self.checks}
        return PipelineState(self.games, self.left_out, self.findings, checks)

    def resume(self, state: PipelineState) -> None:
        """Continue from a saved state."""
        self.games, self.left_out, self.findings = state.games, state.left_out, state.findings
        self.kept = Counter(finding.severity for finding in state.findings)
        for check in self.checks:
            # A state saved by an older program lacks the newer checks, which then start empty.
            if check.name in state.checks:
                check.resume(state.checks[check.name])

    def _follow_rules(self, number: int, leaf: Any) -> Iterable[Finding]:
        """Keep track of the tables' settings, but drop the findings about them."""
        for _ in self.rules.on_event(number, leaf):
            pass
        return ()

    def _read(self, number: int, body: bytes) -> Event | None:
        try:
            event = read_any(body)
        except BROKEN as error:
            text = f"these bytes are not a leaf: {error}"
            self.add_findings([Finding("leaves", text, number)])
            return None
        if canonical(event) != body:
            text = "the bytes are not canonical JSON"
            self.add_findings([Finding("leaves", text, number)])
        return event

    def _fold(self, leaves: Iterable[tuple[Any, ...]], events: Iterable[Any]) -> None:
        games, handlers = self.running, self._handlers
        for row, event in zip(leaves, events, strict=True):
            if event is None:
                continue
            number, kind = row[0], type(event)
            # The entry that pays a game follows its last event.
            if games.ending and (kind is not Entry or event.game != games.ending):
                self._end_game()
            if kind in _OF_GAMES and (game := event.game) is not None:
                rows = games.rows.get(game)
                if rows is None:
                    rows = [] if is_poule(game) else games.rows.setdefault(game, [])
                rows.append(GameLeaf(number, event))
                if kind in _ENDS:
                    games.ending = game
                    self.games += 1
            elif kind is CutLate and self.running.is_open(event.game):
                games.rows[event.game].append(GameLeaf(number, event))
            for handler in handlers[kind]:
                findings = handler(number, event)
                if findings:
                    self.add_findings(findings)
            if games.ending and kind is Entry and event.part == event.parts:
                self._end_game()

    def _end_game(self) -> None:
        games = self.running
        game, games.ending = games.ending, ""
        self._check_game(game, games.rows.pop(game))

    def _check_game(self, name: str, rows: Sequence[GameLeaf]) -> None:
        opened = rows[0].leaf
        table = opened.table if type(opened) is GameOpened else table_of(name)
        game = Game(name, rows, tuple(self.rules.settings(table)))
        for handler in self._game_handlers:
            self.add_findings(handler(game))
        if self._wants_game(game):
            self._batch.append(game)
            if len(self._batch) == _BATCH:
                self._start_batch()
                self._receive(_MAX_WAITING)

    def _start_batch(self) -> None:
        batch, self._batch = self._batch, []
        if batch:
            self._waiting.append(self.start_job(check_games, batch, self._decide))

    def _receive(self, waiting: int) -> None:
        """Add findings in order, and not as soon as possible: reports must not depend on speed."""
        while len(self._waiting) > waiting:
            self.add_findings(self._waiting.popleft()())


def check_games(games: Iterable[Game], decide: Decide | None) -> list[Finding]:
    """Replay games, and return the findings."""
    return [
        finding
        for game in games
        for finding in check_game(game.name, game.rows, game.terms, decide)
    ]


def run_here(work: Callable[..., Any], *args: Any) -> Callable[[], Any]:
    """Run a job at once, in this process; return a function that returns its result."""
    result = work(*args)
    return lambda: result


@contextmanager
def job_runner(workers: int) -> Iterator[StartJob]:
    """Provide a function that runs jobs in `workers` other processes, or in this one if that is 1.

    All pause the garbage collector: decoded leaves contain no cycles, so looking for cycles would
    only cost time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        if workers == 1:
            yield run_here
        else:
            with uninterrupted():
                pool = spawn_context().Pool(workers, gc.disable)
            with pool:
                yield lambda work, *args: pool.apply_async(work, args).get
    finally:
        if was_enabled:
            gc.enable()
