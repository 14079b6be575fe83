"""The casino's master secret at work: the seeds of every table, and what the file hides.

The secret lies beside the casino's file as `FILE.master`, for its owner alone, and never in the
file, the log, an export or an ordinary backup. Without it a running game is void (G14) and every
table begins a new chain of seeds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from casino import fairness
from casino.errors import FileError, SeedError
from casino.fairness.secret_box import close_box, open_box
from casino.ledger.side_files import CasinoFiles, write_private
from casino.table.domain.commands import BeginChain
from casino.table.domain.state import COVER, SEED, ChainState, Secrets, TableState

LOST_MASTER: Final = "the master secret of the chain before is lost"
"""Why a chain is begun before the one before it has ended."""

_ACTION: Final = "action "


class SeedKeeper:
    """What follows from a master secret; `nonce` gives the random numbers of each encryption.

    The secret is read when it is first needed: a casino that may not start leaves none behind.
    """

    def __init__(
        self,
        master: Callable[[], bytes],
        nonce: Callable[[], bytes],
        length: int = fairness.CHAIN_LENGTH,
        former: Callable[[], bytes] = bytes,
    ) -> None:
        self._read_master = master
        self._read_former = former
        self._known_master = b""
        self._lock = threading.RLock()
        self._nonce = nonce
        self._length = length
        self._chains: dict[tuple[str, int, int], fairness.SeedChain] = {}

    def due(self, state: TableState) -> BeginChain | None:
        """The chain to begin before a table's next game, if the one it is on cannot go on."""
        table, old = state.rules.name, state.chain
        reason = ""
        if old is not None:
            _, number = state.next_place
            if not self._is_mine(table, old):
                reason = LOST_MASTER
            elif number <= old.length:
                return None
        chain = self._chain(table, 1 if old is None else old.chain + 1, self._length)
        return BeginChain(table, chain.anchor, self._length, reason)

    def next_seed(self, state: TableState) -> bytes:
        """The seed of a table's next game."""
        _, number = state.next_place
        assert state.chain is not None
        return self._chain_of(state.rules.name, state.chain).seed(number)

    def seed(self, table: str, chain: ChainState, number: int) -> bytes:
        """The seed at a place of a chain; nothing if it is of another master."""
        if not self._is_mine(table, chain):
            return b""
        try:
            return self._chain_of(table, chain).seed(number)
        except SeedError:
            return b""

    def former_seed(self, table: str, chain: ChainState, number: int) -> bytes:
        """The seed at a place of a chain of the master before this one; nothing if it is not."""
        if not (former := self._read_former()):
            return b""
        seeds = fairness.SeedChain(former, table, chain.chain, chain.length)
        return seeds.seed(number) if seeds.anchor == chain.anchor else b""

    def hidden(self, game: str, secrets: Secrets) -> Mapping[str, bytes]:
        """Secrets as the file may keep them; a seed is not kept, it follows from the master."""
        return {
            name: close_box(self._master(), game, *_place(name), self._nonce(), value)
            for name, value in secrets.items()
            if name != SEED
        }

    def shown(self, game: str, kept: Mapping[str, bytes]) -> dict[str, bytes]:
        """Secrets as they were; those of another master are left out."""
        found = {}
        for name, box in kept.items():
            try:
                found[name] = open_box(self._master(), game, *_place(name), box)
            except FileError:
                continue
        return found

    def _is_mine(self, table: str, chain: ChainState) -> bool:
        return self._chain_of(table, chain).anchor == chain.anchor

    def _chain_of(self, table: str, chain: ChainState) -> fairness.SeedChain:
        return self._chain(table, chain.chain, chain.length)

    def _chain(self, table: str, number: int, length: int) -> fairness.SeedChain:
        key = table, number, length
        with self._lock:
            if key not in self._chains:
                self._chains[key] = fairness.SeedChain(self._master(), *key)
            return self._chains[key]

    def _master(self) -> bytes:
        """Read the master secret once: every table's thread may ask first."""
        with self._lock:
            self._known_master = self._known_master or self._read_master()
            return self._known_master


def load_master(path: Path) -> bytes:
    """The master secret beside a casino's file; where there is none a new one is made."""
    secret = CasinoFiles(path).master
    if secret.exists():
        return _read(secret)
    master = fairness.fresh_seed()
    write_private(secret, master.hex() + "\n")
    return master


def load_former(path: Path) -> bytes:
    """What a restored casino reveals the games with that ran; nothing in any other."""
    secret = CasinoFiles(path).former_master
    return _read(secret) if secret.exists() else b""


def _read(secret: Path) -> bytes:
    try:
        return fairness.parse_seed(secret.read_text("ascii", "replace").strip())
    except SeedError:
        text = f"{secret} is not a master secret: put a copy back, or move it away"
        raise FileError(f"{text}, and running games are void") from None


def _place(name: str) -> tuple[int, int]:
    if name.startswith(_ACTION):
        deal, number = name.removeprefix(_ACTION).split(" ")
        return int(deal), int(number)
    return (0, 0) if name == COVER else (0, 1)
