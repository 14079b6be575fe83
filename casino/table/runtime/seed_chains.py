"""Master secret of the casino, from which seeds and storage keys are derived.

It is stored as `FILE.master`, readable by its owner alone, and never in the database, the log, an
export or an ordinary backup. Without it a running game is void (G14) and every table begins a new
seed chain. What the database must keep secret is encrypted with ChaCha20-Poly1305.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from casino import fairness
from casino.errors import FileError, SeedError
from casino.fairness.rng import hmac_sha256
from casino.ledger.side_files import NEW_MASTER, CasinoFiles, write_private
from casino.table.domain.commands import BeginChain
from casino.table.domain.state import COVER, SEED, ChainState, Secrets, TableState

# Logged as the reasons for replacing an unfinished chain.
LOST_MASTER: Final = "the master secret of the chain before is lost"
RESTORED: Final = "a backup was restored, and its seeds must not be used again"

_ACTION: Final = "action "
_LINK_DIGITS: Final = 32
_NONCE_BYTES: Final = 12


class SeedKeeper:
    """Seeds and encryption keys derived from a master secret.

    The secret is read or created on first use, so that a casino that refuses to start leaves no
    secret behind.
    """

    def __init__(
        self,
        master: Callable[[], bytes],
        length: int = fairness.CHAIN_LENGTH,
        former: Callable[[], bytes] = bytes,
    ) -> None:
        self._read_master = master
        self._read_former = former
        self._known_master = b""
        self._lock = threading.RLock()  # reentrant: `_chain` calls `_master`
        self._length = length
        self._chains: dict[tuple[str, int, int], fairness.SeedChain] = {}

    def chain_to_begin(self, state: TableState) -> BeginChain | None:
        """Return the command to start a chain before the next game, or None if none is needed."""
        table, old = state.rules.name, state.chain
        reason = ""
        if old is not None:
            _, number = state.next_seed_position
            if self._chain_of(table, old).anchor != old.anchor:
                reason = RESTORED if self.former_seed(table, old, 1) else LOST_MASTER
            elif number <= old.length:
                return None
        chain = self._chain(table, 1 if old is None else old.chain + 1, self._length)
        return BeginChain(table, chain.anchor, self._length, reason)

    def next_seed(self, state: TableState) -> bytes:
        """Return the seed of a table's next game."""
        _, number = state.next_seed_position
        assert state.chain is not None
        return self._chain_of(state.rules.name, state.chain).seed(number)

    def seed(self, table: str, chain: ChainState, number: int) -> bytes:
        """Return seed `number` of a chain, or empty bytes if it cannot be derived."""
        return _seed_in(self._chain_of(table, chain), chain, number)

    def former_seed(self, table: str, chain: ChainState, number: int) -> bytes:
        """Derive a chain's seed from the former master secret; return empty bytes if impossible."""
        if not (former := self._read_former()):
            return b""
        seeds = fairness.SeedChain(former, table, chain.chain, chain.length)
        return _seed_in(seeds, chain, number)

    def link(self, table: str) -> str:
        """Return the unguessable token in the link to a private table."""
        return hmac_sha256(self._master(), f"link|{table}".encode()).hex()[:_LINK_DIGITS]

    def forget(self, table: str) -> None:
        """Drop a closed table's chains from memory."""
        with self._lock:
            self._chains = {key: seeds for key, seeds in self._chains.items() if key[0] != table}

    def encrypt(self, game: str, secrets: Secrets) -> Mapping[str, bytes]:
        """Encrypt secrets for storage, except for seeds, which can be derived again.

        Each result is the nonce followed by the ciphertext.
        """
        boxes = {}
        for name, value in secrets.items():
            if name != SEED:
                nonce = os.urandom(_NONCE_BYTES)
                boxes[name] = nonce + self._cipher(game).encrypt(nonce, value, _place(game, name))
        return boxes

    def decrypt(self, game: str, kept: Mapping[str, bytes]) -> dict[str, bytes]:
        """Decrypt stored secrets, leaving out those encrypted under another master secret."""
        secrets = {}
        for name, box in kept.items():
            nonce, sealed = box[:_NONCE_BYTES], box[_NONCE_BYTES:]
            with suppress(InvalidTag, ValueError):
                secrets[name] = self._cipher(game).decrypt(nonce, sealed, _place(game, name))
        return secrets

    def _cipher(self, game: str) -> ChaCha20Poly1305:
        return ChaCha20Poly1305(hmac_sha256(self._master(), f"file|{game}".encode()))

    def _chain_of(self, table: str, chain: ChainState) -> fairness.SeedChain:
        return self._chain(table, chain.chain, chain.length)

    def _chain(self, table: str, number: int, length: int) -> fairness.SeedChain:
        key = table, number, length
        # A chain costs 10,000 hashes: threads wait for it rather than compute it twice.
        with self._lock:
            if key not in self._chains:
                self._chains[key] = fairness.SeedChain(self._master(), *key)
            return self._chains[key]

    def _master(self) -> bytes:
        # Any table's thread may be first, and reading may create the file.
        with self._lock:
            self._known_master = self._known_master or self._read_master()
            return self._known_master


def load_master(path: Path) -> bytes:
    """Read the master secret of a casino, or create it if there is none, or a new one is wanted."""
    secret = CasinoFiles(path).master
    if secret.exists() and secret.read_text("ascii", "replace") != NEW_MASTER:
        return _read(secret)
    master = fairness.fresh_seed()
    write_private(secret, master.hex() + "\n")
    return master


def load_former_master(path: Path) -> bytes:
    """Return the master secret from before a restore, or empty bytes if there is none."""
    secret = CasinoFiles(path).former_master
    return _read(secret) if secret.exists() else b""


def _seed_in(seeds: fairness.SeedChain, chain: ChainState, number: int) -> bytes:
    is_same = seeds.anchor == chain.anchor and 1 <= number <= chain.length
    return seeds.seed(number) if is_same else b""


def _read(secret: Path) -> bytes:
    try:
        return fairness.parse_seed(secret.read_text("ascii", "replace").strip())
    except SeedError:
        text = f"{secret} is not a master secret: put a copy back, or move it away"
        raise FileError(f"{text}, and running games are void") from None


def _place(game: str, name: str) -> bytes:
    # Associated data: a box that is moved to another game, deal or number does not decrypt.
    if name.startswith(_ACTION):
        deal, number = name.removeprefix(_ACTION).split(" ")
    else:
        deal, number = "0", "0" if name == COVER else "1"
    return f"{game}|{deal}|{number}".encode()
