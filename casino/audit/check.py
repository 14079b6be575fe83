"""The shape of every check: the pipeline passes it each event and each finished game, in log order.

A check keeps everything that it must remember in one msgspec struct, so that a monitor can save it
and resume later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, TypeAlias

import msgspec

from casino.audit.report import Finding
from casino.events.codec import decode_lines, encode_lines
from casino.events.types import Event, TermsSet

ENDS: Final = ("game_over", "game_void")

# Checks an event, given its number.
Handler: TypeAlias = Callable[[int, Any], Iterable[Finding]]
# Typed as Any, because each check knows the types of its events.
if TYPE_CHECKING:
    AnyEvent: TypeAlias = Any
else:
    AnyEvent = Event


class GameLeaf(NamedTuple):
    """A leaf of a game: its number and the decoded event."""

    n: int
    leaf: AnyEvent


# Three times as fast as the constructor.
game_leaf: Final[Callable[[tuple[int, Any]], GameLeaf]] = partial(tuple.__new__, GameLeaf)


class Game(NamedTuple):
    """A game that has ended, and the settings of its table logged until then."""

    name: str
    rows: Sequence[GameLeaf]
    terms: Sequence[TermsSet]

    @property
    def table(self) -> str:
        """The table's name, which is the game's without its number."""
        return table_of(self.name)

    @property
    def is_over(self) -> bool:
        """Whether the game was won or is void."""
        return any(row.leaf.kind in ENDS for row in reversed(self.rows))

    def __reduce__(self) -> tuple[Callable[..., Game], tuple[Any, ...]]:
        """Pickle encoded leaves, because decoding them is faster than unpickling events."""
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
    """Base class of the checks, with a function for each type of event that they check.

    `kept` is a struct with everything that the check remembers, if anything.
    """

    name: ClassVar[str]
    handlers: Mapping[type, Handler] = MappingProxyType({})
    kept: Any = None

    def on_event(self, number: int, leaf: Any) -> Iterable[Finding]:
        """Check the next event, whatever its type."""
        handler = self.handlers.get(type(leaf))
        return () if handler is None else handler(number, leaf)

    def on_game(self, _game: Game) -> Iterable[Finding]:
        """Check a game that has just ended."""
        return ()

    def finish(self) -> Iterable[Finding]:
        """Return the findings that depend on the end of the log."""
        return ()

    def totals(self) -> Iterable[Finding]:
        """Return the findings from statistics over the log so far."""
        return ()


class GamesState(msgspec.Struct):
    """The leaves of all unfinished games; `ending` has ended, but its last entry may follow.

    The check of the poules keeps the ids of the unfinished ones in `poules`.
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
        """Return True if a game has begun and not ended."""
        return game in self.kept.rows and game != self.kept.ending

    def unfinished(self) -> set[str]:
        """Return the games and the poules that have not ended."""
        return (self.kept.rows.keys() - {self.kept.ending}) | self.kept.poules


def table_of(game: str) -> str:
    """Return the table of a game, whose name is the table's followed by a number."""
    return game.rpartition("-")[0]
