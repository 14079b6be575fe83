"""Audit a whole log and, if it is a casino's file, the data derived from the log."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Final

from casino.audit.checks import store
from casino.audit.checks.bots import Decide
from casino.audit.jobs import JobQueue, job_queue
from casino.audit.pipeline import AuditPipeline
from casino.audit.report import Finding, Report
from casino.audit.source import FileSource, Source, postings_of
from casino.audit.tree import CheckedTree, check_tree
from casino.audit.trusted import (
    NOTHING,
    EvidenceComparison,
    TrustedEvidence,
    TrustedKeys,
    compare_evidence,
    find_trusted_key,
)
from casino.errors import CasinoError
from casino.ledger.storage.base import StorageError

MAX_UNPUBLISHED: Final = 20  # games reported because no signature was kept after them

_SMALL: Final = 1 << 16  # up to this many leaves, one process is faster than several

Progress = Callable[[int], object]


def audit(
    source: Source,
    progress: Progress = lambda _: None,
    workers: int | None = None,
    decide: Decide | None = None,
    elsewhere: TrustedEvidence = NOTHING,
    key: Path | str | None = None,
) -> Report:
    """Audit a whole log; if a damaged page ends the audit, a finding names the page."""
    audited = WholeAudit(source, decide)
    is_small = isinstance(source, FileSource) and source.size <= _SMALL
    count = 1 if is_small else workers or os.cpu_count() or 1
    try:
        with source.snapshot(), job_queue(count) as jobs, _without_collecting():
            return audited.run(jobs, progress, elsewhere, key)
    except Exception as error:
        # A damaged page may cause any error: if a page is damaged, report that instead.
        is_said = isinstance(error, CasinoError) and not isinstance(error, StorageError)
        damage = [] if is_said else store.find_damage(source)
        if not damage:
            raise
        return audited.report(damage)


class WholeAudit:
    """An audit of a whole log, and what it has found so far."""

    def __init__(self, source: Source, decide: Decide | None) -> None:
        self.source = source
        self.pipeline = AuditPipeline(decide)
        self.tree = CheckedTree(0, b"", 0, [])
        self.trusted: TrustedKeys | None = None
        self.compared = EvidenceComparison((), None, [])

    def run(
        self, jobs: JobQueue, progress: Progress, elsewhere: TrustedEvidence, key: Path | str | None
    ) -> Report:
        """Run all checks; `progress` gets the number of leaves in each chunk once it is checked."""
        source, pipeline = self.source, self.pipeline
        pipeline.jobs = jobs
        self.trusted, findings = find_trusted_key(source, key)
        pipeline.findings += findings
        # The tree takes the longest, so start it first.
        keys, add_findings = self.trusted.keys, pipeline.add_findings
        tree = jobs.start(check_tree, source.reopener(), keys)
        pages: list[Callable[[], list[Finding]]] = []
        if isinstance(source, FileSource):
            opener, checks = source.location.open_queries, store.integrity_checks(source.location)
            checks = store.check_answers, *checks
            pages = [jobs.start(store.check_store, opener, check) for check in checks]
        for leaves, _ in source.chunks():
            pipeline.feed(leaves)
            progress(len(leaves))
            if pipeline.is_full:
                self.tree = tree()
                return self.report([])
        self.tree = tree()
        add_findings(self.tree.findings)
        pipeline.finish()
        add_findings(
            pipeline.ledger.compare_corrections(lambda numbers: postings_of(numbers, source.rows()))
        )
        self.compared = compare_evidence(source, keys, elsewhere)
        pipeline.findings += self.compared.findings
        pipeline.findings += [finding for get in pages for finding in get()]
        if isinstance(source, FileSource):
            pipeline.findings += self._check_beside(source, self.trusted)
        return self.report(self._check_signed())

    def report(self, findings: list[Finding]) -> Report:
        """Return the report so far, with these findings added."""
        pipeline, tree, trusted = self.pipeline, self.tree, self.trusted
        return Report(
            tree.size,
            pipeline.games,
            pipeline.ledger.kept.entries,
            tree.root.hex(),
            [*pipeline.findings, *findings],
            tree.signed,
            trusted.key_id if trusted else "",
            trusted.origin if trusted else "",
            self.compared.names,
            self.compared.witnessed,
        )

    def _check_beside(self, source: FileSource, trusted: TrustedKeys) -> Iterator[Finding]:
        log, tree = source.log, self.tree
        signed, findings = store.check_signed_head(source, trusted.keys, tree.size, tree.root)
        self.tree = tree._replace(signed=max(tree.signed, signed))
        yield from findings
        yield from islice(store.check_published(log), MAX_UNPUBLISHED)
        yield from store.check_accounts(log, self.pipeline.ledger.balances)
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


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Pause the garbage collector: decoded leaves contain no cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
