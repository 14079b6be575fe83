"""Check that void games are rare, and that voiding favours neither side (L18).

A void game between two bots is played to its end from the revealed seed. If games are voided
without regard to the result, each side wins about the same share of void games as of settled ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Final

from casino.audit.check import NOTE, WARNING, Check, Decide, Finding, Game, table_of
from casino.audit.checks.table_rules import TableRulesCheck
from casino.audit.checks.withholding import NOT_PLAYED_AGAIN, count, is_beyond_chance, play
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
        self.handlers = {GameOver: self._over}

    def _over(self, _: int, leaf: GameOver) -> tuple[()]:
        count(self.won.setdefault(table_of(leaf.game), {}), [leaf.winner])
        return ()

    def on_game(self, game: Game) -> tuple[()]:
        """Count a void game; if its book was locked, play it to its end."""
        kinds = {type(row.leaf) for row in game.rows}
        if GameVoid in kinds:
            table = table_of(game.name)
            count(self.void, [table])
            if BookLocked in kinds:
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
                # The settled games show how often the other side wins; at first, half is assumed.
                share = Fraction(won[winner] + 1, won[side] + won[winner] + 2)
                if is_beyond_chance(locked[winner], locked[side] + locked[winner], share):
                    text = f"void games of {table} spared {side} more defeats than chance explains"
                    yield Finding("voids", text, severity=WARNING)
