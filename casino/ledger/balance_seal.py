"""A seal over all balances, renewed with each signature: they need not be summed at each start.

A balance weighs a hash of its account and its cents; all of them weigh the sum of these, which
changes with a few balances at little cost. The seal is keyed by the signing key, so that nobody
who changes a balance in the file can make another.

>>> before = total({"wallet/ann": 5, "treasury": -5})
>>> changed(before, "wallet/ann", 5, 0) == total({"treasury": -5})
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


def total(balances: Mapping[Account, int]) -> int:
    """What balances weigh; those of 0 weigh nothing."""
    return sum(_weight(account, cents) for account, cents in balances.items()) % _MODULUS


def changed(before: int, account: Account, old_cents: int, new_cents: int) -> int:
    """What balances weigh after one of them has changed."""
    return (before - _weight(account, old_cents) + _weight(account, new_cents)) % _MODULUS


def seal(key: SigningKey, size: int, weight: int) -> bytes:
    """The seal over the balances as they stand after so many leaves."""
    return hmac.digest(_secret_of(key), b"balances|%d|%d" % (size, weight), "sha256")


@cache
def _secret_of(key: SigningKey) -> bytes:
    """Cache the key's raw bytes: every commit is sealed with them."""
    return key.secret.private_bytes_raw()


def _weight(account: Account, cents: int) -> int:
    if cents == 0:
        return 0
    return int.from_bytes(sha256(b"%d|%b" % (cents, account.encode())).digest()[:16])
