"""Money as the leaves tell it: entries that balance, no account ever below 0, sums rebuilt.

A range of leaves is added up by itself: for each account what it gains in all, and how low it
falls on the way. Ranges are then joined in order, which shows every balance at every moment
without holding more than the accounts that are not empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from casino.audit.findings import Finding
from casino.bank.leaves import Entry
from casino.bank.ledger import COMMISSION, HOUSE_BANK, MOVES, TREASURY, kind_of, may_be_negative
from casino.events.kinds import BookLocked


class Course(NamedTuple):
    """What a range of leaves does to an account: its sum, its lowest point, and where."""

    cents: int
    lowest: int
    leaf: int


class Cover(NamedTuple):
    """What the house's bank must have held before a range, for the cover offered at a leaf."""

    leaf: int
    game: str
    needed_cents: int


class Correction(NamedTuple):
    """An entry that undoes another: its leaf, the number of the other, its postings."""

    leaf: int
    number: int
    postings: tuple[tuple[str, int], ...]


OF_GAMES: Final = ("hold", "release", "settle", "void")
"""The moves of a game; all others name none."""

LONGEST_NAME: Final = 40


class Money:
    """The entries of a range of leaves, added up."""

    def __init__(self) -> None:
        self.courses: dict[str, list[int]] = {}
        self.findings: list[Finding] = []
        self.first: int | None = None
        self.last = 0
        self.rows: list[tuple[int, int]] = []
        self.corrections: list[Correction] = []
        self.covers: list[Cover] = []

    def add(self, leaf_number: int, leaf: Entry) -> None:
        """Check one entry by itself and add it."""
        number, postings = leaf.entry, leaf.postings
        if self.first is None:
            self.first, self.last = number, number - 1
        if number != self.last + 1:
            self._find(leaf_number, number, f"follows entry {self.last}")
        self.last = number
        self.rows.append((number, leaf_number))
        self._check(leaf_number, leaf)
        if leaf.move == "correct":
            self.corrections.append(Correction(leaf_number, leaf.corrects or 0, postings))
        courses = self.courses
        for account, cents in postings:
            course = courses.get(account)
            if course is None:
                courses[account] = [cents, cents, leaf_number]
                continue
            course[0] += cents
            if course[0] < course[1]:
                course[1:] = course[0], leaf_number

    def cover(self, leaf_number: int, leaf: BookLocked) -> None:
        """Note what the house must have to offer a cover: three times as much (G7)."""
        sum_cents = self.courses.get(HOUSE_BANK, (0,))[0]
        needed_cents = 3 * leaf.cover.house_cents - sum_cents
        self.covers.append(Cover(leaf_number, leaf.game, needed_cents))

    def _check(self, leaf_number: int, leaf: Entry) -> None:
        """An entry sums to 0, its accounts stand in order, and its move may move them."""
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
        if sum_cents or len(postings) < 2:
            wrong = "does not sum to 0"
        if wrong:
            self._find(leaf_number, leaf.entry, wrong)

    def _find(self, leaf: int, number: int, text: str) -> None:
        """Note what is wrong with an entry."""
        self.findings.append(Finding("entries", f"entry {number} {text}", leaf, entry=number))

    def passing(self) -> dict[str, Course]:
        """The courses that later ranges must know: those that end where they began do no more."""
        return {
            account: Course(*course)
            for account, course in self.courses.items()
            if course[0] or (course[1] < 0 and not may_be_negative(account))
        }


def is_name(text: str) -> bool:
    """Whether a text can be a person's name."""
    sane = 0 < len(text) <= LONGEST_NAME and text.isprintable() and text == text.strip()
    return sane and "/" not in text


@lru_cache(maxsize=1 << 14)
def _is_account(account: str) -> bool:
    """Whether there can be such an account."""
    kind, _, rest = account.partition("/")
    if kind == "wallet":
        return is_name(rest) and rest != "house"
    if kind == "escrow":
        game, _, owner = rest.partition("/")
        return is_name(game) and is_name(owner)
    return account in (TREASURY, HOUSE_BANK, COMMISSION)


class Rebuilt:
    """Balances rebuilt from courses joined in order."""

    def __init__(self) -> None:
        self.balances: dict[str, int] = {}

    def join(self, courses: dict[str, Course], covers: Sequence[Cover] = ()) -> list[Finding]:
        """Add the next range; where a balance was below 0, or a cover too great, is found."""
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
