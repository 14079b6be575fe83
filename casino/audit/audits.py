"""Audits: of a whole log, of one game or of one player.

A partial audit replays its games as a whole one does, and proves that the newest signature covers
all leaves concerned. Its report lists what was skipped, and claims nothing about the rest of the
log.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from typing import Any, Final

import msgspec
from msgspec.structs import asdict

from casino.audit.check import ERROR, Check, Decide, Finding, Game, count_cents
from casino.audit.checks import store
from casino.audit.pipeline import AuditPipeline, job_runner
from casino.audit.source import CHUNK, FileSource, Source, postings_of
from casino.audit.tree import CheckedTree, check_tree
from casino.audit.trusted import (
    NOTHING,
    TrustedEvidence,
    TrustedKeys,
    compare_evidence,
    find_trusted_key,
)
from casino.errors import CasinoError, FileError, InputError
from casino.events.types import KINDS, Event, GameOpened
from casino.ledger.accounts import spending_account
from casino.ledger.entries import Entry, canonical
from casino.ledger.startup_checks import wrong_balances
from casino.ledger.storage.base import StorageError, StoredLeaf


class Report(msgspec.Struct):
    """The findings of an audit, and how much of the log it covered.

    `signed` is the number of leaves under a valid signature, `key` the id of the trusted key, and
    `key_from` its origin. `known` names the evidence compared with the log. `witnessed` is how many
    leaves enough witnesses have cosigned (None if no witness was given). `unchecked` describes what
    a partial audit has skipped.
    """

    leaves: int = 0
    games: int = 0
    entries: int = 0
    findings: list[Finding] = []
    root: str = ""
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
        values = asdict(self) | {"findings": findings, "known": list(self.known)}
        if not self.unchecked:
            del values["unchecked"]
        return values


MAX_UNPUBLISHED: Final = 20  # games reported because no signature was kept after them

_SMALL: Final = 1 << 16  # up to this many leaves, one process is faster than several


def audit(
    source: Source,
    progress: Callable[[int], object] = lambda _: None,
    workers: int | None = None,
    decide: Decide | None = None,
    elsewhere: TrustedEvidence = NOTHING,
) -> Report:
    """Audit a whole log; if a damaged page ends the audit, a finding names the page.

    `progress` gets the number of leaves in each chunk once it is checked.
    """
    pipeline = AuditPipeline(decide)
    trusted, pipeline.findings = find_trusted_key(source, elsewhere.key)
    report = Report(key=trusted.key.key_id.hex(), key_from=trusted.origin)
    is_small = isinstance(source, FileSource) and source.size <= _SMALL
    count = 1 if is_small else workers or os.cpu_count() or 1
    try:
        with source.snapshot(), job_runner(count) as pipeline.start_job:
            for leaves in _audit_whole(source, pipeline, report, trusted, elsewhere):
                progress(leaves)
    except Exception as error:
        # A damaged page may cause any error: if a page is damaged, report that instead.
        is_said = isinstance(error, CasinoError) and not isinstance(error, StorageError)
        damage = [] if is_said else store.find_damage(source)
        if not damage:
            raise
        pipeline.findings += damage
    report.games, report.entries = pipeline.games, pipeline.ledger.entries
    # After an error, checks of the store run twice.
    report.findings = list(dict.fromkeys(pipeline.findings))
    return report


def _audit_whole(
    source: Source,
    pipeline: AuditPipeline,
    report: Report,
    trusted: TrustedKeys,
    elsewhere: TrustedEvidence,
) -> Iterator[int]:
    """Run all checks, add to the report, and yield the number of leaves in each checked chunk."""
    # The tree takes the longest, so start it first.
    get_tree = pipeline.start_job(check_tree, source.reopener(), trusted.keys)
    pages: list[Callable[[], list[Finding]]] = []
    if isinstance(source, FileSource):
        opener, checks = source.location.open_queries, store.integrity_checks(source.location)
        for check in (store.check_answers, *checks):
            pages.append(pipeline.start_job(store.check_store, opener, check))
    damage: StorageError | None = None
    try:
        for leaves, _ in source.chunks():
            pipeline.feed(leaves)
            yield len(leaves)
            if pipeline.is_full:
                break
    except StorageError as error:
        damage = error
    checked: CheckedTree = get_tree()
    size, report.root, signed = checked.tree.size, checked.tree.root().hex(), checked.signed
    report.leaves, report.signed = size, signed
    if damage is not None:
        # The report covers what could be read.
        pipeline.drain()
    elif pipeline.is_full:
        return
    else:
        pipeline.add_findings(checked.findings)
        pipeline.finish()
        pipeline.add_findings(
            pipeline.ledger.compare_corrections(lambda numbers: postings_of(numbers, source.rows()))
        )
    compared = compare_evidence(source, trusted.keys, elsewhere)
    report.known, report.witnessed = compared.names, compared.witnessed
    pipeline.findings += compared.findings
    if damage is not None:
        raise damage
    pipeline.findings += [finding for get in pages for finding in get()]
    if isinstance(source, FileSource):
        pipeline.findings += _check_beside(source, pipeline)
    # No verified signature covers the other leaves (L15).
    if missing := size - signed:
        subject = "the last leaf is" if missing == 1 else f"the last {missing} leaves are"
        text = f"{subject} not signed: only {signed} of {size} are"
        pipeline.findings.append(Finding("signed", text, signed))


def _check_beside(source: FileSource, pipeline: AuditPipeline) -> Iterator[Finding]:
    log = source.log
    if source.newest is None:
        yield Finding("signed", store.NOT_SIGNED)
    yield from islice(store.check_published(log), MAX_UNPUBLISHED)
    for text in wrong_balances(log, pipeline.ledger.all_balances()):
        yield Finding("balances", text)
    running = pipeline.running.unfinished()
    yield from store.check_open_subjects(log, running)
    yield from store.check_secrets(log, running)


_MAX_UNPROVED: Final = 20  # leaves reported because the signed root does not cover them

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
    part = _PartialAudit(lambda leaf: leaf.subject == game, lambda played: played.name == game)
    part.run(source, source.rows(game), (), decide)
    if not part.report.games and not part.report.findings:
        raise InputError(f"the log has no finished game {game!r}: check its table and number")
    return part.prove(source, ONE_GAME, elsewhere)


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
        return is_named(leaf) or (isinstance(leaf, Entry) and wallet in dict(leaf.postings))

    part = _PartialAudit(is_wanted, lambda game: any(is_named(row.leaf) for row in game.rows))
    part.run(source, source.rows(), ("limits",), decide)
    findings = part.report.findings
    if not findings and not part.own:
        raise InputError(f"the log has no player {player!r}: write the name exactly")
    if isinstance(source, FileSource):
        entries = (leaf for leaf in part.leaves.values() if isinstance(leaf, Entry))
        cents = sum(dict(entry.postings).get(wallet, 0) for entry in entries)
        stored = source.log.balance(wallet)
        if stored != cents:
            text = f"{wallet} holds {count_cents(stored)}, but its entries make {cents:,}"
            findings.append(Finding("balances", text))
    return part.prove(source, ONE_PLAYER, elsewhere)


class _PartialAudit(Check):
    """An audit of the games that `wants_game` selects, the leaves that `wants` does, and the terms.

    `own` are the numbers of the leaves that `wants` selects.
    """

    name = "wanted"

    def __init__(self, wants: Callable[[Event], bool], wants_game: Callable[[Game], bool]) -> None:
        self.report = Report()
        self.leaves: dict[int, Event] = {}
        self.own: set[int] = set()
        self._wants = wants
        self._wants_game = wants_game
        self.handlers = dict.fromkeys(KINDS.values(), self._keep)

    def _keep(self, number: int, leaf: Event) -> tuple[()]:
        if self._wants(leaf):
            self.own.add(number)
        if leaf.kind == "terms" or number in self.own:
            self.leaves[number] = leaf
        return ()

    def on_game(self, game: Game) -> tuple[()]:
        """Keep the leaves of a game that will be replayed, so that they can be proved."""
        if self._wants_game(game):
            self.report.games += 1
            self.report.entries += sum(row.leaf.kind == "entry" for row in game.rows)
            self.leaves |= dict(game.rows)
        return ()

    def run(
        self,
        source: Source,
        leaves: Iterator[StoredLeaf],
        only: Collection[str],
        decide: Decide | None,
    ) -> None:
        """Feed the leaves to the checks named in `only`, and replay the selected games."""
        pipeline = AuditPipeline(decide, only, self._wants_game)
        pipeline.add_check(self)
        findings = self.report.findings
        try:
            while chunk := list(islice(leaves, CHUNK)):
                pipeline.feed(chunk)
        except StorageError as error:
            findings.append(Finding("leaves", f"leaves cannot be read: {error}"))
            findings += store.find_damage(source)
        pipeline.finish()
        # `LimitsCheck` follows all players: drop the findings about the others' bets and limits.
        findings += (
            finding
            for finding in pipeline.findings
            if finding.check != "limits" or finding.leaf in self.own
        )

    def prove(self, source: Source, unchecked: str, elsewhere: TrustedEvidence) -> Report:
        """Prove the leaves, compare the log with the evidence, and return the report."""
        report = self.report
        trusted, wrong_keys = find_trusted_key(source, elsewhere.key)
        with source.snapshot():
            compared = compare_evidence(source, trusted.keys, elsewhere)
            report.known, report.witnessed = compared.names, compared.witnessed
            report.findings += [*wrong_keys, *compared.findings, *self._unproved(source, trusted)]
        report.leaves, report.unchecked = len(self.leaves), unchecked
        report.key, report.key_from = trusted.key.key_id.hex(), trusted.origin
        return report

    def _unproved(self, source: Source, trusted: TrustedKeys) -> list[Finding]:
        note = source.signed_head()
        if note is None:
            return [Finding("signed", store.NOT_SIGNED)]
        try:
            signed = trusted.keys.open(note)
        except FileError as error:
            return [Finding("checkpoints", f"the newest signature: {error}")]
        try:
            leaves = [StoredLeaf(number, canonical(leaf)) for number, leaf in self.leaves.items()]
            lost = source.unproved(signed, leaves)
        except (FileError, StorageError) as error:
            text = f"the leaves cannot be proved: {error}"
            return [Finding("signed", text), *store.find_damage(source)]
        self.report.signed = len(self.leaves) - len(lost)
        text = f"this leaf is not covered by the root of the {signed.size} signed leaves"
        return [Finding("signed", text, number) for number in lost[:_MAX_UNPROVED]]
