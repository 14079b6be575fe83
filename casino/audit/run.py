"""The audit: ranges of the log checked side by side, joined in order, then the tables beside.

Memory stays flat however long the log is: what is kept between ranges is the tree's frontier,
the accounts that are not empty, and the games that are not over.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Final, Protocol, TypeVar

from casino.audit import tables
from casino.audit.batch import LAST, SIZE_LEVEL, Outcome, check_batch
from casino.audit.bots import Decide
from casino.audit.findings import Finding, Report
from casino.audit.games import Row, check_game
from casino.audit.known import check_known
from casino.audit.money import Correction, Rebuilt
from casino.audit.own_limits import check_limits
from casino.audit.sources import ExportSource, FileSource, Job
from casino.bank.merkle import Frontier, Hash, fold

MOST_FINDINGS: Final = 1000
"""An audit stops noting after so many: by then the file is known to be bad."""

_NUMBER: Final = re.compile("[0-9]{1,18}")

Progress = Callable[[int], None]
Item = TypeVar("Item")
Result = TypeVar("Result")


class Audit:
    """An audit under way: ranges come in order, what they hand on is joined."""

    def __init__(self, decide: Decide | None) -> None:
        self.decide = decide
        self.findings: list[Finding] = []
        self.tree = Frontier()
        self.tail: list[Hash] = []
        self.size = 0
        self.entries = 0
        self.games = 0
        self.starts = 0
        self.money = Rebuilt()
        self.limited: set[str] = set()
        self.bettors: set[str] = set()
        self.running: dict[str, list[Row]] = {}
        self.numbers: dict[str, int] = {}
        self.at = 0
        self.command = ""

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
        self._join_commands(outcome)
        self._join_games(outcome)

    def finish(self) -> None:
        """What can only be said at the end."""
        for game, rows in self.running.items():
            self.findings += check_game(game, rows, self.decide)
        total = sum(self.money.balances.values())
        if total:
            self.findings.append(Finding("balances", f"all balances sum to {total}, not to 0"))
        over = self.unfinished()
        for account, cents in self.money.balances.items():
            kind, _, game = account.rpartition("/")[0].partition("/")
            if kind == "escrow" and game not in over:
                text = f"{account} still holds {cents} cents, but its game is over"
                self.findings.append(Finding("escrow", text, game=game))

    def unfinished(self) -> set[str]:
        """The games that have come to no end."""
        return {game for game, rows in self.running.items() if not _ended(rows)}

    def report(self) -> Report:
        """What the audit came to so far."""
        root = fold([*self.tree.hashes, *self.tail]).hex()
        return Report(self.size, self.games, self.entries, root, self.findings[:MOST_FINDINGS])

    def _join_tree(self, outcome: Outcome) -> None:
        """Checkpoints of the range, now that the tree to its left is known."""
        for size, part, root in outcome.signed:
            if fold([*self.tree.hashes, part]) != root:
                text = f"checkpoint {size} does not have the root of the leaves"
                self.findings.append(Finding("checkpoints", text, size - 1))
        self.size += outcome.leaves
        if outcome.leaves == 1 << SIZE_LEVEL:
            self.tree.append(outcome.subtrees[0])
        else:
            self.tail = outcome.subtrees

    def _join_commands(self, outcome: Outcome) -> None:
        """Count the commands that have leaves; one may reach over the end of a range."""
        commands = outcome.commands
        if commands and commands[0] == self.command:
            commands = commands[1:]
        self.starts += len(commands)
        self.command = outcome.commands[-1] if outcome.commands else self.command

    def _join_games(self, outcome: Outcome) -> None:
        """Games that reach over the end of a range; numbers that must grow."""
        for game, table, leaf in outcome.opened:
            number = game.removeprefix(f"{table}-")
            if not _NUMBER.fullmatch(number) or int(number) <= self.numbers.get(table, 0):
                text = f"game {game} of table {table} opens after {self.numbers.get(table, 0)}"
                self.findings.append(Finding("games", text, leaf, game))
            else:
                self.numbers[table] = int(number)
        for game, rows in outcome.open_games.items():
            self.running.setdefault(game, []).extend(rows)
        last = outcome.first + outcome.leaves - 1
        for game in [game for game, rows in self.running.items() if _ended(rows)]:
            row = self.running[game][-1]
            # The entry that pays it may come first in the next range.
            if row.n != last or row.leaf.kind not in LAST:
                self.findings += check_game(game, self.running.pop(game), self.decide)


def audit(
    source: FileSource | ExportSource,
    progress: Progress | None = None,
    workers: int | None = None,
    games: bool = True,
    decide: Decide | None = None,
    known: Path | None = None,
) -> Report:
    """Audit a whole log, and the tables beside it if it is the casino's file."""
    state = Audit(decide)
    corrections: list[Correction] = []
    with source.moment(), _mapping(workers or os.cpu_count() or 1, source) as run:
        # One process looks at all pages, which takes longest, so that it begins first.
        whole = run(tables.check_file, _files(source))
        ranges = run(check_range, source.jobs(games, decide))
        answers = run(tables.check_commands, _answers(source))
        for outcome in ranges:
            state.join(outcome)
            corrections += outcome.corrections
            if progress is not None:
                progress(outcome.leaves)
            if len(state.findings) > MOST_FINDINGS:
                return state.report()
        state.finish()
        state.findings += check_known(source, known)
        state.findings += _check_corrections(source, corrections)
        state.findings += check_limits(source, state.limited & state.bettors)
        if isinstance(source, FileSource):
            connection = source.connection
            state.findings += chain.from_iterable(whole)
            state.findings += tables.check_accounts(connection, state.money.balances)
            state.findings += tables.join_answers(answers, state.starts)
            if games:
                state.findings += tables.check_secrets(connection, state.unfinished())
    return state.report()


def check_range(job: Job) -> Outcome:
    """Read a range and check it; its thousands of leaves are no garbage to be looked through."""
    looking = gc.isenabled()
    gc.disable()
    try:
        return check_batch(job.batch())
    finally:
        if looking:
            gc.enable()


def _files(source: FileSource | ExportSource) -> list[tables.FileJob]:
    """The checks of the file as a whole; an export has none."""
    return tables.file_jobs(source.path) if isinstance(source, FileSource) else []


def _answers(source: FileSource | ExportSource) -> list[tables.CommandJob]:
    """The ranges of the answers in the file; an export has none."""
    if not isinstance(source, FileSource):
        return []
    return list(tables.command_jobs(source.path, source.connection))


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
