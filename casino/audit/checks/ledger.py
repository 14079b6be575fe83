"""Check that entries balance and no account falls below zero, and rebuild all balances (L2, L3).

Empty accounts are dropped, so that memory grows only with the accounts in use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from casino.audit.check import ERROR, WARNING, Check, Finding, RunningGames, count_cents
from casino.errors import Refused
from casino.events.types import BookLocked, Entry
from casino.ledger import accounts
from casino.ledger.accounts import COMMISSION, HOUSE, HOUSE_BANK, MOVES, TREASURY

Postings: TypeAlias = Sequence[tuple[str, int]]


class Correction(NamedTuple):
    """A correction: its leaf, the number of the entry that it reverses, and its postings."""

    leaf: int
    number: int
    postings: tuple[tuple[str, int], ...]


_ESCROW: Final = "escrow/"

OF_GAMES: Final = ("hold", "release", "settle", "void")  # only these moves name a game

_NOTHING: Final[tuple[tuple[str, ...], tuple[str, ...]]] = ((), ())


class LedgerCheck(Check):
    """Checks all entries, and that the house's bank is enough for its cover (G7).

    The balances in `escrow` are kept apart. `parts` are the parts read so far of an entry that
    spans several leaves; `last` is the number of the last such leaf. `corrections` are yet to be
    compared with the entries that they reverse.
    """

    name = "ledger"

    entries: int
    balances: dict[str, int]
    escrow: dict[str, int]
    parts: list[Entry]
    last: int
    corrected: set[int]
    corrections: list[Correction]

    def __init__(self, games: RunningGames) -> None:
        self.entries, self.balances, self.escrow = 0, {}, {}
        self.parts, self.last = [], 0
        self.corrected, self.corrections = set(), []
        self._games = games
        self.handlers = {Entry: self._entry, BookLocked: self._locked}

    def all_balances(self) -> dict[str, int]:
        """Return the balances in cents of all accounts that are not empty."""
        return self.balances | self.escrow

    def at_risk(self, player: str) -> int:
        """Return how many cents a player has at risk in running games."""
        escrow = self.escrow.items()
        return sum(cents for account, cents in escrow if account.endswith(f"/{player}"))

    def finish(self) -> Iterator[Finding]:
        """Report an incomplete entry, a total other than 0, and escrow left over after a game."""
        yield from self._end_split()
        total = sum(self.all_balances().values())
        if total:
            yield Finding("balances", f"all balances sum to {total}, not to 0")
        unfinished = self._games.unfinished()
        for account, cents in self.escrow.items():
            game = account.rpartition("/")[0].partition("/")[2]
            if game not in unfinished:
                text = f"{account} still holds {count_cents(cents)}, but its game is over"
                yield Finding("escrow", text, game=game)

    def compare_corrections(
        self, find_entries: Callable[[list[int]], Mapping[int, Postings]]
    ) -> Iterator[Finding]:
        """Check that each new correction is the exact reverse of the entry that it names."""
        entries = find_entries([correction.number for correction in self.corrections])
        # Only now: if the entries cannot be fetched, the next call tries again.
        corrections, self.corrections = self.corrections, []
        for leaf, number, postings in corrections:
            if sorted(postings) != sorted((account, -cents) for account, cents in entries[number]):
                text = f"the correction does not undo entry {number}"
                yield Finding("entries", text, leaf, entry=number)

    def _locked(self, number: int, leaf: BookLocked) -> Iterable[Finding]:
        if 3 * leaf.cover.house_cents > self.balances.get(HOUSE_BANK, 0):
            text = "the house covers with more than a third of its bank"
            yield Finding("cover", text, number, leaf.game)

    def _entry(self, n: int, leaf: Entry) -> list[Finding]:
        findings = list[Finding]()
        is_part = leaf.part is not None or leaf.parts is not None
        # Later parts repeat the number of their entry.
        if leaf.part is None or leaf.part == 1:
            if leaf.entry != self.entries + 1:
                findings.append(_wrong(n, leaf.entry, f"follows entry {self.entries}"))
            self.entries = leaf.entry
        wrong = self._post(n, leaf, is_part, findings)
        if wrong:
            findings.append(_wrong(n, leaf.entry, wrong))
        if is_part or self.parts:
            findings += self._add_part(n, leaf, is_part)
        elif leaf.move == "correct":
            findings += self._correct(Correction(n, leaf.corrects or 0, leaf.postings))
        return findings

    def _post(self, n: int, leaf: Entry, is_part: bool, findings: list[Finding]) -> str:
        """Post an entry to the balances; return what is wrong with the entry, or ""."""
        move, postings = leaf.move, leaf.postings
        balances, escrow_balances = self.balances, self.escrow
        wrong, before, sum_cents = "", "", 0
        may_move = MOVES.get(move, _NOTHING)
        escrow = f"escrow/{leaf.game}/" if leaf.game else _ESCROW
        if (move in OF_GAMES) is not (leaf.game is not None):
            wrong = f"is a {move} {'without' if move in OF_GAMES else 'of'} a game"
        for account, cents in postings:
            sum_cents += cents
            kind, is_account, is_escrow = _classify(account)
            if account <= before:
                wrong = "names an account twice, or out of order"
            elif kind not in may_move[cents > 0] or not cents:
                wrong = f"moves {count_cents(cents)} on {account}, which {move} does not"
            elif not is_account:
                wrong = f"moves an account that cannot exist: {account}"
            elif is_escrow and not account.startswith(escrow):
                wrong = f"moves {account}, which is not the escrow of {leaf.game}"
            before = account
            held = escrow_balances if is_escrow else balances
            was = held.get(account, 0)
            now = was + cents
            if now:
                held[account] = now
            elif was:
                del held[account]
            if now < 0 <= was and account != TREASURY:
                findings.append(
                    Finding("never below 0", f"{account} falls to {count_cents(now)}", n)
                )
        if may_move is _NOTHING:
            return f"has the unknown move {move}"
        # A part need not balance, but all parts together must.
        if not is_part and (sum_cents or len(postings) < 2):
            wrong = "does not sum to 0"
        return wrong

    def _add_part(self, n: int, leaf: Entry, is_part: bool) -> Iterator[Finding]:
        parts, part = self.parts, leaf.part or 0
        if parts and not (n == self.last + 1 and _follows(parts[-1], leaf)):
            yield from self._end_split()
            parts = self.parts
        if not is_part:
            return
        if not parts and part != 1:
            yield _wrong(n, leaf.entry, f"begins with part {part}")
            return
        parts.append(leaf)
        self.last = n
        if part >= (leaf.parts or 0):
            self.parts = []
            first = n + 1 - len(parts)
            postings = tuple(posting for each in parts for posting in each.postings)
            if sum(cents for _, cents in postings) or part < 2:
                yield _wrong(first, leaf.entry, "does not sum to 0")
            if leaf.move == "correct":
                yield from self._correct(Correction(first, leaf.corrects or 0, postings))

    def _end_split(self) -> Iterator[Finding]:
        """Report the entry whose last parts are missing, if there is one."""
        parts, self.parts = self.parts, []
        if parts:
            text = f"ends with part {parts[-1].part} of {parts[-1].parts}"
            yield _wrong(self.last, parts[-1].entry, text)

    def _correct(self, correction: Correction) -> Iterator[Finding]:
        number, text, severity = correction.number, "was undone by the house", WARNING
        if number in self.corrected:
            text, severity = "is corrected a second time", ERROR
        yield Finding("rules", f"entry {number} {text}", correction.leaf, None, number, severity)
        self.corrected.add(number)
        self.corrections.append(correction)


def _follows(before: Entry, leaf: Entry) -> bool:
    """Return True if `leaf` is the part that follows `before` in the same entry."""
    last, first = (dict(postings) for postings in (before.postings[-1:], leaf.postings[:1]))
    is_next = leaf.part == (before.part or 0) + 1 and list(first) > list(last)
    return is_next and _of_entry(leaf) == _of_entry(before)


# What all parts of an entry have in common.
_of_entry: Final = attrgetter("entry", "parts", "move", "game", "corrects")


def _wrong(leaf: int, entry: int, text: str) -> Finding:
    return Finding("entries", f"entry {entry} {text}", leaf, entry=entry)


@lru_cache(maxsize=1 << 14)
def is_player_name(text: str) -> bool:
    """Return True if a player may have this name."""
    try:
        accounts.check_name(text)
    except Refused:
        return False
    return True


def is_valid_name(text: str) -> bool:
    """Return True if a player may have this name, or if it is the house's."""
    return text == HOUSE or is_player_name(text)


@lru_cache(maxsize=1 << 14)
def _classify(account: str) -> tuple[str, bool, bool]:
    """Return an account's kind, whether such an account may exist, and whether it is escrow."""
    kind, _, rest = account.partition("/")
    is_account = account in (TREASURY, HOUSE_BANK, COMMISSION)
    if kind == "wallet":
        is_account = is_player_name(rest)
    elif kind == "escrow":
        game, _, owner = rest.partition("/")
        is_account = is_valid_name(game) and is_valid_name(owner)
    return accounts.kind_of(account), is_account, account.startswith(_ESCROW)
