"""The poule: the winner stays, the loser goes to the end of the line, the next one sits down.

A poule has no secrets, so a table's full and public states share this reducer.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from casino.events import types
from casino.events.types import SIDES, Event, PouleTerms

MIN_ENTRANTS: Final = 3
MAX_ENTRANTS: Final = 8


class PouleState(NamedTuple):
    """A poule, whose entrants are numbered from 1 in the order drawn.

    `person` is the number of the only person among them, or 0. The first two in the `line` play,
    and `wins` counts the first one's wins in a row.
    """

    id: str
    entrants: tuple[str, ...]
    person: int
    line: tuple[int, ...]
    wins: int = 0

    def after_win(self, winner: int) -> PouleState:
        """Return the poule after `winner`, one of the first two, has won a game."""
        first, second, *waiting = self.line
        wins, loser = (self.wins + 1, second) if winner == first else (1, first)
        return self._replace(line=(winner, *waiting, loser), wins=wins)

    def without(self, entrant: int) -> PouleState:
        """Return the poule after an entrant has been struck."""
        line = tuple(number for number in self.line if number != entrant)
        return self._replace(line=line, wins=self.wins if line[0] == self.line[0] else 0)

    @property
    def seats(self) -> tuple[int, int]:
        """The numbers of the entrants who play next, house first.

        A person always has the challenger's seat. With two bots, the winner has the house's seat.
        """
        first, second = self.line[:2]
        return (second, first) if first == self.person else (first, second)

    @property
    def players(self) -> tuple[str, str]:
        """The names of the entrants who play next, house first."""
        house, challenger = self.seats
        return self.name(house), self.name(challenger)

    def name(self, number: int) -> str:
        """Return an entrant's name; those of bots may repeat."""
        return self.entrants[number - 1]

    def pool_cents(self, terms: PouleTerms) -> int:
        """Return the sum of all entries."""
        return len(self.entrants) * terms.entry_cents


def poule_id(table: str, number: int) -> str:
    """Return the id of the poule whose first game has this number, such as `h1-p000001`."""
    return f"{table}-p{number:06d}"


def fold_poule(poule: PouleState | None, event: Event) -> PouleState | None:
    """Return a table's poule after an event, or None if none is running."""
    if isinstance(event, types.PouleOpened):
        person = 0 if event.player is None else event.entrants.index(event.player) + 1
        line = tuple(range(1, len(event.entrants) + 1))
        return PouleState(event.game, event.entrants, person, line)
    if poule is None or isinstance(event, (types.PouleOver, types.PouleVoid)):
        return None
    if isinstance(event, types.GameOver):
        winner = poule.seats[SIDES.index(event.winner)]
        return poule.after_win(winner)
    left = event.player if isinstance(event, types.SeatChanged) and event.what == "left" else ""
    if poule.person and left == poule.name(poule.person):
        return poule.without(poule.person)
    return poule
