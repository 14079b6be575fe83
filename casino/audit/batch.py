"""One range of leaves, checked by itself so that ranges can be checked side by side.

What a range cannot know alone (the tree to its left, balances before it, games that began
earlier or end later) it hands on, small, to be joined in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, Protocol, TypeAlias

from casino.audit.bots import Decide
from casino.audit.findings import WARNING, Finding
from casino.audit.games import Row, check_game
from casino.audit.grants import Issued, grants_of
from casino.audit.log_rules import RULES
from casino.audit.look_ups import bound_by, rows_of, span_of, weight
from casino.audit.money import Correction, Course, Cover, Money, Piece
from casino.audit.own_limits import Acting, Acts
from casino.audit.shut import has_ended, lacks_texts
from casino.audit.voids import Void, void_of
from casino.bank.keychain import KeyChain
from casino.bank.leaves import BROKEN, AnswersGiven, Entry, LogOpened, RunStarted, canonical
from casino.bank.merkle import TILE, Hash, complete_subtrees, fold, range_hash
from casino.bank.store import LookUp, StoredLeaf
from casino.errors import BadFile
from casino.events.kinds import (
    BetAccepted,
    BookLocked,
    CutLate,
    GameOpened,
    GameOver,
    GameVoid,
    GrantTerms,
    LimitSet,
    SeedChain,
    TermsSet,
)
from casino.events.reading import KINDS, read_any

SIZE_LEVEL: Final = 2 * TILE
SIZE: Final = 1 << SIZE_LEVEL
"""Leaves in a range: a complete subtree, so that ranges join without hashing again."""

Opening: TypeAlias = GameOpened | SeedChain | TermsSet | BookLocked
"""Leaves that are held to what stands for their table."""

LONGEST_PAUSE_MS: Final = 3 * 3_600_000
"""No table can be set so that a running game has no leaf for longer."""


class Job(Protocol):
    """Something that reads one range; it can be sent to another process."""

    def batch(self) -> Batch:
        """The range, read."""

    def entry_rows(self, first: int, last: int) -> Sequence[tuple[int, int]] | None:
        """The numbers of entries and of their leaves, as stored; nothing if they are not."""


@dataclass
class Batch:
    """A range of leaves as read, the checkpoints within it, and the stored tree over it.

    `terms` are those that were set before it; `limited` are the players that have set themselves
    limits so far, if these are to be checked as the leaves come.
    """

    first: int
    leaves: list[StoredLeaf]
    checkpoints: list[tuple[int, str]]
    keys: KeyChain
    terms: list[TermsSet] = field(default_factory=list)
    tables: bool = True
    nodes: dict[int, list[Hash]] = field(default_factory=dict)
    games: bool = True
    decide: Decide | None = None
    limited: frozenset[str] | None = None


@dataclass
class Outcome:
    """What a range came to; `weight` is that of the rows that find its leaves (see `look_ups`)."""

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
    pieces: list[Piece]
    open_games: dict[str, list[Row]]
    weight: int
    openings: list[tuple[int, Opening]]
    late: list[Row]
    shut: dict[str, list[Row]]
    answers: int
    span: tuple[int, int]
    games: int
    voids: list[Void]
    won: Counter[tuple[str, str]]
    acts: Acts
    issued: list[Issued]


def check_batch(job: Job) -> Outcome:
    """Read a range and check it."""
    batch = job.batch()
    reading = _Reading(batch)
    reading.read()
    money = reading.money
    findings = reading.findings + money.findings
    rows = _pyramid([sha256(b"\0" + leaf.body).digest() for leaf in batch.leaves])
    findings += _check_nodes(batch, rows)
    signed, false = _check_checkpoints(batch, rows)
    findings += _check_entries(job.entry_rows(money.first or 0, money.last), money.rows)
    return Outcome(
        batch.first,
        len(batch.leaves),
        findings + false,
        [rows[level][place] for level, place in complete_subtrees(len(batch.leaves))],
        signed,
        money.passing(),
        money.covers,
        reading.limited,
        reading.bettors,
        (money.first, money.last),
        money.corrections,
        money.pieces,
        reading.games,
        weight(reading.found_by),
        reading.openings,
        reading.late,
        reading.shut,
        weight(reading.answers),
        (reading.began, reading.at),
        reading.ended,
        reading.voids,
        reading.won,
        reading.acting.acts,
        reading.issued,
    )


class _Reading:
    """One pass over the leaves of a range."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.terms = list(batch.terms)
        self.findings: list[Finding] = []
        self.money = Money()
        self.games: dict[str, list[Row]] = {}
        self.found_by: list[LookUp] = []
        self.openings: list[tuple[int, Opening]] = []
        self.late: list[Row] = []
        self.shut: dict[str, list[Row]] = {}
        self.ended = 0
        self.voids: list[Void] = []
        self.won: Counter[tuple[str, str]] = Counter()
        self.acting = Acting(batch.limited or frozenset())
        self.limited: set[str] = set()
        self.bettors: set[str] = set()
        self.answers: list[LookUp] = []
        self.issued: list[Issued] = []
        self.began = 0
        self.at = 0
        self.jumped: tuple[int, int] | None = None

    def read(self) -> None:
        """Every leaf: its number, its bytes, its time; money, rules and games aside."""
        notes: dict[type, Callable[[int, Any], None]] = {
            Entry: self._move,
            GrantTerms: lambda _, leaf: self.issued.append(leaf),
            LogOpened: lambda _, leaf: self.issued.append(leaf),
            BookLocked: self._lock,
            SeedChain: lambda number, leaf: self.openings.append((number, leaf)),
            BetAccepted: lambda _, leaf: self.bettors.add(leaf.player),
            LimitSet: lambda _, leaf: self.limited.add(leaf.player),
            GameOpened: self._open,
            TermsSet: self._set,
            GameOver: self._end,
            GameVoid: self._end,
            CutLate: self._come_late,
            AnswersGiven: lambda n, leaf: self.answers.append(bound_by(leaf, n)),
        }
        also: dict[type, Callable[[int, Any], None]] = {}
        if self.batch.limited is not None:
            take, move = self.acting.take, self.acting.move
            also = {LimitSet: take, BetAccepted: take, Entry: move}
        games = self.batch.games
        game_now, rows = "", list[Row]()
        for number, (n, body) in enumerate(self.batch.leaves, self.batch.first):
            try:
                leaf = read_any(body)
            except BROKEN as error:
                text = f"the leaf's bytes are not those of a leaf: {error}"
                self._find("leaves", text, number)
                continue
            if n != number:
                self._find("leaves", f"leaf {n} stands here", number)
            if canonical(leaf) != body:
                self._find("leaves", "the bytes are not canonical JSON", number)
            if leaf.at != self.at:
                if leaf.at < self.at:
                    self._find("leaves", "time goes back", number)
                if self.began and leaf.at - self.at > LONGEST_PAUSE_MS:
                    self.jumped = number, leaf.at - self.at
                self.began = self.began or leaf.at
                self.at = leaf.at
            kind = type(leaf)
            if kind is RunStarted:
                self.jumped = None
            if kind in _FOUND_BY:
                self.found_by += rows_of(leaf, number)
            if games and kind in _OF_GAMES and (game := leaf.subject) is not None:
                if game != game_now:
                    game_now, rows = game, self.games.setdefault(game, [])
                rows.append(Row(number, leaf, body))
                if self.jumped is not None:
                    self._jump(*self.jumped, rows[0])
            if kind in notes:
                notes[kind](number, leaf)
            if kind in also:
                also[kind](number, leaf)
            if kind in RULES:
                self.findings += RULES[kind](number, leaf)

    def _jump(self, number: int, ahead_ms: int, first: Row) -> None:
        """A game goes on after a pause that none can have: the clock was set (L20)."""
        if first.n < number or not isinstance(first.leaf, GameOpened):
            self.jumped = None
            text = f"time jumps ahead by {ahead_ms // 60_000} minutes while a game runs"
            self.findings.append(Finding("time", text, number, first.leaf.subject, None, WARNING))

    def _open(self, number: int, leaf: GameOpened) -> None:
        """Note that a game begins."""
        if self.batch.games:
            self._begin(leaf.game)
        self.openings.append((number, leaf))

    def _lock(self, number: int, leaf: BookLocked) -> None:
        """Note the cover that a lock fixes."""
        self.money.cover(number, leaf)
        self.openings.append((number, leaf))

    def _move(self, number: int, leaf: Entry) -> None:
        """Add up an entry, and note what it grants."""
        self.money.add(number, leaf)
        if leaf.move == "grant":
            self.issued += grants_of(number, leaf, self.money.courses)

    def _come_late(self, number: int, leaf: CutLate) -> None:
        """Put a text that came late to its game if that is played here, else note it by itself."""
        rows, row = self.games.get(leaf.game), Row(number, leaf, canonical(leaf))
        if rows is None or has_ended(rows):
            self.late.append(row)
        else:
            rows.append(row)

    def _set(self, number: int, leaf: TermsSet) -> None:
        """Note the terms that games follow from here on."""
        self.terms.append(leaf)
        self.openings.append((number, leaf))

    def _end(self, _: int, leaf: GameOver | GameVoid) -> None:
        """Note that a game ends."""
        self.ended += 1
        if isinstance(leaf, GameOver):
            self.won[leaf.game.rpartition("-")[0], leaf.winner] += 1

    def _begin(self, game: str) -> None:
        """A game opens; those that are over by now, money and all, are checked and let go."""
        over = [name for name, rows in self.games.items() if name != game and _over(rows)]
        for name in over:
            rows = self.games.pop(name)
            self.found_by.append(span_of(name, rows[0].n, rows[-1].n))
            self._judge(name, rows)

    def _judge(self, game: str, rows: list[Row]) -> None:
        """Check a game that is over, and keep what its silences and its void hang on."""
        self.findings += check_game(game, rows, self.terms, self.batch.decide)
        shut, void = lacks_texts(rows), void_of(game, rows, self.terms, self.batch.decide)
        if shut:
            self.shut[game] = shut
        if void is not None:
            self.voids.append(void)

    def _find(self, check: str, text: str, leaf: int) -> None:
        """Note a finding."""
        self.findings.append(Finding(check, text, leaf))


_FOUND_BY: Final = frozenset(
    kind
    for kind in KINDS.values()
    if kind.listed or "player" in kind.__struct_fields__ or "owners" in vars(kind)
)
_OF_GAMES: Final = frozenset(
    kind for kind in KINDS.values() if "game" in kind.__struct_fields__ and kind is not CutLate
)


def _over(rows: Sequence[Row]) -> bool:
    """Whether a game is here from its opening to its last entry."""
    return rows[0].leaf.kind == "game_opened" and has_ended(rows)


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
    for level in (TILE, SIZE_LEVEL) if batch.tables else ():
        due = rows[level] if level < len(rows) else []
        found = batch.nodes.get(level, [])
        for place in range(max(len(due), len(found))):
            at = (batch.first >> level) + place
            if place >= len(found):
                yield Finding("tree", f"node {at} on level {level} is missing", at << level)
            elif place >= len(due) or found[place] != due[place]:
                text = f"the stored hash of node {at} on level {level} is not that of its leaves"
                yield Finding("tree", text, at << level)


def _check_checkpoints(
    batch: Batch, rows: list[list[Hash]]
) -> tuple[list[tuple[int, Hash, Hash]], list[Finding]]:
    """Signatures; each checkpoint's size, root, and what this range contributes to it."""
    signed, findings = [], []
    for size, note in batch.checkpoints:
        try:
            checkpoint = batch.keys.open(note)
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


def _check_entries(
    stored: Sequence[tuple[int, int]] | None, due: Sequence[tuple[int, int]]
) -> list[Finding]:
    """The entries stored are those that the leaves say; the first that differ are found."""
    if stored is None or list(stored) == list(due):
        return []
    said = set(due)
    return [
        Finding(
            "tables",
            f"entry {number} {'is missing' if (number, leaf) in said else 'is not in the log'}",
            leaf,
            entry=number,
        )
        for number, leaf in sorted(set(stored) ^ said)[:20]
    ]


__all__ = ["SIZE", "SIZE_LEVEL", "Batch", "Outcome", "check_batch", "fold"]
