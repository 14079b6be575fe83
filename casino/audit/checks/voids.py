"""Check that void games are rare, and that voiding favours neither side (L18).

A void game between two bots is played to its end from the revealed seed. If games are voided
without regard to the result, each side wins about the same share of void games as of settled ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from math import comb
from typing import Final

from casino.audit.check import NOTE, WARNING, Check, Decide, Finding, Game, table_of
from casino.audit.checks.bots import play
from casino.audit.checks.table_rules import TableRulesCheck
from casino.audit.checks.withholding import CHANCE, NOT_PLAYED_AGAIN, count
from casino.ecarte import SEATS
from casino.events.game_record import finished_game
from casino.events.types import BookLocked, GameOver, GameVoid

MAX_VOID: Final = 3  # void games at a table without a warning, or 1 % of its games if that is more

UNKNOWN: Final = "unknown"


class VoidsCheck(Check):
    """Counts by table: void games, their would-be winners, and the winners of settled games."""

    name = "voids"

    void: dict[str, int]
    locked: dict[str, dict[str, int]]
    won: dict[str, dict[str, int]]

    def __init__(self, rules: TableRulesCheck, decide: Decide | None) -> None:
        self.void, self.locked, self.won = {}, {}, {}
        self._rules = rules
        self._decide = decide

    def on_game(self, game: Game) -> tuple[()]:
        """Count the winner of a settled game; play a void one with a locked book to its end."""
        leaves = {type(row.leaf): row.leaf for row in game.rows}
        table = table_of(game.name)
        if GameOver in leaves:
            count(self.won.setdefault(table, {}), [leaves[GameOver].winner])
        if GameVoid in leaves:
            count(self.void, [table])
            if BookLocked in leaves:
                winner = UNKNOWN
                if self._decide is not None:
                    with suppress(*NOT_PLAYED_AGAIN):
                        ended = finished_game((row.leaf for row in game.rows), game.terms)
                        winner = SEATS[play(ended, self._decide)[0]] if ended else UNKNOWN
                count(self.locked.setdefault(table, {}), [winner])
        return ()

    def statistics(self) -> Iterator[Finding]:
        """Report tables with too many void games, and sides that voiding has favoured."""
        for table, void in sorted(self.void.items()):
            played = self._rules.numbers.get(table, 0)
            if void > MAX_VOID and void * 100 > played:
                text = f"{void} of {played} games of table {table} are void: ask why"
                yield Finding("voids", text, severity=WARNING)
            locked = Counter(self.locked.get(table, {}))
            if locked.total() == locked[UNKNOWN]:
                continue
            would = ", ".join(f"{name} {locked[name]}" for name in (*SEATS, UNKNOWN))
            text = f"void games of {table} after the lock, by the side that would have won: {would}"
            yield Finding("voids", text, severity=NOTE)
            won = Counter(self.won.get(table, {}))
            for side, winner in (SEATS, SEATS[::-1]):
                if _is_spared(locked, won, side, winner):
                    text = f"void games of {table} spared {side} more defeats than chance explains"
                    yield Finding("voids", text, severity=WARNING)


def _is_spared(void: Counter[str], won: Counter[str], side: str, winner: str) -> bool:
    """Return True if the void games spared a side more defeats than chance can explain.

    If voiding is unbiased, the void games are a random sample: a hypergeometric tail test.
    """
    taken, lost = void[side] + void[winner], void[winner]
    games = taken + won[side] + won[winner]
    all_lost = lost + won[winner]
    ways = sum(
        comb(all_lost, number) * comb(games - all_lost, taken - number)
        for number in range(lost, min(taken, all_lost) + 1)
    )
    return Fraction(ways, comb(games, taken)) < CHANCE
