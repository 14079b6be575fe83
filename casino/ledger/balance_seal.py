"""Keyed hash over all balances, updated at each commit so that startup need not sum up entries.

Each balance is hashed with its account, and the hashes are summed, so that a commit updates only
the balances it changes. Hashes and seal are keyed with the signing key, because a forger who could
compute the hashes could find other balances with the same sum (Wagner's generalized birthday).

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
    """Return the sum of the hashes of all balances; a balance of 0 adds nothing."""
    return sum(_hash(key, account, cents) for account, cents in balances.items()) % _MODULUS


def update_hash(
    key: SigningKey, before: int, account: Account, old_cents: int, new_cents: int
) -> int:
    """Return the sum of hashes after one balance has changed."""
    return (before - _hash(key, account, old_cents) + _hash(key, account, new_cents)) % _MODULUS


def seal(key: SigningKey, size: int, hash_sum: int) -> bytes:
    """Return the HMAC that seals the balances after `size` leaves."""
    return hmac.digest(_secret_of(key), b"balances|%d|%d" % (size, hash_sum), "sha256")


@cache
def _secret_of(key: SigningKey) -> bytes:
    """Return the key's raw bytes, cached because every commit needs them."""
    return key.secret.private_bytes_raw()


def _hash(key: SigningKey, account: Account, cents: int) -> int:
    if cents == 0:
        return 0
    text = b"%d|%b" % (cents, account.encode())
    return int.from_bytes(blake2b(text, key=_secret_of(key), digest_size=16).digest())
