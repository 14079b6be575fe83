"""The worked examples of docs/betting.md match what the program pays."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from casino.betting import BetSizeLimits, BettingRules, Book, Cover, close, enter_bet, settle
from casino.chips import format_chips, parse_chips
from casino.ecarte import CHALLENGER, HOUSE

PAGE = Path(__file__).parent.parent.parent / "docs" / "betting.md"
SIDES = {"house": HOUSE, "challenger": CHALLENGER}
TIMES = {"single": 1, "double": 2, "triple": 3}
EXAMPLE_PATTERN = re.compile(
    r"Law `matching` is `(\w+)`, the house covers up to ([\d.]+), "
    r"and the (\w+) wins a (\w+) game\.\n\n\|.*\n\|-.*\n((?:\|.*\n)+)"
)
RICH = 10**9


class Example(NamedTuple):
    """A table on the page: law, cover, winner, kind of win, rows."""

    matching: str
    cover: str
    winner: str
    kind: str
    table: str

    def rows(self) -> list[list[str]]:
        """Return the cells of the table."""
        return [
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in self.table.splitlines()
        ]


EXAMPLES = [Example(*found) for found in EXAMPLE_PATTERN.findall(PAGE.read_text("utf-8"))]


def test_every_table_on_the_page_is_parsed() -> None:
    tables = PAGE.read_text("utf-8").count("\n|---")
    assert len(EXAMPLES) == tables >= 2


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: f"{one.matching}-{one.kind}")
def test_example_on_the_page_matches_settlement(example: Example) -> None:
    laws = BettingRules(matching=example.matching)
    book = Book("player", 1000, laws, BetSizeLimits(1, RICH, RICH, RICH))
    for bettor, side, unit, *_ in example.rows():
        if bettor != "house":
            book = enter_bet(book, bettor, SIDES[side], parse_chips(unit) or 0, RICH).book
    closing = close(book, Cover(house_cents=parse_chips(example.cover) or 0))
    settled = settle(closing, SIDES[example.winner], TIMES[example.kind])
    due = [
        [
            one.bet.bettor, next(name for name, side in SIDES.items() if side == one.bet.side),
            format_chips(one.bet.unit_cents), format_chips(3 * one.bet.unit_cents),
            format_chips(one.matched_cents),
            format_chips(3 * (one.bet.unit_cents - one.matched_cents)),
            format_chips(one.gain_cents), format_chips(one.commission_cents),
            format_chips(one.gain_cents - one.commission_cents),
        ]
        for one in settled.bets
    ]  # fmt: skip
    assert example.rows() == due
    assert sum(one.gain_cents for one in settled.bets) == 0
