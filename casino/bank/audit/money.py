"""Money as the leaves tell it: entries that balance, no account ever below 0, sums rebuilt.

A range of leaves is added up by itself: for each account what it gains in all, and how low it
falls on the way. Ranges are then joined in order, which shows every balance at every moment
without holding more than the accounts that are not empty.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from casino.bank.audit.findings import Finding
from casino.bank.ledger import MOVES, kind_of, may_be_negative


class Course(NamedTuple):
    """What a range of leaves does to an account: its sum, its lowest point, and where."""

    cents: int
    lowest: int
    leaf: int


class Money:
    """The entries of a range of leaves, added up."""

    def __init__(self) -> None:
        self.courses: dict[str, Course] = {}
        self.findings: list[Finding] = []
        self.first: int | None = None
        self.last = 0
        self.rows: list[tuple[int, int, str, str | None, int | None]] = []
        self.postings: list[tuple[int, str, int]] = []
        self.corrections: list[tuple[int, int, list[list[Any]]]] = []

    def add(self, leaf_number: int, leaf: dict[str, Any]) -> None:
        """Check one entry by itself and add it."""
        number, move, postings = leaf["entry"], leaf["move"], leaf["postings"]
        if self.first is None:
            self.first, self.last = number, number - 1
        if number != self.last + 1:
            text = f"entry {number} follows entry {self.last}"
            self.findings.append(Finding("entries", text, leaf_number, entry=number))
        self.last = number
        game, corrects = leaf.get("game"), leaf.get("corrects")
        self.rows.append((number, leaf_number, move, game, corrects))
        self._check(leaf_number, number, move, postings)
        if move == "correct":
            self.corrections.append((leaf_number, corrects or 0, postings))
        for account, cents in postings:
            self.postings.append((number, account, cents))
            before = self.courses.get(account)
            if before is None:
                self.courses[account] = Course(cents, cents, leaf_number)
            else:
                total = before[0] + cents
                if total < before[1]:
                    self.courses[account] = Course(total, total, leaf_number)
                else:
                    self.courses[account] = Course(total, before[1], before[2])

    def _check(self, leaf: int, number: int, move: str, postings: list[list[Any]]) -> None:
        """An entry sums to 0, each account stands in it once, and its move may move them."""
        wrong = ""
        if sum(cents for _, cents in postings) != 0 or len(postings) < 2:
            wrong = "does not sum to 0"
        elif len({account for account, _ in postings}) != len(postings):
            wrong = "names an account twice"
        elif move not in MOVES:
            wrong = f"has the unknown move {move}"
        else:
            for account, cents in postings:
                if kind_of(account) not in MOVES[move][cents > 0]:
                    wrong = f"moves {cents} cents on {account}, which {move} does not"
        if wrong:
            self.findings.append(Finding("entries", f"entry {number} {wrong}", leaf, entry=number))

    def passing(self) -> dict[str, Course]:
        """The courses that later ranges must know: those that end where they began do no more."""
        return {
            account: course
            for account, course in self.courses.items()
            if course.cents or (course.lowest < 0 and not may_be_negative(account))
        }


class Rebuilt:
    """Balances rebuilt from courses joined in order."""

    def __init__(self) -> None:
        self.balances: dict[str, int] = {}

    def join(self, courses: dict[str, Course]) -> list[Finding]:
        """Add the next range; where a balance was below 0 is found."""
        findings = []
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
