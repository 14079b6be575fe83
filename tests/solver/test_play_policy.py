"""Card values: hands considered, their weights, and equities of points."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations as chosen_from
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casino.analysis.dd_index import table_index
from casino.ecarte import (
    NO_CARD,
    PACK,
    Laws,
    card,
    card_set,
    cards,
    cards_in,
    legal_replies,
    ruled_out,
)
from casino.ecarte.observation.possible_deals import possible_deals
from casino.solver.policy import play_policy, tables
from casino.solver.policy.info_state import info_state
from casino.solver.policy.play_policy import (
    ROOM,
    SURE,
    WEIGHED,
    InfoState,
    best_card,
    binomial,
    card_values,
    hides_king,
    trick_equities,
)
from casino.solver.policy.tables import LEADS, REST, WHOLE, bucket_of, lead_index
from tests.naive.basics import PACK as PACK_NAMES
from tests.solver import naive
from tests.solver.views import card_views

POLICY = tables.policy_tables(True)
TRICKS = [0, 1, 2, 3, 4, 5] * 2
"""Equities that count tricks alone."""


def info_of(hand: str, unseen: str, size: int) -> InfoState:
    """Return an information state by card names, before any bid, exchange or trick."""
    held, others = card_set(cards(hand)), card_set(cards(unseen))
    return InfoState(held, NO_CARD, card("7S"), True, 0, 0, size, others)


def values(at: InfoState, effort: int = 64, worths: list[int] = TRICKS, key: int = 77) -> list[int]:
    found = [0] * 33
    card_values(POLICY, at, worths, effort, key, [0] * ROOM, found)
    return found


@pytest.mark.parametrize("strict", [True, False])
def test_ruled_out_cards_match_the_rules(strict: bool) -> None:
    for led in PACK:
        for reply in PACK:
            for trumps in range(4):
                if reply != led:
                    mine = ruled_out(reply, led, trumps, strict) & ~(1 << reply | 1 << led)
                    hands = {one: 1 << one | 1 << reply for one in PACK if one not in (reply, led)}
                    assert mine == card_set(
                        one
                        for one, hand in hands.items()
                        if not legal_replies(hand, led, trumps, strict) >> reply & 1
                    )


def test_every_possible_hand_is_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    met: list[int] = []
    monkeypatch.setattr(play_policy, "_add_hand", lambda *given: met.append(given[3]))
    unseen, sure = "AH QD 8D 9C TC JC", card_set(cards("KS"))
    values(info_of("KH 7D", unseen, 2)._replace(sure=sure), 15)
    expected = {card_set(some) | sure for some in chosen_from(cards(unseen), 2)}
    assert len(met) == 15 and set(met) == expected
    met.clear()
    values(info_of("KH 7D", unseen, 2)._replace(sure=sure), 9)
    assert len(met) == 9 and set(met) <= expected


def test_first_lead_weights_hands_by_the_tables() -> None:
    at = info_of("AS 9H 8D QC", "", 0)
    led, kept = card("KH"), card_set(cards("8S 7C 8C 9C"))
    at = at._replace(plays=1 << 11 | led, played=1 << led)
    held = kept | 1 << led
    place = LEADS * bucket_of(POLICY.buckets, held, at.turn_up)
    place += lead_index(POLICY.buckets, held, at.turn_up, led)
    assert play_policy.hand_weight(POLICY, at, kept) == 256 * POLICY.leads[place] // 16
    told = bytearray(tables.load_packed().leads)
    told[place] = 3
    policy = POLICY._replace(leads=bytes(told))
    assert play_policy.hand_weight(policy, at, kept) == 256 * 3 // 16
    later = kept & ~(1 << card("9C"))
    assert [play_policy.hand_weight(one, at, later) for one in (policy, POLICY)] == [64, 64]


def rest_of(at: InfoState, worths: list[int], row: int, least: tuple[int, ...]) -> float:
    pool = [0] * ROOM
    play_policy._endgame_equities(at, worths, pool)
    rests = bytearray(tables.load_packed().endgame)
    leader, other = card_set(cards("KS 7D")), card_set(cards("AH QD"))
    place = REST * table_index(POLICY.open_cards, leader, other, 0)
    rests[place : place + REST] = bytes([*least, *[0] * (REST - len(least))])
    policy = POLICY._replace(endgame=bytes(rests))
    leads = row & 1 == 0
    mine, theirs = (leader, other) if leads else (other, leader)
    return play_policy._endgame_equity(policy, mine, theirs, 0, pool, row & 2, leads) / SURE


def test_endgame_equity_is_expected_over_tricks() -> None:
    at = info_of("KS 7D 8D", "AH QD 8H 9C TC JC", 2)._replace(taken=1)
    least = (153, 51)
    square = [0, 1, 4, 9, 16, 25, 100, 101, 104, 109, 116, 125]
    mine, theirs = rest_of(at, square, 0, least), rest_of(at, square, 1, least)
    assert mine == pytest.approx(0.4 * 4 + 0.4 * 9 + 0.2 * 16)
    assert theirs == pytest.approx(0.4 * 9 + 0.4 * 4 + 0.2 * 1)
    assert rest_of(at, square, 2, least) == pytest.approx(100 + mine)
    assert rest_of(at, square, 3, least) == pytest.approx(100 + theirs)


@st.composite
def naive_spots(draw: st.DrawFn) -> naive.Spot:
    """Draw a lead or a reply with hands of one to four cards."""
    size, leads = draw(st.integers(1, 4)), draw(st.booleans())
    known = draw(st.integers(0, min(1, size)))
    others = size if leads else size - 1
    number = size + others + draw(st.integers(0, 2)) + (not leads)
    names = draw(st.permutations(PACK_NAMES))[: number + 1]
    hand, rest = frozenset(names[:size]), names[size + (not leads) :]
    sure = frozenset(rest[: min(known, others)])
    return naive.Spot(
        hand, None if leads else names[size], draw(st.sampled_from("SHDC")), draw(st.booleans()),
        frozenset(rest) - sure, sure, others - len(sure), draw(st.integers(0, 5 - size)),
    )  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(naive_spots(), st.lists(st.integers(0, 60_000), min_size=6, max_size=6))
def test_naive_evaluation_agrees(slow: naive.Spot, worths: list[int]) -> None:
    sets = (card_set(cards(" ".join(some))) for some in (slow.hand, slow.sure, slow.unseen))
    hand, sure, unseen = sets
    # Only the suit of the turn-up matters here.
    turn_up = 8 * "SHDC".index(slow.trump)
    at = InfoState(
        hand, NO_CARD if slow.led is None else card(slow.led), turn_up, slow.strict, 0, sure,
        slow.size, unseen, taken=slow.taken,
    )  # fmt: skip
    policy, found = tables.policy_tables(slow.strict), [0] * 33
    card_values(policy, at, worths * 2, 1_000, 7, [0] * ROOM, found)
    expected = naive.values(slow, worths)
    assert {one for one in range(32) if found[one]} <= {card(name) for name in expected}
    for name, value in expected.items():
        assert Fraction(found[card(name)], found[WEIGHED] * SURE) == value


def test_trick_equities_near_the_end_of_a_game() -> None:
    found = [0] * 12
    trick_equities(POLICY, True, (4, 4), (False, False), True, (5, 1, False), found)
    assert found == [0, 0, 0, WHOLE, WHOLE, WHOLE] + [0] * 6
    trick_equities(POLICY, True, (3, 0), (False, True), False, (5, 1, False), found)
    assert found[3:6] == [WHOLE] * 3
    trick_equities(POLICY, True, (3, 0), (False, False), False, (5, 1, False), found)
    assert found[3] == found[4] == found[5] < WHOLE


@pytest.mark.parametrize("target", [5, 7])
def test_king_is_hidden_where_its_point_is_worthless(target: int) -> None:
    hidden = 0
    for mine, theirs, who in product(range(target - 1), range(target), range(6)):
        vulnerable, elder = (who // 2 == 1, who // 2 == 2), who % 2 == 0
        plain, more = [0] * 12, [0] * 12
        laws = (target, 1, False)
        trick_equities(POLICY, elder, (mine, theirs), vulnerable, False, laws, plain)
        trick_equities(POLICY, elder, (mine + 1, theirs), vulnerable, False, laws, more)
        same = plain[:6] == more[:6] and mine >= target - 5
        assert hides_king(mine, theirs, vulnerable[1], target) is same
        hidden += same
    assert hidden == 2


@pytest.mark.parametrize("laws", [Laws(), Laws(play="ordinary"), Laws(enforcement="claims")])
def test_evaluated_hands_match_possible_deals(laws: Laws) -> None:
    rng = Random(1)
    compared = 0
    for view in card_views(25, 8, laws):
        at = info_state(view)
        assert at is not None
        possible = possible_deals(view)
        assert binomial(at.unseen.bit_count(), at.size) == possible.hands
        other = 1 - view.viewer
        for _ in range(3):
            held = possible.sample(rng).hands[other]
            assert at.sure & ~held == 0
            assert held & ~(at.sure | at.unseen) == 0
            assert held.bit_count() == at.size + at.sure.bit_count()
        compared += 1
    assert compared > 60


def test_best_card_is_legal_even_in_ties() -> None:
    for view in card_views(15, 3):
        at = info_state(view)
        assert at is not None
        legal = view.hand
        if view.led != NO_CARD:
            legal = legal_replies(view.hand, view.led, view.turn_up >> 3, True)
        for one in cards_in(legal):
            assert best_card(at, [int(c == one) for c in range(32)]) == one
        assert legal >> best_card(at, [0] * 32) & 1
