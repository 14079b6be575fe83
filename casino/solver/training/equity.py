"""The equity of a score: the probability of each way the game can end from it.

>>> ahead, behind = equity_at(3, 1), equity_at(1, 3)
>>> ahead.win > 1 / 2 > behind.win
True
>>> round(sum(ahead.elder) + sum(ahead.dealer), 3)
1.0
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

from casino.ecarte import Laws, multiplier, trick_points
from casino.errors import InputError
from casino.solver.policy.infosets import TARGET, game_of
from casino.solver.policy.play_policy import WHOLE
from casino.solver.policy.tables import load_packed, outcomes

EIGHTHS: Final = 8 * WHOLE
# Weights of a single, double and triple win of the elder, then of the dealer.
Ends: TypeAlias = tuple[int, ...]
Rows: TypeAlias = Any  # a list of such weights, or an array while they are being solved


class Equity(NamedTuple):
    """Each role's probabilities of winning a single, a double and a triple game."""

    elder: tuple[float, float, float]
    dealer: tuple[float, float, float]

    @property
    def win(self) -> float:
        """The elder's win probability."""
        return sum(self.elder)


def equity_at(elder: int, dealer: int, king: bool | None = None, target: int = TARGET) -> Equity:
    """Return the equity of a score at the start of a deal.

    `king` is true if a king was turned up, in which case `dealer` includes its point, and None
    before the turn-up. Raises `InputError` for an impossible score.
    """
    if not (0 <= elder < target and 0 <= dealer < target) or (king and not dealer):
        raise InputError(f"{elder}-{dealer}: is no score of a game to {target} that goes on")
    if king is not None:
        return _chances(outcomes(load_packed())[game_of(elder, dealer, target, king)], WHOLE)
    return _chances(_shipped_before(elder, dealer, target), EIGHTHS)


def ends_before(elder: int, dealer: int, laws: Laws, rows: Rows | None = None) -> Ends:
    """Return the weight of each final result, out of `EIGHTHS`, at the start of a deal.

    `rows` has the weights out of `WHOLE` after the turn-up, by `game_of` index, as solved for these
    laws; without it the shipped ones are used.
    """
    target = laws.target
    if elder >= target:
        return _ended(multiplier(dealer) - 1)
    if dealer >= target:
        return _ended(2 + multiplier(elder))
    if rows is None:
        return _shipped_before(elder, dealer, target)
    return _before(rows, elder, dealer, target, target)


def ends_after(elder: int, dealer: int, laws: Laws, rows: Rows | None = None) -> Ends:
    """Return the weight of each final result, out of `EIGHTHS`, given the score after a deal."""
    if laws.deal == "house" or max(elder, dealer) >= laws.target:
        return ends_before(elder, dealer, laws, rows)
    # The elder deals next.
    known = ends_before(dealer, elder, laws, rows)
    return (*known[3:], *known[:3])


def ends_of(cells: Sequence[int], score: tuple[int, int], laws: Laws) -> tuple[float, ...]:
    """Return the probability of each final result, given the weights of the current deal's cells.

    `score` is the score of elder and dealer before the deal's tricks and announcement count.
    """
    ends = [0] * 6
    for index, weight in enumerate(cells):
        if weight:
            vulnerable, rest = divmod(index, 18)
            after = score_after_deal(score, vulnerable, rest // 6, rest % 6, laws)
            for end, part in enumerate(ends_after(*after, laws)):
                ends[end] += weight * part
    whole = sum(ends)
    return tuple(part / whole for part in ends)


def score_after_deal(
    score: tuple[int, int], vulnerable: int, king: int, taken: int, laws: Laws
) -> tuple[int, int]:
    """Return the score of elder and dealer after a deal.

    `vulnerable` and `king` are 0 for neither side, 1 for the elder, 2 for the dealer; `taken` is
    the number of the elder's tricks.
    """
    elder, dealer = score[0] + (king == 1), score[1] + (king == 2)
    if max(elder, dealer) < laws.target:
        won, most = taken > 2, max(taken, 5 - taken)
        lost = vulnerable == (2 if won else 1)
        points = trick_points(most, 5, lost, vulnerable == 0, laws.vole_unexchanged)
        elder, dealer = elder + won * points, dealer + (not won) * points
    return min(elder, laws.target), min(dealer, laws.target)


@cache
def _shipped_before(elder: int, dealer: int, target: int) -> Ends:
    return _before(outcomes(load_packed()), elder, dealer, target, TARGET)


def _before(rows: Rows, elder: int, dealer: int, target: int, solved: int) -> Ends:
    plain = rows[game_of(elder, dealer, target, False, solved)]
    if dealer + 1 < target:
        turned = rows[game_of(elder, dealer + 1, target, True, solved)]
    else:
        turned = tuple(part // 8 for part in _ended(2 + multiplier(elder)))
    # One turn-up in eight is a king.
    return tuple(7 * value + other for value, other in zip(plain, turned, strict=True))


def _ended(index: int) -> Ends:
    return tuple(EIGHTHS * (at == index) for at in range(6))


def _chances(row: tuple[int, ...], whole: int) -> Equity:
    single, double, triple, lost, lost_double, lost_triple = (part / whole for part in row)
    return Equity((single, double, triple), (lost, lost_double, lost_triple))
