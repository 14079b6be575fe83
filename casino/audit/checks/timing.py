"""Check how long people had to bet and reveal, against the table's settings (L19).

A house that locks a book early, or does not wait for contributions, shuts out slow people. A game
with only simulated bettors may be played without a pause. A clock may be set during a game and a
disk may fill up, so a finding is a warning, and must not occur often.
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

SILENT_MS: Final = 1_000  # wait for players who recently withheld a contribution

SILENT_GAMES: Final = 20  # a player counts as silent for this many games of a table

CHECK: Final = "pace"


class GameWaits(NamedTuple):
    """How long a game waited for people, before and after its book was locked.

    `sealed` are those who made a commitment, `shut` those of them who did not reveal it.
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
        """The game's table."""
        return self.game.rpartition("-")[0]


def measure_waits(
    game: str, rows: Sequence[GameLeaf], terms: Iterable[TermsSet]
) -> GameWaits | None:
    """Return how long a game waited for people; None if no one took part or no book closed."""
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
        # The game's own check says what is wrong with it.
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
    """Checks at every table how long games waited for people."""

    def __init__(self) -> None:
        # For each table and name a bit for each of its last games, the lowest for the very last.
        self.silent: dict[str, dict[str, int]] = {}

    def check_next(self, games: Iterable[GameWaits]) -> Iterator[Finding]:
        """Check the next finished games."""
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
        """Remember who left a text unopened; drop players who have opened theirs since."""
        flags = self.silent.setdefault(waits.table, {})
        for player in waits.sealed:
            recent = (flags.pop(player, 0) << 1 | (player in waits.shut)) & (1 << SILENT_GAMES) - 1
            if recent:
                flags[player] = recent
