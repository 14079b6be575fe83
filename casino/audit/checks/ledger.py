"""Check that entries balance and no account falls below zero, and rebuild all balances (L2, L3).

Empty accounts are dropped, so that memory grows only with the accounts in use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import msgspec

from casino.audit.check import Check, Handler, RunningGames
from casino.audit.report import ERROR, WARNING, Finding
from casino.errors import Refused
from casino.events.types import BookLocked
from casino.ledger.accounts import (
    COMMISSION,
    HOUSE,
    HOUSE_BANK,
    MOVES,
    TREASURY,
    check_name,
    kind_of,
)
from casino.ledger.entries import Entry

Postings: TypeAlias = Sequence[tuple[str, int]]


class Correction(NamedTuple):
    """A correction: its leaf, the number of the entry that it reverses, and its postings."""

    leaf: int
    number: int
    postings: tuple[tuple[str, int], ...]


class SplitEntry(msgspec.Struct):
    """The parts read so far of an entry that spans several leaves; `leaf` is its last one."""

    first: int
    leaf: int
    entry: int
    part: int
    parts: int
    cents: int
    account: str
    about: tuple[str, str | None, int | None]
    postings: list[tuple[str, int]] = []


class LedgerState(msgspec.Struct):
    """All balances, the accounts of games apart from the others, and the last entry's number.

    `corrections` are those not yet compared with the entries that they reverse.
    """

    entries: int = 0
    balances: dict[str, int] = {}
    escrow: dict[str, int] = {}
    split: SplitEntry | None = None
    corrected: set[int] = set()
    corrections: list[Correction] = []


_ESCROW: Final = "escrow/"

OF_GAMES: Final = ("hold", "release", "settle", "void")  # only these moves name a game

_NOTHING: Final[tuple[tuple[str, ...], tuple[str, ...]]] = ((), ())


class LedgerCheck(Check):
    """Check of all entries, and of the covers that the house's bank allows (G7)."""

    name = "ledger"

    def __init__(self, games: RunningGames) -> None:
        self.kept: LedgerState = LedgerState()
        self._games = games

    @property
    def balances(self) -> dict[str, int]:
        """The balances of all accounts that are not empty."""
        return self.kept.balances | self.kept.escrow

    def balance(self, account: str) -> int:
        """Return an account's balance in cents."""
        return self.kept.balances.get(account, 0)

    def at_risk(self, player: str) -> int:
        """Return a player's cents in running games."""
        escrow = self.kept.escrow.items()
        return sum(cents for account, cents in escrow if account.endswith(f"/{player}"))

    def handlers(self) -> Mapping[type, Handler]:
        """Check entries, and the covers of books."""
        return {Entry: self._entry, BookLocked: self._locked}

    def finish(self) -> Iterator[Finding]:
        """Report an entry without its last parts, and chips that no account or game holds."""
        yield from self._end_split()
        total = sum(self.balances.values())
        if total:
            yield Finding("balances", f"all balances sum to {total}, not to 0")
        unfinished = self._games.unfinished()
        for account, cents in self.kept.escrow.items():
            game = account.rpartition("/")[0].partition("/")[2]
            if game not in unfinished:
                text = f"{account} still holds {cents} cents, but its game is over"
                yield Finding("escrow", text, game=game)

    def compare_corrections(self, find_entry: Callable[[int], Postings]) -> Iterator[Finding]:
        """Check that each new correction is the exact reverse of the entry that it names."""
        waiting = self.kept.corrections
        while waiting:
            leaf, number, postings = waiting[0]
            entry = find_entry(number)
            # Removed only now: if the entry cannot be reached, the next call looks for it again.
            del waiting[0]
            if sorted(postings) != sorted((account, -cents) for account, cents in entry):
                text = f"the correction does not undo entry {number}"
                yield Finding("entries", text, leaf, entry=number)

    def _locked(self, number: int, leaf: BookLocked) -> Iterable[Finding]:
        if 3 * leaf.cover.house_cents > self.balance(HOUSE_BANK):
            text = "the house covers with more than a third of its bank"
            yield Finding("cover", text, number, leaf.game)

    def _entry(self, n: int, leaf: Entry) -> list[Finding]:
        kept, findings = self.kept, list[Finding]()
        is_part = leaf.part is not None or leaf.parts is not None
        # Later parts repeat the number of their entry.
        if leaf.part is None or leaf.part == 1:
            if leaf.entry != kept.entries + 1:
                findings.append(_wrong(n, leaf.entry, f"follows entry {kept.entries}"))
            kept.entries = leaf.entry
        wrong = self._post(n, leaf, is_part, findings)
        if wrong:
            findings.append(_wrong(n, leaf.entry, wrong))
        if is_part or kept.split is not None:
            findings += self._add_part(n, leaf, is_part)
        elif leaf.move == "correct":
            findings += self._correct(Correction(n, leaf.corrects or 0, leaf.postings))
        return findings

    def _post(self, n: int, leaf: Entry, is_part: bool, findings: list[Finding]) -> str:
        """Change the balances; return what is wrong with the entry, or ""."""
        move, postings = leaf.move, leaf.postings
        balances, escrow_balances = self.kept.balances, self.kept.escrow
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
                wrong = f"moves {cents} cents on {account}, which {move} does not"
            elif not is_account:
                wrong = f"moves an account that cannot be: {account}"
            elif is_escrow and not account.startswith(escrow):
                wrong = f"moves {account}, which is not the escrow of {leaf.game or 'any game'}"
            before = account
            held = escrow_balances if is_escrow else balances
            was = held.get(account, 0)
            now = was + cents
            if now:
                held[account] = now
            elif was:
                del held[account]
            if now < 0 <= was and account != TREASURY:
                findings.append(Finding("never below 0", f"{account} falls to {now} cents", n))
        if may_move is _NOTHING:
            return f"has the unknown move {move}"
        # A part need not balance, but all parts together must.
        if not is_part and (sum_cents or len(postings) < 2):
            wrong = "does not sum to 0"
        return wrong

    def _add_part(self, n: int, leaf: Entry, is_part: bool) -> Iterator[Finding]:
        split, part, about = self.kept.split, leaf.part or 0, (leaf.move, leaf.game, leaf.corrects)
        accounts = [account for account, _ in leaf.postings] or [""]
        if split is not None and not (
            (n, part, leaf.entry) == (split.leaf + 1, split.part + 1, split.entry)
            and (leaf.parts, about) == (split.parts, split.about)
            and accounts[0] > split.account
        ):
            yield from self._end_split()
            split = None
        if not is_part:
            return
        if split is None:
            if part != 1:
                yield _wrong(n, leaf.entry, f"begins with part {part}")
                return
            split = SplitEntry(n, n, leaf.entry, 0, leaf.parts or 0, 0, "", about)
            self.kept.split = split
        split.leaf, split.part, split.account = n, part, accounts[-1]
        split.cents += sum(cents for _, cents in leaf.postings)
        if leaf.move == "correct":
            split.postings += leaf.postings
        if part >= split.parts:
            self.kept.split = None
            if split.cents or part < 2:
                yield _wrong(split.first, leaf.entry, "does not sum to 0")
            if leaf.move == "correct":
                number = leaf.corrects or 0
                yield from self._correct(Correction(split.first, number, tuple(split.postings)))

    def _end_split(self) -> Iterator[Finding]:
        """Report the entry whose last parts are missing, if there is one."""
        split, self.kept.split = self.kept.split, None
        if split is not None:
            text = f"ends with part {split.part} of {split.parts}"
            yield _wrong(split.leaf, split.entry, text)

    def _correct(self, correction: Correction) -> Iterator[Finding]:
        number, text, severity = correction.number, "is undone by the house", WARNING
        if number in self.kept.corrected:
            text, severity = "is corrected a second time", ERROR
        yield Finding("rules", f"entry {number} {text}", correction.leaf, None, number, severity)
        self.kept.corrected.add(number)
        self.kept.corrections.append(correction)


def _wrong(leaf: int, entry: int, text: str) -> Finding:
    return Finding("entries", f"entry {entry} {text}", leaf, entry=entry)


@lru_cache(maxsize=1 << 14)
def is_player_name(text: str) -> bool:
    """Return True for the name that a player may have."""
    try:
        check_name(text)
    except Refused:
        return False
    return True


def is_valid_name(text: str) -> bool:
    """Return True for a player's name, or that of the house."""
    return text == HOUSE or is_player_name(text)


@lru_cache(maxsize=1 << 14)
def _classify(account: str) -> tuple[str, bool, bool]:
    """Return an account's kind, whether there can be such an account, and whether it is escrow."""
    kind, _, rest = account.partition("/")
    is_account = account in (TREASURY, HOUSE_BANK, COMMISSION)
    if kind == "wallet":
        is_account = is_player_name(rest)
    elif kind == "escrow":
        game, _, owner = rest.partition("/")
        is_account = is_valid_name(game) and is_valid_name(owner)
    return kind_of(account), is_account, account.startswith(_ESCROW)
