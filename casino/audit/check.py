"""Findings, and the base class of the checks, which get events and games in log order.

A check declares its state, so that a monitor can save it and resume later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from inspect import get_annotations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, TypeAlias

import msgspec

from casino.ecarte import Action, View
from casino.errors import escape_unprintable
from casino.events.types import BotName, Event, TermsSet, decode_lines, encode_lines
from casino.fairness import SeededRandom

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


MAX_ALIKE: Final = 3  # findings of one check that are printed
_STORAGE: Final = ("file", "tables", "tree")  # the checks of how the leaves are stored


def summarize(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield a line for a few findings of each check, worst first, and how many more there are.

    Lost leaves and rare errors come first, those of the storage last: a single change often breaks
    many checks.
    """
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.severity, finding.check), []).append(finding)
    severities = ERROR, WARNING, NOTE
    for (severity, _), alike in sorted(
        groups.items(),
        key=lambda item: (
            severities.index(item[0][0]),
            item[0][1] in _STORAGE,
            item[0][1] != "leaves",
            len(item[1]),
        ),
    ):
        lines = [f"{severity}: {finding}" for finding in alike[:MAX_ALIKE]]
        if more := len(alike) - len(lines):
            lines[-1] += f", and {more} more like it"
        yield from lines


# Recomputes the action that a bot chooses.
Decide: TypeAlias = Callable[[BotName, View, Sequence[Action], SeededRandom], Action]

STAR: Final = "*"  # in the names of simulated bettors only

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


class Game(NamedTuple):
    """A game that has ended, or is cut off by the log's end, and its table's settings so far."""

    name: str
    rows: Sequence[GameLeaf]
    terms: Sequence[TermsSet]

    def __reduce__(self) -> tuple[Callable[..., Game], tuple[Any, ...]]:
        """Pickle the leaves in encoded form, because decoding is faster than unpickling events."""
        leaves = encode_lines([row.leaf for row in self.rows])
        numbers = [row.n for row in self.rows]
        return _load_game, (self.name, numbers, leaves, encode_lines(self.terms))


def _load_game(name: str, numbers: list[int], leaves: bytes, terms: bytes) -> Game:
    rows = list(map(GameLeaf, numbers, decode_lines(leaves)))
    return Game(name, rows, _load_terms(terms))


@lru_cache(maxsize=64)
def _load_terms(lines: bytes) -> tuple[Any, ...]:
    return tuple(decode_lines(lines))


class Check:
    """Base class of the checks.

    `handlers` maps each event type that a check handles to a function. The attributes annotated in
    the class of a check are its state.
    """

    name: ClassVar[str]
    handlers: Mapping[type, Handler] = MappingProxyType({})

    def state(self) -> dict[str, Any] | None:
        """Return the state by attribute, or None if the check has none."""
        return {name: getattr(self, name) for name in get_annotations(type(self))} or None

    def resume(self, saved: bytes) -> None:
        """Continue from the JSON of a state, which may lack attributes that are newer."""
        kinds = get_annotations(type(self), eval_str=True)
        state = msgspec.json.decode(saved, type=dict[str, msgspec.Raw] | None) or {}
        for name in kinds.keys() & state.keys():
            setattr(self, name, msgspec.json.decode(state[name], type=kinds[name]))

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

    def statistics(self) -> Iterable[Finding]:
        """Return the findings from statistics over the log so far."""
        return ()


class RunningGames(Check):
    """The leaves of all unfinished games, which the pipeline collects for all checks.

    `ending` is a finished game whose payment may still follow. `poules` are the ids of the
    unfinished poules, which `PoulesCheck` updates.
    """

    name = "running"

    rows: dict[str, list[GameLeaf]]
    ending: str
    poules: set[str]

    def __init__(self) -> None:
        self.rows, self.ending, self.poules = {}, "", set()

    def is_open(self, game: str) -> bool:
        """Return True if a game has begun but not ended."""
        return game in self.rows and game != self.ending

    def unfinished(self) -> set[str]:
        """Return the ids of the games and poules that have not ended."""
        return (self.rows.keys() - {self.ending}) | self.poules


def table_of(game: str) -> str:
    """Return a game's table: the part of the game's name before the last hyphen."""
    return game.rpartition("-")[0]
