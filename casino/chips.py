"""Parse and format amounts of chips; the program itself counts whole cents.

>>> format_chips(-1205), format_chips(100_000), format_chips(5, signed=True)
('-12.05', '1000.00', '+0.05')
>>> parse_chips("5"), parse_chips("0.5"), parse_chips("1.005"), parse_chips("٣")
(500, 50, None, None)
"""

from __future__ import annotations

import re

_AMOUNT = re.compile(r"([0-9]{1,12})(?:\.([0-9]{1,2}))?")


def format_chips(cents: int, *, signed: bool = False) -> str:
    """Format cents as chips with two decimals; `signed` adds a plus sign to a gain."""
    # The sign is set apart: of -1205 cents, divmod would make -13 chips and 95 cents.
    sign = "-" if cents < 0 else "+" if signed else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{sign}{whole}.{rest:02}"


def parse_chips(amount: str) -> int | None:
    """Return the cents of an amount of chips with at most two decimals, or None."""
    match = _AMOUNT.fullmatch(amount)
    if match is None:
        return None
    whole, part = match.groups(default="")
    return int(whole) * 100 + int(part.ljust(2, "0"))
