"""One range of leaves, checked by itself so that ranges can be checked side by side.

What a range cannot know alone (the tree to its left, balances before it, games that began
earlier or end later) it hands on, small, to be joined in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from casino.audit.bots import Decide
from casino.audit.findings import Finding
from casino.audit.games import Row, check_game
from casino.audit.money import Correction, Course, Cover, Money
from casino.bank.leaves import BROKEN, canonical
from casino.bank.merkle import TILE, Hash, complete_subtrees, fold, range_hash
from casino.bank.notes import PublicKey, open_checkpoint
from casino.errors import BadFile
from casino.events.kinds import Event, GameOpened
from casino.events.reading import READERS, read

SIZE_LEVEL: Final = 2 * TILE
SIZE: Final = 1 << SIZE_LEVEL
"""Leaves in a range: a complete subtree, so that ranges join without hashing again."""

LAST: Final = ("settled", "game_void")


@dataclass
class Batch:
    """A range of leaves as read, the checkpoints within it, and rows of the tables beside."""

    first: int
    leaves: list[tuple[int, str | None, str | None, str | None, bytes]]
    checkpoints: list[tuple[int, str]]
    key: PublicKey
    tables: bool = True
    entries: list[tuple[Any, ...]] = field(default_factory=list)
    postings: list[tuple[Any, ...]] = field(default_factory=list)
    nodes: list[tuple[Any, ...]] = field(default_factory=list)
    games: bool = True
    decide: Decide | None = None


@dataclass
class Outcome:
    """What a range came to."""

    first: int
    leaves: int
    findings: list[Finding]
    subtrees: list[Hash]
    signed: list[tuple[int, Hash, Hash]]
    courses: dict[str, Course]
    covers: list[Cover]
    limited: set[str]
    bettors: set[str]
    entries: tuple[int | None, int]
    corrections: list[Correction]
    open_games: dict[str, list[Row]]
    opened: list[tuple[str, str, int]]
    commands: list[str]
    span: tuple[int, int]
    games: int


def check_batch(batch: Batch) -> Outcome:
    """Check a range."""
    reading = _Reading(batch)
    reading.read()
    findings = reading.findings + reading.money.findings
    rows = _pyramid([sha256(b"\0" + leaf[4]).digest() for leaf in batch.leaves])
    findings += _check_nodes(batch, rows)
    signed, false = _check_checkpoints(batch, rows)
    if batch.tables:
        findings += _check_rows("entry", batch.entries, reading.money.rows)
        findings += _check_rows("posting", batch.postings, sorted(reading.money.postings))
    return Outcome(
        batch.first,
        len(batch.leaves),
        findings + false,
        [rows[level][place] for level, place in complete_subtrees(len(batch.leaves))],
        signed,
        reading.money.passing(),
        reading.money.covers,
        reading.limited,
        reading.bettors,
        (reading.money.first, reading.money.last),
        reading.money.corrections,
        reading.games,
        reading.opened,
        reading.commands,
        (reading.began, reading.at),
        reading.ended,
    )


class _Reading:
    """One pass over the leaves of a range."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.findings: list[Finding] = []
        self.money = Money()
        self.games: dict[str, list[Row]] = {}
        self.opened: list[tuple[str, str, int]] = []
        self.ended = 0
        self.limited: set[str] = set()
        self.bettors: set[str] = set()
        self.commands: list[str] = []
        self.began = 0
        self.at = 0

    def read(self) -> None:
        """Every leaf: its number, its bytes, its columns, its time; money and games aside."""
        readers, encode = READERS, canonical
        notes: dict[str, Callable[[int, Any], None]] = {
            "entry": self.money.add,
            "betting_closed": self.money.cover,
            "bet": lambda _, leaf: self.bettors.add(leaf.player),
            "limit": lambda _, leaf: self.limited.add(leaf.player),
            "game_opened": self._open,
            **dict.fromkeys(LAST, self._end),
        }
        command, tables, games = None, self.batch.tables, self.batch.games
        game_now, rows = "", list[Row]()
        for number, (n, kind, game, player, body) in enumerate(self.batch.leaves, self.batch.first):
            try:
                leaf = readers[kind](body) if tables and kind else read(body)
            except _BROKEN:
                found = self._read_slowly(number, body)
                if found is None:
                    continue
                leaf = found
            if n != number:
                self._find("leaves", f"leaf {n} stands here", number)
            if encode(leaf) != body:
                self._find("leaves", "the bytes are not canonical JSON", number)
            said = name, of_game, _ = leaf.columns
            if tables and said != (kind, game, player):
                self._find("columns", f"the columns say {(kind, game, player)}, not {said}", number)
            if leaf.at != self.at:
                if leaf.at < self.at:
                    self._find("leaves", "time goes back", number)
                self.began = self.began or leaf.at
                self.at = leaf.at
            if leaf.command != command:
                command = leaf.command
                if command is not None:
                    self.commands.append(command)
            if games and of_game is not None:
                if of_game != game_now:
                    game_now, rows = of_game, self.games.setdefault(of_game, [])
                rows.append(Row(number, leaf, body))
            if name in notes:
                notes[name](number, leaf)

    def _read_slowly(self, number: int, body: bytes) -> Event | None:
        """A leaf whose column names no type, or another; nothing if its bytes hold no leaf."""
        try:
            return read(body)
        except BadFile as error:
            self._find("leaves", f"the leaf's bytes are not those of a leaf: {error}", number)
            return None

    def _open(self, number: int, leaf: GameOpened) -> None:
        """Note that a game begins."""
        if self.batch.games:
            self._begin(leaf.game)
        self.opened.append((leaf.game, leaf.table, number))

    def _end(self, _: int, __: Event) -> None:
        """Note that a game ends."""
        self.ended += 1

    def _begin(self, game: str) -> None:
        """A game opens; those that are over by now, money and all, are checked and let go."""
        over = [name for name, rows in self.games.items() if name != game and _over(rows)]
        for name in over:
            self.findings += check_game(name, self.games.pop(name), self.batch.decide)

    def _find(self, check: str, text: str, leaf: int) -> None:
        """Note a finding."""
        self.findings.append(Finding(check, text, leaf))


_BROKEN: Final = (*BROKEN, BadFile, KeyError)


def _over(rows: Sequence[Row]) -> bool:
    """Whether a game is here from its opening to its last entry."""
    last = rows[-1].leaf.kind in LAST or (len(rows) > 1 and rows[-2].leaf.kind in LAST)
    return rows[0].leaf.kind == "game_opened" and last


def _pyramid(hashes: list[Hash]) -> list[list[Hash]]:
    """Rows of hashes, each over the pairs of the one below."""
    rows = [hashes]
    while len(rows[-1]) > 1:
        below = rows[-1]
        pairs = zip(below[::2], below[1::2], strict=False)
        # This is `node_hash`, written out: half of all hashes of an audit are made here.
        rows.append([sha256(b"\1" + left + right).digest() for left, right in pairs])
    return rows


def _check_nodes(batch: Batch, rows: list[list[Hash]]) -> Iterable[Finding]:
    """The stored nodes over this range are those of its leaves."""
    if not batch.tables:
        return
    due = {
        (level, (batch.first >> level) + place): found
        for level in (TILE, SIZE_LEVEL)
        if level < len(rows)
        for place, found in enumerate(rows[level])
    }
    for level, place, stored in batch.nodes:
        if due.pop((level, place), None) != stored:
            text = f"the stored hash of node {place} on level {level} is not that of its leaves"
            yield Finding("tree", text, place << level)
    for level, place in due:
        text = f"node {place} on level {level} is missing"
        yield Finding("tree", text, place << level)


def _check_checkpoints(
    batch: Batch, rows: list[list[Hash]]
) -> tuple[list[tuple[int, Hash, Hash]], list[Finding]]:
    """Signatures; each checkpoint's size, root, and what this range contributes to it."""
    signed, findings = [], []
    for size, note in batch.checkpoints:
        try:
            checkpoint = open_checkpoint(note, batch.key)
        except BadFile as error:
            findings.append(Finding("checkpoints", f"checkpoint {size}: {error}", size - 1))
            continue
        within = size - batch.first
        if checkpoint.size != size or within > len(batch.leaves):
            text = f"checkpoint {size} is over {checkpoint.size} leaves"
            findings.append(Finding("checkpoints", text, size - 1))
            continue
        part = range_hash(0, within, lambda level, place: rows[level][place])
        signed.append((size, part, checkpoint.root))
    return signed, findings


def _check_rows(
    table: str, stored: Sequence[tuple[Any, ...]], due: Sequence[tuple[Any, ...]]
) -> list[Finding]:
    """The rows of a table are those that the leaves say; the first that differ are found."""
    if list(stored) == list(due):
        return []
    different = sorted(set(stored) ^ set(due), key=lambda row: row[0]) or stored[:1]
    said = set(due)
    return [
        Finding(
            "tables",
            f"{table} {row} {'is missing' if row in said else 'is not in the log'}",
            entry=row[0],
        )
        for row in different[:20]
    ]


__all__ = ["SIZE", "SIZE_LEVEL", "Batch", "Outcome", "check_batch", "fold"]
