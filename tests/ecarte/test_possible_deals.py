"""Possible deals: counted exactly, sampled uniformly, never impossible."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino import ecarte
from casino.ecarte import CHALLENGER, GALLERY, HOUSE, NO_CARD, Card, Deal, Laws, View
from casino.ecarte.actions import CLAIM, CONCEDE, HIDDEN_EXCHANGE, exchanged_number
from casino.errors import IllegalAction, PositionError
from tests.ecarte.deal_helpers import begun, say

ELDER = "QS 7S 7H KD QD"
SMALL = ecarte.cards("KS QS 7S KH 7H QD KC")
"""Two hands of two cards, a turn-up and a stock of two."""


def course(laws: Laws, pack: Sequence[Card], rng: Random, exposures: int = 0) -> Iterator[Deal]:
    """Yield the states of a random deal without claims and early concessions.

    The deal ends where cards are exchanged after one was exposed: such views are refused.
    """
    deck = rng.sample(list(pack), len(pack))
    deal = ecarte.deal_cards(laws, rng.randrange(2), deck)
    for _ in range(exposures):
        deal = ecarte.apply(
            deal, rng.choice([one for one in ecarte.legal_actions(deal) if one >= 64])
        )
    if deal.phase == ecarte.EXPOSED:
        deal = ecarte.apply(deal, ecarte.parse_token("O"))
    deal = ecarte.turn_up(deal)
    yield deal
    while actions := [one for one in ecarte.legal_actions(deal) if one not in (CLAIM, CONCEDE)]:
        deal = ecarte.apply(deal, rng.choice(actions))
        if deal.irregular.exposed and deal.exchanged:
            return
        yield deal


def every_deal(seen: View, pack: Sequence[Card]) -> set[Deal]:
    known = set(seen.deck)
    unseen = [one for one in pack if one not in known]
    hidden = [exchanged_number(action) for action in seen.history if action & HIDDEN_EXCHANGE]
    found = set[Deal]()
    for order in permutations(unseen):
        rest = iter(order)
        deck = tuple(next(rest) if one == NO_CARD else one for one in seen.deck)
        for discards in product(*(combinations(pack, number) for number in hidden)):
            given = iter(discards)
            history = tuple(
                ecarte.exchange(ecarte.card_set(next(given)))
                if action & HIDDEN_EXCHANGE
                else action
                for action in seen.history
            )
            try:
                deal = ecarte.position_of_view(seen)._replace(deck=deck, history=history).deal()
            except IllegalAction:
                continue
            if ecarte.view(deal, seen.viewer) == seen:
                found.add(deal)
    return found


LAWS = [Laws(), Laws(play="ordinary", packets=(2, 3)), Laws(enforcement="claims")]


@pytest.mark.parametrize("laws", LAWS, ids=["strict", "ordinary", "claims"])
@given(seed=st.integers(0, 1 << 32), exposures=st.integers(0, 3))
def test_sampled_deals_match_the_view(laws: Laws, seed: int, exposures: int) -> None:
    rng = Random(seed)
    for deal in course(laws, ecarte.PACK, rng, exposures):
        for seat in (HOUSE, CHALLENGER):
            seen = ecarte.view(deal, seat)
            assert ecarte.view(ecarte.possible_deals(seen).sample(rng), seat) == seen


@pytest.mark.parametrize("play", ["strict", "ordinary"])
@pytest.mark.parametrize("exposures", [0, 1, 2])
def test_count_matches_full_enumeration(play: str, exposures: int) -> None:
    laws = Laws(play=play, packets=(1, 1))
    for seed in range(12):
        for deal in course(laws, SMALL, Random(seed), exposures):
            seen = ecarte.view(deal, HOUSE)
            deals = ecarte.possible_deals(seen, SMALL)
            found = every_deal(seen, SMALL)
            assert deals.count == len(found), seen.history
            assert deals.hands == len({one.kept[CHALLENGER] for one in found})


@pytest.mark.parametrize(("seed", "exposures"), [(1, 0), (4, 0), (3, 1), (8, 2), (11, 2)])
def test_possible_deals_are_sampled_uniformly(seed: int, exposures: int) -> None:
    laws = Laws(packets=(1, 1))
    rng = Random(seed)
    for deal in course(laws, SMALL, Random(seed), exposures):
        seen = ecarte.view(deal, CHALLENGER)
        found = every_deal(seen, SMALL)
        deals = ecarte.possible_deals(seen, SMALL)
        drawn = Counter(deals.sample(rng) for _ in range(10 * len(found)))
        assert set(drawn) <= found
        squares = sum((drawn[deal] - 10) ** 2 / 10 for deal in found)
        free = len(found) - 1
        assert squares < free + 4.5 * (2 * free) ** 0.5 + 1


class Line(NamedTuple):
    """The dealer's hand and the tokens of a deal; what the elder then knows of that hand."""

    dealer: str
    said: str
    surely: str
    never: str


LINES = {
    "nothing is said": Line("KH AS 7C 8C 9C", "P", "", ""),
    "a refusal proves nothing": Line("KH AS 7C 8C 9C", "P R", "", ""),
    "a lead proves that card": Line("KH JS 7C 8C 9C", "S 7S JS 7C", "JS 7C", ""),
    "followed low: nothing higher": Line("9S 7C 8C 9C TC", "S QS 9S", "9S", "KS"),
    "followed high: all is open": Line("9S 7C 8C 9C TC", "S 7S 9S", "9S", ""),
    "ruffed: void": Line("9H 7C 8C 9C TC", "S QS 9H", "9H", "KS JS AS TS 9S 8S"),
    "thrown: void and no trump": Line(
        "8D 7C 8C 9C TC", "S QS 8D", "8D", "KS JS AS TS 9S 8S KH QH JH AH TH 9H"
    ),
    "the king announced": Line("KH AS 7C 8C 9C", "S QS K AS", "KH AS", "KS"),
    "silence proves nothing": Line("KH AS 7C 8C 9C", "S QS AS", "AS", "KS"),
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_r5_2_replies_exclude_exactly_the_proved_cards(line: Line) -> None:
    deal = begun(line.said, ELDER, line.dealer, "8H")
    deals = ecarte.possible_deals(ecarte.view(deal, CHALLENGER))
    rng = Random(7)
    hands = [deals.sample(rng).kept[HOUSE] for _ in range(400)]
    surely, never = ecarte.cards(line.surely), ecarte.cards(line.never)
    assert all(set(ecarte.cards_in(hand)) >= set(surely) for hand in hands)
    sampled = {held for hand in hands for held in ecarte.cards_in(hand)}
    assert set(ecarte.PACK) - sampled == {*ecarte.cards(ELDER + " 8H"), *never}
    assert deals.hands == math.comb(26 - len(never) - len(surely), 5 - len(surely))


def test_r8_5_reply_proves_nothing_under_claims() -> None:
    deal = begun("S QS 8D", ELDER, "8D 7C 8C 9C TC", "8H", enforcement="claims")
    assert ecarte.possible_deals(ecarte.view(deal, CHALLENGER)).hands == math.comb(25, 4)


def test_possible_deals_need_a_seat_no_claim_and_no_exposed_card_exchanged() -> None:
    deal = begun("S QS 7C V", ELDER, "KS 7C 8C 9C TC", "8H", enforcement="claims")
    with pytest.raises(PositionError, match="claimed"):
        ecarte.possible_deals(ecarte.view(deal, CHALLENGER))
    with pytest.raises(PositionError, match="gallery"):
        ecarte.possible_deals(ecarte.view(deal, GALLERY))
    exposed = say(ecarte.deal_cards(Laws(), HOUSE, ecarte.PACK), "EAS P A XKS XAS")
    with pytest.raises(PositionError, match="with cards exposed"):
        ecarte.possible_deals(ecarte.view(exposed, CHALLENGER))


def test_r8_4_card_taken_back_stays_known() -> None:
    deal = begun("S L9C W QS", ELDER, "KS 7C 8C 9C TC", "8H", enforcement="claims")
    deals = ecarte.possible_deals(ecarte.view(deal, CHALLENGER))
    assert deals.hands == math.comb(25, 4)
    assert all(
        deals.sample(Random(at)).hands[HOUSE] >> ecarte.cards("9C")[0] & 1 for at in range(50)
    )
