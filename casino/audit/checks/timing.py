"""Check that people had as long to bet and to reveal as the table's settings say (L19).

A house that locks a book early, or does not wait for contributions, excludes slow players. A game
with only simulated bettors needs no pause. A finding is only a warning, because a clock may be set
or a disk may fill up during a game.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from casino.audit.check import STAR, WARNING, Check, Finding, Game, table_of
from casino.errors import CasinoError
from casino.events.game_record import settings_of

SILENT_MS: Final = 1_000  # shorter wait for players who recently withheld a contribution

SILENT_GAMES: Final = 20  # a player counts as silent for this many games at a table


class TimingCheck(Check):
    """Check of how long the games at all tables waited for people.

    `silent` has, for each table and player, one bit per recent game (1: withheld), the latest
    lowest.
    """

    name = "pace"

    silent: dict[str, dict[str, int]]

    def __init__(self) -> None:
        self.silent = {}

    def on_game(self, game: Game) -> Iterator[Finding]:
        """Check the waiting times in a game whose book has closed, if people took part."""
        before = list(takewhile(lambda row: row.leaf.kind != "betting_closed", game.rows))
        last = {row.leaf.kind: row.leaf for row in before}
        opened, locked = last.get("game_opened"), last.get("book_locked")
        entered = [row.leaf for row in before if row.leaf.kind in ("bet", "cut")]
        has_bettors = any(leaf.kind == "bet" and STAR not in leaf.player for leaf in entered)
        seals = [leaf.player for leaf in entered if leaf.seal]
        is_closed = len(before) < len(game.rows)
        if opened is None or locked is None or not is_closed or not (seals or has_bettors):
            return
        closed = game.rows[len(before)]
        try:
            pace = settings_of(game.terms, opened).pace
        except (CasinoError, ValueError):
            # `check_game` reports what is wrong with the game.
            return
        flags = self.silent.setdefault(table_of(game.name), {})
        open_ms, waited_ms = locked.at - opened.at, closed.leaf.at - locked.at
        if has_bettors and open_ms < pace.betting_ms:
            text = f"the book was open for {open_ms} ms, but its terms give {pace.betting_ms}"
            yield Finding(self.name, text, closed.n, game.name, severity=WARNING)
        shut = [seals[n - 1] for n in closed.leaf.withheld if 0 < n <= len(seals)]
        shorter_ms = min(SILENT_MS, pace.reveal_ms)
        needed = max(
            (shorter_ms if player in flags else pace.reveal_ms for player in shut), default=0
        )
        if waited_ms < needed:
            text = f"{', '.join(shut)} had {waited_ms} ms to open a text, the terms give {needed}"
            yield Finding(self.name, text, closed.n, game.name, severity=WARNING)
        # Players who revealed in all recent games are dropped.
        for player in seals:
            recent = (flags.pop(player, 0) << 1 | (player in shut)) & (1 << SILENT_GAMES) - 1
            if recent:
                flags[player] = recent
