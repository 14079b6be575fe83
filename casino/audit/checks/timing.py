"""Check that people had as long to bet and to reveal as the table's settings say (L19).

A house that locks a book early, or does not wait for contributions, excludes slow players. A game
with only simulated bettors needs no pause. A finding is only a warning, because a clock may be set
or a disk may fill up during a game.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from casino.audit.check import Check, Game
from casino.audit.checks.grants import STAR
from casino.audit.report import WARNING, Finding
from casino.errors import CasinoError
from casino.events.game_record import settings_of

SILENT_MS: Final = 1_000  # shorter wait for players who recently withheld a contribution

SILENT_GAMES: Final = 20  # a player counts as silent for this many games of a table


class GameWaits(NamedTuple):
    """How long a game waited for people before and after the lock, with the required minima.

    `sealed` lists the players who made a commitment, `shut` those who then did not reveal it.
    """

    leaf: int
    game: str
    has_bettors: bool
    open_ms: int
    betting_ms: int
    sealed: tuple[str, ...]
    shut: tuple[str, ...]
    waited_ms: int
    reveal_ms: int


def measure_waits(game: Game) -> GameWaits | None:
    """Return a game's waiting times, or None if no person took part or no book closed."""
    has_bettors, seals = False, list[str]()
    opened = locked = closed = None
    for row in game.rows:
        leaf = row.leaf
        kind = leaf.kind
        if kind in ("bet", "cut"):
            has_bettors = has_bettors or (kind == "bet" and STAR not in leaf.player)
            seals += [leaf.player] if leaf.seal else []
        elif kind == "game_opened":
            opened = leaf
        elif kind == "book_locked":
            locked = leaf
        elif kind == "betting_closed":
            closed = row
            break
    if opened is None or locked is None or closed is None or not (seals or has_bettors):
        return None
    try:
        pace = settings_of(game.terms, opened).pace
    except (CasinoError, ValueError):
        # `check_game` reports what is wrong with the game.
        return None
    end: Any = closed.leaf
    return GameWaits(
        closed.n,
        game.name,
        has_bettors,
        locked.at - opened.at,
        pace.betting_ms,
        tuple(seals),
        tuple(seals[number - 1] for number in end.withheld if 0 < number <= len(seals)),
        end.at - locked.at,
        pace.reveal_ms,
    )


class TimingState(msgspec.Struct):
    """By table and player, one bit for each recent game (1: withheld), the latest lowest."""

    silent: dict[str, dict[str, int]] = {}


class TimingCheck(Check):
    """Check of how long the games of all tables waited for people."""

    name = "pace"

    def __init__(self) -> None:
        self.kept: TimingState = TimingState()

    def on_game(self, game: Game) -> Iterator[Finding]:
        """Check the waiting times of a game that has ended."""
        waits = measure_waits(game)
        if waits is not None:
            yield from self.check_waits(game.table, waits)

    def check_waits(self, table: str, waits: GameWaits) -> Iterator[Finding]:
        """Check the waiting times of a game at a table."""
        flags = self.kept.silent.setdefault(table, {})
        if waits.has_bettors and waits.open_ms < waits.betting_ms:
            text = f"the book was open for {waits.open_ms} ms, by its terms for {waits.betting_ms}"
            yield Finding(self.name, text, waits.leaf, waits.game, severity=WARNING)
        shorter_ms = min(SILENT_MS, waits.reveal_ms)
        needed = max(
            (shorter_ms if player in flags else waits.reveal_ms for player in waits.shut), default=0
        )
        if waits.waited_ms < needed:
            names = ", ".join(waits.shut)
            text = f"{names} had {waits.waited_ms} ms to open a text, by the terms {needed}"
            yield Finding(self.name, text, waits.leaf, waits.game, severity=WARNING)
        # Players who revealed in all recent games are dropped.
        for player in waits.sealed:
            recent = (flags.pop(player, 0) << 1 | (player in waits.shut)) & (1 << SILENT_GAMES) - 1
            if recent:
                flags[player] = recent
