"""The audit: ranges of the log checked side by side, joined in order, then the tables beside.

Memory stays flat however long the log is: what is kept between ranges is the tree's frontier,
the accounts that are not empty, and the games that are not over.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Final, Protocol, TypeVar

from casino.audit import tables
from casino.audit.batch import LAST, SIZE_LEVEL, Job, Outcome, check_batch
from casino.audit.bots import Decide
from casino.audit.cuts import Chains, check_late, check_silence
from casino.audit.findings import WARNING, Finding, Report
from casino.audit.games import Row, check_game
from casino.audit.known import NOTHING, Compared, Elsewhere, check_known
from casino.audit.look_ups import MODULUS, alone, check_answers, check_look_ups, span_of, weight
from casino.audit.money import Correction, Rebuilt
from casino.audit.own_limits import check_limits
from casino.audit.sources import ExportSource, FileSource
from casino.audit.terms import Terms
from casino.audit.trust import Trusted, trusted_key
from casino.bank.merkle import Frontier, Hash, fold
from casino.events.kinds import SeedChain, TermsSet

MOST_FINDINGS: Final = 1000
"""An audit stops noting after so many: by then the file is known to be bad."""

MOST_VOIDS: Final = 3
"""So many games of a table may be void, or one in a hundred, before an audit speaks of it."""

Progress = Callable[[int], None]
Item = TypeVar("Item")
Result = TypeVar("Result")


class Audit:
    """An audit under way: ranges come in order, what they hand on is joined."""

    def __init__(self, decide: Decide | None, games: bool = True) -> None:
        self.decide = decide
        self.with_games = games
        self.findings: list[Finding] = []
        self.tree = Frontier()
        self.tail: list[Hash] = []
        self.size = 0
        self.signed = 0
        self.entries = 0
        self.games = 0
        self.weight = 0
        self.answers = 0
        self.money = Rebuilt()
        self.limited: set[str] = set()
        self.bettors: set[str] = set()
        self.running: dict[str, list[Row]] = {}
        self.corrected: set[int] = set()
        self.corrections: list[Correction] = []
        self.voids: Counter[str] = Counter()
        self.terms = Terms()
        self.chains = Chains()
        self.late: list[Row] = []
        self.silent: list[str] = []
        self.at = 0

    def join(self, outcome: Outcome) -> None:
        """Take in the next range."""
        self.findings += outcome.findings
        self._join_tree(outcome)
        self.findings += self.money.join(outcome.courses, outcome.covers)
        self.limited |= outcome.limited
        self.bettors |= outcome.bettors
        first, last = outcome.entries
        if first is not None:
            if first != self.entries + 1:
                text = f"entry {first} follows entry {self.entries}"
                self.findings.append(Finding("entries", text, entry=first))
            self.entries = last
        if outcome.leaves and outcome.span[0] < self.at:
            self.findings.append(Finding("leaves", "time goes back", outcome.first))
        self.at = max(self.at, outcome.span[1])
        self.games += outcome.games
        self.weight = (self.weight + outcome.weight) % MODULUS
        self.answers = (self.answers + outcome.answers) % MODULUS
        self.voids.update(game.rpartition("-")[0] for game in outcome.voids)
        self._join_corrections(outcome)
        self._join_games(outcome)

    def finish(self) -> None:
        """What can only be said at the end."""
        for game, rows in self.running.items():
            self._count_span(game, rows)
            self.findings += check_game(game, rows, self.decide)
        total = sum(self.money.balances.values())
        if total:
            self.findings.append(Finding("balances", f"all balances sum to {total}, not to 0"))
        over_games = self.unfinished()
        for account, cents in self.money.balances.items():
            kind, _, game = account.rpartition("/")[0].partition("/")
            if kind == "escrow" and game not in over_games:
                text = f"{account} still holds {cents} cents, but its game is over"
                self.findings.append(Finding("escrow", text, game=game))
        self._check_voids()

    def unfinished(self) -> set[str]:
        """The games that have come to no end."""
        return {game for game, rows in self.running.items() if not _ended(rows)}

    def root(self) -> Hash:
        """The root of the leaves so far."""
        return fold([*self.tree.hashes, *self.tail])

    def _join_tree(self, outcome: Outcome) -> None:
        """Checkpoints of the range, now that the tree to its left is known."""
        for size, part, root in outcome.signed:
            if fold([*self.tree.hashes, part]) != root:
                text = f"checkpoint {size} does not have the root of the leaves"
                self.findings.append(Finding("checkpoints", text, size - 1))
            else:
                self.signed = max(self.signed, size)
        self.size += outcome.leaves
        if outcome.leaves == 1 << SIZE_LEVEL:
            self.tree.append(outcome.subtrees[0])
        else:
            self.tail = outcome.subtrees

    def _join_corrections(self, outcome: Outcome) -> None:
        """An entry is corrected once at most."""
        for correction in outcome.corrections:
            if correction.number in self.corrected:
                text = f"entry {correction.number} is corrected a second time"
                self.findings.append(
                    Finding("rules", text, correction.leaf, entry=correction.number)
                )
            self.corrected.add(correction.number)
        self.corrections += outcome.corrections

    def _join_games(self, outcome: Outcome) -> None:
        """Games that reach over the end of a range; each the next of its table, by its terms."""
        for number, leaf in outcome.openings:
            if not isinstance(leaf, SeedChain):
                self.findings += self.terms.take(number, leaf)
            if not isinstance(leaf, TermsSet):
                self.findings += self.chains.take(number, leaf)
        self.late += outcome.late
        self.silent += outcome.silent
        for game, rows in outcome.open_games.items():
            self.running.setdefault(game, []).extend(rows)
        last = outcome.first + outcome.leaves - 1
        for game in [game for game, rows in self.running.items() if _ended(rows)]:
            row = self.running[game][-1]
            # The entry that pays it may come first in the next range.
            if row.n != last or row.leaf.kind not in LAST:
                rows = self.running.pop(game)
                self._count_span(game, rows)
                self.findings += check_game(game, rows, self.decide)

    def _count_span(self, game: str, rows: list[Row]) -> None:
        """Count the row that finds the leaves of a game."""
        last = rows[-1].n if _ended(rows) else None
        self.weight = (self.weight + weight([span_of(game, rows[0].n, last)])) % MODULUS

    def _check_voids(self) -> None:
        """A void game is a veto: more than a few are worth knowing (L18)."""
        for table, void in sorted(self.voids.items()):
            played = self.terms.numbers.get(table, 0)
            if void > MOST_VOIDS and void * 100 > played:
                text = f"{void} of {played} games of table {table} are void: ask why"
                self.findings.append(Finding("voids", text, severity=WARNING))


def audit(
    source: FileSource | ExportSource,
    progress: Progress | None = None,
    workers: int | None = None,
    games: bool = True,
    decide: Decide | None = None,
    elsewhere: Elsewhere = NOTHING,
    key: Path | str | None = None,
) -> Report:
    """Audit a whole log, and the tables beside it if it is the casino's file."""
    state = Audit(decide, games)
    with source.moment(), _mapping(workers or os.cpu_count() or 1, source) as run:
        trusted, findings = trusted_key(source, key)
        state.findings += findings
        # One process looks at all pages, which takes longest, so that it begins first.
        whole = run(tables.check_file, _files(source))
        ranges = run(check_range, source.jobs(trusted.keys, games, decide))
        for outcome in ranges:
            state.join(outcome)
            if progress is not None:
                progress(outcome.leaves)
            if len(state.findings) > MOST_FINDINGS:
                return _report(state, trusted, Compared((), None, []))
        state.finish()
        compared = check_known(source, trusted.keys, elsewhere)
        state.findings += compared.findings
        state.findings += _check_corrections(source, state.corrections)
        state.findings += check_late(source, state.late)
        if decide is not None:
            state.findings += check_silence(source, state.silent, decide)
        state.findings += check_limits(source, state.limited & state.bettors)
        if isinstance(source, FileSource):
            state.findings += chain.from_iterable(whole)
            signed, findings = tables.check_newest(source, trusted.keys, state.size, state.root())
            state.signed = max(state.signed, signed)
            state.findings += findings
            state.findings += tables.check_accounts(source.log, state.money.balances)
            state.findings += check_answers(source.log, state.answers)
            if games:
                state.weight += weight(alone(source.log, [(row.n, row.leaf) for row in state.late]))
                due = state.weight % MODULUS
                state.findings += check_look_ups(source.log, due, state.unfinished())
                state.findings += tables.check_secrets(source.log, state.unfinished())
        state.findings += _check_signed(state)
    return _report(state, trusted, compared)


def check_range(job: Job) -> Outcome:
    """Read a range and check it; its thousands of leaves are no garbage to be looked through."""
    looking = gc.isenabled()
    gc.disable()
    try:
        return check_batch(job)
    finally:
        if looking:
            gc.enable()


def _report(state: Audit, trusted: Trusted, compared: Compared) -> Report:
    """What the audit came to."""
    return Report(
        state.size,
        state.games,
        state.entries,
        state.root().hex(),
        state.findings[:MOST_FINDINGS],
        state.signed,
        trusted.key_id,
        trusted.origin,
        compared.names,
        compared.witnessed,
    )


def _check_signed(state: Audit) -> Iterator[Finding]:
    """Every leaf is under a signature (L15)."""
    missing = state.size - state.signed
    if missing:
        what = "the last leaf is" if missing == 1 else f"the last {missing} leaves are"
        text = f"{what} not signed: only {state.signed} of {state.size} are"
        yield Finding("signed", text, state.signed)


def _files(source: FileSource | ExportSource) -> list[tables.FileJob]:
    """The checks of the file as a whole; an export has none."""
    return tables.file_jobs(source.path) if isinstance(source, FileSource) else []


def _check_corrections(
    source: FileSource | ExportSource, corrections: Iterable[Correction]
) -> Iterator[Finding]:
    """Each correction undoes the entry it names, to the cent."""
    for leaf, number, postings in corrections:
        due = sorted((account, -cents) for account, cents in source.entry(number))
        if sorted(postings) != due:
            text = f"the correction does not undo entry {number}"
            yield Finding("entries", text, leaf, entry=number)


def _ended(rows: list[Row]) -> bool:
    """Whether a game has come to an end."""
    return any(row.leaf.kind in LAST for row in rows[-2:])


class Run(Protocol):
    """A way to have work done for each of some items, its results in their order."""

    def __call__(
        self, work: Callable[[Item], Result], items: Iterable[Item], /
    ) -> Iterator[Result]:
        """The results."""


@contextmanager
def _mapping(workers: int, source: FileSource | ExportSource) -> Iterator[Run]:
    """A way to check ranges: here, or side by side if there is more than one."""
    small = isinstance(source, FileSource) and source.size <= 1 << SIZE_LEVEL
    if workers == 1 or small:
        yield map
        return
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        yield pool.imap
