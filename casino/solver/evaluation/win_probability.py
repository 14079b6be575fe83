"""Win probabilities of both sides during a game, computed from public information."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from casino import ecarte
from casino.ecarte import GALLERY, HOUSE, OVER, Deal, Game, Laws, Seat, View, first_dealers, view
from casino.solver.evaluation.advice import sampled_ends, view_key
from casino.solver.evaluation.rollout import BY_TABLES
from casino.solver.policy.info_state import belief_state
from casino.solver.policy.tables import EIGHTHS, ends_before

EFFORT: Final = 40  # deals sampled: less than 5 ms in plain Python
_DOUBT: Final = 0.8  # a small sample is overconfident: add this many wins for either side


class WinProbability(NamedTuple):
    """A side's probabilities of winning a single, a double and a triple game."""

    single: float
    double: float
    triple: float

    @property
    def win(self) -> float:
        """The probability of winning the game."""
        return self.single + self.double + self.triple


class LiveProbabilities(NamedTuple):
    """The win probabilities of both sides."""

    house: WinProbability
    challenger: WinProbability

    def expected_units(self, seat: Seat) -> float:
        """Return the expected profit, in units, of a one-unit bet on a side."""
        mine, yours = (self.house, self.challenger) if seat == HOUSE else self[::-1]
        return sum(stake * (mine[stake - 1] - yours[stake - 1]) for stake in (1, 2, 3))

    def json(self) -> dict[str, Any]:
        """Return both sides' probabilities, fair odds to one and expected profit as JSON values."""
        return {
            name: {
                "win": round(side.win, 4),
                **{stake: round(value, 4) for stake, value in side._asdict().items()},
                "odds": round(1 / side.win - 1, 2) if side.win > 0.0005 else None,
                "units": round(self.expected_units(seat), 3),
            }
            for seat, (name, side) in enumerate(self._asdict().items())
        }


def live_probabilities(
    score: tuple[int, int], dealer: Seat, laws: Laws, seen: View | None = None, effort: int = EFFORT
) -> LiveProbabilities:
    """Return both sides' win probabilities; `score` lists the house's points first.

    `seen` is the running deal as the gallery sees it; None means that `dealer` is about to deal.
    The same view gives the same probabilities on every machine.
    """
    if seen is not None and seen.phase == OVER:
        dealer = ecarte.next_dealer(seen.dealer, laws.deal == "house")
        score, seen = seen.score, None
    ends: Sequence[float] = ()
    if seen is not None:
        score, dealer, belief = seen.score, seen.dealer, belief_state(seen)
        if belief is not None:
            ends = sampled_ends(seen, belief, BY_TABLES, effort, view_key(seen))
    if ends:
        ends = _doubted(ends, effort)
    else:  # no deal, one that the tables do not cover, or no sampled hand fits it
        ends = [part / EIGHTHS for part in ends_before(score[1 - dealer], score[dealer], laws)]
    elder, other = WinProbability(*ends[:3]), WinProbability(*ends[3:])
    return LiveProbabilities(other, elder) if dealer == HOUSE else LiveProbabilities(elder, other)


def public_probabilities(game: Game | None, deal: Deal | None, laws: Laws) -> LiveProbabilities:
    """Return both sides' win probabilities from what the gallery can see of a game.

    Before the cut for deal, both seats count as equally likely to deal first.
    """
    if game is None:
        both = [live_probabilities((0, 0), dealer, laws) for dealer in first_dealers(laws)]
        house, challenger = ([pair[seat] for pair in both] for seat in (0, 1))
        return LiveProbabilities(_mean(house), _mean(challenger))
    seen = None if deal is None else view(deal, GALLERY)
    return live_probabilities(game.score, game.dealer, laws, seen)


def _mean(values: Sequence[WinProbability]) -> WinProbability:
    return WinProbability(*(sum(parts) / len(values) for parts in zip(*values, strict=True)))


def _doubted(ends: Sequence[float], deals: int) -> Sequence[float]:
    """Shrink the win probability slightly towards one half, unless the outcome is certain."""
    win, lose = sum(ends[:3]), sum(ends[3:])
    if not win or not lose:
        return ends
    mine, yours = ((deals + _DOUBT / share) / (deals + 2 * _DOUBT) for share in (win, lose))
    return [*(part * mine for part in ends[:3]), *(part * yours for part in ends[3:])]
