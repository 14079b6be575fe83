"""Findings of an audit, and the report made of them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from casino.errors import escape_unprintable

ERROR: Final = "error"
WARNING: Final = "warning"  # no fault in itself, but it must not happen often

NOTE: Final = "note"  # worth knowing, such as an unfinished game; no fault


class Finding(NamedTuple):
    """One finding: the check, the place and the text."""

    check: str
    text: str
    leaf: int | None = None
    game: str | None = None
    entry: int | None = None
    severity: str = ERROR

    def json(self) -> dict[str, Any]:
        """Return the finding as JSON values; places it does not name are null."""
        return {
            "check": self.check,
            "severity": self.severity,
            "leaf": self.leaf,
            "game": self.game,
            "entry": self.entry,
            "text": self.text,
        }

    def __str__(self) -> str:
        """Return the finding on one line; what it quotes from the log cannot control a terminal."""
        places = [f"leaf {self.leaf}"] if self.leaf is not None else []
        places += [f"game {self.game}"] if self.game else []
        places += [f"entry {self.entry}"] if self.entry is not None else []
        where = f" ({', '.join(places)})" if places else ""
        return escape_unprintable(f"{self.check}: {self.text}{where}")


class Report(NamedTuple):
    """All findings of an audit, and how much was checked.

    `signed` leaves are under a signature of `key`, which comes from `key_from`; `known` names the
    trusted evidence compared, and the quorum of witnesses has seen `witnessed` leaves. `unchecked`
    says what was not looked at.
    """

    leaves: int
    games: int
    entries: int
    root: str
    findings: list[Finding]
    signed: int = 0
    key: str = ""
    key_from: str = ""
    known: tuple[str, ...] = ()
    witnessed: int | None = None
    unchecked: str = ""

    @property
    def is_clean(self) -> bool:
        """Whether nothing is wrong."""
        return all(finding.severity != ERROR for finding in self.findings)

    def json(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        values: dict[str, Any] = {
            "leaves": self.leaves,
            "games": self.games,
            "entries": self.entries,
            "findings": [finding.json() for finding in self.findings],
            "root": self.root,
            "signed": self.signed,
            "key": self.key,
            "key_from": self.key_from,
            "known": list(self.known),
            "witnessed": self.witnessed,
        }
        return {**values, "unchecked": self.unchecked} if self.unchecked else values
