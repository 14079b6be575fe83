"""Money moves as plain data: balanced changes to accounts, which are named by kind and owner.

The ledger adds the game's id to the account names and posts each move. The name `house` is
reserved for the house, whose wallet is its bank.

>>> escrow_move("hold", [("ann", 300), ("house", 200)]).postings[2]
AccountChange(account='wallet', owner='house', cents=-200)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, NamedTuple

HOUSE_NAME: Final = "house"

WALLET, ESCROW, COMMISSION = "wallet", "escrow", "commission"  # kinds of account


class AccountChange(NamedTuple):
    """A change to one account, identified by its kind and owner."""

    account: str
    owner: str
    cents: int


class MoneyMove(NamedTuple):
    """Account changes that sum to zero, at most one per account; empty if no money moves."""

    kind: str
    postings: tuple[AccountChange, ...]


def escrow_move(kind: str, changes: Iterable[tuple[str, int]]) -> MoneyMove:
    """Return a move between wallets and escrow; `changes` lists (owner, cents into escrow)."""
    postings = []
    for owner, cents in changes:
        postings.append((WALLET, owner, -cents))
        postings.append((ESCROW, owner, cents))
    return move(kind, postings)


def move(kind: str, changes: Iterable[tuple[str, str, int]]) -> MoneyMove:
    """Sum the changes to each account into a move, leaving out accounts that do not change."""
    sums: dict[tuple[str, str], int] = {}
    for account, owner, cents in changes:
        key = account, owner
        sums[key] = sums.get(key, 0) + cents
    return MoneyMove(kind, tuple([_posting((*key, cents)) for key, cents in sums.items() if cents]))


# Takes a third of the constructor's time; a game has many postings.
_posting: Final[Callable[[tuple[str, str, int]], AccountChange]] = partial(
    tuple.__new__, AccountChange
)
