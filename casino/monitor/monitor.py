"""Monitor another casino's log over HTTP (L25): verify each checkpoint, and audit each leaf.

If a checkpoint does not extend the previous one, both are saved as evidence. New leaves go through
the same checks as in an audit. Memory grows only with accounts and open games.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from casino.audit import Decide, Finding
from casino.audit.pipeline import AuditPipeline, PipelineState, job_runner, run_here
from casino.audit.source import postings_of
from casino.errors import CasinoError, FileError, UnreachableError
from casino.ledger import tlog
from casino.ledger.side_files import lock_file, write_private
from casino.ledger.storage.base import StoredLeaf
from casino.ledger.tlog import EMPTY_ROOT, TILE, Checkpoint, Frontier, KeyChain, Link, PublicKey
from casino.monitor.tile_client import TileClient

SIZE: Final = 1 << 2 * TILE  # leaves that are proved and audited together
CHECK: Final = "follow"
PROVED_KEPT: Final = 256  # recent checkpoints that are recognised without a proof


class Contradiction(NamedTuple):
    """Evidence against a log: the last proved note, the note at fault, and the reason."""

    name: str
    text: str
    before: str
    after: str


FORMAT: Final = 7
_STATE: Final = "state.json"


class MonitorState(msgspec.Struct, forbid_unknown_fields=True):
    """The content of `state.json`."""

    format: int
    address: str
    keys: list[tuple[int, str]]
    key_from: str
    note: str
    proved: tuple[tuple[int, str], ...]
    size: int
    tree: list[str]
    audit: PipelineState


class LogMonitor:
    """Monitor of one log; it calls `keep` with each contradiction that it finds.

    `note` is the newest proved checkpoint, and `proved` lists the sizes and roots of recent ones.
    `tree` covers the leaves proved and audited, which may be fewer than `note` covers.
    """

    def __init__(
        self,
        remote: TileClient,
        saved: MonitorState | None,
        key: PublicKey | None,
        witnesses: tuple[tuple[PublicKey, ...], int],
        keep: Callable[[Contradiction], None],
        decide: Decide | None = None,
        workers: int | None = None,
    ) -> None:
        self.remote = remote
        self.witnesses = witnesses
        self.audit = AuditPipeline(decide)
        self.note = ""
        self.proved: tuple[tuple[int, str], ...] = ()
        self.tree = Frontier()
        self._keep = keep
        self._workers = workers or os.cpu_count() or 1
        if saved is not None:
            keys = [Link(least, PublicKey.parse(text)) for least, text in saved.keys]
            self.keys, self.key_from = KeyChain(tuple(keys)), saved.key_from
            self.note, self.proved = saved.note, saved.proved
            self.tree = Frontier(saved.size, [bytes.fromhex(node) for node in saved.tree])
            self.audit.resume(saved.audit)
        elif key is not None:
            self.keys = KeyChain((Link(0, key),))
        else:
            size = tlog.open_checkpoint(remote.checkpoint(), None).size
            if size == 0:
                raise UnreachableError("the log is empty: try again once it has begun")
            self.keys, self.key_from = self._first_keys(size), "the log itself"
        if key is not None:
            self.key_from = "--key"
            if not self.keys.contains(key):
                newest = self.keys.newest.text()
                raise CasinoError(f"the log is signed by another key, {newest}: check --key")

    @property
    def size(self) -> int:
        """The number of leaves proved and audited."""
        return self.tree.size

    @property
    def newest(self) -> Checkpoint:
        """The newest proved checkpoint; at first, that of an empty tree."""
        size, root = self.proved[-1] if self.proved else (0, EMPTY_ROOT.hex())
        return Checkpoint(self.keys.newest.name, size, bytes.fromhex(root))

    def poll(self) -> None:
        """Fetch the checkpoint, verify it and audit the new leaves."""
        note = self.remote.checkpoint()
        try:
            checkpoint = self._signed(note)
            tlog.check_quorum(note, *self.witnesses)
        except FileError as error:
            self._add_finding("refused", f"the casino's checkpoint is refused: {error}", note)
        else:
            if checkpoint.size > self.newest.size:
                self._extend(note, checkpoint)
            else:
                self._compare(note, checkpoint)
            self._read()
            # This includes corrections from earlier polls whose entries could not be fetched.
            audit = self.audit
            audit.add_findings(audit.ledger.compare_corrections(self._entries))

    def compare(self, name: str, note: str) -> None:
        """Compare the checkpoint of peer `name` with the log as seen here; call `poll` first."""
        try:
            # The note may be signed with a new key, which the next poll will find in the log.
            if self._may_be_handed_on(note):
                return
            checkpoint = self.keys.open(note)
        except FileError as error:
            self._add_finding("peer", f"the checkpoint of {name} is refused: {error}", note)
        else:
            if checkpoint.size <= self.newest.size and not self._is_beginning(checkpoint):
                text = f"{name} has seen others among the first {checkpoint.size} leaves"
                self._add_finding("fork", f"the log has forked: {text}", note)

    def state(self) -> MonitorState:
        """Return what a restart needs to resume from here."""
        return MonitorState(
            format=FORMAT,
            address=self.remote.address,
            keys=[(link.least, link.key.text()) for link in self.keys.links],
            key_from=self.key_from,
            note=self.note,
            proved=self.proved,
            size=self.size,
            tree=[node.hex() for node in self.tree.hashes],
            audit=self.audit.state(),
        )

    def report(self, seconds_behind: int) -> dict[str, Any]:
        """Return a JSON-ready report of progress, lag and findings."""
        audit = self.audit
        return {
            "key": self.keys.newest.text(),
            "key_from": self.key_from,
            "leaves": self.size,
            "games": audit.games,
            "entries": audit.ledger.entries,
            "open_games": len(audit.running.unfinished()),
            "root": self.tree.root().hex(),
            "lag_seconds": seconds_behind,
            "unread": self.newest.size - self.size,
            "findings": [finding.json() for finding in (*audit.findings, *audit.totals())],
        }

    def _first_keys(self, size: int) -> KeyChain:
        return tlog.chain_of(next(self.remote.leaves(0, min(size, tlog.WIDTH))), ())

    def _signed(self, note: str) -> Checkpoint:
        size, is_later = tlog.open_checkpoint(note, None).size, False
        if size > 0 == self.size:
            with suppress(FileError):
                is_later = self._first_keys(size).first != self.keys.first
        if is_later:
            # At the first poll the given key may be a later one: find it in the rotations.
            self.keys = self._handed_on(size)
        elif self._may_be_handed_on(note):
            keys = self._handed_on(size)
            keys.open(note)
            self.keys = keys
        return self.keys.open(note)

    def _may_be_handed_on(self, note: str) -> bool:
        is_longer = tlog.open_checkpoint(note, None).size > self.size
        return is_longer and not tlog.signatures_by(note, self.keys.newest)

    def _handed_on(self, size: int) -> KeyChain:
        first, known = self.size, self.keys
        named = known if first else self._first_keys(size)
        for leaf in tlog.rotations_in(enumerate(self.remote.leaves(first, size), first)):
            named = tlog.with_rotation(named, leaf)
        if not named.contains(known.newest):
            raise FileError(f"the log is signed by another key, {named.newest.text()}")
        return named

    def _extend(self, note: str, checkpoint: Checkpoint) -> None:
        """Accept a larger checkpoint if it extends the last one; otherwise add a finding."""
        old, size = self.newest, checkpoint.size
        try:
            # If the tiles do not hash to the new root, they are false, and prove nothing.
            is_whole = self._root(size) == checkpoint.root
            is_proved = is_whole and self._is_consistent(old, checkpoint)
        except FileError:
            is_proved = is_whole = False
        if is_proved:
            self.note = note
            self.proved = (*self.proved[1 - PROVED_KEPT :], (size, checkpoint.root.hex()))
        elif is_whole:
            text = f"the {size} leaves signed now do not begin with the {old.size} signed before"
            self._add_finding("fork", text, note)
        else:
            self._false_tiles(note)

    def _read(self) -> None:
        shown, audit = self.newest, self.audit
        workers = self._workers if shown.size - self.size > SIZE else 1
        with job_runner(workers) as audit.start_job:
            try:
                while self.size < shown.size and self._read_range(shown):
                    pass
            finally:
                audit.drain()
                audit.start_job = run_here

    def _read_range(self, shown: Checkpoint) -> bool:
        """Read and audit the next leaves; return False if they are not those that were signed."""
        first = self.size
        end = min(first - first % SIZE + SIZE, shown.size)
        leaves = list(self.remote.leaves(first, end))
        tree = self.tree.copy()
        tree.extend([tlog.leaf_hash(leaf) for leaf in leaves])
        # Leaves are audited only once their hash is proved to be under the signed root.
        if not self._is_consistent(Checkpoint(shown.origin, end, tree.root()), shown):
            if self._root(shown.size) != shown.root:
                self._false_tiles(self.note)
            else:
                text = f"the leaves served from {first} on are not those that were signed"
                self._add_finding("leaves", text, self.note)
            return False
        self.audit.feed(list(enumerate(leaves, first)))
        self.tree = tree
        return True

    def _entries(self, numbers: list[int]) -> Mapping[int, Sequence[tuple[str, int]]]:
        """Return the postings of entries, reading the log again, as corrections are very rare."""
        tree = Frontier()

        def leaves() -> Iterator[StoredLeaf]:
            for number, body in enumerate(self.remote.leaves(0, self.size)):
                tree.extend([tlog.leaf_hash(body)])
                yield StoredLeaf(number, body)

        entries = postings_of(numbers, leaves())
        # The server may have sent other leaves than before.
        is_same = not numbers or tree.root() == self.tree.root()
        return entries if is_same else dict.fromkeys(numbers, ())

    def _compare(self, note: str, checkpoint: Checkpoint) -> None:
        shown = self.newest
        sizes = f"{checkpoint.size} leaves, an earlier one {shown.size}"
        if checkpoint.size == shown.size and checkpoint.root == shown.root:
            self.note = note
        elif checkpoint.size == shown.size:
            self._add_finding(
                "fork", f"the log has forked: two roots of {shown.size} leaves are signed", note
            )
        elif self._is_beginning(checkpoint):
            self._add_finding("stale", f"the checkpoint is stale: it has {sizes}", note)
        else:
            self._add_finding("shrunken", f"the log has shrunk and changed: it has {sizes}", note)

    def _is_beginning(self, checkpoint: Checkpoint) -> bool:
        shown = self.newest
        if (checkpoint.size, checkpoint.root.hex()) in self.proved:
            return True
        try:
            return self._is_consistent(checkpoint, shown)
        except FileError:
            return False

    def _is_consistent(self, old: Checkpoint, new: Checkpoint) -> bool:
        proof = tlog.consistency_proof(old.size, new.size, self.remote.subtree(new.size))
        return tlog.verify_consistency(old.size, new.size, proof, old.root, new.root)

    def _root(self, size: int) -> tlog.Hash:
        return tlog.frontier_of(size, self.remote.subtree(size)).root()

    def _false_tiles(self, note: str) -> None:
        """Report tiles that do not hash to the signed root, and drop the cached ones."""
        self.remote.forget_tiles()
        self._add_finding("tiles", "the hash tiles do not match the log that was signed", note)

    def _add_finding(self, name: str, text: str, note: str) -> None:
        finding = Finding(CHECK, text)
        if finding not in self.audit.findings:
            self._keep(Contradiction(name, text, self.note, note))
            self.audit.findings.append(finding)


class MonitorFolder:
    """A monitor's folder, which one process at a time may lock.

    state.json        the proved and audited state, and the findings, from which a restart resumes
    checkpoint        the newest checkpoint that was proved
    evidence/         for each contradiction, two signed notes and the reason
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def lock(self) -> AbstractContextManager[None]:
        """Lock the folder, which is created; raise `FileError` if another follower has the lock."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        text = f"{self.path} is in use: stop the follower that uses it, or choose another --state"
        return lock_file(self.path.joinpath(_STATE), text)

    def load(self, address: str) -> MonitorState | None:
        """Return the state saved for a log, or None; raise `FileError` if it cannot be used."""
        file = self.path.joinpath(_STATE)
        if not file.exists():
            return None
        try:
            kept = msgspec.json.decode(file.read_bytes(), type=MonitorState)
        except (msgspec.DecodeError, OSError) as error:
            raise FileError(f"{file} cannot be read ({error}): choose another --state") from None
        if kept.format != FORMAT:
            text = f"{file} has format {kept.format}, but this program reads {FORMAT}"
            raise FileError(f"{text}: choose another --state")
        if kept.address != address:
            raise FileError(f"folder {self.path} belongs to {kept.address}: choose another --state")
        return kept

    def save(self, state: MonitorState) -> None:
        """Save the state atomically, so that a crash leaves either the old or the new one."""
        # A crash between the writes does no harm, because a restart reads only the state.
        self.write("checkpoint", state.note)
        self.write(_STATE, msgspec.json.encode(state))

    def keep_evidence(self, evidence: Contradiction) -> None:
        """Write two contradictory notes and the reason to a new numbered folder."""
        number = 1 + len(list(self.path.glob("evidence/*")))
        name = f"evidence/{number:04d}-{evidence.name}"
        self.write(f"{name}/what.txt", f"{evidence.text}\n")
        self.write(f"{name}/before", evidence.before)
        self.write(f"{name}/after", evidence.after)

    def write(self, name: str, data: str | bytes) -> None:
        """Replace a file atomically and durably, with mode 600."""
        file = self.path.joinpath(name)
        for folder in (self.path, file.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(file, data)
