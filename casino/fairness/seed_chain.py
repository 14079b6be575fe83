"""Hash chain of seeds for a table's games, all fixed before the first game.

The last seed is derived from the casino's master secret, and each earlier one is the SHA-256 of the
next. The anchor, which is the hash of seed 1, is published first. Game k uses seed k. The
commitment to it is seed k - 1, which the previous game revealed, or the anchor. So the house can
neither pick a seed after seeing the bets nor try several before committing to one.

>>> chain = SeedChain(bytes(range(32)), "t1", 1, 10)
>>> chain.anchor[:16], chain.seed(1).hex()[:16]
('05918e3e343520bd', '34954f45a76a06c2')
>>> commitment_of(chain.seed(1)) == chain.anchor
True
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Final

from casino.errors import SeedError
from casino.fairness.rng import SEED_BYTES, hmac_sha256

CHAIN_LENGTH: Final = 10_000  # default number of games per chain

_HASH: Final = re.compile("[0-9a-f]{64}")


class SeedChain:
    """Seeds of one chain, computed backwards from its last seed; 10,000 of them take 320 KB."""

    def __init__(self, master: bytes, table: str, chain: int, length: int = CHAIN_LENGTH) -> None:
        self.length = length
        seeds = [hmac_sha256(master, f"seed|{table}|{chain}|{length}".encode("ascii"))]
        for _ in range(length):
            seeds.append(sha256(seeds[-1]).digest())
        self.anchor = seeds.pop().hex()
        self._seeds = b"".join(seeds)  # the last game's seed first

    def seed(self, k: int) -> bytes:
        """Return the k-th game's seed, counted from 1; raise `SeedError` if k is out of range."""
        if not 1 <= k <= self.length:
            raise SeedError(f"chain: it has seeds 1 to {self.length}, not {k}: begin a new chain")
        at = (self.length - k) * SEED_BYTES
        return self._seeds[at : at + SEED_BYTES]


def commitment_of(server_seed: bytes) -> str:
    """Return the commitment to a seed, published before its game: the seed's SHA-256 in hex."""
    return sha256(server_seed).hexdigest()


def parse_seed(text: str) -> bytes:
    """Parse a seed of 64 lower-case hexadecimal digits; raise `SeedError` for other text."""
    if not is_hash(text):
        raise SeedError(f"seed: {text[:70]!r} must be 64 digits of 0-9 a-f, which write 32 bytes")
    return bytes.fromhex(text)


def is_hash(text: str) -> bool:
    """Return True if a text consists of 64 lower-case hexadecimal digits."""
    return _HASH.fullmatch(text) is not None
