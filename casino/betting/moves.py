"""Money moves as plain data: balanced changes to accounts, which are named by kind and owner.

The ledger adds the game's id to the account names and posts each move. The name `house` is
reserved for the house, whose wallet is its bank.

>>> escrow_move("hold", [("ann", 300), ("house", 200)]).postings[2]
('wallet', 'house', -200)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

HOUSE_NAME: Final = "house"

WALLET, ESCROW, COMMISSION = "wallet", "escrow", "commission"  # kinds of account

Posting: TypeAlias = tuple[str, str, int]  # an account's kind and owner, and the change in cents


class MoneyMove(NamedTuple):
    """Account changes that sum to zero, at most one per account; empty if no money moves."""

    kind: str
    postings: tuple[Posting, ...]


def escrow_move(kind: str, changes: Iterable[tuple[str, int]]) -> MoneyMove:
    """Return a move between wallets and escrow; `changes` lists (owner, cents into escrow)."""
    postings = []
    for owner, cents in changes:
        postings.append((WALLET, owner, -cents))
        postings.append((ESCROW, owner, cents))
    return move(kind, postings)


def move(kind: str, changes: Iterable[Posting]) -> MoneyMove:
    """Sum the changes to each account into a move, leaving out accounts that do not change."""
    sums: dict[tuple[str, str], int] = {}
    for account, owner, cents in changes:
        key = account, owner
        sums[key] = sums.get(key, 0) + cents
    return MoneyMove(kind, tuple([(*key, cents) for key, cents in sums.items() if cents]))
