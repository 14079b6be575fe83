"""Betting rules and bet size limits of a table.

>>> BettingRules(matching="last_in_first_out").risk
3
>>> parse_betting_rules({"matching": "first"})
Traceback (most recent call last):
    ...
casino.errors.LawsError: law matching: first must be pro_rata or last_in_first_out
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from casino.errors import LawsError, suggest

TRIPLE: Final = 3  # most units that a game can cost

WHOLE_BP: Final = 10_000  # 100 % in basis points

# Allowed values of each betting rule.
ALLOWED: Final[Mapping[str, Sequence[Any]]] = {
    "gallery_stakes": ("game", "single"),
    "matching": ("pro_rata", "last_in_first_out"),
    "commission_base": ("winnings", "gross"),
    "commission_bp": range(WHOLE_BP + 1),
    "principal_commission_bp": range(WHOLE_BP + 1),
}


class BettingRules(NamedTuple):
    """A table's betting rules (G3, G6, G12, G13)."""

    gallery_stakes: str = "game"
    matching: str = "pro_rata"
    commission_base: str = "winnings"
    commission_bp: int = 500
    principal_commission_bp: int = 0

    @property
    def risk(self) -> int:
        """Maximum number of units that a bet can lose; they are held in escrow (G3)."""
        return TRIPLE if self.gallery_stakes == "game" else 1


class BetSizeLimits(NamedTuple):
    """The minimum and maximum units per bet, per bettor and per side (G5)."""

    least_cents: int
    greatest_cents: int
    bettor_cents: int
    side_cents: int


def parse_betting_rules(values: Mapping[str, Any]) -> BettingRules:
    """Validate a mapping of betting rules and fill in defaults; raise `LawsError` if invalid."""
    for name, value in values.items():
        allowed = ALLOWED.get(name)
        if allowed is None:
            raise LawsError(f"law {name} is unknown: {suggest(name, ALLOWED)}")
        if type(value) is not type(allowed[0]) or value not in allowed:
            shown = "a whole number from 0 to 10000" if len(allowed) > 2 else " or ".join(allowed)
            raise LawsError(f"law {name}: {str(value)[:40]} must be {shown}")
    return BettingRules(**values)
