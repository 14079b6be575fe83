"""A game reviewed: what each decision was worth, and what would have been better.

A decision is judged by what its seat could see at the time, never by what the other side held: two
games that looked the same to a seat get the same review.

>>> from casino.bots import play_game
>>> found = review(play_game(("regle", "novice"), 1).record)
>>> found[0].seat, found[0].cost >= 0
(1, True)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from casino.ecarte import (
    EXPOSE,
    LEAD_OUT,
    NO_SEAT,
    SEATS,
    Deal,
    Record,
    Seat,
    actor,
    legal_for,
    read_record,
    replay_steps,
    token,
    view,
)
from casino.solver.evaluation.advice import EFFORT, Option, advice


class Decision(NamedTuple):
    """A decision of a seat: in which deal, its place among the actions there, and the options.

    The options are sorted, the best first; `done` is one of them.
    """

    deal: int
    place: int
    seat: Seat
    done: Option
    options: tuple[Option, ...]

    @property
    def best(self) -> Option:
        """The option worth most; what was done, if that is worth as much."""
        first = self.options[0]
        return self.done if self.done.chance == first.chance else first

    @property
    def cost(self) -> float:
        """How much of the chance to win the game was given away."""
        return self.best.chance - self.done.chance

    def json(self) -> dict[str, Any]:
        """The decision as JSON values."""
        return {
            "deal": self.deal,
            "token": self.place,
            "seat": SEATS[self.seat],
            "action": token(self.done.action),
            "chance": round(self.done.chance, 4),
            "best": token(self.best.action),
            "best_chance": round(self.best.chance, 4),
            "cost": round(self.cost, 4),
            "options": {token(one.action): round(one.chance, 4) for one in self.options},
        }


def review(
    record: Record, seats: Sequence[Seat] = (0, 1), effort: int = EFFORT
) -> tuple[Decision, ...]:
    """All decisions of some seats in which there was a choice, in their order."""
    found = []
    before: Deal | None = None
    for number, done, deal in replay_steps(record):
        if before is not None and done is not None and not EXPOSE <= done < LEAD_OUT:
            seat = actor(before, done)
            if seat in seats and before.turn == seat != NO_SEAT:
                legal = legal_for(before, seat)
                options = advice(view(before, seat), legal, done, effort)
                if options:
                    mine = next(one for one in options if one.action == done)
                    found.append(Decision(number, len(deal.history), seat, mine, options))
        before = deal
    return tuple(found)


def review_line(line: str, effort: int = EFFORT) -> dict[str, Any]:
    """The review of a game given as the line of its record, as JSON values."""
    record = read_record(line)
    return review_json(record, review(record, effort=effort))


def review_json(record: Record, decisions: Sequence[Decision]) -> dict[str, Any]:
    """A review as JSON values."""
    return {
        "game": record.game,
        "players": record.players,
        "decisions": [one.json() for one in decisions],
        "given_away": {
            name: round(sum(one.cost for one in decisions if one.seat == seat), 4)
            for seat, name in enumerate(SEATS)
        },
    }
