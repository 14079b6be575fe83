"""An audit of one game, or of the games of one player."""

from __future__ import annotations

from typing import Any

from casino.bank.audit.bots import Decide
from casino.bank.audit.findings import Finding, Report
from casino.bank.audit.games import Row, check_game
from casino.bank.audit.sources import ExportSource, FileSource
from casino.bank.ledger import purse


def audit_game(
    source: FileSource | ExportSource, game: str, decide: Decide | None = None
) -> Report:
    """Check one game."""
    return _report(
        [game] if _rows(source, game) else [], source, decide, f"there is no game {game}"
    )


def audit_player(
    source: FileSource | ExportSource, player: str, decide: Decide | None = None
) -> Report:
    """Check every game a player bet in or sat in, and that the wallet holds what it must."""
    games, cents = _games_of(source, player)
    report = _report(games, source, decide, f"{player} has bet in no game")
    if isinstance(source, FileSource):
        sql = "SELECT balance FROM account WHERE name = ?"
        row = source.reader.conn.execute(sql, (purse(player),)).fetchone()
        stored = 0 if row is None else row[0]
        if stored != cents:
            text = f"{purse(player)} holds {stored} cents, its entries make {cents}"
            report.findings.append(Finding("balances", text))
    return report


def _report(
    games: list[str], source: FileSource | ExportSource, decide: Decide | None, none: str
) -> Report:
    """Check some games."""
    findings = [] if games else [Finding("games", none)]
    leaves = entries = 0
    for game in games:
        rows = _rows(source, game)
        leaves += len(rows)
        entries += sum(row.leaf["type"] == "entry" for row in rows)
        findings += check_game(game, rows, decide)
    return Report(leaves, len(games), entries, "", findings)


def _rows(source: FileSource | ExportSource, game: str) -> list[Row]:
    """The leaves of a game."""
    return [Row(n, leaf, body) for n, leaf, body in source.rows(game) if leaf.get("game") == game]


def _games_of(source: FileSource | ExportSource, player: str) -> tuple[list[str], int]:
    """The games a player has to do with, and the sum of what moved the player's chips."""
    games: dict[str, None] = {}
    cents = 0
    for _, leaf, _ in source.rows(None):
        seats: dict[str, Any] = leaf.get("players", {})
        if "game" in leaf and (leaf.get("player") == player or player in seats.values()):
            games[leaf["game"]] = None
        if leaf["type"] == "entry":
            cents += dict(leaf["postings"]).get(purse(player), 0)
    return list(games), cents
