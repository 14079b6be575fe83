"""The shape of every check: the pipeline passes it each event and each finished game, in log order.

A check keeps everything that it must remember in one msgspec struct, so that a monitor can save it
and resume later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias

import msgspec

from casino.audit.report import Finding
from casino.events.codec import decode, decode_all
from casino.events.types import TermsSet
from casino.ledger.entries import canonical

ENDS: Final = ("game_over", "game_void")

# Checks an event, given its number.
Handler: TypeAlias = Callable[[int, Any], Iterable[Finding]]

SavedRows: TypeAlias = list[tuple[int, str]]  # the number and text of each leaf


class GameLeaf(NamedTuple):
    """A leaf of a game: its number, the decoded event and its bytes."""

    n: int
    leaf: Any
    body: bytes


# Three times as fast as the constructor.
game_leaf: Final[Callable[[tuple[int, Any, bytes]], GameLeaf]] = partial(tuple.__new__, GameLeaf)


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
        """Pickle only the bytes, because decoding them is faster than unpickling events."""
        numbers, bodies = [row.n for row in self.rows], [row.body for row in self.rows]
        return _load_game, (self.name, numbers, bodies, tuple(map(canonical, self.terms)))


def _load_game(
    name: str, numbers: list[int], bodies: list[bytes], terms: tuple[bytes, ...]
) -> Game:
    rows = list(map(game_leaf, zip(numbers, decode_all(bodies), bodies, strict=True)))
    return Game(name, rows, _load_terms(terms))


@lru_cache(maxsize=64)
def _load_terms(bodies: tuple[bytes, ...]) -> tuple[Any, ...]:
    return tuple(map(decode, bodies))


class NoState(msgspec.Struct):
    """Empty state, for checks that keep none."""


class Check:
    """Base class of the checks."""

    name: ClassVar[str]
    kept: Any = NoState()

    def handlers(self) -> Mapping[type, Handler]:
        """Return the function that checks the events of each type."""
        return {}

    def on_event(self, number: int, leaf: Any) -> Iterable[Finding]:
        """Check the next event, whatever its type."""
        handler = self.handlers().get(type(leaf))
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

    def state(self) -> Any:
        """Return everything that the check remembers, as a msgspec struct."""
        return self.kept

    def resume(self, state: Any) -> None:
        """Continue from a saved state."""
        self.kept = state


class GamesState(msgspec.Struct):
    """The leaves of the games that have not ended, and the poules that have not."""

    running: dict[str, SavedRows] = {}
    ending: str = ""
    poules: set[str] = set()


class RunningGames(Check):
    """The leaves of all unfinished games; `ending` has ended, but its last entry may follow.

    The check of the poules keeps the ids of the unfinished ones in `poules`.
    """

    name = "running"

    def __init__(self) -> None:
        self.rows: dict[str, list[GameLeaf]] = {}
        self.ending = ""
        self.poules: set[str] = set()

    def is_open(self, game: str) -> bool:
        """Return True if a game has begun and not ended."""
        return game in self.rows and game != self.ending

    def unfinished(self) -> set[str]:
        """Return the games and the poules that have not ended."""
        return (self.rows.keys() - {self.ending}) | self.poules

    def state(self) -> GamesState:
        """Return the leaves of the unfinished games."""
        running = {game: save_rows(rows) for game, rows in self.rows.items()}
        return GamesState(running, self.ending, self.poules)

    def resume(self, state: GamesState) -> None:
        """Continue with the leaves of games that were unfinished."""
        self.rows = {game: load_rows(rows) for game, rows in state.running.items()}
        self.ending = state.ending
        self.poules = state.poules


def table_of(game: str) -> str:
    """Return the table of a game, whose name is the table's followed by a number."""
    return game.rpartition("-")[0]


def save_rows(rows: Iterable[GameLeaf]) -> SavedRows:
    """Return the leaves of a game in the form in which they are saved."""
    return [(row.n, row.body.decode()) for row in rows]


def load_rows(saved: Iterable[tuple[int, str]]) -> list[GameLeaf]:
    """Return the leaves of a game that were saved."""
    return [
        GameLeaf(number, decode(body), body) for number, text in saved for body in [text.encode()]
    ]
