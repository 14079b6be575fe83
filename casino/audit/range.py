"""Check one range of leaves independently, so that ranges can be checked in parallel.

Checks that depend on other ranges (the tree to the left, earlier balances, games that cross a
boundary) are left to the pipeline, which joins a small summary of each range in order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from itertools import count
from typing import Any, Final, Protocol, TypeAlias

from casino.audit.checks.bots import Decide
from casino.audit.checks.game import GameLeaf, check_game, game_leaf
from casino.audit.checks.grants import GrantPolicyChange, Issued, grants_of
from casino.audit.checks.ledger import (
    Correction,
    EntryPart,
    PostingSums,
    RequiredBankroll,
    RunningSum,
)
from casino.audit.checks.limits import NO_ACTS, LimitedPlayers, LimitEventCollector, LimitEvents
from casino.audit.checks.log import RULES, ProgramRuns, Rule
from casino.audit.checks.timing import GameWaits, measure_waits
from casino.audit.checks.voids import VoidedGame, read_void
from casino.audit.checks.withholding import has_ended, unrevealed_leaves
from casino.audit.report import WARNING, Finding
from casino.errors import FileError
from casino.events.codec import KINDS, decode_canonical, read_any
from casino.events.types import (
    BetAccepted,
    BookLocked,
    CutLate,
    Event,
    GameOpened,
    GameOver,
    GameVoid,
    GrantTerms,
    LimitSet,
    SeatChanged,
    SeedChain,
    TermsSet,
)
from casino.ledger.entries import (
    BROKEN,
    AnswersGiven,
    Entry,
    LogOpened,
    RunStarted,
    RunStopped,
    canonical,
)
from casino.ledger.storage.base import StoredLeaf
from casino.ledger.tlog.key_rotation import KeyChain
from casino.ledger.tlog.merkle import TILE, Hash, complete_subtrees, fold, range_hash

SIZE_LEVEL: Final = 2 * TILE
SIZE: Final = 1 << SIZE_LEVEL  # a complete subtree, so that ranges join without hashing again


class RangeReader(Protocol):
    """Reader of one range, which can be pickled for another process."""

    def batch(self) -> LeafRange:
        """Read and return the leaves and tree nodes of the range."""

    def answers(self) -> Sequence[tuple[int, str]] | None:
        """Return the hashes of stored command replies by leaf, or None if there are no tables."""


@dataclass
class LeafRange:
    """A range of leaves, with its checkpoints and the stored nodes of its tree.

    `terms` are the table settings before the range, and `limited` the players whose limits are
    checked. `hidden` are the numbers of unreadable leaves, `faults` all findings of damage.
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
    limited: LimitedPlayers | None = None
    hidden: frozenset[int] = frozenset()
    faults: tuple[Finding, ...] = ()


@dataclass
class RangeOutcome:
    """The result of checking a range; `hides` is True if damage leaves its hash unknown."""

    first: int
    leaves: int
    findings: list[Finding]
    subtrees: list[Hash]
    signed: list[tuple[int, Hash, Hash]]
    courses: dict[str, RunningSum]
    covers: list[RequiredBankroll]
    limited: set[str]
    bettors: dict[str, int]
    entries: tuple[int | None, int]
    corrections: list[Correction]
    pieces: list[EntryPart]
    open_games: dict[str, list[GameLeaf]]
    openings: list[tuple[int, OpeningLeaf]]
    late: list[GameLeaf]
    shut: dict[str, list[GameLeaf]]
    span: tuple[int, int]
    games: int
    voids: list[VoidedGame]
    won: Counter[tuple[str, str]]
    acts: LimitEvents
    issued: list[Issued]
    runs: ProgramRuns
    waits: list[GameWaits]
    hides: bool


def check_leaves(job: RangeReader) -> RangeOutcome:
    """Read a range, and check everything that does not depend on other ranges."""
    batch = job.batch()
    reading = RangePass(batch.terms, batch.games, batch.decide, batch.limited)
    reading.read(batch.first, batch.leaves)
    money = reading.money
    findings = reading.findings + money.findings
    findings += _check_answers(job.answers(), reading.answers)
    if batch.hidden:
        # Hidden leaves were read as empty bytes, so findings about their content are void.
        findings = [finding for finding in findings if finding.leaf not in batch.hidden]
    findings += batch.faults
    instead, hides = _instead(batch)
    rows = _pyramid([sha256(b"\0" + leaf.body).digest() for leaf in batch.leaves], instead)
    findings += _check_nodes(batch, rows)
    signed, false = _check_checkpoints(batch, rows)
    return RangeOutcome(
        batch.first,
        len(batch.leaves),
        findings + false,
        [rows[level][index] for level, index in complete_subtrees(len(batch.leaves))],
        signed,
        money.passing(),
        money.covers,
        reading.limited,
        reading.bettors,
        (money.first, money.last),
        money.corrections,
        money.pieces,
        reading.games,
        reading.openings,
        reading.late,
        reading.shut,
        (reading.began, reading.at),
        reading.ended,
        reading.voids,
        reading.won,
        NO_ACTS if reading.acting is None else reading.acting.acts,
        reading.issued,
        reading.runs,
        reading.waits,
        hides,
    )


def _instead(batch: LeafRange) -> tuple[dict[int, Hash], bool]:
    """Return the stored hashes of bundles with hidden leaves, and whether any is missing."""
    bundles = {number - batch.first >> TILE for number in batch.hidden}
    stored = dict(enumerate(batch.nodes.get(TILE, ())))
    return {
        bundle: stored[bundle] for bundle in bundles & stored.keys()
    }, not bundles <= stored.keys()


def _pyramid(hashes: list[Hash], instead: dict[int, Hash]) -> list[list[Hash]]:
    rows = [hashes]
    while len(rows[-1]) > 1:
        below = rows[-1]
        pairs = zip(below[::2], below[1::2], strict=False)
        # `node_hash` written out, because half of an audit's hashes are computed here.
        rows.append([sha256(b"\1" + left + right).digest() for left, right in pairs])
        if len(rows) == TILE + 1:
            for index, hash_given in instead.items():
                rows[TILE][index] = hash_given
    return rows


def _check_nodes(batch: LeafRange, rows: list[list[Hash]]) -> Iterable[Finding]:
    for level in (TILE, SIZE_LEVEL) if batch.tables else ():
        expected = rows[level] if level < len(rows) else []
        stored = batch.nodes.get(level, [])
        for index in range(max(len(expected), len(stored))):
            at = (batch.first >> level) + index
            if index >= len(stored):
                yield Finding("tree", f"node {at} on level {level} is missing", at << level)
            elif index >= len(expected) or stored[index] != expected[index]:
                text = f"the stored hash of node {at} on level {level} is not that of its leaves"
                yield Finding("tree", text, at << level)


def _check_checkpoints(
    batch: LeafRange, rows: list[list[Hash]]
) -> tuple[list[tuple[int, Hash, Hash]], list[Finding]]:
    signed, findings = [], []
    for size, note in batch.checkpoints:
        try:
            checkpoint = batch.keys.open(note)
        except FileError as error:
            findings.append(Finding("checkpoints", f"checkpoint {size}: {error}", size - 1))
            continue
        within = size - batch.first
        if _is_partly_hidden(batch, size):
            continue
        if checkpoint.size != size or within > len(batch.leaves):
            text = f"checkpoint {size} is over {checkpoint.size} leaves"
            findings.append(Finding("checkpoints", text, size - 1))
            continue
        part = range_hash(0, within, lambda level, index: rows[level][index])
        signed.append((size, part, checkpoint.root))
    return signed, findings


def _is_partly_hidden(batch: LeafRange, size: int) -> bool:
    # Only whole bundles have a stored hash that can replace a hidden leaf.
    whole = size >> TILE << TILE
    return any(whole <= number < size for number in batch.hidden)


def _check_answers(
    stored: Sequence[tuple[int, str]] | None, expected: Sequence[tuple[int, str]]
) -> list[Finding]:
    """Check the stored command replies against the hashes in the log (L21)."""
    if stored is None or list(stored) == list(expected):
        return []
    bound = {leaf for leaf, _ in expected}
    return [
        Finding(
            "commands",
            "an answer to one of its commands is not the one that was given"
            if leaf in bound
            else "an answer is kept that no leaf binds",
            leaf,
        )
        for leaf in sorted({leaf for leaf, _ in set(stored) ^ set(expected)})[:_MAX_ANSWERS]
    ]


_MAX_ANSWERS: Final = 200


__all__ = ["SIZE", "SIZE_LEVEL", "LeafRange", "RangeOutcome", "check_leaves", "fold"]


# Leaves checked against the state of their table.
OpeningLeaf: TypeAlias = (
    GameOpened | SeatChanged | SeedChain | TermsSet | BookLocked | GameOver | GameVoid
)

Take: TypeAlias = Callable[[int, Any], object]  # handles a leaf, given its number

MAX_PAUSE_MS: Final = 3 * 3_600_000  # no table's settings allow a longer pause within a game


class RangePass:
    """A pass over a range, which checks its leaves and games against earlier table settings."""

    def __init__(
        self,
        terms: Iterable[TermsSet],
        games: bool,
        decide: Decide | None,
        limited: LimitedPlayers | None,
    ) -> None:
        self.terms = list(terms)
        self.with_games = games
        self.of_games = _OF_GAMES if games else frozenset[type]()
        self.decide = decide
        self.acting = None if limited is None else LimitEventCollector(limited)
        self.findings: list[Finding] = []
        self.money = PostingSums()
        self.games: dict[str, list[GameLeaf]] = {}
        self.openings: list[tuple[int, OpeningLeaf]] = []
        self.late: list[GameLeaf] = []
        self.shut: dict[str, list[GameLeaf]] = {}
        self.ended = 0
        self.voids: list[VoidedGame] = []
        self.won: Counter[tuple[str, str]] = Counter()
        self.limited: set[str] = set()
        self.bettors: dict[str, int] = {}
        self.answers: list[tuple[int, str]] = []
        self.issued: list[Issued] = []
        self.began = 0
        self.at = 0
        self.jumped: tuple[int, int] | None = None
        self.runs = ProgramRuns()
        self.waits: list[GameWaits] = []

    def read(self, first: int, leaves: Sequence[StoredLeaf]) -> None:
        """Check the number, bytes and time of every leaf, and dispatch it by type."""
        takes = self._takes()
        game_now, rows = "", list[GameLeaf]()
        for stored, number, leaf in self._events(first, leaves):
            if stored.n != number:
                self._find("leaves", f"leaf {stored.n} stands here", number)
            if leaf.at != self.at:
                self._pass_time(number, leaf.at)
            kind = type(leaf)
            if kind in self.of_games and (game := leaf.game) is not None:
                if game != game_now:
                    game_now, rows = game, self.games.setdefault(game, [])
                rows.append(game_leaf((number, leaf, stored.body)))
                if self.jumped is not None:
                    self._jump(*self.jumped, rows[0])
            for take in takes.get(kind, ()):
                take(number, leaf)

    def _takes(self) -> dict[type, list[Take]]:
        takes: defaultdict[type, list[Take]] = defaultdict(list)
        notes: dict[type, Take] = {
            Entry: self._move,
            GrantTerms: lambda number, leaf: self.issued.append(GrantPolicyChange(number, leaf)),
            LogOpened: self._begin_log,
            RunStarted: self._begin_run,
            RunStopped: lambda number, _: self.runs.stop(number),
            BookLocked: self._lock,
            SeedChain: lambda number, leaf: self.openings.append((number, leaf)),
            BetAccepted: lambda number, leaf: self.bettors.setdefault(leaf.player, number),
            LimitSet: lambda _, leaf: self.limited.add(leaf.player),
            SeatChanged: lambda number, leaf: self.openings.append((number, leaf)),
            GameOpened: self._open,
            TermsSet: self._set,
            GameOver: self._end,
            GameVoid: self._end,
            CutLate: self._add_late,
            AnswersGiven: lambda number, leaf: self.answers.append((number, leaf.hash)),
        }
        for kind, note in notes.items():
            takes[kind].append(note)
        if self.acting is not None:
            takes[LimitSet].append(self.acting.add_leaf)
            takes[BetAccepted].append(self.acting.add_leaf)
            takes[Entry].append(self.acting.add_entry)
        for kind, rule in RULES.items():
            takes[kind].append(partial(self._keep, rule))
        return takes

    def _keep(self, rule: Rule, number: int, leaf: Event) -> None:
        self.findings += rule(number, leaf)

    def _events(
        self, first: int, leaves: Sequence[StoredLeaf]
    ) -> Iterator[tuple[StoredLeaf, int, Any]]:
        for start in range(0, len(leaves), _TOGETHER):
            chunk = leaves[start : start + _TOGETHER]
            # One malformed leaf fails the whole chunk, which is then decoded leaf by leaf.
            events = decode_canonical([body for _, body in chunk])
            if events is not None:
                yield from zip(chunk, count(first + start), events)
                continue
            for number, stored in enumerate(chunk, first + start):
                event = self._event(number, stored.body)
                if event is not None:
                    yield stored, number, event

    def _event(self, number: int, body: bytes) -> Event | None:
        try:
            leaf = read_any(body)
        except BROKEN as error:
            text = f"the leaf's bytes are not those of a leaf: {error}"
            self._find("leaves", text, number)
            return None
        if canonical(leaf) != body:
            self._find("leaves", "the bytes are not canonical JSON", number)
        return leaf

    def _pass_time(self, number: int, at: int) -> None:
        if at < self.at:
            self._find("leaves", "time goes back", number)
        if self.began and at - self.at > MAX_PAUSE_MS:
            self.jumped = number, at - self.at
        self.began = self.began or at
        self.at = at

    def _begin_run(self, number: int, _: RunStarted) -> None:
        # The pause ended with a restart, so the clock need not have been set.
        self.jumped = None
        self.runs.start(number)

    def _jump(self, number: int, ahead_ms: int, first: GameLeaf) -> None:
        """Warn of a long pause in a game, which suggests that the clock was changed (L20)."""
        if first.n < number or not isinstance(first.leaf, GameOpened):
            self.jumped = None
            text = f"time jumps ahead by {ahead_ms // 60_000} minutes while a game runs"
            self.findings.append(Finding("time", text, number, first.leaf.subject, None, WARNING))

    def _begin_log(self, number: int, leaf: LogOpened) -> None:
        self.issued.append(leaf)
        self.runs.stop(number)

    def _open(self, number: int, leaf: GameOpened) -> None:
        if self.with_games:
            self._begin(leaf.game)
        self.openings.append((number, leaf))

    def _lock(self, number: int, leaf: BookLocked) -> None:
        self.money.add_cover(number, leaf)
        self.openings.append((number, leaf))

    def _move(self, number: int, leaf: Entry) -> None:
        self.money.add(number, leaf)
        if leaf.move == "grant":
            self.issued += grants_of(number, leaf, self.money.courses)

    def _add_late(self, number: int, leaf: CutLate) -> None:
        rows, row = self.games.get(leaf.game), GameLeaf(number, leaf, canonical(leaf))
        if rows is None or has_ended(rows):
            self.late.append(row)
        else:
            rows.append(row)

    def _set(self, number: int, leaf: TermsSet) -> None:
        self.terms.append(leaf)
        self.openings.append((number, leaf))

    def _end(self, number: int, leaf: GameOver | GameVoid) -> None:
        self.ended += 1
        self.openings.append((number, leaf))
        if isinstance(leaf, GameOver):
            self.won[leaf.game.rpartition("-")[0], leaf.winner] += 1

    def _begin(self, game: str) -> None:
        """Check and drop the games that ended before this one opened."""
        # Checked only now, because the entry that pays a game follows its last event.
        over = [name for name, rows in self.games.items() if name != game and _over(rows)]
        for name in over:
            rows = self.games.pop(name)
            self._judge(name, rows)

    def _judge(self, game: str, rows: list[GameLeaf]) -> None:
        self.findings += check_game(game, rows, self.terms, self.decide)
        shut, void = unrevealed_leaves(rows), read_void(game, rows, self.terms, self.decide)
        waited = measure_waits(game, rows, self.terms)
        if shut:
            self.shut[game] = shut
        self.voids += [] if void is None else [void]
        self.waits += [] if waited is None else [waited]

    def _find(self, check: str, text: str, leaf: int) -> None:
        self.findings.append(Finding(check, text, leaf))


_TOGETHER: Final = 512  # leaves decoded per call, twice as fast as one by one

_OF_GAMES: Final = frozenset(
    kind for kind in KINDS.values() if "game" in kind.__struct_fields__ and kind is not CutLate
)


def _over(rows: Sequence[GameLeaf]) -> bool:
    return rows[0].leaf.kind == "game_opened" and has_ended(rows)
