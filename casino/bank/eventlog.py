"""Reading the log: leaves as they were hashed, checkpoints, proofs and receipts.

A proof needs hashes of subtrees. They are read a *tile* at a time, 256 hashes of a stored level
and all that lies above them up to the next, and kept while they are of use, so that receipts
for thousands of neighbouring bets cost hardly more than one.
"""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import orjson

from casino.bank import merkle, notes
from casino.bank.merkle import TILE, Hash
from casino.errors import BadFile

_TILES_KEPT: Final = 64


class StoredLeaf(NamedTuple):
    """A leaf with its number and the columns that help to find it."""

    n: int
    kind: str
    game: str | None
    player: str | None
    body: bytes


class StoredCheckpoint(NamedTuple):
    """A signed checkpoint and the size it is kept under."""

    size: int
    note: str


class EventLog:
    """The log as one connection sees it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._tiles: OrderedDict[tuple[int, int], list[list[Hash]]] = OrderedDict()

    def size(self) -> int:
        """How many leaves there are."""
        found: int = self._one("SELECT coalesce(max(n) + 1, 0) FROM leaf")[0]
        return found

    def leaves(self, first: int = 0, limit: int = -1) -> Iterator[StoredLeaf]:
        """Leaves in order, from a number on."""
        sql = "SELECT n, type, game, player, body FROM leaf WHERE n >= ? ORDER BY n LIMIT ?"
        return map(StoredLeaf._make, self._connection.execute(sql, (first, limit)))

    def of_game(self, game: str) -> Iterator[StoredLeaf]:
        """The leaves of a game, in order."""
        sql = "SELECT n, type, game, player, body FROM leaf WHERE game = ? ORDER BY n"
        return map(StoredLeaf._make, self._connection.execute(sql, (game,)))

    def of_player(self, player: str) -> Iterator[StoredLeaf]:
        """The leaves that name a player: bets, cuts, limits."""
        sql = "SELECT n, type, game, player, body FROM leaf WHERE player = ? ORDER BY n"
        return map(StoredLeaf._make, self._connection.execute(sql, (player,)))

    def limits(self) -> Iterator[StoredLeaf]:
        """The limits that players have set themselves, in order."""
        sql = "SELECT n, type, game, player, body FROM leaf WHERE type = 'limit' ORDER BY n"
        return map(StoredLeaf._make, self._connection.execute(sql))

    def ends(self, after: int, limit: int) -> list[StoredLeaf]:
        """The leaves that end a game, in order, behind a number."""
        sql = """
            SELECT n, type, game, player, body FROM leaf
            WHERE type IN ('game_over', 'game_void') AND n > ? ORDER BY n LIMIT ?
        """
        return [StoredLeaf._make(row) for row in self._connection.execute(sql, (after, limit))]

    def ends_before(self, before: int, limit: int) -> list[StoredLeaf]:
        """The leaves that end a game, the newest first, before a number."""
        sql = """
            SELECT n, type, game, player, body FROM leaf
            WHERE type IN ('game_over', 'game_void') AND n < ? ORDER BY n DESC LIMIT ?
        """
        return [StoredLeaf._make(row) for row in self._connection.execute(sql, (before, limit))]

    def balances(self, accounts: Iterable[str]) -> dict[str, int]:
        """The balances of accounts; one that nothing has moved on has 0."""
        sql = "SELECT coalesce(max(balance), 0) FROM account WHERE name = ?"
        return {one: self._connection.execute(sql, (one,)).fetchone()[0] for one in accounts}

    def first_at(self, at: int) -> int:
        """The number of the first leaf written at a time or later: the size if there is none."""
        least, most = 0, self.size()
        while least < most:
            middle = (least + most) >> 1
            later = orjson.loads(next(self.leaves(middle, 1)).body)["at"] >= at
            least, most = (least, middle) if later else (middle + 1, most)
        return least

    def wallet_moves(self, first: int) -> Iterator[tuple[str, str, int]]:
        """What moved on wallets from a leaf on: player, move, cents, in sum."""
        sql = """
            SELECT substr(account, 8), move, sum(cents) FROM entry JOIN posting ON entry = n
            WHERE leaf >= ? AND account GLOB 'wallet/*' GROUP BY account, move
        """
        yield from self._connection.execute(sql, (first,))

    def secrets(self, game: str) -> dict[str, bytes]:
        """What a running game hides, by name."""
        rows = self._connection.execute("SELECT name, value FROM secret WHERE game = ?", (game,))
        return {name: bytes(value) for name, value in rows}

    def checkpoints(self) -> Iterator[StoredCheckpoint]:
        """All checkpoints, the oldest first."""
        sql = "SELECT size, note FROM checkpoint ORDER BY size"
        return map(StoredCheckpoint._make, self._connection.execute(sql))

    def checkpoint(self) -> StoredCheckpoint | None:
        """The newest checkpoint."""
        sql = "SELECT size, note FROM checkpoint ORDER BY size DESC LIMIT 1"
        row = self._connection.execute(sql).fetchone()
        return None if row is None else StoredCheckpoint._make(row)

    def nodes(self) -> Iterator[tuple[int, int, Hash]]:
        """The stored nodes (level, place, hash), in the order in which they were completed."""
        rows = self._connection.execute("SELECT level, place, hash FROM node ORDER BY n")
        return ((level, place, bytes(found)) for level, place, found in rows)

    def receipt(self, number: int) -> str | None:
        """The receipt of a leaf under the first checkpoint that covers it; None: not yet."""
        sql = "SELECT size, note FROM checkpoint WHERE size > ? ORDER BY size LIMIT 1"
        found = self._connection.execute(sql, (number,)).fetchone()
        row = self._connection.execute("SELECT body FROM leaf WHERE n = ?", (number,)).fetchone()
        if found is None or row is None:
            return None
        siblings = self.inclusion(number, found[0])
        return notes.Receipt(bytes(row[0]), number, siblings, found[1]).text()

    def means(self, player: str, reason: str) -> tuple[int, int, int]:
        """What a player has in all, and the newest grant he had for a reason: its number, its time.

        0 stands for no grant.
        """
        sql = "SELECT coalesce(sum(balance), 0) FROM account WHERE name = ? OR name GLOB ?"
        pattern = "escrow/*/" + "".join(f"[{one}]" if one in "*?[" else one for one in player)
        wallet = f"wallet/{player}"
        has_cents = self._connection.execute(sql, (wallet, pattern)).fetchone()[0]
        sql = """
            SELECT entry.n, leaf.body FROM posting JOIN entry ON entry.n = posting.entry
            JOIN leaf ON leaf.n = entry.leaf
            WHERE posting.account = ? AND entry.move = 'grant' ORDER BY posting.entry DESC
        """
        for number, body in self._connection.execute(sql, (wallet,)):
            said = orjson.loads(body)
            if said.get("reason") == reason:
                return has_cents, number, said["at"]
        return has_cents, 0, 0

    def players(self) -> list[str]:
        """Everybody who has, or had, a wallet."""
        sql = "SELECT substr(name, 8) FROM account WHERE name >= 'wallet/' AND name < 'wallet0'"
        return [row[0] for row in self._connection.execute(sql)]

    def receipt_of(self, command: str) -> str | None:
        """The receipt of the leaf that the command with an id made; None: not yet, or none."""
        sql = "SELECT leaf FROM command WHERE id = ?"
        row = self._connection.execute(sql, (command,)).fetchone()
        return None if row is None or row[0] is None else self.receipt(row[0])

    def root(self, size: int) -> Hash:
        """The root of the log's first leaves."""
        return merkle.frontier_of(size, self.subtree).root()

    def inclusion(self, number: int, size: int) -> list[Hash]:
        """The path from a leaf to the root of the log's first leaves."""
        return merkle.inclusion_proof(number, size, self.subtree)

    def consistency(self, old: int, size: int) -> list[Hash]:
        """The hashes that show one state of the log to begin a later one."""
        return merkle.consistency_proof(old, size, self.subtree)

    def subtree(self, level: int, place: int) -> Hash:
        """The hash of a complete subtree."""
        within = level % TILE
        stored, tile = level - within, place >> (TILE - within)
        at = place - (tile << (TILE - within))
        pyramid = self._tile(stored, tile)
        if at >= len(pyramid[within]):
            pyramid = self._tile(stored, tile, fresh=True)
        if at >= len(pyramid[within]):
            raise BadFile(f"the log is shorter than asked for: no node {place} on level {level}")
        return pyramid[within][at]

    def _tile(self, stored: int, tile: int, fresh: bool = False) -> list[list[Hash]]:
        """The complete nodes over 256 hashes of a stored level, by level above it."""
        if fresh:
            self._tiles.pop((stored, tile), None)
        pyramid = self._tiles.get((stored, tile))
        if pyramid is None:
            pyramid = _pyramid(self._hashes(stored, tile << TILE))
            self._tiles[stored, tile] = pyramid
            if len(self._tiles) > _TILES_KEPT:
                self._tiles.popitem(last=False)
        else:
            self._tiles.move_to_end((stored, tile))
        return pyramid

    def _hashes(self, stored: int, first: int) -> list[Hash]:
        """Up to 256 hashes in a row of a stored level, the leaves' being computed."""
        if stored == 0:
            sql = "SELECT body FROM leaf WHERE n >= ? AND n < ? ORDER BY n"
            span = (first, first + (1 << TILE))
            return [merkle.leaf_hash(body) for (body,) in self._connection.execute(sql, span)]
        sql = "SELECT hash FROM node WHERE level = ? AND place >= ? AND place < ? ORDER BY place"
        places = (stored, first, first + (1 << TILE))
        return [bytes(found) for (found,) in self._connection.execute(sql, places)]

    def _one(self, sql: str) -> tuple[int]:
        """The one row a query finds."""
        row: tuple[int] = self._connection.execute(sql).fetchone()
        return row


def _pyramid(hashes: list[Hash]) -> list[list[Hash]]:
    """Rows of hashes, each over pairs of the one below; what has no pair ends there."""
    rows = [hashes]
    for _ in range(TILE - 1):
        below = rows[-1]
        pairs = zip(below[::2], below[1::2], strict=False)
        rows.append([merkle.node_hash(left, right) for left, right in pairs])
    return rows
