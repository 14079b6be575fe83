"""The findings of an audit, and the report that lists them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from casino.errors import escape_unprintable

ERROR: Final = "error"
WARNING: Final = "warning"  # acceptable once, suspicious if frequent

NOTE: Final = "note"  # information only, such as an unfinished game


def count_cents(cents: int) -> str:
    """Return an amount in cents for a message.

    >>> count_cents(1), count_cents(1296)
    ('1 cent', '1,296 cents')
    """
    return f"{cents:,} cent{'s' * (abs(cents) != 1)}"


class Finding(NamedTuple):
    """One finding of a check, with the leaf, game or entry that it concerns."""

    check: str
    text: str
    leaf: int | None = None
    game: str | None = None
    entry: int | None = None
    severity: str = ERROR

    def json(self) -> dict[str, Any]:
        """Return a JSON-ready dict; `leaf`, `game` and `entry` may be None."""
        names = ("check", "severity", "leaf", "game", "entry", "text")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        """Return the finding on one line, with control characters from the log escaped."""
        places = [f"leaf {self.leaf}"] if self.leaf is not None else []
        places += [f"game {self.game}"] if self.game else []
        places += [f"entry {self.entry}"] if self.entry is not None else []
        where = f" ({', '.join(places)})" if places else ""
        return escape_unprintable(f"{self.check}: {self.text}{where}")


class Report(NamedTuple):
    """The findings of an audit, and how much of the log it covered.

    `signed` is the number of leaves under a valid signature, `key` the id of the trusted key, and
    `key_from` its origin. `known` names the evidence compared with the log. `witnessed` is how many
    leaves enough witnesses have cosigned (None if no witness was given). `unchecked` describes what
    a partial audit has skipped.
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
        """Whether there are no errors; warnings and notes are allowed."""
        return all(finding.severity != ERROR for finding in self.findings)

    def json(self) -> dict[str, Any]:
        """Return a JSON-ready dict; `unchecked` is included only if it is not empty."""
        names = ("leaves", "games", "entries", "findings", "root", "signed", "key", "key_from")
        values = {name: getattr(self, name) for name in (*names, "known", "witnessed")}
        values["findings"] = [finding.json() for finding in self.findings]
        values["known"] = list(self.known)
        return {**values, "unchecked": self.unchecked} if self.unchecked else values
