"""Check the rules for single leaves (L18), and the order of all leaves in time (L20)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from casino.audit.check import STAR, WARNING, Check, Finding, Handler, RunningGames
from casino.audit.checks.ledger import is_player_name, is_valid_name
from casino.events.types import (
    KINDS,
    BetAccepted,
    CutLate,
    CutSealed,
    GameOpened,
    LimitSet,
    SeatChanged,
)
from casino.fairness import is_hash
from casino.ledger.entries import AnswersGiven, Entry, LogOpened, RunStarted, RunStopped

VERSIONS: Final = (3,)  # the log formats this audit knows

SEAT_EVENTS: Final = ("queued", "seated", "left", "defaulted")


def _opened(number: int, leaf: LogOpened) -> Iterator[Finding]:
    if number:
        yield Finding("rules", "the log begins a second time", number)
    if leaf.after is not None:
        size, kept = leaf.after.size, leaf.after.kept
        text = f"this log replaces {leaf.after.origin} after {kept:,} of at least {size:,} leaves"
        chips_text = "only that log shows whose chips this one carries over"
        yield Finding("rules", f"{text}: {chips_text}", number, severity=WARNING)
    if leaf.version not in VERSIONS:
        yield Finding("rules", f"log version {leaf.version} is unknown", number)


def _named(number: int, leaf: Any) -> Sequence[Finding]:
    if is_player_name(leaf.player):
        return ()
    return [Finding("rules", f"{leaf.player!r} cannot be a player's name", number)]


def _sealed(number: int, leaf: BetAccepted | CutSealed) -> Iterable[Finding]:
    """Report commitments by simulated spectators: the house could withhold these at will."""
    if leaf.seal is None or STAR not in leaf.player:
        return _named(number, leaf)
    text = f"{leaf.player!r} is simulated, but seals a text"
    return [*_named(number, leaf), Finding("rules", text, number, leaf.game)]


def _seat(number: int, leaf: SeatChanged) -> Iterable[Finding]:
    if leaf.what in SEAT_EVENTS:
        return _named(number, leaf)
    text = f"{leaf.what!r} is not an event of a seat"
    return [*_named(number, leaf), Finding("rules", text, number)]


def _game(number: int, leaf: GameOpened) -> Iterator[Finding]:
    if not is_valid_name(leaf.players.challenger):
        name = leaf.players.challenger
        yield Finding("rules", f"{name!r} cannot be a player's name", number, leaf.game)


def _entry(number: int, leaf: Entry) -> Sequence[Finding]:
    if leaf.move != "correct" and leaf.corrects is None:
        return ()
    if leaf.move != "correct" or leaf.corrects is None:
        return [Finding("rules", "only a correction can name an entry to undo", number)]
    texts = [] if leaf.reason else ["the correction gives no reason"]
    if not 0 < leaf.corrects < leaf.entry:
        texts.append(f"entry {leaf.entry} cannot undo entry {leaf.corrects}, only earlier ones")
    return [Finding("rules", text, number, entry=leaf.entry) for text in texts]


def _answers(number: int, leaf: AnswersGiven) -> Sequence[Finding]:
    if is_hash(leaf.hash):
        return ()
    return [Finding("rules", "the hash of the answers is invalid", number)]


# The rule for each type of leaf.
RULES: Final[Mapping[type, Handler]] = {
    LogOpened: _opened,
    BetAccepted: _sealed,
    CutSealed: _sealed,
    LimitSet: _named,
    SeatChanged: _seat,
    GameOpened: _game,
    Entry: _entry,
    AnswersGiven: _answers,
}


class LeafRulesCheck(Check):
    """Check of each leaf against the rule for its type."""

    name = "rules"
    handlers = RULES


MAX_PAUSE_MS: Final = 3 * 3_600_000  # no table's settings allow a longer pause within a game

# After one of these, no program runs the casino until the next `RunStarted`.
_STOPS: Final = (LogOpened, RunStopped)


class OrderCheck(Check):
    """Check that time never goes back, nor jumps during a game, and that leaves belong to runs.

    `at` is the last leaf's time, and `stopped_at` its number if no program ran after it, else -1.
    `pause` is a long pause that may be within a game: the number of the leaf after it, and the
    milliseconds.
    """

    name = "order"

    at: int
    stopped_at: int
    pause: tuple[int, int] | None

    def __init__(self, games: RunningGames) -> None:
        self.at, self.stopped_at, self.pause = 0, -1, None
        self._games = games
        self.handlers = dict.fromkeys(KINDS.values(), self._next)

    def _next(self, number: int, leaf: Any) -> Iterable[Finding]:
        at = leaf.at
        is_usual = self.at <= at <= self.at + MAX_PAUSE_MS and type(leaf) not in _STOPS
        # No generator for a usual leaf: this is called for every one.
        if is_usual and self.stopped_at < 0 and self.pause is None:
            self.at = at
            return ()
        return self._check(number, leaf)

    def _check(self, number: int, leaf: Any) -> Iterator[Finding]:
        kind = type(leaf)
        if leaf.at < self.at:
            yield Finding("leaves", "time goes back", number)
        running = self._games.rows
        if self.at and leaf.at - self.at > MAX_PAUSE_MS:
            ran = any(rows[0].n < number for rows in running.values())
            self.pause = (number, leaf.at - self.at) if ran else None
        self.at = leaf.at
        if self.stopped_at >= 0 and kind is not RunStarted:
            text = "this leaf was written while the casino was not running"
            yield Finding("rules", text, self.stopped_at + 1)
        self.stopped_at = number if kind in _STOPS else -1
        if kind is RunStarted:
            # The pause ended with a restart, so the clock need not have been set.
            self.pause = None
        game = None if kind is CutLate else leaf.subject
        if self.pause is None or game not in running:
            return
        # A long pause in a game suggests that the clock was changed (L20).
        paused_at, ahead_ms = self.pause
        if running[game][0].n < paused_at:
            self.pause = None
            text = f"time jumps ahead by {ahead_ms // 60_000} minutes during a game"
            yield Finding("time", text, paused_at, game, None, WARNING)
