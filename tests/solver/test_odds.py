"""The odds of a hand, and of all classes of hands."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest

from casino.ecarte import PACK, Laws, card, card_set, cards, suit_of
from casino.errors import CardsError
from casino.solver.evaluation.hand_chart import classes
from casino.solver.evaluation.odds import (
    Odds,
    OddsQuery,
    compute_odds,
    opponent_hands,
    score_distribution,
    unseen_cards,
)

PRINTED = {
    "7H / KC QC JC 7S": 44_724,
    "8C 7C / 9H 8H 7H": 47_768,
    "8H 7H / KS 7S 7D": 46_039,
    "8D 7D / 8C 7C KH": 45_374,
    "8C 7C / 9D 8D QS": 44_169,
    "8D 7D / JS AS 8H": 44_766,
    "8C 7C / KH JS 7D": 44_459,
    "8H 7H / KS AD 9C": 44_034,
    "8S 7S / KD TC TH": 43_434,
    "8D 7D / 8S QH QC": 44_766,
    "8C 7C / AD QS JH": 46_779,
}
"""Hands of the Westminster Papers: trumps, plain cards, and how many of 65,780 they beat."""


def ask(hand: str, turn_up: str, role: str = "elder", lead: str | None = None) -> Odds:
    led = None if lead is None else card(lead)
    return compute_odds(OddsQuery(cards(hand), card(turn_up), role == "elder", led))


@pytest.mark.parametrize(("printed", "beaten"), PRINTED.items())
def test_printed_hands_have_exact_odds(printed: str, beaten: int) -> None:
    """The best card of the first plain suit led beats the printed number of hands.

    Any trump not held can be the one turned up.
    """
    hand = cards(printed.replace("/", ""))
    trumps = suit_of(hand[0])
    lead = printed.split("/ ")[1][:2]
    turned = [8 * trumps + rank for rank in range(8) if 8 * trumps + rank not in hand]
    for turn_up in (turned[0], turned[-1]):
        answer = compute_odds(OddsQuery(hand, turn_up, True, card(lead)))
        assert (answer.wins, answer.opponents) == (beaten, 65_780)


def test_dealer_odds_cover_each_lead() -> None:
    answer = ask("7H KC QC JC 7S", "8H", "dealer")
    assert len(answer.leads) == 26
    assert {sum(row) for row in answer.leads.values()} == {12_650}
    forced = ask("7H KC QC JC 7S", "8H", "dealer", "KS")
    assert forced.opponents == 12_650
    assert forced.tricks == answer.leads[card("KS")]


def test_r5_4_ordinary_law_has_different_odds() -> None:
    hand, turn_up = cards("KS 8S 7H AD TD"), card("8H")
    strict = compute_odds(OddsQuery(hand, turn_up, True))
    ordinary = compute_odds(OddsQuery(hand, turn_up, True, laws=Laws(play="ordinary")))
    assert strict.tricks == (3881, 10235, 18404, 15102, 15716, 2442)
    assert ordinary.tricks == (3881, 10235, 21428, 12078, 15716, 2442)


SURE = "KH QH JH AH TH"  # all five tricks against anything
NONE = "7S 8S 7D 8D 7C"


@pytest.mark.parametrize(
    ("role", "score", "elder_vulnerable", "laws", "after"),
    [
        ("elder", (0, 0), True, Laws(), {(2, 0): 65_780}),  # king and the point
        ("elder", (0, 0), False, Laws(), {(3, 0): 65_780}),  # the dealer was vulnerable
        ("elder", (0, 0), True, Laws(vole_unexchanged=2), {(3, 0): 65_780}),
        ("dealer", (0, 0), True, Laws(), {(3, 0): 65_780}),
        ("elder", (4, 4), True, Laws(), {(5, 4): 65_780}),  # the king ends it
        ("elder", (4, 4), True, Laws(target=7), {(6, 4): 65_780}),
        ("dealer", (3, 1), True, Laws(), {(5, 1): 65_780}),  # never above the target
    ],
)
def test_r6_score_after_a_sure_hand(
    role: str,
    score: tuple[int, int],
    elder_vulnerable: bool,
    laws: Laws,
    after: dict[tuple[int, int], int],
) -> None:
    answer = compute_odds(OddsQuery(cards(SURE), card("7H"), role == "elder", laws=laws))
    assert score_distribution(answer, score, elder_vulnerable) == after


def test_r6_2_and_r4_1_opponents_king_counts() -> None:
    answer = ask(NONE, "7H")
    after = score_distribution(answer, (0, 0), elder_vulnerable=True)
    with_king = sum(answer.king_against)
    assert with_king == 12_650
    assert sum(after.values()) == 65_780
    assert after[0, 3] == sum(answer.king_against[:3])
    assert after[0, 2] == sum(answer.tricks[:3]) - after[0, 3]


def test_r4_4_king_that_ends_the_game_stops_play() -> None:
    after = score_distribution(ask(NONE, "7H"), (4, 4), elder_vulnerable=True)
    assert set(after) <= {(5, 4), (4, 5)}
    assert after[4, 5] >= 12_650


def test_r6_3_opponents_vole_counts_by_the_law() -> None:
    laws = Laws(vole_unexchanged=2)
    answer = compute_odds(OddsQuery(cards(NONE), card("7H"), True, laws=laws))
    after = score_distribution(answer, (0, 0), elder_vulnerable=False)
    king, none = sum(answer.king_against[1:3]), answer.king_against[0]
    assert after[0, 3] == none
    assert after[0, 2] == answer.tricks[0] - none + king
    assert after[0, 1] == sum(answer.tricks[1:3]) - king


@pytest.mark.parametrize(("role", "lead"), [("elder", "7S"), ("dealer", "KS")])
def test_opponents_king_is_counted_for_a_given_lead(role: str, lead: str) -> None:
    hand, turn_up, king = cards("7H KC QC JC 7S"), card("8H"), 1 << card("KH")
    whole = ask("7H KC QC JC 7S", "8H", role, lead)
    some = compute_odds(
        OddsQuery(hand, turn_up, role == "elder", card(lead), is_possible=lambda x: x & king != 0)
    )
    assert whole.king_against == some.tricks
    assert whole.king_against != ask("7H KC QC JC 7S", "8H", role).king_against


@pytest.mark.parametrize(
    ("hand", "turn_up", "role", "lead", "says"),
    [
        ("7H KC QC JC", "8H", "elder", None, "4 cards: give five"),
        ("7H KC QC JC 7S 8S", "8H", "elder", None, "6 cards: give five"),
        ("7H KC QC JC 8H", "8H", "elder", None, "turn-up 8H is in the hand"),
        ("7H KC QC JC 7S", "8H", "elder", "9H", "9H is not in the hand"),
        ("7H KC QC JC 7S", "8H", "dealer", "7H", "elder cannot lead 7H"),
        ("7H KC QC JC 7S", "8H", "dealer", "8H", "elder cannot lead 8H"),
    ],
)
def test_invalid_query_is_refused(
    hand: str, turn_up: str, role: str, lead: str | None, says: str
) -> None:
    with pytest.raises(CardsError, match=says):
        ask(hand, turn_up, role, lead)


def sorted_suits(hand: int, trumps: int) -> tuple[int, ...]:
    suits = [hand >> 8 * suit & 255 for suit in range(4)]
    return suits[trumps], *sorted(suits[:trumps] + suits[trumps + 1 :])


@pytest.mark.parametrize("turned", ["7S", "QH", "KC"])
def test_classes_cover_every_hand(turned: str) -> None:
    turn_up = card(turned)
    sizes: dict[tuple[int, ...], int] = {}
    for chosen in combinations([one for one in PACK if one != turn_up], 5):
        key = sorted_suits(card_set(chosen), turn_up >> 3)
        sizes[key] = sizes.get(key, 0) + 1
    rows = list(classes(turn_up))
    found = {sorted_suits(row.hand, turn_up >> 3): row.hands for row in rows}
    assert found == sizes
    assert len(rows) == len(found) == 31_913


def test_all_11_176_745_580_pairs_of_hands() -> None:
    counts = [sum(row.hands * row.elder[taken] for row in classes()) for taken in range(6)]
    assert sum(counts) == 11_176_745_580
    assert round(100 * sum(counts[3:]) / sum(counts), 3) == 56.878
    assert round(100 * counts[5] / sum(counts), 2) == 9.44
    assert round(100 * counts[0] / sum(counts), 2) == 7.39


def test_opponent_has_65780_hands() -> None:
    *held, turn_up = Random(1).sample(range(32), 6)
    hand = card_set(held)
    others = opponent_hands(hand, turn_up)
    assert len(np.unique(others)) == 65_780
    assert not np.any(others & (hand | 1 << turn_up))
    assert {int(some).bit_count() for some in others[::997]} == {5}
    assert int(np.bitwise_or.reduce(others)) == unseen_cards(hand, turn_up)
