"""The sources of an audit: a casino's file, or an export of its log."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from casino.audit.checks.log import VERSIONS
from casino.errors import FileError
from casino.events.types import decode_or_none
from casino.ledger import tlog
from casino.ledger.entries import BROKEN, Entry
from casino.ledger.log_reader import LogReader
from casino.ledger.side_files import CasinoFiles, read_note
from casino.ledger.storage.base import ALL, StorageError, StoredLeaf
from casino.ledger.storage.location import LogLocation, as_location, open_log
from casino.ledger.tlog import Checkpoint, Frontier, Hash, KeyChain, PublicKey
from casino.ledger.transaction import StoredCheckpoint

_ADVICE: Final = "make an export with casino export --format jsonl, or give a file with --db"
FORMAT: Final = 1  # the version of the export that `--from` reads
CHUNK: Final = 4096  # leaves per read


# Consecutive leaves, as rows that begin with the leaf's number and bytes.
LeafRows: TypeAlias = list[tuple[Any, ...]]
# Consecutive leaves, and the checkpoints whose trees end among them.
Chunk: TypeAlias = tuple[LeafRows, list[StoredCheckpoint]]


class FileSource:
    """A casino's own log in a file or database, with the side files next to it."""

    def __init__(
        self, where: Path | LogLocation, end: int = ALL, newest: StoredCheckpoint | None = None
    ) -> None:
        self._end = end  # later leaves are ignored
        self.newest = newest
        self.location = as_location(where)
        self.path = self.location.path
        self.log = open_log(self.location)
        self.named = self._named()
        self.keys: KeyChain | None = None
        with suppress(FileError, StorageError):
            self.keys = self.log.keys()
        self.beside: str | None = None
        self.cosigned: str | None = None
        self.size = self._size()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read from one snapshot of the file, even while a casino writes to it."""
        # Read the checkpoint first, so that the snapshot contains all leaves that it signs.
        self.beside = read_note(CasinoFiles(self.path).checkpoint)
        self.cosigned = read_note(CasinoFiles(self.path).cosigned)
        with self.log.snapshot():
            self.size = self._size()
            self.newest = self.newest or self.log.signed_head()
            yield

    def reopener(self) -> Callable[[], FileSource]:
        """Return a function that another process can call to open the same leaves."""
        return partial(FileSource, self.location, self.size, self.newest)

    def _named(self) -> PublicKey | None:
        try:
            about = self.log.identity()
        except StorageError:
            return None
        key = _parse_key(about.get("key"))
        return key if key and about == {"name": key.name, "key": key.text()} else None

    def _size(self) -> int:
        """Return the number of leaves, or of signed leaves if the last is unreadable."""
        try:
            return min(self.log.size(), self._end)
        except StorageError:
            newest = self.log.signed_head()
            return 0 if newest is None else newest.size

    def chunks(self) -> Iterator[Chunk]:
        """Yield the log's leaves and checkpoints in order; see `LogReader.leaf_rows`."""
        size, newest = 0, self.newest
        for leaves in read_leaves(self.log):
            # A running casino may have appended leaves since `size` was read.
            is_last = leaves[-1][0] >= self.size
            if is_last:
                leaves = [leaf for leaf in leaves if leaf[0] < self.size]
            end, notes = size + len(leaves), list[StoredCheckpoint]()
            for signed in self.log.checkpoints(size):
                if signed.size > end:
                    break
                notes.append(signed)
            if newest is not None and size < newest.size <= end and newest not in notes:
                notes.append(newest)
            yield leaves, sorted(notes, key=itemgetter(0))
            if is_last:
                return
            size = end

    def rows(self, game: str | None = None) -> Iterator[StoredLeaf]:
        """Yield all leaves, or only table settings and those that may belong to one game."""
        if game is None:
            yield from self.log.leaves()
            return
        leaves = set(self.log.of_kinds(["terms"]))
        for first, last in self.log.spans(game):
            for leaf in self.log.leaves(first, min(last + 1, self.size) - first):
                # An undecodable leaf may have belonged to this game.
                event = decode_or_none(leaf.body)
                if event is None or event.subject == game:
                    leaves.add(leaf)
        yield from sorted(leaves)

    def beginning(self, signed: Checkpoint) -> tuple[int, Hash]:
        """Return the size and root of the tree over the signed leaves, or all if fewer.

        Missing or false stored hashes do not matter: the leaves are then hashed again.
        """
        size = min(signed.size, self.size)
        with suppress(FileError):
            if (root := self.log.root(size)) == signed.root:
                return size, root
        return _hashed(self.rows(), size)

    def signed_head(self) -> str | None:
        """Return the newest signed checkpoint, or None if there is none."""
        return None if self.newest is None else self.newest.note

    def unproved(self, signed: Checkpoint, leaves: Iterable[StoredLeaf]) -> list[int]:
        """Return the numbers of the leaves that have no valid inclusion proof for `signed`.

        Raises `FileError` if stored hashes are missing.
        """
        size, root, prove = signed.size, signed.root, self.log.inclusion
        return [
            n
            for n, body in leaves
            if not tlog.verify_inclusion(tlog.leaf_hash(body), n, size, prove(n, size), root)
        ]


class ExportSource:
    """An export of a log in the `jsonl` format."""

    def __init__(self, path: Path) -> None:
        self.path = path
        head = next(self._lines(), None)
        if not isinstance(head, dict) or head.get("casino_log") != FORMAT:
            raise FileError(f"{path} is not an export: {_ADVICE}")
        first = next(self.rows(), None)
        self._refuse_older(first)
        self.named = _parse_key(head.get("key"))
        self.keys: KeyChain | None = None
        with suppress(FileError):
            self.keys = tlog.chain_of(first and first.body, tlog.rotations_in(self.rows()))
        self.beside: str | None = None
        self.cosigned: str | None = None

    def _refuse_older(self, first: StoredLeaf | None) -> None:
        """Raise `FileError` for an older log format, as every leaf would be reported as a fault."""
        with suppress(*BROKEN):
            opened = msgspec.json.decode(first.body) if first else None
            version = opened.get("version") if isinstance(opened, dict) else None
            if isinstance(version, int) and version < VERSIONS[0]:
                raise FileError(
                    f"{self.path} has a log of version {version}, but this program "
                    f"reads version {VERSIONS[0]}: audit it with the program that wrote it"
                )

    def snapshot(self) -> AbstractContextManager[None]:
        """Return a context that does nothing, because an export does not change."""
        return nullcontext()

    def rows(self, _game: str | None = None) -> Iterator[StoredLeaf]:
        """Yield all leaves in order; an export has no index to find those of a game."""
        lines = islice(self._lines(), 1, None)
        leaves = (line["leaf"].encode() for line in lines if _is_leaf(line))
        return map(StoredLeaf._make, enumerate(leaves))

    def chunks(self) -> Iterator[Chunk]:
        """Yield the log's leaves and checkpoints in order."""
        leaves, notes, size = LeafRows(), list[StoredCheckpoint](), 0
        lines = enumerate(self._lines(), 1)
        next(lines)  # the head
        for number, line in lines:
            if _is_leaf(line):
                if len(leaves) == CHUNK:
                    yield leaves, notes
                    leaves, notes = [], []
                leaves.append((line["n"], line["leaf"].encode()))
                size += 1
            elif isinstance(line.get("checkpoint"), str):
                notes.append(StoredCheckpoint(size, line["checkpoint"]))
            else:
                raise self._fault(number, "neither a leaf nor a checkpoint")
        yield leaves, notes

    def reopener(self) -> Callable[[], ExportSource]:
        """Return a function that another process can call to open this export."""
        return partial(ExportSource, self.path)

    def beginning(self, signed: Checkpoint) -> tuple[int, Hash]:
        """Return the size and root of the tree over the signed leaves, or all if fewer."""
        return _hashed(self.rows(), signed.size)

    def signed_head(self) -> str | None:
        """Return the checkpoint in the export's last line, or None if that line is a leaf."""
        (last,) = deque(self._lines(), maxlen=1)
        note = last.get("checkpoint")
        return note if isinstance(note, str) else None

    def unproved(self, signed: Checkpoint, leaves: Iterable[StoredLeaf]) -> list[int]:
        """Return [] if `signed` has the root of the export's leaves, else all leaf numbers."""
        if self.beginning(signed) == (signed.size, signed.root):
            return []
        return [leaf.n for leaf in leaves]

    def _lines(self) -> Iterator[dict[str, Any]]:
        number, text = 0, b""
        try:
            with self.path.open("rb") as file:
                for number, text in enumerate(file, 1):
                    line = msgspec.json.decode(text)
                    if not isinstance(line, dict):
                        raise self._fault(number, "not a JSON object")
                    yield line
        except OSError as error:
            fault = f"cannot read {self.path} ({error.strerror})"
            raise FileError(f"{fault}: give an export with --from") from None
        except BROKEN:
            is_cut = text.startswith(b"{") and not text.endswith(b"\n")
            fault = "the export is cut off here" if is_cut else "not JSON"
            raise self._fault(number, fault) from None

    def _fault(self, line: int, fault: str) -> FileError:
        return FileError(f"{self.path}, line {line}: {fault}: {_ADVICE}")


Source: TypeAlias = FileSource | ExportSource


def read_leaves(log: LogReader) -> Iterator[LeafRows]:
    """Yield all leaves in chunks; raise `StorageError` at the first that is unreadable."""
    first, step = 0, CHUNK
    while True:
        try:
            leaves = log.leaf_rows(first, step)
        except StorageError:
            if step == 1:
                raise
            # The failed query lost readable rows before the fault, so read them singly.
            step = 1
            continue
        if leaves:
            yield leaves
        if len(leaves) < step:
            return
        first = leaves[-1][0] + 1


def _hashed(leaves: Iterable[StoredLeaf], size: int) -> tuple[int, Hash]:
    tree = Frontier()
    for _, body in islice(leaves, size):
        tree.extend([tlog.leaf_hash(body)])
    return tree.size, tree.root()


def postings_of(
    numbers: Iterable[int], leaves: Iterable[StoredLeaf]
) -> dict[int, list[tuple[str, int]]]:
    """Return the postings of some entries, from leaves that may hold other entries, too."""
    postings: dict[int, list[tuple[str, int]]] = {number: [] for number in numbers}
    for stored in leaves if postings else ():
        leaf = decode_or_none(stored.body)
        if isinstance(leaf, Entry) and leaf.entry in postings:
            postings[leaf.entry] += leaf.postings
    return postings


def _parse_key(text: object) -> PublicKey | None:
    try:
        return PublicKey.parse(str(text))
    except FileError:
        return None


def _is_leaf(line: dict[str, Any]) -> bool:
    return isinstance(line.get("leaf"), str) and type(line.get("n")) is int
