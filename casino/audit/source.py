"""The sources of an audit: a casino's file, or an export of its log."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import lru_cache
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import msgspec

from casino.audit.checks.bots import Decide
from casino.audit.checks.log import VERSIONS
from casino.audit.range import SIZE, LeafRange, RangeReader
from casino.errors import FileError
from casino.events.codec import decode_or_none
from casino.events.types import Event, TermsSet
from casino.ledger.entries import BROKEN, WALLET, Entry
from casino.ledger.ledger import open_log
from casino.ledger.log_reader import LogReader, leaves_about
from casino.ledger.side_files import CasinoFiles
from casino.ledger.storage.base import StorageError, StoredLeaf, stored_leaf
from casino.ledger.storage.location import LogLocation, as_location
from casino.ledger.tlog.key_rotation import ROTATED, KeyChain, chain_of, keys_of
from casino.ledger.tlog.merkle import TILE, Frontier, Hash, leaf_hash, verify_inclusion
from casino.ledger.tlog.note import Checkpoint, PublicKey
from casino.ledger.transaction import answers_hash

FORMAT: Final = 1  # the version of the export that `--from` reads

_NEARBY: Final = 4096  # leaves before and after a game that are searched for unreadable ones

TERMS_MARK: Final = b'"type":"terms"'  # in the bytes of every leaf with table settings


class FileJob:
    """A range of a casino's log, read by the process that checks it."""

    def __init__(
        self,
        location: LogLocation,
        first: int,
        end: int,
        keys: KeyChain,
        games: bool,
        decide: Decide | None,
    ) -> None:
        self.location = location
        self.first = first
        self.end = end
        self.keys = keys
        self.games = games
        self.decide = decide

    def batch(self) -> LeafRange:
        """Read the range's leaves, checkpoints, tree nodes and earlier table settings."""
        log = cached_reader(self.location)
        count = self.end - self.first
        leaves = list(log.leaves(self.first, count))
        checkpoints = []
        for checkpoint in log.checkpoints(self.first):
            if checkpoint.size > self.end:
                break
            checkpoints.append((checkpoint.size, checkpoint.note))
        nodes = {}
        for level in (TILE, 2 * TILE):
            first, end = self.first >> level, self.end >> level
            nodes[level] = log.store.nodes(level, first, end - first)
        return LeafRange(
            self.first,
            leaves,
            checkpoints,
            self.keys,
            [*terms_in(log.of_kinds(["terms"], before=self.first))][::-1],
            nodes=nodes,
            games=self.games,
            decide=self.decide,
        )

    def answers(self) -> list[tuple[int, str]]:
        """Return the leaves that bind stored command replies, and the replies' hashes (L21)."""
        answers = cached_reader(self.location).store.answers(self.first, self.end)
        return [
            (bound, answers_hash(reply for _, reply in rows))
            for bound, rows in groupby(answers, itemgetter(0))
        ]


class ExportJob:
    """A range of leaves from an export, already in memory."""

    def __init__(self, batch: LeafRange) -> None:
        self._batch = batch

    def batch(self) -> LeafRange:
        """Return the range as it was read."""
        return self._batch

    def answers(self) -> None:
        """Return None, because an export has no command replies."""


class FileSource:
    """A casino's own log, with its tables and the files next to it."""

    def __init__(self, where: Path | LogLocation) -> None:
        self.location = as_location(where)
        self.path = self.location.path
        self.log = open_log(self.location)
        self.named = self._named()
        self.keys = self._keys()
        self.beside: str | None = None
        self.cosigned: str | None = None
        self.size = self._size()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read from one snapshot of the file, even while a casino writes to it."""
        # Read the checkpoint before the snapshot, which then has all leaves that it signs.
        self.beside = CasinoFiles(self.path).checkpoint_note()
        self.cosigned = CasinoFiles(self.path).cosigned_note()
        with self.log.snapshot():
            self.size = self._size()
            yield

    def _named(self) -> str:
        try:
            about = self.log.store.identity()
        except StorageError:
            return ""
        key = parse_key(about.get("key", ""))
        sound = key is not None and about == {"name": key.name, "key": key.text()}
        return about["key"] if sound else ""

    def _keys(self) -> KeyChain | None:
        try:
            return keys_of(self.log.store)
        except (FileError, StorageError):
            return None

    def _size(self) -> int:
        """Return the number of leaves, or of signed leaves if the last is unreadable."""
        try:
            return self.log.size()
        except StorageError:
            newest = self.log.store.signed_head()
            return 0 if newest is None else newest.size

    def jobs(self, keys: KeyChain, games: bool, decide: Decide | None) -> Iterator[RangeReader]:
        """Yield the ranges in order."""
        # An empty log has one empty range.
        for first in range(0, max(self.size, 1), SIZE):
            end = min(first + SIZE, self.size)
            yield FileJob(self.location, first, end, keys, games, decide)

    def rows(self, game: str | None = None) -> Iterator[StoredLeaf]:
        """Yield all leaves, or those of a game and any undecodable ones within or near it."""
        if game is None:
            yield from self.log.leaves()
            return
        known = [leaf.n for leaf in self.log.of_subject(game) if leaf.n < self.size]
        if not known:
            return
        first, end = known[0], known[-1] + 1
        yield from self._near(max(first - _NEARBY, 0), first)
        for leaf in self.log.leaves(first, end - first):
            # An undecodable leaf may have belonged to this game.
            event = decode_or_none(leaf.body)
            if event is None or event.subject == game:
                yield leaf
        yield from self._near(end, min(end + _NEARBY, self.size))

    def _near(self, first: int, end: int) -> Iterator[StoredLeaf]:
        """Yield undecodable leaves that may have been the first or last leaves of the game."""
        with suppress(StorageError):
            for leaf in self.log.leaves(first, end - first):
                if decode_or_none(leaf.body) is None:
                    yield leaf

    def settings_leaves(self) -> list[StoredLeaf]:
        """Return the leaves that set table settings."""
        return list(self.log.of_kinds(["terms"]))

    def terms(self) -> list[TermsSet]:
        """Return all table settings in the log."""
        return list(terms_in(self.settings_leaves()))

    def about(self, players: set[str]) -> Iterator[tuple[str, int, Event]]:
        """Yield the leaves that name a player or move their chips, player by player."""
        for player in sorted(players):
            for n, body in leaves_about(self.log, player):
                leaf = decode_or_none(body)
                if leaf is not None and player in _concerned(leaf):
                    yield player, n, leaf

    def beginning(self, size: int) -> tuple[int, Hash]:
        """Return the size and root of the first `size` leaves, or of all if there are fewer."""
        size = min(size, self.size)
        return size, self.log.root(size)

    def signed_head(self) -> str | None:
        """Return the newest signed checkpoint, or None if there is none."""
        newest = self.log.store.signed_head()
        return None if newest is None else newest.note

    def first_over(self, number: int) -> str:
        """Return the first stored checkpoint that covers a leaf; raise `FileError` if none does."""
        for checkpoint in self.log.checkpoints(number, 1):
            return checkpoint.note
        raise FileError(f"no signature over leaf {number} was kept")

    def unproved(self, signed: Checkpoint, leaves: Iterable[StoredLeaf]) -> list[int]:
        """Return the numbers of leaves with no valid inclusion proof under a signed root."""
        return [n for n, body in leaves if not self._leads(n, body, signed)]

    def _leads(self, number: int, body: bytes, signed: Checkpoint) -> bool:
        try:
            path = self.log.inclusion(number, signed.size)
        except FileError:
            return False
        return verify_inclusion(leaf_hash(body), number, signed.size, path, signed.root)

    def entry(self, number: int) -> Sequence[tuple[str, int]]:
        """Return the postings of an entry, collected from all its leaves."""
        leaves = (decode_or_none(stored.body) for stored in self.log.store.entry(number))
        return [posting for leaf in leaves if isinstance(leaf, Entry) for posting in leaf.postings]


class ExportSource:
    """An export of a log in the `jsonl` format."""

    def __init__(self, path: Path) -> None:
        self.path = path
        head = next(self._lines(), None)
        if not isinstance(head, dict) or head.get("casino_log") != FORMAT:
            raise FileError(f"{path} is not an export: make one with casino export --format jsonl")
        self._refuse_older()
        self.named = str(head.get("key"))
        self.keys = self._keys()
        self.beside: str | None = None
        self.cosigned: str | None = None

    def _refuse_older(self) -> None:
        """Raise `FileError` for an older log format, in which every leaf would be a fault."""
        first = next(self.rows(), None)
        with suppress(*BROKEN):
            opened = msgspec.json.decode(first.body) if first else None
            version = opened.get("version") if isinstance(opened, dict) else None
            if isinstance(version, int) and version < VERSIONS[0]:
                raise FileError(
                    f"{self.path} is an export of a log of version {version}, and this program "
                    f"reads version {VERSIONS[0]}: audit it with the program that wrote it"
                )

    def snapshot(self) -> AbstractContextManager[None]:
        """Return a context that does nothing, because an export does not change."""
        return nullcontext()

    def _keys(self) -> KeyChain | None:
        mark = b'"type":"%b"' % ROTATED.encode()
        first = next(self.rows(), None)
        try:
            return chain_of(
                first and first.body, (leaf for leaf in self.rows() if mark in leaf.body)
            )
        except FileError:
            return None

    def rows(self, _game: str | None = None) -> Iterator[StoredLeaf]:
        """Yield all leaves in order; an export has no index to find those of a game."""
        lines = islice(self._lines(), 1, None)
        leaves = (line["leaf"].encode() for line in lines if _is_leaf(line))
        return map(StoredLeaf._make, enumerate(leaves))

    def settings_leaves(self) -> list[StoredLeaf]:
        """Return the leaves that set table settings."""
        return [leaf for leaf in self.rows() if TERMS_MARK in leaf.body]

    def terms(self) -> list[TermsSet]:
        """Return all table settings in the log."""
        return list(terms_in(self.settings_leaves()))

    def about(self, players: set[str]) -> Iterator[tuple[str, int, Event]]:
        """Yield the leaves that name a player or move their chips, in log order."""
        for n, body in self.rows():
            leaf = decode_or_none(body)
            if leaf is not None:
                for player in sorted(players & _concerned(leaf)):
                    yield player, n, leaf

    def jobs(self, keys: KeyChain, games: bool, decide: Decide | None) -> Iterator[RangeReader]:
        """Yield the ranges in order."""
        batch = LeafRange(0, [], [], keys, tables=False, games=games, decide=decide)
        lines = self._lines()
        next(lines)  # the head
        for number, line in enumerate(lines, 2):
            if len(batch.leaves) == SIZE and "leaf" in line:
                yield ExportJob(batch)
                first, terms = batch.first + SIZE, [*batch.terms, *terms_in(batch.leaves)]
                batch = LeafRange(
                    first, [], [], keys, terms, tables=False, games=games, decide=decide
                )
            self._add(batch, number, line)
        yield ExportJob(batch)

    def beginning(self, size: int) -> tuple[int, Hash]:
        """Return the size and root of the first `size` leaves, or of all if there are fewer."""
        tree = Frontier()
        for _, body in islice(self.rows(), size):
            tree.append(leaf_hash(body))
        return tree.size, tree.root()

    def signed_head(self) -> str | None:
        """Return the checkpoint in the export's last line, or None if that has none."""
        (last,) = deque(self._lines(), maxlen=1)
        note = last.get("checkpoint")
        return note if isinstance(note, str) else None

    def first_over(self, number: int) -> str:
        """Raise `FileError`, because no page of an export can be damaged."""
        raise FileError(f"no other signature over leaf {number} is looked for")

    def unproved(self, signed: Checkpoint, leaves: Iterable[StoredLeaf]) -> list[int]:
        """Return the numbers of unproved leaves: none if `signed` has the right root, else all."""
        if self.beginning(signed.size) == (signed.size, signed.root):
            return []
        return [leaf.n for leaf in leaves]

    def entry(self, number: int) -> Sequence[tuple[str, int]]:
        """Return the postings of an entry, reading the whole export again."""
        leaves = (decode_or_none(body) for _, body in self.rows())
        mine = (leaf for leaf in leaves if isinstance(leaf, Entry) and leaf.entry == number)
        return [posting for leaf in mine for posting in leaf.postings]

    def _add(self, batch: LeafRange, number: int, line: dict[str, Any]) -> None:
        if _is_leaf(line):
            batch.leaves.append(StoredLeaf(line["n"], line["leaf"].encode()))
        elif isinstance(line.get("checkpoint"), str):
            size = batch.first + len(batch.leaves)
            batch.checkpoints.append((size, line["checkpoint"]))
        else:
            raise FileError(f"{self.path}, line {number}: neither a leaf nor a checkpoint")

    def _lines(self) -> Iterator[dict[str, Any]]:
        try:
            with self.path.open("rb") as file:
                for number, text in enumerate(file, 1):
                    line = msgspec.json.decode(text)
                    if not isinstance(line, dict):
                        raise FileError(f"{self.path}, line {number}: not a JSON object")
                    yield line
        except OSError as error:
            raise FileError(f"{self.path} cannot be read: {error.strerror}") from None
        except BROKEN as error:
            raise FileError(f"{self.path}: a line is not JSON: {error}") from None


def stored_leaves(first: int, bodies: Iterable[bytes]) -> list[StoredLeaf]:
    """Return the leaves with these bodies, numbered from `first` on."""
    return list(map(stored_leaf, enumerate(bodies, first)))


def terms_in(leaves: Iterable[StoredLeaf]) -> Iterator[TermsSet]:
    """Yield the table settings among some leaves."""
    for leaf in leaves:
        # Most leaves need not be decoded.
        if TERMS_MARK in leaf.body:
            event = decode_or_none(leaf.body)
            if isinstance(event, TermsSet):
                yield event


@lru_cache(maxsize=1)
def cached_reader(location: LogLocation) -> LogReader:
    """Return a reader of the log, opened once per process."""
    return open_log(location)


def parse_key(text: str) -> PublicKey | None:
    """Return the public key in a text, or None if the text is malformed."""
    try:
        return PublicKey.parse(text)
    except FileError:
        return None


def _concerned(leaf: Event) -> set[str]:
    if isinstance(leaf, Entry):
        moved = (account for account, _ in leaf.postings if account.startswith(WALLET))
        return {account[len(WALLET) :] for account in moved}
    return {getattr(leaf, "player", "")}


def _is_leaf(line: dict[str, Any]) -> bool:
    return isinstance(line.get("leaf"), str) and type(line.get("n")) is int
