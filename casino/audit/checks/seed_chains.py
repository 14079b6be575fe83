"""Check the seed chains: the seed of each game must be the commitment of the next game."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Final, NamedTuple

from casino import fairness
from casino.audit.check import NOTE, WARNING, Check, Finding, table_of
from casino.events.types import GameOpened, GameOver, GameVoid, SeedChain

MIN_CHAIN_LENGTH: Final = 1_000  # games whose seeds a chain fixes in advance


class TableChain(NamedTuple):
    """A table's seed chain, and the number and commitment of the last game opened on it."""

    chain: SeedChain
    number: int
    commitment: str


class SeedChainsCheck(Check):
    """Check of each table's seed chain.

    A game's commitment reveals the cards of the game before it, which must therefore be over.
    `running` has the unfinished game at each table.
    """

    name = "chains"

    chains: dict[str, TableChain]
    running: dict[str, str]

    def __init__(self) -> None:
        self.chains, self.running = {}, {}
        self.handlers = {
            SeedChain: self._begin,
            GameOpened: self._opened,
            GameOver: self._ended,
            GameVoid: self._ended,
        }

    def _ended(self, _: int, leaf: GameOver | GameVoid) -> tuple[()]:
        self.running.pop(table_of(leaf.game), None)
        return ()

    def _opened(self, n: int, leaf: GameOpened) -> Iterator[Finding]:
        if before := self.running.pop(table_of(leaf.game), ""):
            text = f"the game opens before {before} is over, which reveals its seed"
            yield Finding("chains", text, n, leaf.game)
        self.running[table_of(leaf.game)] = leaf.game
        position = self.chains.get(leaf.table)
        if position is None:
            yield Finding("chains", "the table has no chain of seeds", n, leaf.game)
            return
        text = _wrong_place(position, leaf)
        if text:
            yield Finding("chains", text, n, leaf.game)
        self.chains[leaf.table] = TableChain(position.chain, leaf.number, leaf.commitment)

    def _begin(self, n: int, leaf: SeedChain) -> Iterator[Finding]:
        before = self.chains.get(leaf.table)
        expected = 1 if before is None else before.chain.chain + 1
        if leaf.chain != expected or leaf.length < 1 or not fairness.is_hash(leaf.anchor):
            yield Finding("chains", f"chain {expected} of {leaf.table} must begin here", n)
        if before is not None and before.number < before.chain.length:
            used = f"after {before.number} of {before.chain.length} games"
            text = f"chain {before.chain.chain} of {leaf.table} was given up {used}"
            if leaf.reason:
                yield Finding("chains", f"{text}: {leaf.reason}", n, severity=NOTE)
            else:
                yield Finding("chains", f"{text} without a reason", n)
        elif (
            before is not None and before.chain.length < MIN_CHAIN_LENGTH and leaf.chain == expected
        ):
            games = f"after only {before.chain.length} games: seeds could be chosen game by game"
            text = f"chain {leaf.chain} of {leaf.table} begins {games}"
            yield Finding("chains", text, n, severity=NOTE if leaf.reason else WARNING)
        self.chains[leaf.table] = TableChain(leaf, 0, leaf.anchor)


def _wrong_place(position: TableChain, leaf: GameOpened) -> str:
    chain, number, before = position
    if (leaf.chain, leaf.number) != (chain.chain, number + 1) or leaf.number > chain.length:
        return f"the game has seed {leaf.number} of chain {leaf.chain}, not the next one"
    if not fairness.is_hash(leaf.commitment):
        return "the commitment is not a hash"
    # The first commitment is the anchor itself; each later one hashes to its predecessor.
    led = leaf.commitment if number == 0 else sha256(bytes.fromhex(leaf.commitment)).hexdigest()
    return "" if led == before else "the commitment does not follow the chain of seeds"
