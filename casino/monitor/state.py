"""The folder of a monitor: its state, from which a restart resumes, and its evidence.

state.json        the proved and audited state, and the findings
checkpoint        the newest checkpoint that was proved
evidence/         for each contradiction, two signed notes and the reason
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from casino.audit.checks.bots import Decide
from casino.audit.checks.game import GameLeaf
from casino.audit.checks.ledger import EntryPart
from casino.audit.checks.limits import DayTotals, LimitChange, LimitedPlayer
from casino.audit.checks.seats import TableSeat
from casino.audit.checks.seed_chains import RunningGames, TableChain
from casino.audit.checks.withholding import UnrevealedGame, WithholdingTally
from casino.audit.pipeline import AuditPipeline
from casino.audit.report import Finding
from casino.errors import FileError
from casino.events.codec import decode
from casino.events.types import GrantTerms, TermsSet
from casino.ledger.tlog.key_rotation import KeyChain, Link
from casino.ledger.tlog.merkle import Frontier
from casino.ledger.tlog.note import PublicKey
from casino.monitor.monitor import Contradiction, MonitoredLog, RangeTree

FORMAT: Final = 5
_STATE: Final = "state.json"
# The attributes of an `AuditPipeline` that are saved as numbers.
_COUNTED: Final = ("size", "entries", "games", "at", "left_out", "rests_at")

# For each game, the number and the text of each leaf.
_Rows: TypeAlias = dict[str, list[tuple[int, str]]]


class MonitorState(msgspec.Struct, forbid_unknown_fields=True):
    """The content of `state.json`."""

    format: int
    address: str
    keys: list[tuple[int, str]]
    key_from: str
    note: str
    proved: tuple[tuple[int, str], ...]
    ranges: tuple[int, list[str]]
    part: tuple[int, list[str]]
    audit: dict[str, int]
    numbers: dict[str, int]
    terms: dict[str, list[TermsSet]]
    chains: dict[str, TableChain]
    seats: dict[str, TableSeat]
    balances: dict[str, int]
    grant_terms: GrantTerms | None
    follows: bool
    given: list[tuple[str, str]]
    refilled: dict[str, int]
    limits: dict[str, tuple[DayTotals, dict[str, LimitChange], dict[str, LimitChange]]]
    days: dict[str, DayTotals]
    limited: list[str]
    bettors: list[str]
    silent: dict[str, dict[str, int]]
    shut: dict[str, int]
    never: dict[str, int]
    tallies: dict[str, WithholdingTally]
    void: dict[str, int]
    locked: dict[str, dict[str, int]]
    won: dict[str, dict[str, int]]
    corrected: list[int]
    pieces: list[EntryPart]
    running: _Rows
    lacking: _Rows
    findings: list[Finding]


class MonitorFolder:
    """A monitor's folder, created if it does not exist."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def load(self, address: str, decide: Decide | None) -> MonitoredLog | None:
        """Return the saved state or None; raise `FileError` if the state cannot be used."""
        file = self.path.joinpath(_STATE)
        if not file.exists():
            return None
        try:
            kept = msgspec.json.decode(file.read_bytes(), type=MonitorState)
        except (msgspec.DecodeError, OSError) as error:
            raise FileError(
                f"{file} cannot be read ({error}): follow with another --state"
            ) from None
        if kept.format != FORMAT:
            text = f"{file} is of format {kept.format}, this program reads {FORMAT}"
            raise FileError(f"{text}: follow with another --state")
        if kept.address != address:
            raise FileError(f"{self.path} follows {kept.address}: give {address} another --state")
        tree = RangeTree(_frontier(kept.ranges), _frontier(kept.part))
        keys = KeyChain(tuple(Link(least, PublicKey.parse(key)) for least, key in kept.keys))
        return MonitoredLog(keys, kept.key_from, kept.note, tree, _audit(kept, decide), kept.proved)

    def save(self, address: str, seen: MonitoredLog) -> None:
        """Save the state atomically, so that a crash leaves either the old or the new one."""
        audit = seen.audit
        kept = MonitorState(
            format=FORMAT,
            address=address,
            keys=[(link.least, link.key.text()) for link in seen.keys.links],
            key_from=seen.key_from,
            note=seen.note,
            proved=seen.proved,
            ranges=_plain(seen.tree.ranges),
            part=_plain(seen.tree.part),
            audit={name: getattr(audit, name) for name in _COUNTED},
            numbers=audit.terms.numbers,
            terms=audit.terms.laid_down,
            chains=audit.chains.places,
            seats=audit.seats.tables,
            balances=audit.money.balances,
            grant_terms=audit.grants.terms,
            follows=audit.grants.follows,
            given=sorted(audit.grants.issued_once),
            refilled=audit.grants.refilled,
            limits={
                name: (limited.today, limited.held, limited.waiting)
                for name, limited in audit.everybody.players.items()
            },
            days=audit.everybody.days,
            limited=sorted(audit.limited),
            bettors=sorted(audit.bettors),
            silent=audit.paces.silent,
            shut=audit.silences.shut,
            never=audit.silences.never,
            tallies=audit.silences.tallies,
            void=audit.voids.void,
            locked={**audit.voids.locked},
            won={**audit.voids.won},
            corrected=sorted(audit.corrected),
            pieces=audit.pieces.open,
            running=_texts(audit.running.items()),
            lacking=_texts((name, game.all_rows) for name, game in audit.silences.open.items()),
            findings=audit.findings,
        )
        # A crash between the writes does no harm, because a restart reads only the state.
        self.write("checkpoint", seen.note.encode())
        self.write(_STATE, msgspec.json.encode(kept))

    def keep_evidence(self, evidence: Contradiction) -> None:
        """Write two contradictory notes and the reason to a new numbered folder."""
        folder = self.path.joinpath("evidence")
        folder.mkdir(mode=0o700, exist_ok=True)
        number = 1 + sum(1 for _ in folder.iterdir())
        name = f"evidence/{number:04d}-{evidence.name}"
        self.path.joinpath(name).mkdir(mode=0o700)
        self.write(f"{name}/what.txt", f"{evidence.text}\n".encode())
        self.write(f"{name}/before", evidence.before.encode())
        self.write(f"{name}/after", evidence.after.encode())

    def write(self, name: str, data: bytes) -> None:
        """Replace a file atomically and durably, with mode 600."""
        file = self.path.joinpath(name)
        new = file.with_name(f"{file.name}.new")
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as opened:
            opened.write(data)
            opened.flush()
            # The content must be on disk before the rename, or a crash may leave an empty file.
            os.fsync(opened.fileno())
        new.replace(file)
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            # Only now does the rename survive a crash.
            os.fsync(folder)
        finally:
            os.close(folder)


def _audit(kept: MonitorState, decide: Decide | None) -> AuditPipeline:
    audit = AuditPipeline(decide)
    for name in _COUNTED:
        setattr(audit, name, kept.audit[name])
    audit.terms.numbers, audit.terms.laid_down = kept.numbers, kept.terms
    audit.chains.places = kept.chains
    audit.seats.tables = kept.seats
    audit.money.balances = kept.balances
    audit.pieces.open = kept.pieces
    audit.limited, audit.bettors = set(kept.limited), set(kept.bettors)
    audit.corrected = set(kept.corrected)
    audit.grants.terms, audit.grants.follows = kept.grant_terms, kept.follows
    audit.grants.issued_once, audit.grants.refilled = set(kept.given), kept.refilled
    audit.everybody.days = kept.days
    for name, (today, held, waiting) in kept.limits.items():
        player = audit.everybody.players[name] = LimitedPlayer(name, today)
        player.held, player.waiting = held, waiting
    audit.paces.silent = kept.silent
    audit.silences.shut.update(kept.shut)
    audit.silences.never.update(kept.never)
    audit.silences.tallies.update(kept.tallies)
    audit.voids.void.update(kept.void)
    for counted, stored in ((audit.voids.locked, kept.locked), (audit.voids.won, kept.won)):
        counted.update((table, Counter(counts)) for table, counts in stored.items())
    audit.running = {game: list(map(_row, rows)) for game, rows in kept.running.items()}
    # Not saved, because it follows from the unfinished games.
    audit.turns = RunningGames(sorted(audit.unfinished()))
    for game, rows in kept.lacking.items():
        audit.silences.open[game] = UnrevealedGame(game, list(map(_row, rows)))
    audit.findings = kept.findings
    audit.kept.update(finding.severity for finding in kept.findings)
    return audit


def _texts(games: Iterable[tuple[str, list[GameLeaf]]]) -> _Rows:
    return {game: [(row.n, row.body.decode()) for row in rows] for game, rows in games}


def _row(kept: tuple[int, str]) -> GameLeaf:
    body = kept[1].encode()
    return GameLeaf(kept[0], decode(body), body)


def _plain(frontier: Frontier) -> tuple[int, list[str]]:
    return frontier.size, [node.hex() for node in frontier.hashes]


def _frontier(plain: tuple[int, list[str]]) -> Frontier:
    size, hashes = plain
    return Frontier(size, [bytes.fromhex(node) for node in hashes])


def monitor_report(seen: MonitoredLog, seconds_behind: int) -> dict[str, Any]:
    """Return a JSON-ready report of progress, lag and findings."""
    audit = seen.audit
    return {
        "key": seen.keys.newest.text(),
        "key_from": seen.key_from,
        "leaves": seen.tree.size,
        "games": audit.games,
        "entries": audit.entries,
        "open_games": len(audit.running),
        "root": seen.tree.root.hex(),
        "lag_seconds": seconds_behind,
        "unread": seen.newest.size - seen.tree.size,
        "findings": [finding.json() for finding in (*audit.findings, *audit.totals())],
    }
