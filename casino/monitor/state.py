"""A monitor's folder: the state from which a restart resumes, and the evidence.

state.json        the proved and audited state, and the findings
checkpoint        the newest checkpoint that was proved
evidence/         for each contradiction, two signed notes and the reason
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec

from casino.audit.check import Decide
from casino.audit.pipeline import AuditPipeline, PipelineState
from casino.errors import FileError
from casino.ledger.side_files import write_private
from casino.ledger.tlog import Frontier, KeyChain, Link, PublicKey
from casino.monitor.monitor import Contradiction, MonitoredLog

FORMAT: Final = 7
_STATE: Final = "state.json"


class MonitorState(msgspec.Struct, forbid_unknown_fields=True):
    """The content of `state.json`."""

    format: int
    address: str
    keys: list[tuple[int, str]]
    key_from: str
    note: str
    proved: tuple[tuple[int, str], ...]
    size: int
    tree: list[str]
    audit: PipelineState


class MonitorFolder:
    """A monitor's folder, created if it does not exist."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def load(self, address: str, decide: Decide | None) -> MonitoredLog | None:
        """Return the state saved for a log, or None; raise `FileError` if it cannot be used."""
        file = self.path.joinpath(_STATE)
        if not file.exists():
            return None
        try:
            kept = msgspec.json.decode(file.read_bytes(), type=MonitorState)
        except (msgspec.DecodeError, OSError) as error:
            raise FileError(f"{file} cannot be read ({error}): choose another --state") from None
        if kept.format != FORMAT:
            text = f"{file} has format {kept.format}, but this program reads {FORMAT}"
            raise FileError(f"{text}: choose another --state")
        if kept.address != address:
            raise FileError(f"folder {self.path} belongs to {kept.address}: choose another --state")
        tree = Frontier(kept.size, [bytes.fromhex(node) for node in kept.tree])
        keys = KeyChain(tuple(Link(least, PublicKey.parse(key)) for least, key in kept.keys))
        audit = AuditPipeline(decide)
        audit.resume(kept.audit)
        return MonitoredLog(keys, kept.key_from, kept.note, tree, audit, kept.proved)

    def save(self, address: str, seen: MonitoredLog) -> None:
        """Save the state atomically, so that a crash leaves either the old or the new one."""
        kept = MonitorState(
            format=FORMAT,
            address=address,
            keys=[(link.least, link.key.text()) for link in seen.keys.links],
            key_from=seen.key_from,
            note=seen.note,
            proved=seen.proved,
            size=seen.tree.size,
            tree=[node.hex() for node in seen.tree.hashes],
            audit=seen.audit.state(),
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
        write_private(self.path.joinpath(name), data)


def monitor_report(seen: MonitoredLog, seconds_behind: int) -> dict[str, Any]:
    """Return a JSON-ready report of progress, lag and findings."""
    audit = seen.audit
    return {
        "key": seen.keys.newest.text(),
        "key_from": seen.key_from,
        "leaves": seen.tree.size,
        "games": audit.games,
        "entries": audit.ledger.kept.entries,
        "open_games": len(audit.running.unfinished()),
        "root": seen.tree.root().hex(),
        "lag_seconds": seconds_behind,
        "unread": seen.newest.size - seen.tree.size,
        "findings": [finding.json() for finding in (*audit.findings, *audit.totals())],
    }
