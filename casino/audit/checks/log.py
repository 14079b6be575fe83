"""Check the rules for single leaves (L18), such as valid names, seat events and versions.

Rules that span several leaves, such as game numbers, are checked when ranges are joined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from casino.audit.checks.grants import STAR
from casino.audit.checks.ledger import is_valid_name
from casino.audit.report import WARNING, Finding
from casino.events.types import BetAccepted, CutSealed, GameOpened, LimitSet, SeatChanged
from casino.fairness import is_hash
from casino.ledger.entries import AnswersGiven, Entry, LogOpened

VERSIONS: Final = (3,)  # the log formats this audit knows

SEAT_EVENTS: Final = ("queued", "seated", "left", "defaulted")


def _opened(number: int, leaf: LogOpened) -> Iterator[Finding]:
    if number:
        yield Finding("rules", "the log begins a second time", number)
    if leaf.after is not None:
        lost = f"{leaf.after.size - leaf.after.kept} of {leaf.after.size} leaves"
        text = f"this log takes the place of {leaf.after.origin}, of which {lost} are lost"
        chips_text = "whose chips it carries over only that log could show"
        yield Finding("rules", f"{text}: {chips_text}", number, severity=WARNING)
    if leaf.version not in VERSIONS:
        yield Finding("rules", f"version {leaf.version} of the log is not known", number)


def _named(number: int, leaf: Any) -> list[Finding]:
    if is_valid_name(leaf.player) and leaf.player != "house":
        return []
    return [Finding("rules", f"{leaf.player!r} cannot be a player's name", number)]


def _sealed(number: int, leaf: BetAccepted | CutSealed) -> Iterator[Finding]:
    """Report commitments of simulated spectators, which the house could withhold at will."""
    yield from _named(number, leaf)
    if STAR in leaf.player and leaf.seal is not None:
        text = f"{leaf.player!r} is simulated, and seals a text"
        yield Finding("rules", text, number, leaf.game)


def _seat(number: int, leaf: SeatChanged) -> Iterator[Finding]:
    yield from _named(number, leaf)
    if leaf.what not in SEAT_EVENTS:
        yield Finding("rules", f"{leaf.what!r} is nothing that happens to a seat", number)


def _game(number: int, leaf: GameOpened) -> Iterator[Finding]:
    if not is_valid_name(leaf.players.challenger):
        name = leaf.players.challenger
        yield Finding("rules", f"{name!r} cannot be a player's name", number, leaf.game)


def _entry(number: int, leaf: Entry) -> list[Finding]:
    if leaf.move != "correct" and leaf.corrects is None:
        return []
    if leaf.move != "correct" or leaf.corrects is None:
        return [Finding("rules", "only a correction names an entry it undoes", number)]
    texts = [] if leaf.reason else ["the correction gives no reason"]
    if not 0 < leaf.corrects < leaf.entry:
        texts.append(f"entry {leaf.entry} cannot undo entry {leaf.corrects}: it is not before it")
    return [Finding("rules", text, number, entry=leaf.entry) for text in texts]


def _answers(number: int, leaf: AnswersGiven) -> list[Finding]:
    if is_hash(leaf.hash):
        return []
    return [Finding("rules", "answers are bound by no hash", number)]


# Takes a leaf and its number; yields the findings about it.
Rule: TypeAlias = Callable[[int, Any], Iterable[Finding]]

# The rule for each type of leaf.
RULES: Final[Mapping[type, Rule]] = {
    LogOpened: _opened,
    BetAccepted: _sealed,
    CutSealed: _sealed,
    LimitSet: _named,
    SeatChanged: _seat,
    GameOpened: _game,
    Entry: _entry,
    AnswersGiven: _answers,
}


class ProgramRuns:
    """The starts and stops of the casino program within a range of leaves."""

    def __init__(self) -> None:
        self.starts: set[int] = set()
        self.rests: list[int] = []

    def start(self, number: int) -> None:
        """Record that the program started at a leaf."""
        self.starts.add(number)

    def stop(self, number: int) -> None:
        """Record that the program was not running after a leaf."""
        self.rests.append(number)

    def find_outside(self, rests_at: int, end: int) -> tuple[int, list[Finding]]:
        """Return findings about leaves written while the program was not running.

        `rests_at` is the last leaf of the previous range if the program was stopped after it, else
        -1. The first value returned is `rests_at` for the next range.
        """
        rests = [*([] if rests_at < 0 else [rests_at]), *self.rests]
        behind = [number + 1 for number in rests if number + 1 not in self.starts]
        text = "this leaf was written while no program ran the casino"
        findings = [Finding("rules", text, number) for number in behind if number < end]
        return (end - 1 if end in behind else -1), findings
