"""Audit a log: check ranges in parallel, join them in order, then check the stored tables.

Memory does not grow with the log: between ranges only the tree's frontier, the non-empty accounts
and the unfinished games are kept.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing import get_context
from pathlib import Path
from threading import Event, Semaphore
from typing import Final, Protocol, TypeVar

from casino.audit.checks import store
from casino.audit.checks.bots import Decide
from casino.audit.checks.game import GameLeaf, check_game
from casino.audit.checks.grants import GrantsCheck
from casino.audit.checks.ledger import Correction, RunningBalances, SplitEntries, check_correction
from casino.audit.checks.limits import LimitsCheck, check_limits
from casino.audit.checks.seats import SeatsCheck
from casino.audit.checks.seed_chains import RunningGames, SeedChainsCheck
from casino.audit.checks.table_rules import TableRulesCheck
from casino.audit.checks.timing import GameWaits, TimingCheck, measure_waits
from casino.audit.checks.voids import VoidsCheck, read_void
from casino.audit.checks.withholding import LAST, WithholdingCheck, has_ended, unrevealed_leaves
from casino.audit.damaged_pages import FaultTolerantReader, check_range
from casino.audit.range import SIZE_LEVEL, RangeOutcome
from casino.audit.report import ERROR, NOTE, WARNING, Finding, Report
from casino.audit.source import ExportSource, FileSource
from casino.audit.trusted import (
    NOTHING,
    EvidenceComparison,
    TrustedEvidence,
    TrustedKeys,
    compare_evidence,
    find_trusted_key,
)
from casino.errors import CasinoError
from casino.events.types import (
    BookLocked,
    GameOpened,
    GameOver,
    GameVoid,
    SeatChanged,
    SeedChain,
    TermsSet,
)
from casino.ledger.storage.base import StorageError
from casino.ledger.tlog.key_rotation import KeyChain
from casino.ledger.tlog.merkle import Frontier, Hash, fold

# Findings kept per severity. An audit stops after this many errors, because the log is known to be
# bad. Warnings and notes must not stop it, or a log full of them could hide its errors.
MOST: Final[Mapping[str, int]] = {ERROR: 1000, WARNING: 200, NOTE: 200}

MAX_UNPUBLISHED: Final = 20  # games reported for want of a kept signature

Progress = Callable[[int], None]


class AuditPipeline:
    """State of an audit, which merges the outcomes of the ranges in their order."""

    def __init__(self, decide: Decide | None, games: bool = True) -> None:
        self.decide = decide
        self.with_games = games
        self.findings: list[Finding] = []
        self.kept: Counter[str] = Counter()
        self.left_out = 0
        self.tree = Frontier()
        self.tail: list[Hash] = []
        self.size = 0
        self.signed = 0
        self.hides = False
        self.entries = 0
        self.games = 0
        self.money = RunningBalances()
        self.limited: set[str] = set()
        self.bettors: set[str] = set()
        self.everybody = LimitsCheck()
        self.running: dict[str, list[GameLeaf]] = {}
        self.corrected: set[int] = set()
        self.corrections: list[Correction] = []
        self.pieces = SplitEntries()
        self.terms = TableRulesCheck()
        self.grants = GrantsCheck()
        self.chains = SeedChainsCheck()
        self.turns = RunningGames()
        self.seats = SeatsCheck(self.terms.in_force)
        self.silences = WithholdingCheck(self.terms, decide)
        self.voids = VoidsCheck()
        self.paces = TimingCheck()
        self.rests_at = -1
        self.at = 0

    def join(self, outcome: RangeOutcome) -> None:
        """Join the outcome of the next range, which must directly follow the last one."""
        self.add_findings(outcome.findings)
        self._join_tree(outcome)
        # -1: set in an earlier range, so before all grants of this one.
        terms = [
            (-1, terms_set)
            for table_terms in self.terms.laid_down.values()
            for terms_set in table_terms
        ]
        terms += [(n, leaf) for n, leaf in outcome.openings if isinstance(leaf, TermsSet)]
        self.add_findings(self.grants.check_range(outcome.issued, self.money.balances, terms))
        self.add_findings(self.money.join(outcome.courses, outcome.covers))
        end = outcome.first + outcome.leaves
        self.rests_at, outside = outcome.runs.find_outside(self.rests_at, end)
        self.add_findings(outside)
        self.limited |= outcome.limited
        new = {name: n for name, n in outcome.bettors.items() if name not in self.bettors}
        self.add_findings(self.grants.check_bettors(new))
        self.bettors |= new.keys()
        first, last = outcome.entries
        if first is not None:
            if first != self.entries + 1:
                text = f"entry {first} follows entry {self.entries}"
                self.add_findings([Finding("entries", text, entry=first)])
            self.entries = last
        if outcome.leaves and outcome.span[0] < self.at:
            self.add_findings([Finding("leaves", "time goes back", outcome.first)])
        self.at = max(self.at, outcome.span[1])
        self.games += outcome.games
        self.voids.add(outcome.voids, outcome.won)
        self._join_corrections(outcome)
        if self.with_games:
            self._join_games(outcome)
            self._join_late(outcome)
        self.add_findings(self.everybody.check_range(outcome.acts, self.terms.day_cents))

    def finish(self) -> None:
        """Add the findings that depend on the end of the log, such as unfinished games."""
        waits = [
            wait for game, rows in self.running.items() for wait in self._check_game(game, rows)
        ]
        self.add_findings(self.paces.check_next(waits))
        self.add_findings(self.pieces.finish())
        total = sum(self.money.balances.values())
        if total:
            self.add_findings([Finding("balances", f"all balances sum to {total}, not to 0")])
        over_games = self.unfinished()
        for account, cents in self.money.balances.items():
            kind, _, game = account.rpartition("/")[0].partition("/")
            if kind == "escrow" and game not in over_games:
                text = f"{account} still holds {cents} cents, but its game is over"
                self.add_findings([Finding("escrow", text, game=game)])
        self.add_findings(self.silences.finish())
        self.add_findings(self.totals())

    def add_findings(self, findings: Iterable[Finding]) -> None:
        """Add findings, but keep at most `MOST` per severity, because a monitor runs for years."""
        for finding in findings:
            if self.kept[finding.severity] < MOST[finding.severity]:
                self.findings.append(finding)
                self.kept[finding.severity] += 1
            else:
                self.left_out += 1

    def totals(self) -> Iterator[Finding]:
        """Yield the findings from statistics over many games: withholding and voids."""
        if self.decide is not None:
            yield from self.silences.totals()
        yield from self.voids.totals(self.terms.numbers)
        if self.left_out:
            yield Finding("more", f"{self.left_out} more are not listed", severity=NOTE)

    def unfinished(self) -> set[str]:
        """Return the games that have not ended."""
        return {game for game, rows in self.running.items() if not has_ended(rows)}

    def root(self) -> Hash:
        """Return the root of the tree over all leaves joined so far."""
        return fold([*self.tree.hashes, *self.tail])

    def _join_tree(self, outcome: RangeOutcome) -> None:
        # Once a range's hash is unknown, no later root can be verified.
        self.hides |= outcome.hides
        for size, part, root in () if self.hides else outcome.signed:
            if fold([*self.tree.hashes, part]) != root:
                text = f"checkpoint {size} does not have the root of the leaves"
                self.add_findings([Finding("checkpoints", text, size - 1)])
            else:
                self.signed = max(self.signed, size)
        self.size += outcome.leaves
        if outcome.leaves == 1 << SIZE_LEVEL:
            self.tree.append(outcome.subtrees[0])
        else:
            self.tail = outcome.subtrees

    def _join_corrections(self, outcome: RangeOutcome) -> None:
        self.add_findings(self.pieces.add(outcome.pieces))
        for correction in (*outcome.corrections, *self.pieces.take_corrections()):
            number, text, severity = correction.number, "is undone by the house", WARNING
            if number in self.corrected:
                text, severity = "is corrected a second time", ERROR
            text = f"entry {number} {text}"
            self.add_findings([Finding("rules", text, correction.leaf, None, number, severity)])
            self.corrected.add(number)
            self.corrections.append(correction)

    def _join_games(self, outcome: RangeOutcome) -> None:
        for number, leaf in outcome.openings:
            if isinstance(leaf, GameOpened | GameOver | GameVoid):
                self.add_findings(self.turns.check_next(number, leaf))
            if isinstance(leaf, GameOpened | TermsSet | BookLocked):
                self.add_findings(self.terms.check_next(number, leaf))
            if isinstance(leaf, SeedChain | GameOpened):
                self.add_findings(self.chains.check_next(number, leaf))
            if isinstance(leaf, GameOpened | GameOver | GameVoid | SeatChanged):
                self.add_findings(self.seats.check_next(number, leaf))
        for game, rows in outcome.open_games.items():
            self.running.setdefault(game, []).extend(rows)
        last = outcome.first + outcome.leaves - 1
        waits = list(outcome.waits)
        for game in [game for game, rows in self.running.items() if has_ended(rows)]:
            row = self.running[game][-1]
            # The entry that pays the game may be the first leaf of the next range.
            if row.n != last or not _may_go_on(row):
                waits += self._check_game(game, self.running.pop(game))
        self.add_findings(self.paces.check_next(waits))

    def _join_late(self, outcome: RangeOutcome) -> None:
        for game, rows in outcome.shut.items():
            self.add_findings(self.silences.add_game(game, rows))
        for row in outcome.late:
            game = row.leaf.game
            if game in self.running:
                self.running[game].append(row)
                continue
            self.add_findings(self.silences.check_late(row))
        self.add_findings(self.silences.advance_to(self.at))

    def _check_game(self, game: str, rows: list[GameLeaf]) -> list[GameWaits]:
        """Check a joined game; return its waiting times, which are checked in log order."""
        terms = list(self.terms.all_settings())
        self.add_findings(check_game(game, rows, terms, self.decide))
        shut, void = unrevealed_leaves(rows), read_void(game, rows, terms, self.decide)
        if shut and has_ended(rows):
            self.add_findings(self.silences.add_game(game, shut))
        self.voids.add([] if void is None else [void], Counter())
        waited = measure_waits(game, rows, terms)
        return [] if waited is None else [waited]


def audit(
    source: FileSource | ExportSource,
    progress: Progress | None = None,
    workers: int | None = None,
    games: bool = True,
    decide: Decide | None = None,
    elsewhere: TrustedEvidence = NOTHING,
    key: Path | str | None = None,
) -> Report:
    """Audit a whole log and, if it is a casino's file, the data derived from the log."""
    state = AuditPipeline(decide, games)
    try:
        return _audited(state, source, progress, workers, elsewhere, key)
    except Exception as error:
        # Damaged pages may cause any error: if there are any, report them instead of the error.
        is_said = isinstance(error, CasinoError) and not isinstance(error, StorageError)
        damage = [] if is_said else store.find_damage(source)
        if not damage:
            raise
        return Report(state.size, state.games, state.entries, "", [*state.findings, *damage])


def _audited(
    state: AuditPipeline,
    source: FileSource | ExportSource,
    progress: Progress | None,
    workers: int | None,
    elsewhere: TrustedEvidence,
    key: Path | str | None,
) -> Report:
    # One range is checked faster without starting other processes.
    small = isinstance(source, FileSource) and source.size <= 1 << SIZE_LEVEL
    count = 1 if small else workers or os.cpu_count() or 1
    with source.snapshot(), worker_pool(count) as run:
        trusted, findings = find_trusted_key(source, key)
        state.findings += findings
        # Checking all pages occupies one process for the longest time, so start it first.
        whole = run(store.check_store, store.store_checks(source))
        ranges = run(check_range, source.jobs(trusted.keys, state.with_games, state.decide))
        for outcome in ranges:
            state.join(outcome)
            if progress is not None:
                progress(outcome.leaves)
            if state.kept[ERROR] >= MOST[ERROR]:
                return _report(state, trusted, EvidenceComparison((), None, []))
        state.finish()
        compared = compare_evidence(source, trusted.keys, elsewhere)
        state.findings += compared.findings
        spare = FaultTolerantReader(state.findings)
        spare("corrections", lambda: _check_corrections(source, state.corrections))
        bound = state.bettors if state.terms.limit_days else state.limited & state.bettors
        spare("limits", lambda: check_limits(source.about, bound, state.terms.day_cents))
        if isinstance(source, FileSource):
            state.findings += chain.from_iterable(whole)
            _check_beside(state, source, trusted.keys, spare)
        state.findings += _check_signed(state)
    return _report(state, trusted, compared)


def _check_beside(
    state: AuditPipeline, source: FileSource, keys: KeyChain, spare: FaultTolerantReader
) -> None:
    log = source.log
    spare("the signature over all leaves", lambda: _check_newest(state, source, keys))
    spare("checkpoints", lambda: islice(store.check_published(log), MAX_UNPUBLISHED))
    spare("balances", lambda: store.check_accounts(log, state.money.balances))
    if state.with_games:
        running = state.unfinished()
        spare("running games", lambda: store.check_open_subjects(log, running))
        spare("secrets", lambda: store.check_secrets(log, running))


def _check_newest(state: AuditPipeline, source: FileSource, keys: KeyChain) -> list[Finding]:
    if state.hides:
        return []
    signed, findings = store.check_signed_head(source, keys, state.size, state.root())
    state.signed = max(state.signed, signed)
    return findings


def _report(state: AuditPipeline, trusted: TrustedKeys, compared: EvidenceComparison) -> Report:
    return Report(
        state.size,
        state.games,
        state.entries,
        "" if state.hides else state.root().hex(),
        state.findings,
        state.signed,
        trusted.key_id,
        trusted.origin,
        compared.names,
        compared.witnessed,
    )


def _check_signed(state: AuditPipeline) -> Iterator[Finding]:
    """Report the leaves that no verified signature covers (L15)."""
    missing = state.size - state.signed
    if state.hides:
        text = f"leaves cannot be read, so that only {state.signed} of {state.size} are proved"
        yield Finding("signed", text, state.signed)
    elif missing:
        subject = "the last leaf is" if missing == 1 else f"the last {missing} leaves are"
        text = f"{subject} not signed: only {state.signed} of {state.size} are"
        yield Finding("signed", text, state.signed)


def _check_corrections(
    source: FileSource | ExportSource, corrections: Iterable[Correction]
) -> Iterator[Finding]:
    for leaf, number, postings in corrections:
        yield from check_correction(leaf, number, postings, source.entry(number))


def _may_go_on(row: GameLeaf) -> bool:
    leaf = row.leaf
    return leaf.kind in LAST or (leaf.kind == "entry" and leaf.part != leaf.parts)


Item = TypeVar("Item")
Result = TypeVar("Result")


class WorkRunner(Protocol):
    """An ordered map, which may run in parallel."""

    def __call__(
        self, work: Callable[[Item], Result], items: Iterable[Item], /
    ) -> Iterator[Result]:
        """Yield the results in the order of the items."""


@contextmanager
def worker_pool(workers: int) -> Iterator[WorkRunner]:
    """Provide a map over `workers` processes, or within this process if `workers` is 1."""
    if workers == 1:
        yield map
        return
    with get_context("spawn").Pool(workers) as pool:
        yield pool.imap


@contextmanager
def bounded_worker_pool(workers: int) -> Iterator[WorkRunner]:
    """Provide a `worker_pool` that takes only a few items in advance, to save memory."""
    room, over = Semaphore(2 * workers), Event()

    def fed(items: Iterable[Item]) -> Iterator[Item]:
        for item in items:
            room.acquire()
            if over.is_set():
                return
            yield item

    with worker_pool(workers) as beside:

        def run(work: Callable[[Item], Result], items: Iterable[Item], /) -> Iterator[Result]:
            for result in beside(work, fed(items)):
                room.release()
                yield result

        try:
            yield run
        finally:
            # Closing the pool joins the thread that reads ahead, so wake it if it waits for room.
            over.set()
            room.release(2 * workers)
