"""Game review: what each decision cost in win probability, and which action was best.

Each decision is judged only by what the seat could see at the time, never by the other hand, so
games that look the same to a seat get the same review.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from casino import ecarte
from casino.ecarte import NO_SEAT, Deal, Record, Seat
from casino.solver.evaluation.advice import EFFORT, Option, advice


class Decision(NamedTuple):
    """One decision: the deal's number, the position in its history, the seat and the options.

    Both numbers start at 1. `done` is the option chosen; `options` are sorted, best first.
    """

    deal: int
    position: int
    seat: Seat
    done: Option
    options: tuple[Option, ...]

    @property
    def best(self) -> Option:
        """The best option; in a tie, the one chosen."""
        first = self.options[0]
        return self.done if self.done.win_probability == first.win_probability else first

    @property
    def cost(self) -> float:
        """The loss of win probability compared with the best option."""
        return self.best.win_probability - self.done.win_probability

    def json(self) -> dict[str, Any]:
        """Return the decision as JSON values, probabilities rounded to four digits."""
        return {
            "deal": self.deal,
            "token": self.position,
            "seat": ecarte.SEATS[self.seat],
            "action": ecarte.token(self.done.action),
            "chance": round(self.done.win_probability, 4),
            "best": ecarte.token(self.best.action),
            "best_chance": round(self.best.win_probability, 4),
            "cost": round(self.cost, 4),
            "options": {ecarte.token(action): round(value, 4) for action, value in self.options},
        }


def review(
    record: Record, seats: Sequence[Seat] = (0, 1), effort: int = EFFORT, actions: int | None = None
) -> tuple[Decision, ...]:
    """Return the decisions of the given seats, in order, skipping forced ones.

    Only the first `actions` of a game that was given up were decided by its players.
    """
    decisions, made = [], 0
    before: Deal | None = None
    for number, done, deal in ecarte.replay_steps(record):
        if made == actions:
            break
        made += done is not None
        # Exposing a card is an accident, not a decision.
        if before is not None and done is not None and not ecarte.EXPOSE <= done < ecarte.LEAD_OUT:
            seat = ecarte.actor(before, done)
            if seat in seats and before.turn == seat != NO_SEAT:
                legal = ecarte.legal_for(before, seat)
                options = advice(ecarte.view(before, seat), legal, done, effort)
                if options:
                    mine = next(option for option in options if option.action == done)
                    decisions.append(Decision(number, len(deal.history), seat, mine, options))
        before = deal
    return tuple(decisions)


def review_line(line: str, effort: int = EFFORT, actions: int | None = None) -> dict[str, Any]:
    """Review a game given as one line of record notation; return the review as JSON values."""
    record = ecarte.read_record(line)
    return review_json(record, review(record, effort=effort, actions=actions))


def review_json(record: Record, decisions: Sequence[Decision]) -> dict[str, Any]:
    """Return a review as JSON values, with the total cost of each seat's decisions."""
    return {
        "game": record.game,
        "players": record.players,
        "decisions": [decision.json() for decision in decisions],
        "given_away": {
            name: round(sum(decision.cost for decision in decisions if decision.seat == seat), 4)
            for seat, name in enumerate(ecarte.SEATS)
        },
    }
