"""A signed log made by a test, which can be shown truthfully or falsely."""

from __future__ import annotations

import json
from typing import Any

from msgspec.structs import replace

from casino.ledger.entries import encode
from casino.ledger.tlog.key_rotation import make_rotation
from casino.ledger.tlog.merkle import Subtree, inclusion_proof
from casino.ledger.tlog.note import Receipt, SigningKey, sign_checkpoint
from tests.ledger.tile_server import root_of, subtree_of

KEY, NEXT, LAST, THIEF = (
    SigningKey.from_seed("ecarte-casino", bytes([number]) * 32) for number in (0, 2, 3, 4)
)


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
        return sign_checkpoint(self.key, size, root_of(self.leaves[:size]))

    def proof(self, index: int) -> str:
        size = len(self.leaves)
        path = inclusion_proof(index, size, self.subtrees(size))
        return Receipt(self.leaves[index], index, path, self.note()).text()

    def rotate_key(self, old: SigningKey, new: SigningKey) -> str:
        """Rotate the key by a leaf that both keys sign; return the proof of that leaf."""
        said = make_rotation(len(self.leaves), old, new)
        self.leaves.append(encode(replace(said, at=1_700_000_000_000)))
        self.key = new
        return self.proof(len(self.leaves) - 1)

    def subtrees(self, size: int) -> Subtree:
        return subtree_of(self.leaves[:size])
