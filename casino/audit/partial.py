"""Partial audits of one game, or of the games of one player.

Every leaf that is read must be covered by a signature. Nothing is claimed about the rest of the
log, and the report lists what was skipped.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from casino.audit.checks.bots import Decide
from casino.audit.checks.game import GameLeaf, check_game
from casino.audit.checks.limits import check_limits
from casino.audit.checks.store import find_damage
from casino.audit.checks.table_rules import TableRulesCheck
from casino.audit.report import NOTE, Finding, Report
from casino.audit.source import ExportSource, FileSource, terms_in
from casino.audit.trusted import NOTHING, TrustedEvidence, compare_evidence, find_trusted_key
from casino.errors import FileError
from casino.events.codec import decode, decode_or_none
from casino.events.types import GameOpened
from casino.ledger.accounts import spending_account
from casino.ledger.entries import Entry
from casino.ledger.storage.base import StorageError, StoredLeaf
from casino.ledger.tlog.key_rotation import KeyChain
from casino.ledger.tlog.note import Checkpoint

_MOST: Final = 20

ONE_GAME: Final = (
    "only this game was looked at: not its chain of seeds, nor whether more of it stands elsewhere"
    " in the log, nor any balance, grant or answer"
)
ONE_PLAYER: Final = (
    "only this player was looked at: not the chains of seeds of his games, nor any other's"
    " balance, nor whether his grants were due"
)


def audit_game(
    source: FileSource | ExportSource,
    game: str,
    decide: Decide | None = None,
    elsewhere: TrustedEvidence = NOTHING,
    key: Path | str | None = None,
) -> Report:
    """Audit one game; an unknown game is reported as an error."""
    report, rows = _report([game], source, decide)
    if not report.leaves and not report.findings:
        return _compared(_nothing(f"there is no game {game}"), source, elsewhere, key, [])
    return _compared(report._replace(unchecked=ONE_GAME), source, elsewhere, key, rows)


def audit_player(
    source: FileSource | ExportSource,
    player: str,
    decide: Decide | None = None,
    elsewhere: TrustedEvidence = NOTHING,
    key: Path | str | None = None,
) -> Report:
    """Audit the games in which a player bet or sat, and the player's limits and balance."""
    games, cents, own = _games_of(source, player)
    if games:
        report, rows = _report(games, source, decide)
    else:
        report, rows = _nothing(f"{player} has bet in no game"), []
    most = TableRulesCheck.from_settings(source.terms()).day_cents
    report.findings.extend(check_limits(source.about, {player}, most))
    if isinstance(source, FileSource):
        stored = source.log.balance(spending_account(player))
        if stored != cents:
            text = f"{spending_account(player)} holds {stored} cents, its entries make {cents}"
            report.findings.append(Finding("balances", text))
    every = sorted({*rows, *own})
    return _compared(report._replace(unchecked=ONE_PLAYER), source, elsewhere, key, every)


def _compared(
    report: Report,
    source: FileSource | ExportSource,
    elsewhere: TrustedEvidence,
    key: Path | str | None,
    rows: list[StoredLeaf],
) -> Report:
    trusted, findings = find_trusted_key(source, key)
    with source.snapshot():
        compared = compare_evidence(source, trusted.keys, elsewhere)
        signed, unproved = _prove(source, trusted.keys, rows)
    return report._replace(
        leaves=len(rows),
        findings=[*report.findings, *findings, *compared.findings, *unproved],
        signed=signed,
        key=trusted.key_id,
        key_from=trusted.origin,
        known=compared.names,
        witnessed=compared.witnessed,
    )


def _nothing(text: str) -> Report:
    return Report(0, 0, 0, "", [Finding("games", text)])


def _prove(
    source: FileSource | ExportSource, keys: KeyChain, rows: list[StoredLeaf]
) -> tuple[int, list[Finding]]:
    note = source.signed_head()
    if note is None:
        text = "the signature over all leaves is missing: they are not signed"
        return 0, [Finding("signed", text)]
    try:
        signed = keys.open(note)
    except FileError as error:
        return 0, [Finding("checkpoints", f"the newest signature: {error}")]
    try:
        return _unproved(source, signed, rows)
    except StorageError as error:
        return _prove_by_older(source, keys, rows, error)


def _unproved(
    source: FileSource | ExportSource, signed: Checkpoint, rows: list[StoredLeaf]
) -> tuple[int, list[Finding]]:
    lost = source.unproved(signed, rows)
    text = f"no path leads from this leaf to the root of the {signed.size} that were signed"
    return len(rows) - len(lost), [Finding("signed", text, number) for number in lost[:_MOST]]


def _prove_by_older(
    source: FileSource | ExportSource, keys: KeyChain, rows: list[StoredLeaf], error: StorageError
) -> tuple[int, list[Finding]]:
    """Prove the leaves by the first checkpoint that covers them: it may need no damaged pages."""
    text = f"what lies beside these leaves cannot be read: {error}"
    try:
        note = source.first_over(rows[-1].n)
        signed = keys.open(note)
        count, findings = _unproved(source, signed, rows)
    except (StorageError, FileError):
        return 0, [Finding("signed", f"{text}, so that no signature over them can be checked")]
    reason = f"{text}; they are proved by the signature over {signed.size} leaves"
    return count, findings or [Finding("signed", reason, severity=NOTE)]


def _report(
    games: list[str], source: FileSource | ExportSource, decide: Decide | None
) -> tuple[Report, list[StoredLeaf]]:
    findings: list[Finding] = []
    seen: list[StoredLeaf] = []
    entries = 0
    laid_down = source.settings_leaves()
    terms = list(terms_in(laid_down))
    for game in games:
        rows, broken = _rows(source, game)
        seen += [StoredLeaf(row.n, row.body) for row in rows]
        entries += sum(row.leaf.kind == "entry" for row in rows)
        findings += broken
        if rows:
            findings += check_game(game, rows, terms, decide)
    return Report(len(seen), len(games), entries, "", findings), [*laid_down, *seen]


def _rows(source: FileSource | ExportSource, game: str) -> tuple[list[GameLeaf], list[Finding]]:
    rows: list[GameLeaf] = []
    broken: list[Finding] = []
    try:
        for n, body in source.rows(game):
            try:
                leaf = decode(body)
            except FileError as error:
                text = f"the leaf's bytes are not those of a leaf: {error}"
                broken.append(Finding("leaves", text, n))
                continue
            # An export has no index, so it yields the leaves of all games.
            if leaf.subject == game:
                rows.append(GameLeaf(n, leaf, body))
    except StorageError as error:
        text = f"leaves of the game cannot be read: {error}"
        broken += [Finding("leaves", text, None, game), *find_damage(source)]
    return rows, broken


def _games_of(
    source: FileSource | ExportSource, player: str
) -> tuple[list[str], int, list[StoredLeaf]]:
    games: dict[str, None] = {}
    cents = 0
    own = []
    for stored in source.rows():
        leaf = decode_or_none(stored.body)
        if leaf is None:
            continue
        sits = isinstance(leaf, GameOpened) and player in (
            leaf.players.house,
            leaf.players.challenger,
        )
        game, is_named = leaf.subject, getattr(leaf, "player", None) == player
        if game is not None and (sits or is_named):
            games[game] = None
        moved = (
            dict(leaf.postings).get(spending_account(player), 0) if isinstance(leaf, Entry) else 0
        )
        cents += moved
        if moved or is_named:
            own.append(stored)
    return list(games), cents, own
