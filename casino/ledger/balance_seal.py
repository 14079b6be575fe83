"""A keyed hash over all balances, renewed at each commit, so that startup need not sum the entries.

Each balance is hashed with its account, and the sum of these hashes is updated by the few balances
a commit changes. The seal is keyed by the signing key, so that someone who edits a balance in the
file cannot forge it.

>>> before = balance_hash({"wallet/ann": 5, "treasury": -5})
>>> update_hash(before, "wallet/ann", 5, 0) == balance_hash({"treasury": -5})
True
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from typing import Final

from casino.ledger.accounts import Account
from casino.ledger.tlog.note import SigningKey

_MODULUS: Final = 1 << 128


def balance_hash(balances: Mapping[Account, int]) -> int:
    """Return the hash sum of some balances; those of 0 add nothing."""
    return sum(_weight(account, cents) for account, cents in balances.items()) % _MODULUS


def update_hash(before: int, account: Account, old_cents: int, new_cents: int) -> int:
    """Return the hash sum after one balance has changed."""
    return (before - _weight(account, old_cents) + _weight(account, new_cents)) % _MODULUS


def seal(key: SigningKey, size: int, weight: int) -> bytes:
    """Return the seal over the balances after `size` leaves."""
    return hmac.digest(_secret_of(key), b"balances|%d|%d" % (size, weight), "sha256")


@cache
def _secret_of(key: SigningKey) -> bytes:
    """Cache the key's raw bytes: every commit is sealed with them."""
    return key.secret.private_bytes_raw()


def _weight(account: Account, cents: int) -> int:
    if cents == 0:
        return 0
    return int.from_bytes(sha256(b"%d|%b" % (cents, account.encode())).digest()[:16])
