"""Formatting cents as chips, and parsing them back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis.strategies import integers

from casino.chips import format_chips, parse_chips


@pytest.mark.parametrize(
    ("cents", "plain", "signed"),
    [
        (0, "0.00", "+0.00"),
        (5, "0.05", "+0.05"),
        (-5, "-0.05", "-0.05"),
        (-100, "-1.00", "-1.00"),
        (-1205, "-12.05", "-12.05"),
        (123_456_789, "1234567.89", "+1234567.89"),
    ],
)
def test_format_chips(cents: int, plain: str, signed: str) -> None:
    assert (format_chips(cents), format_chips(cents, signed=True)) == (plain, signed)


@given(integers(0, 10**14 - 1))
def test_formatted_chips_are_parsed_back(cents: int) -> None:
    assert parse_chips(format_chips(cents)) == cents


@pytest.mark.parametrize(
    "amount", ["", ".5", "5.", "1.005", "-1", "+1", "1e3", "1_0", "1,5", " 5", "5\n", "٣", "9" * 13]
)
def test_invalid_amounts_are_not_parsed(amount: str) -> None:
    assert parse_chips(amount) is None
