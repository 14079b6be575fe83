"""A keyed hash over all balances, renewed at each commit, so that startup need not sum the entries.

Each balance is hashed with its account, and the sum of these hashes is updated by the few balances
a commit changes. Both the hashes and the seal are keyed by the signing key: a forger who could
compute the hashes could choose balances whose hashes have the same sum (Wagner's generalized
birthday).

>>> key = SigningKey.from_seed("doc", bytes(32))
>>> before = balance_hash(key, {"wallet/ann": 5, "treasury": -5})
>>> update_hash(key, before, "wallet/ann", 5, 0) == balance_hash(key, {"treasury": -5})
True
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from typing import Final

from casino.ledger.accounts import Account
from casino.ledger.tlog.note import SigningKey

_MODULUS: Final = 1 << 128


def balance_hash(key: SigningKey, balances: Mapping[Account, int]) -> int:
    """Return the hash sum of some balances; those of 0 add nothing."""
    return sum(_hash(key, account, cents) for account, cents in balances.items()) % _MODULUS


def update_hash(
    key: SigningKey, before: int, account: Account, old_cents: int, new_cents: int
) -> int:
    """Return the hash sum after one balance has changed."""
    return (before - _hash(key, account, old_cents) + _hash(key, account, new_cents)) % _MODULUS


def seal(key: SigningKey, size: int, hash_sum: int) -> bytes:
    """Return the seal over the balances after `size` leaves."""
    return hmac.digest(_secret_of(key), b"balances|%d|%d" % (size, hash_sum), "sha256")


@cache
def _secret_of(key: SigningKey) -> bytes:
    """Cache the key's raw bytes: every commit is sealed with them."""
    return key.secret.private_bytes_raw()


def _hash(key: SigningKey, account: Account, cents: int) -> int:
    if cents == 0:
        return 0
    text = b"%d|%b" % (cents, account.encode())
    return int.from_bytes(blake2b(text, key=_secret_of(key), digest_size=16).digest())
