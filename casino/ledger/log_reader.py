"""Read access to the log's leaves, checkpoints, Merkle proofs and receipts.

Proofs need the hashes of subtrees. These are read by *tile* (256 hashes of a stored level, and the
nodes above them up to the next stored level) and cached, so that receipts for thousands of
neighbouring bets cost little more than one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator
from typing import Final

from casino.errors import FileError
from casino.ledger.accounts import HOUSE, Account, spending_account
from casino.ledger.entries import as_entry
from casino.ledger.storage.base import StoredLeaf
from casino.ledger.storage.queries import SqlQueries
from casino.ledger.tlog import TILE, Frontier, Hash, merkle
from casino.ledger.tlog import note as notes

_TILES_KEPT: Final = 64


class LogReader:
    """A log open for reading. The store runs the queries; this class computes the proofs."""

    def __init__(self, store: SqlQueries) -> None:
        self.store = store
        self._tiles: OrderedDict[tuple[int, int], list[list[Hash]]] = OrderedDict()
        self.size = store.size
        self.leaves = store.leaves
        self.of_subject = store.of_subject
        self.of_owner = store.of_owner
        self.of_kinds = store.of_kinds
        self.entry_leaves = store.entry_leaves
        self.owners = store.owners
        self.balance = store.balance
        self.balances = store.balances
        self.secrets = store.secrets
        self.checkpoints = store.checkpoints
        self.checkpoint = store.checkpoint
        self.snapshot = store.snapshot
        self.close = store.close

    def first_at(self, at: int) -> int:
        """Return the first leaf number at or after a time, or the log's size if there is none."""
        # Bisection works because leaf times never decrease (L20).
        return bisect_left(range(self.size()), at, key=lambda n: next(self.leaves(n, 1)).time)

    def receipt(self, number: int, cosigned: str | None = None) -> str | None:
        """Return a leaf's receipt, cosigned if possible; None if no checkpoint covers it yet."""
        covering = next(self.checkpoints(number, 1), None)
        leaf = next(self.leaves(number, 1), None)
        if covering is None or leaf is None:
            return None
        size, note = covering.size, covering.note
        if cosigned is not None and (seen := notes.open_checkpoint(cosigned, None).size) > number:
            size, note = seen, cosigned
        return notes.Receipt(leaf.body, number, self.inclusion(number, size), note).text()

    def funds_and_last_grant(self, player: str, reason: str) -> tuple[int, int, int]:
        """Return a player's cents, and the entry number and time of their last grant for `reason`.

        The cents include those at risk; number and time are 0 if there was no such grant.
        """
        escrows = self.balances("escrow/").items()
        at_risk_cents = sum(cents for name, cents in escrows if name.endswith(f"/{player}"))
        has_cents = self.balance(spending_account(player)) + at_risk_cents
        for leaf in reversed(list(self.of_owner(player))):
            if leaf.kind == "entry":
                entry = as_entry(leaf.body)
                if entry.move == "grant" and entry.reason == reason:
                    return has_cents, entry.entry, entry.at
        return has_cents, 0, 0

    def receipt_of(self, command: str, cosigned: str | None = None) -> str | None:
        """Return the receipt of a command's first leaf, or None if there is none yet."""
        reply = self.store.stored_replies([command]).get(command)
        return None if reply is None or reply.leaf is None else self.receipt(reply.leaf, cosigned)

    def root(self, size: int) -> Hash:
        """Return the Merkle root of the log's first `size` leaves."""
        return self.frontier(size).root()

    def frontier(self, size: int) -> Frontier:
        """Return the tree of the log's first `size` leaves, to which more can be added."""
        return merkle.frontier_of(size, self.subtree)

    def inclusion(self, number: int, size: int) -> list[Hash]:
        """Return the inclusion proof of a leaf in the log's first `size` leaves."""
        return merkle.inclusion_proof(number, size, self.subtree)

    def consistency(self, old: int, size: int) -> list[Hash]:
        """Return the consistency proof between two sizes of the log."""
        return merkle.consistency_proof(old, size, self.subtree)

    def subtree(self, level: int, index: int) -> Hash:
        """Return the hash of a complete subtree; raise `FileError` if the log is too short."""
        within = level % TILE
        stored, tile = level - within, index >> (TILE - within)
        at = index - (tile << (TILE - within))
        pyramid = self._tile(stored, tile)
        if at >= len(pyramid[within]):
            # The log may have grown since the tile was cached: read it again.
            pyramid = self._tile(stored, tile, fresh=True)
        if at >= len(pyramid[within]):
            raise FileError(f"the log is shorter than asked for: no node {index} on level {level}")
        return pyramid[within][at]

    def _tile(self, stored: int, tile: int, fresh: bool = False) -> list[list[Hash]]:
        """Return a tile's rows, with up to 256 hashes of a stored level and the nodes above."""
        if fresh:
            self._tiles.pop((stored, tile), None)
        pyramid = self._tiles.get((stored, tile))
        if pyramid is None:
            pyramid = _pyramid(self._hashes(stored, tile << TILE))
            self._tiles[stored, tile] = pyramid
            if len(self._tiles) > _TILES_KEPT:
                self._tiles.popitem(last=False)  # the least recently used
        else:
            self._tiles.move_to_end((stored, tile))
        return pyramid

    def _hashes(self, stored: int, first: int) -> list[Hash]:
        if stored == 0:
            return [merkle.leaf_hash(leaf.body) for leaf in self.leaves(first, 1 << TILE)]
        return self.store.nodes(stored, first, 1 << TILE)


def leaves_about(log: LogReader, owner: str) -> Iterator[StoredLeaf]:
    """Yield in order the leaves that name an owner, and all other leaves of the same subjects.

    Together they include every movement of the owner's chips. For the house, yield all leaves.
    """
    if owner == HOUSE:
        yield from log.leaves()
        return
    leaves: dict[int, StoredLeaf] = {}
    for leaf in log.of_owner(owner):
        if leaf.n not in leaves:
            subject = leaf.subject
            near = [leaf] if subject is None else log.of_subject(subject)
            leaves.update((stored.n, stored) for stored in near)
    for number in sorted(leaves):
        yield leaves[number]


def _pyramid(hashes: list[Hash]) -> list[list[Hash]]:
    rows = [hashes]
    for _ in range(TILE - 1):
        below = rows[-1]
        pairs = zip(below[::2], below[1::2], strict=False)
        rows.append([merkle.node_hash(left, right) for left, right in pairs])
    return rows


def sum_entries(leaves: Iterable[StoredLeaf]) -> Counter[Account]:
    """Return the balances that entries make, those of 0 included."""
    balances: Counter[Account] = Counter()
    for leaf in leaves:
        for account, cents in as_entry(leaf.body).postings:
            balances[account] += cents
    return balances
