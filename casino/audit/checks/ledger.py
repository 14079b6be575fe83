"""Check that entries balance and no account falls below zero, and rebuild all balances.

Each range of leaves is reduced independently to each account's net change and lowest running sum.
Joining these in order reveals every negative balance. Empty accounts are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from casino.audit.report import Finding
from casino.events.types import BookLocked
from casino.ledger.accounts import (
    COMMISSION,
    HOUSE_BANK,
    MOVES,
    TREASURY,
    is_printable,
    kind_of,
    may_be_negative,
)
from casino.ledger.entries import Entry


class RunningSum(NamedTuple):
    """An account's net change in a range, its lowest running sum, and the leaf of that minimum."""

    cents: int
    lowest: int
    leaf: int


class RequiredBankroll(NamedTuple):
    """The bank balance needed before a range for the cover offered in one of its leaves."""

    leaf: int
    game: str
    needed_cents: int


class Correction(NamedTuple):
    """A correction: its leaf, the number of the entry that it reverses, and its postings."""

    leaf: int
    number: int
    postings: tuple[tuple[str, int], ...]


class EntryPart(NamedTuple):
    """One leaf of an entry that spans several leaves, with its sum, first and last account."""

    leaf: int
    entry: int
    part: int
    parts: int
    cents: int
    first: str
    last: str
    about: tuple[str, str | None, int | None]
    postings: tuple[tuple[str, int], ...]

    @classmethod
    def from_leaf(cls, number: int, leaf: Entry) -> EntryPart:
        """Create a part from a leaf, keeping its postings only if it is a correction."""
        names = [account for account, _ in leaf.postings] or [""]
        return cls(
            number,
            leaf.entry,
            leaf.part or 0,
            leaf.parts or 0,
            sum(cents for _, cents in leaf.postings),
            names[0],
            names[-1],
            (leaf.move, leaf.game, leaf.corrects),
            leaf.postings if leaf.move == "correct" else (),
        )

    def follows(self, before: EntryPart) -> bool:
        """Return True if this is the part that directly follows `before`."""
        return (
            (self.leaf, self.part) == (before.leaf + 1, before.part + 1)
            and (self.entry, self.parts, self.about) == (before.entry, before.parts, before.about)
            and self.first > before.last
        )


class SplitEntries:
    """Multi-leaf entries, reassembled to check that each is complete and balances."""

    def __init__(self) -> None:
        self.open: list[EntryPart] = []
        self._whole: list[Correction] = []

    def add(self, pieces: Iterable[EntryPart]) -> Iterator[Finding]:
        """Add the parts in the next range, and report incomplete or unbalanced entries."""
        for piece in pieces:
            if self.open and not piece.follows(self.open[-1]):
                yield from self.finish()
            if not self.open and piece.part != 1:
                yield _wrong(piece, f"begins with part {piece.part}")
                continue
            self.open.append(piece)
            if piece.part >= piece.parts:
                yield from self._end()

    def finish(self) -> Iterator[Finding]:
        """Report the pending entry, if there is one, because its last parts are missing."""
        if self.open:
            last = self.open[-1]
            yield _wrong(last, f"ends with part {last.part} of {last.parts}")
        self.open = []

    def take_corrections(self) -> list[Correction]:
        """Return the corrections completed since the last call."""
        whole, self._whole = self._whole, []
        return whole

    def _end(self) -> Iterator[Finding]:
        pieces, self.open = self.open, []
        move, _, corrects = pieces[0].about
        if sum(piece.cents for piece in pieces) or len(pieces) < 2:
            yield _wrong(pieces[0], "does not sum to 0")
        if move == "correct":
            postings = tuple(posting for piece in pieces for posting in piece.postings)
            self._whole.append(Correction(pieces[0].leaf, corrects or 0, postings))


def _wrong(piece: EntryPart, text: str) -> Finding:
    return Finding("entries", f"entry {piece.entry} {text}", piece.leaf, entry=piece.entry)


OF_GAMES: Final = ("hold", "release", "settle", "void")  # only these moves name a game

MAX_NAME_LENGTH: Final = 40


class PostingSums:
    """Checks and running sums of the entries in a range."""

    def __init__(self) -> None:
        # By account: the sum, the lowest sum so far, and the leaf of that minimum.
        self.courses: dict[str, list[int]] = {}
        self.findings: list[Finding] = []
        self.first: int | None = None
        self.last = 0
        self.corrections: list[Correction] = []
        self.pieces: list[EntryPart] = []
        self.covers: list[RequiredBankroll] = []

    def add(self, leaf_number: int, leaf: Entry) -> None:
        """Check an entry by itself, and add its postings to the running sums."""
        number, postings = leaf.entry, leaf.postings
        is_piece = leaf.part is not None or leaf.parts is not None
        if is_piece:
            self.pieces.append(EntryPart.from_leaf(leaf_number, leaf))
        elif leaf.move == "correct":
            self.corrections.append(Correction(leaf_number, leaf.corrects or 0, postings))
        # Later parts repeat the number of their entry.
        if leaf.part is None or leaf.part == 1:
            self._count(leaf_number, number)
        self._check(leaf_number, leaf, is_piece)
        courses = self.courses
        for account, cents in postings:
            course = courses.get(account)
            if course is None:
                courses[account] = [cents, cents, leaf_number]
                continue
            course[0] += cents
            if course[0] < course[1]:
                course[1:] = course[0], leaf_number

    def _count(self, leaf_number: int, number: int) -> None:
        if self.first is None:
            self.first, self.last = number, number - 1
        if number != self.last + 1:
            self._find(leaf_number, number, f"follows entry {self.last}")
        self.last = number

    def add_cover(self, leaf_number: int, leaf: BookLocked) -> None:
        """Record the bank balance that a cover requires, which is three times the cover (G7)."""
        sum_cents = self.courses.get(HOUSE_BANK, (0,))[0]
        needed_cents = 3 * leaf.cover.house_cents - sum_cents
        self.covers.append(RequiredBankroll(leaf_number, leaf.game, needed_cents))

    def _check(self, leaf_number: int, leaf: Entry, is_piece: bool) -> None:
        move, postings = leaf.move, leaf.postings
        may_move = MOVES.get(move)
        if may_move is None:
            self._find(leaf_number, leaf.entry, f"has the unknown move {move}")
            return
        wrong, before, sum_cents = "", "", 0
        escrow = f"escrow/{leaf.game}/" if leaf.game else "escrow/"
        if (move in OF_GAMES) is not (leaf.game is not None):
            wrong = f"is a {move} {'without' if move in OF_GAMES else 'of'} a game"
        for account, cents in postings:
            sum_cents += cents
            if account <= before:
                wrong = "names an account twice, or out of order"
            elif kind_of(account) not in may_move[cents > 0] or not cents:
                wrong = f"moves {cents} cents on {account}, which {move} does not"
            elif not _is_account(account):
                wrong = f"moves an account that cannot be: {account}"
            elif account.startswith(escrow) is not account.startswith("escrow/"):
                wrong = f"moves {account}, which is not the escrow of {leaf.game or 'any game'}"
            before = account
        # A part need not balance: `SplitEntries` checks the whole entry.
        if not is_piece and (sum_cents or len(postings) < 2):
            wrong = "does not sum to 0"
        if wrong:
            self._find(leaf_number, leaf.entry, wrong)

    def _find(self, leaf: int, number: int, text: str) -> None:
        self.findings.append(Finding("entries", f"entry {number} {text}", leaf, entry=number))

    def passing(self) -> dict[str, RunningSum]:
        """Return the accounts whose balance changes or might fall below zero in this range."""
        return {
            account: RunningSum(*course)
            for account, course in self.courses.items()
            if course[0] or (course[1] < 0 and not may_be_negative(account))
        }


def check_correction(
    leaf: int, number: int, postings: Sequence[tuple[str, int]], entry: Sequence[tuple[str, int]]
) -> Iterator[Finding]:
    """Report a correction whose postings are not the exact reverse of the entry's."""
    if sorted(postings) != sorted((account, -cents) for account, cents in entry):
        text = f"the correction does not undo entry {number}"
        yield Finding("entries", text, leaf, entry=number)


@lru_cache(maxsize=1 << 14)
def is_valid_name(text: str) -> bool:
    """Return True for a valid player name; `|` is excluded because commitments use it."""
    sane = 0 < len(text) <= MAX_NAME_LENGTH and is_printable(text) and text == text.strip()
    return sane and "/" not in text and "|" not in text


@lru_cache(maxsize=1 << 14)
def _is_account(account: str) -> bool:
    kind, _, rest = account.partition("/")
    if kind == "wallet":
        return is_valid_name(rest) and rest != "house"
    if kind == "escrow":
        game, _, owner = rest.partition("/")
        return is_valid_name(game) and is_valid_name(owner)
    return account in (TREASURY, HOUSE_BANK, COMMISSION)


class RunningBalances:
    """Account balances, rebuilt range by range."""

    def __init__(self) -> None:
        self.balances: dict[str, int] = {}

    def join(
        self, courses: dict[str, RunningSum], covers: Sequence[RequiredBankroll] = ()
    ) -> list[Finding]:
        """Add the next range, and report negative balances and covers above a third of the bank."""
        # Covers are relative to the bank before this range, so they come before its sums.
        bank_cents = self.balances.get(HOUSE_BANK, 0)
        findings = [
            Finding("cover", "the house covers with more than a third of its bank", leaf, game)
            for leaf, game, needed_cents in covers
            if needed_cents > bank_cents
        ]
        for account, (cents, lowest, leaf) in courses.items():
            before = self.balances.get(account, 0)
            if before + lowest < 0 and not may_be_negative(account):
                text = f"{account} falls to {before + lowest} cents"
                findings.append(Finding("never below 0", text, leaf))
            if before + cents:
                self.balances[account] = before + cents
            else:
                self.balances.pop(account, None)
        return findings
