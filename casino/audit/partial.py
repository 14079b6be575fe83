"""Audit one game or one player instead of the whole log.

The games are replayed as in a whole audit, and all leaves concerned are proved to be covered by the
newest signature. The report lists what was skipped, and claims nothing about the rest of the log.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from casino.audit.check import Check, Game
from casino.audit.checks.bots import Decide
from casino.audit.checks.store import NOT_SIGNED, find_damage
from casino.audit.pipeline import AuditPipeline
from casino.audit.report import Finding, Report, count_cents
from casino.audit.source import CHUNK, FileSource, Source
from casino.audit.trusted import NOTHING, TrustedEvidence, compare_evidence, find_trusted_key
from casino.errors import FileError, InputError
from casino.events.types import KINDS, Event, GameOpened, decode_or_none
from casino.ledger.accounts import spending_account
from casino.ledger.entries import Entry, canonical
from casino.ledger.storage.base import StorageError, StoredLeaf
from casino.ledger.tlog import KeyChain

_MOST: Final = 20

ONE_GAME: Final = (
    "only this game was checked: not its seed chain, balances, grants or answers, nor whether"
    " the log has other leaves of the game elsewhere"
)
ONE_PLAYER: Final = (
    "only this player was checked: not the seed chains of their games, other players' balances,"
    " nor whether their grants were due"
)


def audit_game(
    source: Source,
    game: str,
    decide: Decide | None = None,
    elsewhere: TrustedEvidence = NOTHING,
    key: Path | str | None = None,
) -> Report:
    """Audit one game; raise `InputError` if the log has no game with this name."""

    def is_wanted(leaf: Event) -> bool:
        return leaf.kind == "terms" or leaf.subject == game

    audited = PartialAudit(source, is_wanted, lambda played: played.name == game, decide)
    audited.run(source.rows(game), ())
    if not audited.games and not audited.findings:
        raise InputError(f"the log has no finished game {game!r}: write it as in t1-000001")
    return audited.report(ONE_GAME, elsewhere, key)


def audit_player(
    source: Source,
    player: str,
    decide: Decide | None = None,
    elsewhere: TrustedEvidence = NOTHING,
    key: Path | str | None = None,
) -> Report:
    """Audit the games in which a player bet or sat, and the player's limits and balance.

    Raises `InputError` if the log does not name the player.
    """
    wallet = spending_account(player)

    def is_named(leaf: Event) -> bool:
        return getattr(leaf, "player", None) == player or (
            isinstance(leaf, GameOpened) and player in (leaf.players.house, leaf.players.challenger)
        )

    def is_wanted(leaf: Event) -> bool:
        moves = isinstance(leaf, Entry) and wallet in dict(leaf.postings)
        return moves or leaf.kind == "terms" or is_named(leaf)

    def wants_game(game: Game) -> bool:
        return any(is_named(row.leaf) for row in game.rows)

    audited = PartialAudit(source, is_wanted, wants_game, decide)
    audited.run(source.rows(), ("limits",))
    if not audited.findings and all(row.kind == "terms" for row in audited.leaves.values()):
        raise InputError(f"the log has no player {player!r}: write the name exactly")
    if isinstance(source, FileSource):
        moved = (decode_or_none(leaf.body) for leaf in audited.leaves.values())
        cents = sum(dict(leaf.postings).get(wallet, 0) for leaf in moved if isinstance(leaf, Entry))
        stored = source.log.balance(wallet)
        if stored != cents:
            text = f"{wallet} holds {count_cents(stored)}, but its entries make {cents:,}"
            audited.findings.append(Finding("balances", text))
    return audited.report(ONE_PLAYER, elsewhere, key)


class PartialAudit(Check):
    """An audit of the leaves and games that `wants` and `wants_game` select."""

    name = "wanted"

    def __init__(
        self,
        source: Source,
        wants: Callable[[Event], bool],
        wants_game: Callable[[Game], bool],
        decide: Decide | None,
    ) -> None:
        self.source = source
        self.leaves: dict[int, StoredLeaf] = {}
        self.games = 0
        self.entries = 0
        self.findings: list[Finding] = []
        self._own: set[int] = set()
        self._wants = wants
        self._wants_game = wants_game
        self._decide = decide
        self.handlers = dict.fromkeys(KINDS.values(), self._keep)

    def _keep(self, number: int, leaf: Event) -> tuple[()]:
        if self._wants(leaf):
            self.leaves[number] = StoredLeaf(number, canonical(leaf))
            self._own.add(number)
        return ()

    def on_game(self, game: Game) -> tuple[()]:
        """Keep the leaves of a game that will be replayed, so that they can be proved."""
        if self._wants_game(game):
            self.games += 1
            self.entries += sum(row.leaf.kind == "entry" for row in game.rows)
            self.leaves |= {row.n: StoredLeaf(row.n, canonical(row.leaf)) for row in game.rows}
        return ()

    def run(self, leaves: Iterator[StoredLeaf], only: Collection[str]) -> None:
        """Feed the leaves to the checks named in `only`, and replay the selected games."""
        pipeline = AuditPipeline(self._decide, only, self._wants_game)
        pipeline.add_check(self)
        try:
            while chunk := list(islice(leaves, CHUNK)):
                pipeline.feed(chunk)
        except StorageError as error:
            self.findings.append(Finding("leaves", f"leaves cannot be read: {error}"))
            self.findings += find_damage(self.source)
        pipeline.finish()
        # `LimitsCheck` follows all players: drop the findings about the others' bets and limits.
        self.findings += (
            finding
            for finding in pipeline.findings
            if finding.check != "limits" or finding.leaf in self._own
        )

    def report(self, unchecked: str, elsewhere: TrustedEvidence, key: Path | str | None) -> Report:
        """Prove the leaves, compare the log with the evidence, and return all findings."""
        source = self.source
        trusted, findings = find_trusted_key(source, key)
        with source.snapshot():
            compared = compare_evidence(source, trusted.keys, elsewhere)
            signed, unproved = self._prove(trusted.keys)
        return Report(
            len(self.leaves),
            self.games,
            self.entries,
            "",
            [*self.findings, *findings, *compared.findings, *unproved],
            signed,
            trusted.key_id,
            trusted.origin,
            compared.names,
            compared.witnessed,
            unchecked,
        )

    def _prove(self, keys: KeyChain) -> tuple[int, list[Finding]]:
        note = self.source.signed_head()
        if note is None:
            return 0, [Finding("signed", NOT_SIGNED)]
        try:
            signed = keys.open(note)
        except FileError as error:
            return 0, [Finding("checkpoints", f"the newest signature: {error}")]
        try:
            lost = self.source.unproved(signed, self.leaves.values())
        except StorageError as error:
            text = f"the leaves cannot be proved: {error}"
            return 0, [Finding("signed", text), *find_damage(self.source)]
        text = f"this leaf is not covered by the root of the {signed.size} signed leaves"
        findings = [Finding("signed", text, number) for number in lost[:_MOST]]
        return len(self.leaves) - len(lost), findings
