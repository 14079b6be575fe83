"""Parse and format amounts of chips. The program counts in cents; a chip is 100 cents.

>>> format_chips(-1205), format_chips(100_000), format_chips(5, signed=True)
('-12.05', '1000.00', '+0.05')
>>> parse_chips("5"), parse_chips("0.5"), parse_chips("1.005"), parse_chips("٣")
(500, 50, None, None)
"""

from __future__ import annotations

import re

_AMOUNT = re.compile(r"([0-9]{1,12})(?:\.([0-9]{1,2}))?")


def format_chips(cents: int, *, signed: bool = False) -> str:
    """Format cents as chips; with `signed`, an amount that is not negative gets a plus sign."""
    # Format the absolute value: divmod(-1205, 100) is (-13, 95), which is not -12.05.
    sign = "-" if cents < 0 else "+" if signed else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{sign}{whole}.{rest:02}"


def parse_chips(amount: str) -> int | None:
    """Convert chips with at most two decimals to cents; return None if malformed."""
    match = _AMOUNT.fullmatch(amount)
    if match is None:
        return None
    whole, part = match.groups(default="")
    return int(whole) * 100 + int(part.ljust(2, "0"))
