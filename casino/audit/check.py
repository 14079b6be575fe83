"""Base class of the checks, to which the pipeline passes events and whole games in log order.

A check keeps all its state in one msgspec struct, so that a monitor can save it and resume later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, TypeAlias

import msgspec

from casino.audit.report import Finding
from casino.events.types import Event, TermsSet, decode_lines, encode_lines

ENDS: Final = ("game_over", "game_void")

# Checks an event; the first argument is the number of its leaf.
Handler: TypeAlias = Callable[[int, Any], Iterable[Finding]]
# Typed as Any, because each check knows the types of its events.
if TYPE_CHECKING:
    AnyEvent: TypeAlias = Any
else:
    AnyEvent = Event


class GameLeaf(NamedTuple):
    """A leaf of a game: its number in the log and the decoded event."""

    n: int
    leaf: AnyEvent


# Three times as fast as the constructor.
game_leaf: Final[Callable[[tuple[int, Any]], GameLeaf]] = partial(tuple.__new__, GameLeaf)


class Game(NamedTuple):
    """A game that has ended, or is cut off by the log's end, and its table's settings so far."""

    name: str
    rows: Sequence[GameLeaf]
    terms: Sequence[TermsSet]

    @property
    def table(self) -> str:
        """The table's name, which is the game's name without the number at its end."""
        return table_of(self.name)

    @property
    def is_over(self) -> bool:
        """Whether the game was won or is void."""
        return any(row.leaf.kind in ENDS for row in reversed(self.rows))

    def __reduce__(self) -> tuple[Callable[..., Game], tuple[Any, ...]]:
        """Pickle the leaves in encoded form, because decoding is faster than unpickling events."""
        leaves = encode_lines([row.leaf for row in self.rows])
        numbers = [row.n for row in self.rows]
        return _load_game, (self.name, numbers, leaves, encode_lines(self.terms))


def _load_game(name: str, numbers: list[int], leaves: bytes, terms: bytes) -> Game:
    rows = list(map(game_leaf, zip(numbers, decode_lines(leaves), strict=True)))
    return Game(name, rows, _load_terms(terms))


@lru_cache(maxsize=64)
def _load_terms(lines: bytes) -> tuple[Any, ...]:
    return tuple(decode_lines(lines))


class Check:
    """Base class of the checks.

    `handlers` maps each event type that a check handles to a function. `kept` is a struct with all
    the state of the check, or None if it has none.
    """

    name: ClassVar[str]
    handlers: Mapping[type, Handler] = MappingProxyType({})
    kept: Any = None

    def on_event(self, number: int, leaf: Any) -> Iterable[Finding]:
        """Check the event in leaf `number` with the handler for its type, if there is one."""
        handler = self.handlers.get(type(leaf))
        return () if handler is None else handler(number, leaf)

    def on_game(self, _game: Game) -> Iterable[Finding]:
        """Check a game that has just ended, or that is unfinished at the end of the log."""
        return ()

    def finish(self) -> Iterable[Finding]:
        """Return the findings that depend on the end of the log."""
        return ()

    def totals(self) -> Iterable[Finding]:
        """Return the findings from statistics over the log so far."""
        return ()


class GamesState(msgspec.Struct):
    """The leaves of all unfinished games, and the ids of the unfinished poules.

    `ending` is a finished game whose payment may still follow. `PoulesCheck` updates `poules`.
    """

    rows: dict[str, list[GameLeaf]] = {}
    ending: str = ""
    poules: set[str] = set()


class RunningGames(Check):
    """The games that have not ended, which the pipeline collects for all checks."""

    name = "running"

    def __init__(self) -> None:
        self.kept: GamesState = GamesState()

    def is_open(self, game: str) -> bool:
        """Return True if a game has begun but not ended."""
        return game in self.kept.rows and game != self.kept.ending

    def unfinished(self) -> set[str]:
        """Return the ids of the games and poules that have not ended."""
        return (self.kept.rows.keys() - {self.kept.ending}) | self.kept.poules


def table_of(game: str) -> str:
    """Return a game's table: the part of the game's name before the last hyphen."""
    return game.rpartition("-")[0]
