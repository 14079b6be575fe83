"""An audit of one game, or of the games of one player."""

from __future__ import annotations

from pathlib import Path

from casino.audit.bots import Decide
from casino.audit.findings import Finding, Report
from casino.audit.games import Row, check_game
from casino.audit.known import NOTHING, Elsewhere, check_known
from casino.audit.own_limits import check_limits
from casino.audit.sources import ExportSource, FileSource
from casino.audit.tables import damage_of
from casino.audit.terms import Terms
from casino.audit.trust import trusted_key
from casino.bank.leaves import Entry
from casino.bank.ledger import purse
from casino.bank.store import StoreFault
from casino.errors import BadFile
from casino.events.kinds import GameOpened
from casino.events.reading import read, read_if_sound


def audit_game(
    source: FileSource | ExportSource,
    game: str,
    decide: Decide | None = None,
    elsewhere: Elsewhere = NOTHING,
    key: Path | str | None = None,
) -> Report:
    """Check one game."""
    report = _report([game], source, decide)
    report = report if report.leaves else _nothing(f"there is no game {game}")
    return _compared(report, source, elsewhere, key)


def audit_player(
    source: FileSource | ExportSource,
    player: str,
    decide: Decide | None = None,
    elsewhere: Elsewhere = NOTHING,
    key: Path | str | None = None,
) -> Report:
    """Check every game a player bet in or sat in, his limits, and what the wallet holds."""
    games, cents = _games_of(source, player)
    report = _report(games, source, decide) if games else _nothing(f"{player} has bet in no game")
    most = Terms.of(source.terms()).day_cents
    report.findings.extend(check_limits(source.about, {player}, most))
    if isinstance(source, FileSource):
        stored = source.log.balance(purse(player))
        if stored != cents:
            text = f"{purse(player)} holds {stored} cents, its entries make {cents}"
            report.findings.append(Finding("balances", text))
    return _compared(report, source, elsewhere, key)


def _compared(
    report: Report,
    source: FileSource | ExportSource,
    elsewhere: Elsewhere,
    key: Path | str | None,
) -> Report:
    """The report with whose the log is, and what it was compared with."""
    trusted, findings = trusted_key(source, key)
    with source.moment():
        compared = check_known(source, trusted.keys, elsewhere)
    return report._replace(
        findings=[*report.findings, *findings, *compared.findings],
        key=trusted.key_id,
        key_from=trusted.origin,
        known=compared.names,
        witnessed=compared.witnessed,
    )


def _nothing(text: str) -> Report:
    """The report when there is nothing to check."""
    return Report(0, 0, 0, "", [Finding("games", text)])


def _report(games: list[str], source: FileSource | ExportSource, decide: Decide | None) -> Report:
    """Check some games."""
    findings: list[Finding] = []
    leaves = entries = 0
    terms = source.terms()
    for game in games:
        rows, broken = _rows(source, game)
        leaves += len(rows) + len(broken)
        entries += sum(row.leaf.kind == "entry" for row in rows)
        findings += broken
        if rows:
            findings += check_game(game, rows, terms, decide)
    return Report(leaves, len(games), entries, "", findings)


def _rows(source: FileSource | ExportSource, game: str) -> tuple[list[Row], list[Finding]]:
    """The leaves of a game, and those that are none."""
    rows: list[Row] = []
    broken: list[Finding] = []
    try:
        for n, body in source.rows(game):
            try:
                leaf = read(body)
            except BadFile as error:
                text = f"the leaf's bytes are not those of a leaf: {error}"
                broken.append(Finding("leaves", text, n))
                continue
            if leaf.subject == game:
                rows.append(Row(n, leaf, body))
    except StoreFault as error:
        text = f"leaves of the game cannot be read: {error}"
        broken += [Finding("leaves", text, None, game), *damage_of(source)]
    return rows, broken


def _games_of(source: FileSource | ExportSource, player: str) -> tuple[list[str], int]:
    """The games a player has to do with, and the sum of what moved the player's chips."""
    games: dict[str, None] = {}
    cents = 0
    for _, body in source.rows():
        leaf = read_if_sound(body)
        if leaf is None:
            continue
        sits = isinstance(leaf, GameOpened) and player in (
            leaf.players.house,
            leaf.players.challenger,
        )
        game, named = leaf.subject, getattr(leaf, "player", None)
        if game is not None and (sits or named == player):
            games[game] = None
        if isinstance(leaf, Entry):
            cents += dict(leaf.postings).get(purse(player), 0)
    return list(games), cents
