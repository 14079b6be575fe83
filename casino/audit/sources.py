"""Where an audit reads from: the casino's file, or an export of its log."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol

import orjson

from casino.audit.batch import SIZE, Batch
from casino.audit.bots import Decide
from casino.bank import database
from casino.bank.eventlog import EventLog
from casino.bank.leaves import Entry, LogOpened
from casino.bank.ledger import purse
from casino.bank.merkle import TILE, Frontier, Hash, leaf_hash
from casino.bank.notes import PublicKey
from casino.errors import BadFile
from casino.events.kinds import Event
from casino.events.reading import read, read_if_sound

FORMAT: Final = 1
"""The version of the export that `--from` reads."""


class Job(Protocol):
    """Something that reads one range; it can be sent to another process."""

    def batch(self) -> Batch:
        """The range, read."""


class FileJob:
    """A range of leaves in the casino's file, read by whoever checks it."""

    def __init__(
        self, path: Path, first: int, end: int, key: PublicKey, games: bool, decide: Decide | None
    ) -> None:
        self.path = path
        self.first = first
        self.end = end
        self.key = key
        self.games = games
        self.decide = decide

    def batch(self) -> Batch:
        """The range, with the rows of the tables that belong to it."""
        reader = reader_of(self.path)
        last = self.end
        rows = reader.execute
        span = (self.first, last)
        sql = "SELECT n, type, game, player, body FROM leaf WHERE n >= ? AND n < ? ORDER BY n"
        leaves = quickly(reader, sql, span)
        sql = "SELECT size, note FROM checkpoint WHERE size > ? AND size <= ? ORDER BY size"
        checkpoints = rows(sql, span).fetchall()
        columns = "n, leaf, move, game, corrects"
        sql = f"SELECT {columns} FROM entry WHERE leaf >= ? AND leaf < ? ORDER BY leaf"
        entries = rows(sql, span).fetchall()
        numbers = (entries[0][0], entries[-1][0]) if entries else (0, 0)
        sql = "SELECT entry, account, cents FROM posting WHERE entry BETWEEN ? AND ?"
        postings = quickly(reader, f"{sql} ORDER BY entry, account", numbers)
        nodes: list[tuple[Any, ...]] = []
        for level in (TILE, 2 * TILE):
            sql = "SELECT level, place, hash FROM node WHERE level = ? AND place >= ? AND place < ?"
            nodes += rows(sql, (level, self.first >> level, last >> level)).fetchall()
        return Batch(
            self.first,
            leaves,
            checkpoints,
            self.key,
            entries=entries,
            postings=postings,
            nodes=nodes,
            games=self.games,
            decide=self.decide,
        )


class ExportJob:
    """A range of leaves from an export, already read."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch

    def batch(self) -> Batch:
        """The range."""
        return self._batch


class FileSource:
    """The casino's file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.connection = database.read_only(path)
        self.log = EventLog(self.connection)
        self.key = self._key()
        self.beside: str | None = None
        self._count()

    @contextmanager
    def moment(self) -> Iterator[None]:
        """Look at the file as it stands now, whatever a running casino writes to it meanwhile."""
        # The checkpoint comes first, as the log only grows: it has no fewer leaves than this signs.
        beside = self.path.with_name(self.path.name + ".checkpoint")
        self.beside = beside.read_text("utf-8", "replace") if beside.is_file() else None
        self.connection.execute("BEGIN")
        try:
            self._count()
            yield
        finally:
            self.connection.rollback()

    def _count(self) -> None:
        """How many leaves there are, and the number of the last."""
        # Counted, as the greatest number may be anything that somebody wrote there.
        counted = "SELECT count(*), coalesce(max(n), -1) FROM leaf"
        self.size: int
        self.size, self._last = self.connection.execute(counted).fetchone()

    def _key(self) -> PublicKey:
        """The public key the first leaf names, or else the one the file does."""
        facts = dict(self.connection.execute("SELECT name, value FROM about").fetchall())
        row = self.connection.execute("SELECT body FROM leaf WHERE n = 0").fetchone()
        try:
            first = read(b"" if row is None else row[0])
            return PublicKey.parse(first.key if isinstance(first, LogOpened) else "")
        except BadFile:
            return PublicKey.parse(facts.get("key", ""))

    def jobs(self, games: bool, decide: Decide | None) -> Iterator[Job]:
        """The ranges, in order."""
        for first in range(0, max(self.size, 1), SIZE):
            end = min(first + SIZE, self._last + 1)
            yield FileJob(self.path, first, end, self.key, games, decide)

    def rows(self, game: str | None = None) -> Iterator[tuple[int, bytes]]:
        """The leaves of a game, or all."""
        leaves = self.log.leaves() if game is None else self.log.of_game(game)
        return ((leaf.n, leaf.body) for leaf in leaves)

    def about(self, players: set[str]) -> Iterator[tuple[str, int, Event]]:
        """For each player the leaves that name him or move his chips, in order."""
        sql = """
            SELECT n, body FROM leaf WHERE player = ?1 UNION
            SELECT leaf.n, body FROM posting JOIN entry ON entry.n = posting.entry
            JOIN leaf ON leaf.n = entry.leaf WHERE account = ?2 ORDER BY 1
        """
        for player in sorted(players):
            for n, body in self.connection.execute(sql, (player, purse(player))):
                leaf = read_if_sound(body)
                if leaf is not None:
                    yield player, n, leaf

    def beginning(self, size: int) -> tuple[int, Hash]:
        """The size and root of the log's first leaves, as far as there are so many."""
        size = min(size, self.size)
        return size, self.log.root(size)

    def entry(self, number: int) -> Sequence[tuple[str, int]]:
        """The postings of one entry."""
        sql = "SELECT account, cents FROM posting WHERE entry = ? ORDER BY account"
        return self.connection.execute(sql, (number,)).fetchall()


class ExportSource:
    """An export in the `jsonl` format."""

    def __init__(self, path: Path) -> None:
        self.path = path
        head = next(self._lines(), None)
        if not isinstance(head, dict) or head.get("casino_log") != FORMAT:
            raise BadFile(f"{path} is no export: make one with casino export --format jsonl")
        self.key = PublicKey.parse(str(head.get("key")))

    def moment(self) -> AbstractContextManager[None]:
        """An export is of one moment already."""
        return nullcontext()

    def rows(self, _game: str | None = None) -> Iterator[tuple[int, bytes]]:
        """All leaves, by their places."""
        leaves = (line["leaf"].encode() for line in self._lines() if _is_leaf(line))
        return enumerate(leaves)

    def about(self, players: set[str]) -> Iterator[tuple[str, int, Event]]:
        """The leaves that name players or move their chips, in order."""
        for n, body in self.rows():
            leaf = read_if_sound(body)
            if isinstance(leaf, Entry):
                moved = {account.removeprefix("wallet/") for account, _ in leaf.postings}
                for player in moved & players:
                    yield player, n, leaf
            elif leaf is not None and (named := leaf.columns[2]) is not None and named in players:
                yield named, n, leaf

    def jobs(self, games: bool, decide: Decide | None) -> Iterator[Job]:
        """The ranges, in order."""
        batch = self._batch(0, games, decide)
        lines = self._lines()
        next(lines)
        for number, line in enumerate(lines, 2):
            if len(batch.leaves) == SIZE and "leaf" in line:
                yield ExportJob(batch)
                batch = self._batch(batch.first + SIZE, games, decide)
            self._add(batch, number, line)
        yield ExportJob(batch)

    def beginning(self, size: int) -> tuple[int, Hash]:
        """The size and root of the log's first leaves, as far as there are so many."""
        tree = Frontier()
        for _, body in islice(self.rows(), size):
            tree.append(leaf_hash(body))
        return tree.size, tree.root()

    def entry(self, number: int) -> Sequence[tuple[str, int]]:
        """The postings of one entry; the export is read for it once more."""
        for _, body in self.rows():
            leaf = read_if_sound(body)
            if isinstance(leaf, Entry) and leaf.entry == number:
                return leaf.postings
        return []

    def _batch(self, first: int, games: bool, decide: Decide | None) -> Batch:
        """An empty range."""
        return Batch(first, [], [], self.key, tables=False, games=games, decide=decide)

    def _add(self, batch: Batch, number: int, line: dict[str, Any]) -> None:
        """Put one line where it belongs."""
        if _is_leaf(line):
            body = line["leaf"].encode()
            batch.leaves.append((line["n"], None, None, None, body))
        elif isinstance(line.get("checkpoint"), str):
            size = batch.first + len(batch.leaves)
            batch.checkpoints.append((size, line["checkpoint"]))
        else:
            raise BadFile(f"{self.path}, line {number}: neither a leaf nor a checkpoint")

    def _lines(self) -> Iterator[dict[str, Any]]:
        """The lines of the export, each a JSON object."""
        try:
            with self.path.open("rb") as file:
                for number, text in enumerate(file, 1):
                    line = orjson.loads(text)
                    if not isinstance(line, dict):
                        raise BadFile(f"{self.path}, line {number}: no JSON object")
                    yield line
        except OSError as error:
            raise BadFile(f"{self.path} cannot be read: {error.strerror}") from None
        except orjson.JSONDecodeError as error:
            raise BadFile(f"{self.path}: a line is no JSON: {error}") from None


@lru_cache(maxsize=1)
def reader_of(path: Path) -> sqlite3.Connection:
    """The process's connection to the file, with room for the pages that indexes lead to."""
    connection = database.read_only(path)
    connection.execute("PRAGMA cache_size = -16000")
    return connection


def quickly(connection: sqlite3.Connection, sql: str, values: Sequence[object]) -> list[Any]:
    """Rows, read in one go; texts that are no texts, which is rare, take longer."""
    lenient, connection.text_factory = connection.text_factory, str
    try:
        return connection.execute(sql, values).fetchall()
    except sqlite3.OperationalError:
        connection.text_factory = lenient
        return connection.execute(sql, values).fetchall()
    finally:
        connection.text_factory = lenient


def _is_leaf(line: dict[str, Any]) -> bool:
    """Whether a line of an export holds a leaf."""
    return isinstance(line.get("leaf"), str) and type(line.get("n")) is int
