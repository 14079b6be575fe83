"""Check that void games are rare, and that voiding favours neither side (L18).

A void game of two bots is played to its end from its revealed seed. If games are voided without
regard to the result, each side wins about the same share of void games as of settled ones.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import comb
from typing import Final, NamedTuple

from casino.audit.checks.bots import Decide
from casino.audit.checks.game import GameLeaf
from casino.audit.checks.withholding import CHANCE, UnrevealedGame, play, replay_input
from casino.audit.report import NOTE, WARNING, Finding
from casino.ecarte import SEATS
from casino.errors import CasinoError
from casino.events.types import GameVoid, TermsSet

MOST: Final = 3  # void games of a table without a warning, or 1 % of its games if that is more

UNKNOWN: Final = "unknown"


class VoidedGame(NamedTuple):
    """A void game, whether its book was locked, and who would have won (or `UNKNOWN`)."""

    game: str
    is_locked: bool
    winner: str

    @property
    def table(self) -> str:
        """The table's name, which is the game's without its number."""
        return self.game.rpartition("-")[0]


def read_void(
    game: str, rows: Sequence[GameLeaf], terms: Iterable[TermsSet], decide: Decide | None
) -> VoidedGame | None:
    """Read a void game's `VoidedGame` from its leaves, or return None if it is not void."""
    if not any(type(row.leaf) is GameVoid for row in rows):
        return None
    is_locked = any(row.leaf.kind == "book_locked" for row in rows)
    winner = UNKNOWN
    if is_locked and decide is not None:
        winner = _would_win(game, rows, terms, decide)
    return VoidedGame(game, is_locked, winner)


def _would_win(
    game: str, rows: Sequence[GameLeaf], terms: Iterable[TermsSet], decide: Decide
) -> str:
    try:
        cut = UnrevealedGame(game, rows).cut
        played = replay_input(game, rows, terms, cut, {})
        return UNKNOWN if played is None else SEATS[play(played, cut.hash, decide)[0]]
    except (CasinoError, ValueError, IndexError, KeyError):
        # `check_game` reports what is wrong with the game.
        return UNKNOWN


class VoidsCheck:
    """Counts of void games and of settled games, by table and winner."""

    def __init__(self) -> None:
        self.void: Counter[str] = Counter()
        self.locked: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.won: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def add(self, voids: Iterable[VoidedGame], won: Counter[tuple[str, str]]) -> None:
        """Add void games, and the number of settled games by table and winner."""
        for void in voids:
            self.void[void.table] += 1
            if void.is_locked:
                self.locked[void.table][void.winner] += 1
        for (table, winner), games in won.items():
            self.won[table][winner] += games

    def totals(self, played: dict[str, int]) -> Iterator[Finding]:
        """Report tables with too many void games, and sides that voiding has favoured."""
        for table, void in sorted(self.void.items()):
            if void > MOST and void * 100 > played.get(table, 0):
                text = f"{void} of {played.get(table, 0)} games of table {table} are void: ask why"
                yield Finding("voids", text, severity=WARNING)
            locked = self.locked[table]
            if locked.total() == locked[UNKNOWN]:
                continue
            would = ", ".join(f"{name} {locked[name]}" for name in (*SEATS, UNKNOWN))
            text = f"{locked.total()} games of {table} void after the lock would have won: {would}"
            yield Finding("voids", text, severity=NOTE)
            for side in SEATS:
                if _is_beyond_chance(locked, self.won[table], side):
                    text = f"void games of {table} spared {side} more defeats than chance explains"
                    yield Finding("voids", text, severity=WARNING)


def _is_beyond_chance(void: Counter[str], won: Counter[str], spared: str) -> bool:
    """Return True if the void games spared a side more defeats than chance can explain.

    If voiding is unbiased, the void games are a random sample: a hypergeometric tail test.
    """
    winner = SEATS[1 - SEATS.index(spared)]
    taken, lost = void[spared] + void[winner], void[winner]
    games = taken + won[spared] + won[winner]
    all_lost = lost + won[winner]
    ways = sum(
        comb(all_lost, number) * comb(games - all_lost, taken - number)
        for number in range(lost, min(taken, all_lost) + 1)
    )
    return Fraction(ways, comb(games, taken)) < CHANCE
