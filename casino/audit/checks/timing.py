"""Check that people had as long to bet and to reveal as the table's settings say (L19).

A house that locks a book early, or does not wait for contributions, excludes slow players. A game
with only simulated bettors needs no pause. A finding is only a warning, because a clock may be set
or a disk may fill up during a game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from casino.audit.checks.game import GameLeaf
from casino.audit.checks.grants import STAR
from casino.audit.report import WARNING, Finding
from casino.errors import CasinoError
from casino.events.game_record import settings_of
from casino.events.types import TermsSet

SILENT_MS: Final = 1_000  # shorter wait for players who recently withheld a contribution

SILENT_GAMES: Final = 20  # a player counts as silent for this many games of a table

CHECK: Final = "pace"


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

    @property
    def table(self) -> str:
        """The table's name, which is the game's without its number."""
        return self.game.rpartition("-")[0]


def measure_waits(
    game: str, rows: Sequence[GameLeaf], terms: Iterable[TermsSet]
) -> GameWaits | None:
    """Return a game's waiting times, or None if no person took part or no book closed."""
    has_bettors, seals = False, list[str]()
    opened = locked = closed = None
    for row in rows:
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
        pace = settings_of(terms, opened).pace
    except (CasinoError, ValueError):
        # `check_game` reports what is wrong with the game.
        return None
    end: Any = closed.leaf
    return GameWaits(
        closed.n,
        game,
        has_bettors,
        locked.at - opened.at,
        pace.betting_ms,
        tuple(seals),
        tuple(seals[number - 1] for number in end.withheld if 0 < number <= len(seals)),
        end.at - locked.at,
        pace.reveal_ms,
    )


class TimingCheck:
    """Check of how long the games of all tables waited for people."""

    def __init__(self) -> None:
        # By table and player, one bit for each recent game (1: withheld), the latest lowest.
        self.silent: dict[str, dict[str, int]] = {}

    def check_next(self, games: Iterable[GameWaits]) -> Iterator[Finding]:
        """Check the waiting times of the next finished games."""
        for waits in sorted(games):
            if waits.has_bettors and waits.open_ms < waits.betting_ms:
                text = (
                    f"the book was open for {waits.open_ms} ms, by its terms for {waits.betting_ms}"
                )
                yield Finding(CHECK, text, waits.leaf, waits.game, severity=WARNING)
            needed = max((self._due(waits, player) for player in waits.shut), default=0)
            if waits.waited_ms < needed:
                names = ", ".join(waits.shut)
                text = f"{names} had {waits.waited_ms} ms to open a text, by the terms {needed}"
                yield Finding(CHECK, text, waits.leaf, waits.game, severity=WARNING)
            self._remember(waits)

    def _due(self, waits: GameWaits, player: str) -> int:
        was_silent = player in self.silent.get(waits.table, ())
        return min(SILENT_MS, waits.reveal_ms) if was_silent else waits.reveal_ms

    def _remember(self, waits: GameWaits) -> None:
        """Record who withheld a contribution; drop players who revealed in all recent games."""
        flags = self.silent.setdefault(waits.table, {})
        for player in waits.sealed:
            recent = (flags.pop(player, 0) << 1 | (player in waits.shut)) & (1 << SILENT_GAMES) - 1
            if recent:
                flags[player] = recent
