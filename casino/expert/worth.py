"""The worth of a score: how a game ends from it if two experts play on.

>>> ahead, behind = worth(3, 1), worth(1, 3)
>>> ahead.win > 1 / 2 > behind.win
True
>>> round(sum(ahead.elder) + sum(ahead.dealer), 3)
1.0
"""

from __future__ import annotations

from typing import NamedTuple

from casino.ecarte.rules import multiplier
from casino.errors import BadInput
from casino.expert.card_play import WHOLE
from casino.expert.stages import TARGET, game_of
from casino.expert.tables import outcomes, packed


class Worth(NamedTuple):
    """The chances that the elder, or the dealer, wins a single, a double or a triple game."""

    elder: tuple[float, float, float]
    dealer: tuple[float, float, float]

    @property
    def win(self) -> float:
        """The elder's chance to win the game."""
        return sum(self.elder)


def worth(elder: int, dealer: int, king: bool | None = None, target: int = TARGET) -> Worth:
    """What a score is worth when a deal begins: the elder's points, then the dealer's.

    If it is said whether a king was turned up, the dealer's points count it; otherwise the
    turn-up is yet to come.
    """
    if not (0 <= elder < target and 0 <= dealer < target) or (king and not dealer):
        raise BadInput(f"{elder}-{dealer}: is no score of a game to {target} that goes on")
    found = outcomes(packed())
    plain = game_of(elder, dealer, target, False)
    turned = _dealer_wins(elder)
    if king is not None:
        return _chances(found[game_of(elder, dealer, target, king)], WHOLE)
    if dealer + 1 < target:
        turned = found[game_of(elder, dealer + 1, target, True)]
    both = tuple(7 * one + other for one, other in zip(found[plain], turned, strict=True))
    return _chances(both, 8 * WHOLE)


def _dealer_wins(elder: int) -> tuple[int, ...]:
    """The dealer has won by turning up a king."""
    return tuple(WHOLE * (at == 2 + multiplier(elder)) for at in range(6))


def _chances(row: tuple[int, ...], whole: int) -> Worth:
    """Parts of a whole as chances."""
    single, double, triple, lost, lost_double, lost_triple = (part / whole for part in row)
    return Worth((single, double, triple), (lost, lost_double, lost_triple))
