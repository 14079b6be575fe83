"""The chart of all hands: one row and the forms it is written in, without a command around it."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from casino.bots import get_bot, heuristics
from casino.cli.play.chart import ORDERS, OddsRow, rows
from casino.ecarte import (
    ACCEPT,
    PACK,
    PROPOSE,
    Deal,
    Laws,
    apply,
    card,
    card_set,
    cards,
    legal_for,
    set_up,
    view,
)
from casino.solver.evaluation.hand_chart import OPPONENTS, scores_of


@pytest.fixture(scope="module")
def chart() -> list[OddsRow]:
    return rows(card("8H"), Laws())


def test_the_rows_are_all_hands(chart: list[OddsRow]) -> None:
    assert len(chart) == 31_913
    assert sum(row.hands for row in chart) == 169_911
    assert {sum(row.elder) for row in chart} == {sum(row.dealer) for row in chart} == {OPPONENTS}


def test_a_row_says_what_regle_does(chart: list[OddsRow]) -> None:
    for row in chart[::50]:
        hand = card_set(cards(row.hand.replace("/", "")))
        assert row.stands is heuristics.should_stand(hand, 1)
        assert row.refuses is heuristics.should_refuse(hand, 1)


@pytest.mark.parametrize("sort", ORDERS)
def test_every_order_puts_the_most_first(chart: list[OddsRow], sort: str) -> None:
    key = ORDERS[sort]
    assert all(key(one) <= key(two) for one, two in pairwise(sorted(chart, key=key)))


@pytest.mark.parametrize("turned", ["8H", "KH"])
def test_a_row_says_what_the_expert_does_at_each_score(turned: str) -> None:
    found, rng = rows(card(turned), Laws()), Random(3)
    scores = scores_of(card(turned))
    assert len(scores) == (20 if turned == "KH" else 25)
    assert {len(row.proposes) for row in found} == {len(row.accepts) for row in found}
    for row in rng.sample(found, 12):
        names = row.hand.replace("/", "")
        for place in rng.sample(range(len(scores)), 3):
            elder, dealer = scores[place]
            began = (dealer - (turned == "KH"), elder)
            deal = set_up(names, "", turned, score=began).deal(PACK)
            assert row.proposes[place] == pytest.approx(100 * share(deal, PROPOSE), abs=6)
            asked = apply(set_up("", names, turned, score=began).deal(PACK), PROPOSE)
            assert row.accepts[place] == pytest.approx(100 * share(asked, ACCEPT), abs=6)


def share(deal: Deal, word: int) -> float:
    """In what share of 16 equally likely draws the expert says a word."""
    seen, legal = view(deal, deal.turn), legal_for(deal, deal.turn)
    said = [get_bot("expert").choose(seen, legal, Drawn(number)) for number in range(16)]
    return said.count(word) / 16


class Drawn(Random):
    def __init__(self, number: int) -> None:
        super().__init__(0)
        self.number = number

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        return self.number
