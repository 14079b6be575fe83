"""What a follower keeps in its folder: where it is, and evidence. A restart resumes from there.

state.json        what was proved and audited, and what was found
checkpoint        the newest checkpoint that was proved
evidence/         for each contradiction two signed notes, and what is wrong with them
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any, Final

import msgspec

from casino.audit.bots import Decide
from casino.audit.cuts import Place
from casino.audit.findings import Finding
from casino.audit.follow import Evidence, Seen, Tree
from casino.audit.games import Row
from casino.audit.run import Audit
from casino.bank.merkle import Frontier
from casino.bank.notes import PublicKey
from casino.errors import BadFile
from casino.events.kinds import TermsSet
from casino.events.reading import read

FORMAT: Final = 1
_STATE: Final = "state.json"
_COUNTED: Final = ("size", "entries", "games", "at")
"""What of an audit under way is a number."""


class Kept(msgspec.Struct, forbid_unknown_fields=True):
    """The state as it is written."""

    format: int
    address: str
    key: str
    key_from: str
    note: str
    proved: tuple[tuple[int, str], ...]
    ranges: tuple[int, list[str]]
    part: tuple[int, list[str]]
    audit: dict[str, int]
    numbers: dict[str, int]
    terms: dict[str, list[TermsSet]]
    chains: dict[str, Place]
    balances: dict[str, int]
    limited: list[str]
    bettors: list[str]
    voids: dict[str, int]
    corrected: list[int]
    running: dict[str, list[tuple[int, str]]]
    findings: list[Finding]


class Folder:
    """A follower's folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def load(self, address: str, decide: Decide | None) -> Seen | None:
        """What was kept of the log at an address; nothing at the first time."""
        file = self.path.joinpath(_STATE)
        if not file.exists():
            return None
        try:
            kept = msgspec.json.decode(file.read_bytes(), type=Kept)
        except (msgspec.DecodeError, OSError) as error:
            raise BadFile(f"{file} cannot be read ({error}): follow with another --state") from None
        if kept.format != FORMAT:
            text = f"{file} is of format {kept.format}, this program reads {FORMAT}"
            raise BadFile(f"{text}: follow with another --state")
        if kept.address != address:
            raise BadFile(f"{self.path} follows {kept.address}: give {address} another --state")
        tree = Tree(_frontier(kept.ranges), _frontier(kept.part))
        return Seen(PublicKey.parse(kept.key), kept.key_from, kept.note, tree, _audit(kept, decide))

    def save(self, address: str, seen: Seen) -> None:
        """Keep what was proved; after a crash either the old state is there or the new one."""
        audit = seen.audit
        kept = Kept(
            format=FORMAT,
            address=address,
            key=seen.key.text(),
            key_from=seen.key_from,
            note=seen.note,
            proved=seen.proved,
            ranges=_plain(seen.tree.ranges),
            part=_plain(seen.tree.part),
            audit={name: getattr(audit, name) for name in _COUNTED},
            numbers=audit.terms.numbers,
            terms=audit.terms.laid_down,
            chains=audit.chains.places,
            balances=audit.money.balances,
            limited=sorted(audit.limited),
            bettors=sorted(audit.bettors),
            voids=dict(audit.voids),
            corrected=sorted(audit.corrected),
            running={
                game: [(row.n, row.body.decode()) for row in rows]
                for game, rows in audit.running.items()
            },
            findings=audit.findings,
        )
        self.write("checkpoint", seen.note.encode())
        self.write(_STATE, msgspec.json.encode(kept))

    def keep(self, evidence: Evidence) -> None:
        """Keep two notes that contradict each other, under a number of their own."""
        place = self.path.joinpath("evidence")
        place.mkdir(mode=0o700, exist_ok=True)
        number = 1 + sum(1 for _ in place.iterdir())
        name = f"evidence/{number:04d}-{evidence.name}"
        self.path.joinpath(name).mkdir(mode=0o700)
        self.write(f"{name}/what.txt", f"{evidence.text}\n".encode())
        self.write(f"{name}/before", evidence.before.encode())
        self.write(f"{name}/after", evidence.after.encode())

    def write(self, name: str, data: bytes) -> None:
        """Replace a file as a whole, durably, readable by its owner only."""
        file = self.path.joinpath(name)
        new = file.with_name(f"{file.name}.new")
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(opened.fileno())
        new.replace(file)
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _audit(kept: Kept, decide: Decide | None) -> Audit:
    """The audit as it was."""
    audit = Audit(decide)
    for name in _COUNTED:
        setattr(audit, name, kept.audit[name])
    audit.terms.numbers, audit.terms.laid_down = kept.numbers, kept.terms
    audit.chains.places = kept.chains
    audit.money.balances = kept.balances
    audit.limited, audit.bettors = set(kept.limited), set(kept.bettors)
    audit.voids, audit.corrected = Counter(kept.voids), set(kept.corrected)
    audit.running = {game: [_row(*row) for row in rows] for game, rows in kept.running.items()}
    audit.findings = kept.findings
    return audit


def _row(n: int, body: str) -> Row:
    """A leaf of a game that is not over."""
    return Row(n, read(body.encode()), body.encode())


def _plain(frontier: Frontier) -> tuple[int, list[str]]:
    """A frontier as numbers and texts."""
    return frontier.size, [one.hex() for one in frontier.hashes]


def _frontier(plain: tuple[int, list[str]]) -> Frontier:
    """A frontier out of numbers and texts."""
    size, hashes = plain
    return Frontier(size, [bytes.fromhex(one) for one in hashes])


def state_of(seen: Seen, seconds_behind: int) -> dict[str, Any]:
    """What is told of a follower: games checked, how far behind, what was found."""
    audit = seen.audit
    return {
        "key": seen.key.text(),
        "key_from": seen.key_from,
        "leaves": seen.tree.size,
        "games": audit.games,
        "entries": audit.entries,
        "open_games": len(audit.running),
        "root": seen.tree.root.hex(),
        "lag_seconds": seconds_behind,
        "findings": [finding.json() for finding in audit.findings],
    }
