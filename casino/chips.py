"""Parse and format amounts of chips; the program itself counts whole cents.

>>> chips(-1205), chips(100_000), chips(5, signed=True)
('-12.05', '1000.00', '+0.05')
>>> cents_of("5"), cents_of("0.5"), cents_of("1.005"), cents_of("٣")
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
    found = _AMOUNT.fullmatch(amount)
    if found is None:
        return None
    whole, part = found.groups(default="")
    return int(whole) * 100 + int(part.ljust(2, "0"))
