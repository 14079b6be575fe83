"""Accounts, and the balanced entries that move chips between them (L1 to L4).

Every new entry is built by one of the functions below, which raise `InvariantError` for postings
that do not sum to zero.

>>> grant("ann", 3000).postings
(('treasury', -3000), ('wallet/ann', 3000))
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, TypeAlias

from casino.errors import InvariantError, RefusalReason, Refused
from casino.ledger.entries import MAX_INT, UNNUMBERED, WALLET, Entry

Account: TypeAlias = str
Posting: TypeAlias = tuple[Account, int]

TREASURY: Final = "treasury"
HOUSE: Final = "house"
HOUSE_BANK: Final = "house/bank"
COMMISSION: Final = "house/commission"
_PURSES: Final = ("wallet", "bank")
_GRANTED: Final = ("treasury", *_PURSES)
# For each move, the kinds of account that it may debit and credit (L3). A correction, which this
# program never writes, undoes a grant or another correction: a game's moves follow from its cards.
MOVES: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "grant": (("treasury",), _PURSES),
    "hold": (_PURSES, ("escrow",)),
    "release": (("escrow",), _PURSES),
    "settle": (("escrow",), (*_PURSES, "commission")),
    "void": (("escrow",), _PURSES),
    "correct": (_GRANTED, _GRANTED),
}

# Moves that end a subject and leave none of its cents in escrow.
LAST_MOVES: Final = ("settle", "void")

_HOUSES: Final = {HOUSE_BANK: "bank", COMMISSION: "commission"}

MAX_NAME_LENGTH: Final = 40

BAD_NAME: Final = RefusalReason(
    "bad_name", "bad_request", "a name has 1 to {most} printable characters: choose another"
)
FORBIDDEN_NAME: Final = RefusalReason(
    "forbidden_name",
    "bad_request",
    "{name} cannot be a name, nor can any with a / or |: choose another",
)
TOO_FEW_CHIPS: Final = RefusalReason(
    "too_few_chips",
    "insufficient_chips",
    "{account} holds {has_cents:chips} chips, but {needed_cents:chips} are needed",
)


def spending_account(player: str) -> Account:
    """Return the account that a player spends from; the house spends from its bank."""
    return HOUSE_BANK if player == HOUSE else WALLET + player


def escrow(subject: str, player: str) -> Account:
    """Return the account for a player's chips at risk in a subject, such as a game."""
    return f"escrow/{subject}/{player}"


@lru_cache(maxsize=1 << 14)
def kind_of(account: Account) -> str:
    """Return an account's kind as used in `MOVES`, such as `wallet` or `escrow`."""
    return _HOUSES.get(account) or account.partition("/")[0]


def is_printable(text: str) -> bool:
    """Return True if all characters are printable in the Unicode version of `printable.txt`.

    `str.isprintable` differs between Python versions, but the verdict of an audit must not.

    >>> is_printable("Zoë"), is_printable("a" + chr(0x200B))
    (True, False)
    """
    boundaries = _printable_boundaries()
    # Runs begin and end in turn: after an odd number of boundaries, a character is within a run.
    return all(bisect(boundaries, ord(character)) % 2 for character in text)


@cache
def _printable_boundaries() -> list[int]:
    boundaries = []
    for line in Path(__file__).with_name("printable.txt").read_text("ascii").splitlines():
        for run in line.split() if not line.startswith("#") else ():
            first, _, last = run.partition("-")
            boundaries += [int(first, 16), int(last or first, 16) + 1]
    return boundaries


def check_name(player: str) -> None:
    """Raise `Refused` if a player's name cannot be part of an account name."""
    if (
        not 0 < len(player) <= MAX_NAME_LENGTH
        or not is_printable(player)
        or player != player.strip()
    ):
        raise Refused(BAD_NAME, most=MAX_NAME_LENGTH)
    if "/" in player or "|" in player or player == HOUSE:
        raise Refused(FORBIDDEN_NAME, name=player)


def grant(player: str, cents: int, reason: str = "") -> Entry:
    """Return an entry that issues chips to a player or to the house."""
    return _entry("grant", [(TREASURY, -cents), (spending_account(player), cents)], reason=reason)


def escrow_entry(
    subject: str, move: str, changes: Iterable[tuple[str, str, int]], reason: str = ""
) -> Entry:
    """Return an entry that moves chips into or out of escrow; changes are (kind, owner, cents)."""
    return _entry(move, escrow_postings(subject, changes), subject, reason)


def escrow_postings(subject: str, changes: Iterable[tuple[str, str, int]]) -> list[Posting]:
    """Return the postings of an entry that moves chips into or out of escrow."""
    prefix, postings = escrow(subject, ""), []
    for kind, owner, cents in changes:
        if kind == "escrow":
            postings.append((prefix + owner, cents))
        else:
            account = COMMISSION if kind == "commission" else spending_account(owner)
            postings.append((account, cents))
    return postings


class Balances:
    """Account balances with pending changes, which are adopted or discarded together.

    >>> balances = Balances({"wallet/ann": 50}.get)
    >>> balances.post(escrow_entry("t1", "hold", [("wallet", "ann", -60), ("escrow", "ann", 60)]))
    Traceback (most recent call last):
        ...
    casino.errors.Refused: wallet/ann holds 0.50 chips, but 0.60 are needed
    """

    def __init__(self, below: Callable[[Account], int | None]) -> None:
        self.changed: dict[Account, int] = {}
        self._below = below

    def of(self, account: Account) -> int:
        """Return an account's balance in cents, 0 for an unused account."""
        balance = self.changed.get(account)
        return (self._below(account) or 0) if balance is None else balance

    def post(self, entry: Entry) -> None:
        """Apply an entry; if an account lacks the chips, raise without applying any posting."""
        after = {}
        for account, cents in entry.postings:
            after[account] = self.of(account) + cents
            if after[account] >= 0 or account == TREASURY:  # which issues all chips
                continue
            has_cents = self.of(account)
            # Only the program debits commission and escrow, so a shortage there is a bug.
            if account == COMMISSION or account.startswith("escrow/"):
                raise InvariantError(f"{account} holds {has_cents} cents, but {-cents} are needed")
            raise Refused(TOO_FEW_CHIPS, account=account, has_cents=has_cents, needed_cents=-cents)
        self.changed.update(after)


def _entry(move: str, postings: Iterable[Posting], subject: str = "", reason: str = "") -> Entry:
    sums: dict[Account, int] = {}
    for account, cents in postings:
        sums[account] = sums.get(account, 0) + cents
    postings = tuple(sorted([posting for posting in sums.items() if posting[1]]))
    falls, rises = MOVES[move]
    for account, cents in postings:
        if type(cents) is not int or not -MAX_INT <= cents <= MAX_INT:
            raise InvariantError(f"{cents!r} is not an amount of cents that can be moved")
        if kind_of(account) not in (falls if cents < 0 else rises):
            raise InvariantError(f"{move} does not move {cents} cents on {account}")
    if len(postings) < 2 or sum(sums.values()) != 0:
        raise InvariantError(f"{move} {subject}: the postings do not balance: {postings}")
    return Entry(
        entry=UNNUMBERED, game=subject or None, move=move, postings=postings, reason=reason or None
    )
