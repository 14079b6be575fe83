"""Audits: of a whole log, of one game or of one player.

A partial audit replays its games as a whole one does, and proves that the newest signature covers
all leaves concerned. Its report lists what was skipped, and claims nothing about the rest of the
log.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

from casino.audit.check import ERROR, Check, Decide, Finding, Game, count_cents
from casino.audit.checks import store
from casino.audit.jobs import JobRunner, job_runner
from casino.audit.pipeline import AuditPipeline
from casino.audit.source import CHUNK, FileSource, Source, postings_of
from casino.audit.tree import CheckedTree, check_tree
from casino.audit.trusted import (
    NOTHING,
    EvidenceComparison,
    TrustedEvidence,
    compare_evidence,
    find_trusted_key,
)
from casino.errors import CasinoError, FileError, InputError
from casino.events.types import KINDS, Event, GameOpened
from casino.ledger.accounts import spending_account
from casino.ledger.entries import Entry, canonical
from casino.ledger.startup_checks import wrong_balances
from casino.ledger.storage.base import StorageError, StoredLeaf
from casino.ledger.tlog import KeyChain


class Report(NamedTuple):
    """The findings of an audit, and how much of the log it covered.

    `signed` is the number of leaves under a valid signature, `key` the id of the trusted key, and
    `key_from` its origin. `known` names the evidence compared with the log. `witnessed` is how many
    leaves enough witnesses have cosigned (None if no witness was given). `unchecked` describes what
    a partial audit has skipped.
    """

    leaves: int
    games: int
    entries: int
    findings: list[Finding]
    root: str
    signed: int = 0
    key: str = ""
    key_from: str = ""
    known: tuple[str, ...] = ()
    witnessed: int | None = None
    unchecked: str = ""

    @property
    def is_clean(self) -> bool:
        """Whether there are no errors; warnings and notes are allowed."""
        return all(finding.severity != ERROR for finding in self.findings)

    def json(self) -> dict[str, Any]:
        """Return a JSON-ready dict; `unchecked` is included only if it is not empty."""
        findings = [finding.json() for finding in self.findings]
        values = self._asdict() | {"findings": findings, "known": list(self.known)}
        if not self.unchecked:
            del values["unchecked"]
        return values


MAX_UNPUBLISHED: Final = 20  # games reported because no signature was kept after them

_SMALL: Final = 1 << 16  # up to this many leaves, one process is faster than several

Progress = Callable[[int], object]


def audit(
    source: Source,
    progress: Progress = lambda _: None,
    workers: int | None = None,
    decide: Decide | None = None,
    elsewhere: TrustedEvidence = NOTHING,
) -> Report:
    """Audit a whole log; if a damaged page ends the audit, a finding names the page."""
    audited = WholeAudit(source, decide, elsewhere)
    is_small = isinstance(source, FileSource) and source.size <= _SMALL
    count = 1 if is_small else workers or os.cpu_count() or 1
    try:
        with source.snapshot(), job_runner(count) as jobs:
            return audited.run(jobs, progress)
    except Exception as error:
        # A damaged page may cause any error: if a page is damaged, report that instead.
        is_said = isinstance(error, CasinoError) and not isinstance(error, StorageError)
        damage = [] if is_said else store.find_damage(source)
        if not damage:
            raise
        return audited.report(damage)


class WholeAudit:
    """An audit of a whole log, and what it has found so far."""

    def __init__(self, source: Source, decide: Decide | None, elsewhere: TrustedEvidence) -> None:
        self.source = source
        self.elsewhere = elsewhere
        self.pipeline = AuditPipeline(decide)
        self.trusted, self.pipeline.findings = find_trusted_key(source, elsewhere.key)
        self.tree = CheckedTree(0, b"", 0, [])
        self.compared = EvidenceComparison((), None, [])

    def run(self, jobs: JobRunner, progress: Progress) -> Report:
        """Run all checks; `progress` gets the number of leaves in each chunk once it is checked."""
        source, pipeline = self.source, self.pipeline
        pipeline.jobs = jobs
        # The tree takes the longest, so start it first.
        keys, add_findings = self.trusted.keys, pipeline.add_findings
        tree = jobs.start(check_tree, source.reopener(), keys)
        pages: list[Callable[[], list[Finding]]] = []
        if isinstance(source, FileSource):
            opener, checks = source.location.open_queries, store.integrity_checks(source.location)
            checks = store.check_answers, *checks
            pages = [jobs.start(store.check_store, opener, check) for check in checks]
        try:
            for leaves, _ in source.chunks():
                pipeline.feed(leaves)
                progress(len(leaves))
                if pipeline.is_full:
                    self.tree = tree()
                    return self.report([])
        except StorageError:
            # The report covers what could be read.
            pipeline.drain()
            self.tree = tree()
            self.compared = compare_evidence(source, keys, self.elsewhere)
            pipeline.findings += self.compared.findings
            raise
        self.tree = tree()
        add_findings(self.tree.findings)
        pipeline.finish()
        add_findings(
            pipeline.ledger.compare_corrections(lambda numbers: postings_of(numbers, source.rows()))
        )
        self.compared = compare_evidence(source, keys, self.elsewhere)
        pipeline.findings += self.compared.findings
        pipeline.findings += [finding for get in pages for finding in get()]
        if isinstance(source, FileSource):
            pipeline.findings += self._check_beside(source)
        return self.report(self._check_signed())

    def report(self, findings: list[Finding]) -> Report:
        """Return the report so far, with these findings added."""
        pipeline, tree, trusted = self.pipeline, self.tree, self.trusted
        return Report(
            tree.size,
            pipeline.games,
            pipeline.ledger.entries,
            # After an error, checks of the store run twice.
            list(dict.fromkeys([*pipeline.findings, *findings])),
            tree.root.hex(),
            tree.signed,
            trusted.key.key_id.hex(),
            trusted.origin,
            self.compared.names,
            self.compared.witnessed,
        )

    def _check_beside(self, source: FileSource) -> Iterator[Finding]:
        log = source.log
        if source.newest is None:
            yield Finding("signed", store.NOT_SIGNED)
        yield from islice(store.check_published(log), MAX_UNPUBLISHED)
        for text in wrong_balances(log, self.pipeline.ledger.all_balances()):
            yield Finding("balances", text)
        running = self.pipeline.running.unfinished()
        yield from store.check_open_subjects(log, running)
        yield from store.check_secrets(log, running)

    def _check_signed(self) -> list[Finding]:
        """Report the leaves that no verified signature covers (L15)."""
        tree = self.tree
        missing = tree.size - tree.signed
        if not missing:
            return []
        subject = "the last leaf is" if missing == 1 else f"the last {missing} leaves are"
        text = f"{subject} not signed: only {tree.signed} of {tree.size} are"
        return [Finding("signed", text, tree.signed)]


_MOST: Final = 20

ONE_GAME: Final = (
    "only this game was checked, not its seed chain, balances, grants or answers, nor leaves of the"
    " game elsewhere in the log"
)
ONE_PLAYER: Final = (
    "only this player was checked: not the seed chains of their games, other players' balances,"
    " nor whether their grants were due"
)


def audit_game(
    source: Source, game: str, decide: Decide | None = None, elsewhere: TrustedEvidence = NOTHING
) -> Report:
    """Audit one game; raise `InputError` if the log has no game with this name."""

    def is_wanted(leaf: Event) -> bool:
        return leaf.kind == "terms" or leaf.subject == game

    audited = PartialAudit(source, is_wanted, lambda played: played.name == game, decide)
    audited.run(source.rows(game), ())
    if not audited.games and not audited.findings:
        raise InputError(f"the log has no finished game {game!r}: check its table and number")
    return audited.report(ONE_GAME, elsewhere)


def audit_player(
    source: Source, player: str, decide: Decide | None = None, elsewhere: TrustedEvidence = NOTHING
) -> Report:
    """Audit the games in which a player bet or sat, and the player's limits and balance.

    Raises `InputError` if the log does not name the player.
    """
    wallet = spending_account(player)

    def is_named(leaf: Event) -> bool:
        return getattr(leaf, "player", None) == player or (
            isinstance(leaf, GameOpened) and player in (leaf.players.house, leaf.players.challenger)
        )

    def is_wanted(leaf: Event) -> bool:
        moves = isinstance(leaf, Entry) and wallet in dict(leaf.postings)
        return moves or leaf.kind == "terms" or is_named(leaf)

    def wants_game(game: Game) -> bool:
        return any(is_named(row.leaf) for row in game.rows)

    audited = PartialAudit(source, is_wanted, wants_game, decide)
    audited.run(source.rows(), ("limits",))
    if not audited.findings and all(leaf.kind == "terms" for leaf in audited.leaves.values()):
        raise InputError(f"the log has no player {player!r}: write the name exactly")
    if isinstance(source, FileSource):
        entries = (leaf for leaf in audited.leaves.values() if isinstance(leaf, Entry))
        cents = sum(dict(entry.postings).get(wallet, 0) for entry in entries)
        stored = source.log.balance(wallet)
        if stored != cents:
            text = f"{wallet} holds {count_cents(stored)}, but its entries make {cents:,}"
            audited.findings.append(Finding("balances", text))
    return audited.report(ONE_PLAYER, elsewhere)


class PartialAudit(Check):
    """An audit of the leaves and games that `wants` and `wants_game` select."""

    name = "wanted"

    def __init__(
        self,
        source: Source,
        wants: Callable[[Event], bool],
        wants_game: Callable[[Game], bool],
        decide: Decide | None,
    ) -> None:
        self.source = source
        self.leaves: dict[int, Event] = {}
        self.games = 0
        self.entries = 0
        self.findings: list[Finding] = []
        self._own: set[int] = set()
        self._wants = wants
        self._wants_game = wants_game
        self._decide = decide
        self.handlers = dict.fromkeys(KINDS.values(), self._keep)

    def _keep(self, number: int, leaf: Event) -> tuple[()]:
        if self._wants(leaf):
            self.leaves[number] = leaf
            self._own.add(number)
        return ()

    def on_game(self, game: Game) -> tuple[()]:
        """Keep the leaves of a game that will be replayed, so that they can be proved."""
        if self._wants_game(game):
            self.games += 1
            self.entries += sum(row.leaf.kind == "entry" for row in game.rows)
            self.leaves |= dict(game.rows)
        return ()

    def run(self, leaves: Iterator[StoredLeaf], only: Collection[str]) -> None:
        """Feed the leaves to the checks named in `only`, and replay the selected games."""
        pipeline = AuditPipeline(self._decide, only, self._wants_game)
        pipeline.add_check(self)
        try:
            while chunk := list(islice(leaves, CHUNK)):
                pipeline.feed(chunk)
        except StorageError as error:
            self.findings.append(Finding("leaves", f"leaves cannot be read: {error}"))
            self.findings += store.find_damage(self.source)
        pipeline.finish()
        # `LimitsCheck` follows all players: drop the findings about the others' bets and limits.
        self.findings += (
            finding
            for finding in pipeline.findings
            if finding.check != "limits" or finding.leaf in self._own
        )

    def report(self, unchecked: str, elsewhere: TrustedEvidence) -> Report:
        """Prove the leaves, compare the log with the evidence, and return all findings."""
        source = self.source
        trusted, findings = find_trusted_key(source, elsewhere.key)
        with source.snapshot():
            compared = compare_evidence(source, trusted.keys, elsewhere)
            signed, unproved = self._prove(trusted.keys)
        return Report(
            len(self.leaves),
            self.games,
            self.entries,
            [*self.findings, *findings, *compared.findings, *unproved],
            "",
            signed,
            trusted.key.key_id.hex(),
            trusted.origin,
            compared.names,
            compared.witnessed,
            unchecked,
        )

    def _prove(self, keys: KeyChain) -> tuple[int, list[Finding]]:
        note = self.source.signed_head()
        if note is None:
            return 0, [Finding("signed", store.NOT_SIGNED)]
        try:
            signed = keys.open(note)
        except FileError as error:
            return 0, [Finding("checkpoints", f"the newest signature: {error}")]
        try:
            leaves = [StoredLeaf(number, canonical(leaf)) for number, leaf in self.leaves.items()]
            lost = self.source.unproved(signed, leaves)
        except (FileError, StorageError) as error:
            text = f"the leaves cannot be proved: {error}"
            return 0, [Finding("signed", text), *store.find_damage(self.source)]
        text = f"this leaf is not covered by the root of the {signed.size} signed leaves"
        findings = [Finding("signed", text, number) for number in lost[:_MOST]]
        return len(self.leaves) - len(lost), findings
