"""Follow another casino's log from outside (L25): prove each checkpoint, audit each leaf.

Nothing seen is forgotten: a checkpoint must extend the last one, or both are kept as evidence,
signed by the casino itself. The audit's own checks run on games and money as they arrive; memory
grows only with accounts and open games.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Final, NamedTuple

from casino.audit.checks.bots import Decide
from casino.audit.checks.ledger import check_correction
from casino.audit.checks.limits import LimitedPlayers
from casino.audit.damaged_pages import check_range
from casino.audit.pipeline import AuditPipeline, bounded_worker_pool
from casino.audit.range import SIZE, SIZE_LEVEL, LeafRange, RangeOutcome
from casino.audit.report import Finding
from casino.audit.source import TERMS_MARK, ExportJob, stored_leaves
from casino.errors import FileError
from casino.events.codec import decode_or_none
from casino.events.types import LimitSet, TermsSet
from casino.ledger.entries import Entry
from casino.ledger.storage.base import StoredLeaf
from casino.ledger.tlog.cosignature import check_quorum
from casino.ledger.tlog.key_rotation import ROTATED, KeyChain, Link, chain_of, with_rotation
from casino.ledger.tlog.merkle import (
    EMPTY_ROOT,
    Frontier,
    Hash,
    complete_subtrees,
    consistency_proof,
    fold,
    frontier_of,
    inclusion_proof,
    leaf_hash,
    verify_consistency,
    verify_inclusion,
)
from casino.ledger.tlog.note import Checkpoint, PublicKey, open_checkpoint, signatures_by
from casino.ledger.tlog.tiles import WIDTH
from casino.monitor.tile_client import BundleJob, TileClient, UnreachableError

_LIMIT: Final = b'"type":"limit"'
CHECK: Final = "follow"
PROVED_KEPT: Final = 256


class Contradiction(NamedTuple):
    """Two signed notes of which an honest log has one, or a note and what contradicts it."""

    name: str
    text: str
    before: str
    after: str


class MonitoredLog(NamedTuple):
    """All that a monitor knows: the log's keys, its newest proved checkpoint, tree and audit.

    `proved` holds size and root of the last checkpoints, so that an old one is recognised; the tree
    has the leaves that were read, which may be fewer.
    """

    keys: KeyChain
    key_from: str
    note: str
    tree: RangeTree
    audit: AuditPipeline
    proved: tuple[tuple[int, str], ...] = ()

    @property
    def newest(self) -> Checkpoint:
        """The newest checkpoint that was proved."""
        size, root = self.proved[-1] if self.proved else (0, EMPTY_ROOT.hex())
        return Checkpoint(self.keys.newest.name, size, bytes.fromhex(root))


class LogMonitor:
    """Follows one log; `keep` receives each piece of evidence at once."""

    def __init__(
        self,
        remote: TileClient,
        seen: MonitoredLog | None,
        key: PublicKey | None,
        witnesses: tuple[tuple[PublicKey, ...], int],
        keep: Callable[[Contradiction], None],
        decide: Decide | None = None,
        workers: int | None = None,
    ) -> None:
        self.remote = remote
        self.witnesses = witnesses
        self._keep = keep
        self._decide = decide
        self._workers = workers or os.cpu_count() or 1
        self.seen = seen or self._first_seen(key)
        if key is not None and not self.seen.keys.contains(key):
            raise FileError(f"the log followed here is signed by {self.seen.keys.newest.text()}")

    @property
    def size(self) -> int:
        """The number of leaves proved and audited."""
        return self.seen.tree.size

    def poll(self, progress: Callable[[int], None] = lambda _: None) -> list[Finding]:
        """Prove and audit what is new; return the findings."""
        before = len(self.seen.audit.findings)
        note = self.remote.checkpoint()
        try:
            checkpoint = self._signed(note)
            check_quorum(note, *self.witnesses)
        except UnreachableError:
            raise
        except FileError as error:
            self._add_finding("refused", f"the checkpoint it shows is refused: {error}", note)
        else:
            if checkpoint.size > self.seen.newest.size:
                self._extend(note, checkpoint)
            else:
                self._compare(note, checkpoint)
            self._read(progress)
            self.seen.audit.everybody.forget_days_before(self.seen.audit.at)
        return self.seen.audit.findings[before:]

    def compare(self, name: str, note: str) -> list[Finding]:
        """Compare what a peer was shown with what this monitor was shown; call `poll` first."""
        before = len(self.seen.audit.findings)
        try:
            if self._may_be_handed_on(note):
                return []
            checkpoint = self.seen.keys.open(note)
        except FileError as error:
            self._add_finding("peer", f"the checkpoint that {name} shows is refused: {error}", note)
        else:
            if checkpoint.size <= self.seen.newest.size and not self._is_beginning(checkpoint):
                text = f"{name} was shown other leaves among the first {checkpoint.size}"
                self._add_finding("fork", f"the log forked: {text}", note)
        return self.seen.audit.findings[before:]

    def finish(self) -> list[Finding]:
        """Return what can be said only at the present end of the log."""
        before = len(self.seen.audit.findings)
        self.seen.audit.finish()
        return self.seen.audit.findings[before:]

    def _first_seen(self, key: PublicKey | None) -> MonitoredLog:
        audit = AuditPipeline(self._decide)
        if key is not None:
            return MonitoredLog(KeyChain((Link(0, key),)), "given", "", RangeTree(), audit)
        claimed = open_checkpoint(self.remote.checkpoint(), None)
        if claimed.size == 0:
            raise UnreachableError("the log is empty: follow it once it has begun")
        return MonitoredLog(
            chain_of(self._first_leaf(claimed.size), ()), "the log itself", "", RangeTree(), audit
        )

    def _first_leaf(self, size: int) -> bytes:
        return next(self.remote.leaves(0, min(size, WIDTH)))

    def _first_key(self, size: int) -> PublicKey | None:
        try:
            return chain_of(self._first_leaf(size), ()).first
        except UnreachableError:
            raise
        except FileError:
            return None

    def _signed(self, note: str) -> Checkpoint:
        size = open_checkpoint(note, None).size
        if size > 0 == self.size and self._first_key(size) not in (None, self.seen.keys.first):
            self.seen = self.seen._replace(keys=self._handed_on(size))
        elif self._may_be_handed_on(note):
            keys = self._handed_on(size)
            keys.open(note)
            self.seen = self.seen._replace(keys=keys)
        return self.seen.keys.open(note)

    def _may_be_handed_on(self, note: str) -> bool:
        known = self.seen.keys.newest
        return open_checkpoint(note, None).size > self.size and not signatures_by(note, known)

    def _handed_on(self, size: int) -> KeyChain:
        """Return the keys that unread leaves rotate to, each rotation verified."""
        first, known = self.size, self.seen.keys
        named = known if first else chain_of(self._first_leaf(size), ())
        mark = b'"type":"%b"' % ROTATED.encode()
        for leaf in map(StoredLeaf._make, enumerate(self.remote.leaves(first, size), first)):
            if mark in leaf.body:
                named = with_rotation(named, leaf)
        if not named.contains(known.newest):
            raise FileError(f"the log is of the key {named.newest.text()}")
        return named

    def _extend(self, note: str, checkpoint: Checkpoint) -> None:
        """Prove that a larger log extends the one seen before."""
        old, size = self.seen.newest, checkpoint.size
        try:
            subtree = self.remote.subtree(size)
            proof = consistency_proof(old.size, size, subtree)
            is_proved = verify_consistency(old.size, size, proof, old.root, checkpoint.root)
            is_whole = is_proved or frontier_of(size, subtree).root() == checkpoint.root
        except UnreachableError:
            raise
        except FileError:
            is_proved = is_whole = False
        if is_proved:
            proved = (*self.seen.proved[1 - PROVED_KEPT :], (size, checkpoint.root.hex()))
            self.seen = self.seen._replace(note=note, proved=proved)
        elif is_whole:
            text = f"the {size} leaves signed now do not begin with the {old.size} signed before"
            self._add_finding("fork", text, note)
        else:
            self._false_tiles(note)

    def _read(self, progress: Callable[[int], None]) -> None:
        shown, audit = self.seen.newest, self.seen.audit
        if self.size == shown.size:
            return
        ranges = self._ranges_under(shown)
        if ranges is None:
            self._false_tiles(self.seen.note)
            return
        for tree, whole, outcome in self._outcomes(shown.size):
            matches = tree.root == shown.root if whole is None else whole == next(ranges)
            if not matches:
                text = f"the leaves it serves from {self.size} on are not those it signed"
                self._add_finding("leaves", text, self.seen.note)
                return
            audit.join(outcome)
            self.seen = self.seen._replace(tree=tree)
            audit.add_findings(self._wrong_corrections())
            progress(outcome.leaves)

    def _ranges_under(self, shown: Checkpoint) -> Iterator[Hash] | None:
        size, before = shown.size, self.seen.tree.ranges
        if size >> SIZE_LEVEL == before.size:
            return iter(())
        subtree, whole = self.remote.subtree(size), before.copy()
        complete = [subtree(SIZE_LEVEL, index) for index in range(before.size, size >> SIZE_LEVEL)]
        whole.extend(complete)
        rest = [
            subtree(*subtree_at)
            for subtree_at in complete_subtrees(size)
            if subtree_at[0] < SIZE_LEVEL
        ]
        return iter(complete) if fold([*whole.hashes, *rest]) == shown.root else None

    def _outcomes(self, end: int) -> Iterator[tuple[RangeTree, Hash | None, RangeOutcome]]:
        tree = self.seen.tree.copy()
        first = tree.size
        limited, terms = set(self.seen.audit.limited), list(self.seen.audit.terms.all_settings())
        if first % SIZE:
            leaves = list(self.remote.leaves(first, min(first - first % SIZE + SIZE, end)))
            whole = tree.append(leaves)
            batch = self._batch(first, leaves, limited, terms)
            batch.leaves = stored_leaves(first, leaves)
            yield tree.copy(), whole, check_range(ExportJob(batch))
            first += len(leaves)
        with bounded_worker_pool(self._workers if end - first > SIZE else 1) as run:
            for outcome in run(check_range, self._jobs(first, end, limited, terms)):
                whole = tree.append_range(outcome.leaves, outcome.subtrees)
                yield tree.copy(), whole, outcome

    def _jobs(
        self, first: int, end: int, limited: set[str], terms: list[TermsSet]
    ) -> Iterator[BundleJob]:
        fetched = self.remote.bundles(first, end)
        while bundles := list(islice(fetched, SIZE // WIDTH)):
            # Most bundles hold no mark and stay shut here.
            marked = (bundle.leaves() for bundle in bundles if _has_mark(bundle.data))
            yield BundleJob(
                self._batch(first, chain.from_iterable(marked), limited, terms), bundles
            )
            first += SIZE

    def _batch(
        self, first: int, leaves: Iterable[bytes], limited: set[str], terms: list[TermsSet]
    ) -> LeafRange:
        before = list(terms)
        for leaf in map(decode_or_none, filter(_has_mark, leaves)):
            if isinstance(leaf, LimitSet):
                limited.add(leaf.player)
            elif isinstance(leaf, TermsSet):
                terms.append(leaf)
        return LeafRange(
            first,
            [],
            [],
            self.seen.keys,
            before,
            tables=False,
            decide=self._decide,
            limited=LimitedPlayers(
                frozenset(limited), any(terms_set.day_cents for terms_set in terms)
            ),
        )

    def _wrong_corrections(self) -> Iterator[Finding]:
        corrections, self.seen.audit.corrections = self.seen.audit.corrections, []
        for leaf, number, postings in corrections:
            yield from check_correction(leaf, number, postings, self._entry(number))

    def _entry(self, number: int) -> Sequence[tuple[str, int]]:
        shown, postings = self.seen.newest, list[tuple[str, int]]()
        for index, body in self.remote.entry(number, shown.size):
            proof = inclusion_proof(index, shown.size, self.remote.subtree(shown.size))
            if not verify_inclusion(leaf_hash(body), index, shown.size, proof, shown.root):
                return ()
            leaf = decode_or_none(body)
            if isinstance(leaf, Entry) and leaf.entry == number:
                postings += leaf.postings
        return postings

    def _compare(self, note: str, checkpoint: Checkpoint) -> None:
        """Compare a checkpoint no larger than the last: equal, older, or of another log."""
        shown = self.seen.newest
        sizes = f"{checkpoint.size} leaves, and showed {shown.size}"
        if checkpoint.size == shown.size and checkpoint.root == shown.root:
            self.seen = self.seen._replace(note=note)
        elif checkpoint.size == shown.size:
            self._add_finding(
                "fork", f"the log forked: two roots of {shown.size} leaves are signed", note
            )
        elif self._is_beginning(checkpoint):
            self._add_finding("stale", f"the checkpoint is stale: it shows {sizes}", note)
        else:
            self._add_finding("shrunken", f"the log shrank to others: it shows {sizes}", note)

    def _is_beginning(self, checkpoint: Checkpoint) -> bool:
        shown = self.seen.newest
        if checkpoint.size == 0:
            return checkpoint.root == EMPTY_ROOT
        if (checkpoint.size, checkpoint.root.hex()) in self.seen.proved:
            return True
        try:
            proof = consistency_proof(checkpoint.size, shown.size, self.remote.subtree(shown.size))
        except UnreachableError:
            raise
        except FileError:
            return False
        return verify_consistency(checkpoint.size, shown.size, proof, checkpoint.root, shown.root)

    def _false_tiles(self, note: str) -> None:
        """Return the error for tiles that do not lead to the signed root."""
        self.remote.forget_tiles()
        self._add_finding("tiles", "its tiles of hashes are not those of the log it signed", note)

    def _add_finding(self, name: str, text: str, note: str) -> None:
        """Record a finding and keep both signed notes, once."""
        finding = Finding(CHECK, text)
        if finding not in self.seen.audit.findings:
            self._keep(Contradiction(name, text, self.seen.note, note))
            self.seen.audit.findings.append(finding)


def _has_mark(data: bytes) -> bool:
    return _LIMIT in data or TERMS_MARK in data


class RangeTree:
    """The hashes of a log as far as it was read: whole ranges, and the growing one."""

    def __init__(self, ranges: Frontier | None = None, part: Frontier | None = None) -> None:
        self.ranges = ranges or Frontier()
        self.part = part or Frontier()

    @property
    def size(self) -> int:
        """The number of leaves."""
        return self.ranges.size * SIZE + self.part.size

    @property
    def root(self) -> Hash:
        """The root."""
        return fold([*self.ranges.hashes, *self.part.hashes])

    def copy(self) -> RangeTree:
        """Return an independent copy."""
        return RangeTree(self.ranges.copy(), self.part.copy())

    def append_range(self, leaves: int, subtrees: list[Hash]) -> Hash | None:
        """Append a range, or its beginning, by its complete subtrees; return a whole one's hash."""
        if leaves < SIZE:
            self.part = Frontier(leaves, subtrees)
            return None
        self.ranges.append(subtrees[0])
        return subtrees[0]

    def append(self, leaves: list[bytes]) -> Hash | None:
        """Append leaves to the growing range; return its hash once it is whole."""
        self.part.extend([leaf_hash(leaf) for leaf in leaves])
        if self.part.size < SIZE:
            return None
        (whole,) = self.part.hashes
        self.ranges.append(whole)
        self.part = Frontier()
        return whole
