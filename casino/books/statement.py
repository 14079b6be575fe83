"""A person's account: every change of the balance, every bet and what it came to."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson
from sqlite_utils import Database

from casino.bank import database
from casino.bank.eventlog import EventLog
from casino.bank.ledger import purse
from casino.errors import Reason, Refused

NO_ACCOUNT: Final = Reason(
    "no_account", "not_entered", "{player} has no account in {file}: check the name"
)


class Change(NamedTuple):
    """An entry that moved the player's chips at hand."""

    entry: int
    at_ms: int
    move: str
    game: str
    cents: int
    balance_cents: int


class BetLine(NamedTuple):
    """A bet and what it came to; gain and commission are null while the game runs or if void."""

    game: str
    order: int
    side: str
    unit_cents: int
    matched_cents: int | None
    gain_cents: int | None
    commission_cents: int | None
    result: str


class Statement(NamedTuple):
    """A player's account."""

    player: str
    balance_cents: int
    escrow_cents: int
    changes: list[Change]
    bets: list[BetLine]

    def json(self) -> dict[str, Any]:
        """The statement as JSON values."""
        said = self._asdict()
        said["changes"] = [change._asdict() for change in self.changes]
        said["bets"] = [bet._asdict() for bet in self.bets]
        return said


def statement(path: Path, player: str) -> Statement:
    """The account of a player; one that has none is refused."""
    reader = database.open_reader(path)
    try:
        reader.conn.execute("BEGIN")
        changes = _changes(reader, purse(player))
        if not changes:
            raise Refused(NO_ACCOUNT, player=player, file=str(path))
        escrow = "SELECT coalesce(sum(balance), 0) AS held FROM account WHERE name GLOB ?"
        pattern = "escrow/*/" + "".join(f"[{c}]" if c in "*?[" else c for c in player)
        held = next(iter(reader.query(escrow, [pattern])))["held"]
        bets = _bets(EventLog(reader.conn), player)
        return Statement(player, changes[-1].balance_cents, held, changes, bets)
    finally:
        reader.close()


def _changes(reader: Database, account: str) -> list[Change]:
    """Every change of an account, with the balance it led to."""
    sql = """
        SELECT posting.entry, body, entry.move, coalesce(entry.game, '') AS game, cents
        FROM posting JOIN entry ON entry.n = posting.entry JOIN leaf ON leaf.n = entry.leaf
        WHERE account = ? ORDER BY posting.entry
    """
    changes, balance = [], 0
    for row in reader.query(sql, [account]):
        balance += row["cents"]
        at = orjson.loads(row["body"])["at"]
        change = Change(row["entry"], at, row["move"], row["game"], row["cents"], balance)
        changes.append(change)
    return changes


def _bets(log: EventLog, player: str) -> list[BetLine]:
    """Every bet a player entered, in order."""
    bets = []
    for stored in log.of_player(player):
        if stored.kind == "bet":
            said = orjson.loads(stored.body)
            bets.append(_bet(log, said["game"], said))
    return bets


def _bet(log: EventLog, game: str, said: dict[str, Any]) -> BetLine:
    """What one bet came to."""
    line = BetLine(game, said["order"], said["side"], said["unit_cents"], None, None, None, "open")
    for stored in log.of_game(game):
        if stored.kind == "game_void":
            line = line._replace(result="void")
        elif stored.kind == "settled":
            for order, _, _, matched, _, gain, fee in orjson.loads(stored.body)["bets"]:
                if order == said["order"]:
                    line = line._replace(
                        matched_cents=matched,
                        gain_cents=gain,
                        commission_cents=fee,
                        result="won" if gain > 0 else "lost" if gain < 0 else "unmatched",
                    )
    return line
