"""Rules that a log keeps leaf by leaf (L18): names, seats, reasons; one beginning.

What goes on from leaf to leaf (numbers of games, corrections, voids) is joined in `run`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from casino.audit.findings import Finding
from casino.audit.money import is_name
from casino.bank.leaves import Entry, LogOpened
from casino.events.kinds import BetAccepted, CutSealed, GameOpened, LimitSet, SeatChanged

VERSIONS: Final = (3,)
"""The versions of the log's format that this audit knows."""

SEAT_EVENTS: Final = ("queued", "seated", "left", "defaulted")


def _opened(number: int, leaf: LogOpened) -> Iterator[Finding]:
    """A log begins once, in a version that is known."""
    if number:
        yield Finding("rules", "the log begins a second time", number)
    if leaf.version not in VERSIONS:
        yield Finding("rules", f"version {leaf.version} of the log is not known", number)


def _named(number: int, leaf: Any) -> Iterator[Finding]:
    """A player has a name that can be one; the house is no player."""
    if not is_name(leaf.player) or leaf.player == "house":
        yield Finding("rules", f"{leaf.player!r} cannot be a player's name", number)


def _seat(number: int, leaf: SeatChanged) -> Iterator[Finding]:
    """What happens to the seat is one of few things."""
    yield from _named(number, leaf)
    if leaf.what not in SEAT_EVENTS:
        yield Finding("rules", f"{leaf.what!r} is nothing that happens to a seat", number)


def _game(number: int, leaf: GameOpened) -> Iterator[Finding]:
    """The challenger has a name, and the game is one of its table."""
    if not is_name(leaf.players.challenger):
        name = leaf.players.challenger
        yield Finding("rules", f"{name!r} cannot be a player's name", number, leaf.game)


def _entry(number: int, leaf: Entry) -> Iterator[Finding]:
    """A correction names the entry before it that it undoes, and says why."""
    if (leaf.move == "correct") is not (leaf.corrects is not None):
        yield Finding("rules", "only a correction names an entry it undoes", number)
    elif leaf.corrects is not None:
        if not leaf.reason:
            yield Finding("rules", "the correction gives no reason", number, entry=leaf.entry)
        if not 0 < leaf.corrects < leaf.entry:
            text = f"entry {leaf.entry} cannot undo entry {leaf.corrects}: it is not before it"
            yield Finding("rules", text, number, entry=leaf.entry)


RULES: Final[Mapping[type, Callable[[int, Any], Iterator[Finding]]]] = {
    LogOpened: _opened,
    BetAccepted: _named,
    CutSealed: _named,
    LimitSet: _named,
    SeatChanged: _seat,
    GameOpened: _game,
    Entry: _entry,
}
"""What each kind of leaf must keep by itself; a kind that is not here has nothing more to keep."""
