"""A signed log made by a test, which can be shown truthfully or falsely."""

from __future__ import annotations

import json
from typing import Any

from msgspec.structs import replace

from casino.ledger.entries import encode
from casino.ledger.tlog.key_rotation import make_rotation
from casino.ledger.tlog.merkle import Frontier, fold, inclusion_proof, leaf_hash
from casino.ledger.tlog.note import Receipt, SigningKey, sign_checkpoint

KEY = SigningKey.from_seed("ecarte-casino", bytes(32))


class ShownLog:
    """Leaves, and the checkpoints and proofs that their owner signs."""

    def __init__(self, *leaves: bytes, key: SigningKey = KEY) -> None:
        self.leaves = list(leaves)
        self.key = key

    def add(self, **leaf: Any) -> int:
        self.leaves.append(json.dumps(leaf, sort_keys=True, separators=(",", ":")).encode())
        return len(self.leaves) - 1

    def note(self, size: int | None = None) -> str:
        size = len(self.leaves) if size is None else size
        return sign_checkpoint(self.key, size, self.subtrees(size).root)

    def proof(self, index: int) -> str:
        reader = self.subtrees(len(self.leaves))
        path = inclusion_proof(index, len(self.leaves), reader)
        return Receipt(self.leaves[index], index, path, self.note()).text()

    def rotate_key(self, old: SigningKey, new: SigningKey) -> str:
        """Rotate the key by a leaf that both keys sign; return the proof of that leaf."""
        said = make_rotation(len(self.leaves), old, new)
        self.leaves.append(encode(replace(said, at=1_700_000_000_000)))
        self.key = new
        return self.proof(len(self.leaves) - 1)

    def subtrees(self, size: int) -> Reader:
        return Reader([leaf_hash(leaf) for leaf in self.leaves[:size]])


class Reader:
    """Reads the hashes of complete subtrees."""

    def __init__(self, hashes: list[bytes]) -> None:
        self.hashes = hashes

    def __call__(self, level: int, index: int) -> bytes:
        return _root(self.hashes[index << level : (index + 1) << level])

    @property
    def root(self) -> bytes:
        frontier = Frontier()
        for one in self.hashes:
            frontier.append(one)
        return frontier.root()


def _root(hashes: list[bytes]) -> bytes:
    if len(hashes) == 1:
        return hashes[0]
    half = len(hashes) >> 1
    return fold([_root(hashes[:half]), _root(hashes[half:])])
