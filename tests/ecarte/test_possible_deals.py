"""What a seat may believe: counted exactly, sampled evenly, never impossible."""

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

from casino.ecarte import (
    CHALLENGER,
    DEALING,
    EXPOSED,
    GALLERY,
    HOUSE,
    NO_CARD,
    PACK,
    Action,
    Card,
    Deal,
    Laws,
    View,
    apply,
    card_set,
    cards,
    cards_in,
    deal_cards,
    exchange,
    legal_actions,
    parse_token,
    position_of_view,
    possible_deals,
    set_up,
    turn_up,
    view,
)
from casino.ecarte.actions import CLAIM, CONCEDE, HIDDEN_EXCHANGE, exchanged_number
from casino.errors import IllegalAction, PositionError

SMALL = cards("KS QS 7S KH 7H QD KC")
"""Two hands of two cards, a turn-up and a stock of two."""


def course(laws: Laws, pack: Sequence[Card], rng: Random, exposures: int = 0) -> Iterator[Deal]:
    """The states of a random deal in which nobody claims or gives up early."""
    deck = rng.sample(list(pack), len(pack))
    deal = deal_cards(laws, rng.randrange(2), deck)
    for _ in range(exposures):
        deal = apply(deal, rng.choice([one for one in legal_actions(deal) if one >= 64]))
        yield deal
    if deal.phase == EXPOSED:
        deal = apply(deal, parse_token("O"))
    deal = turn_up(deal)
    yield deal
    while actions := [one for one in legal_actions(deal) if one not in (CLAIM, CONCEDE)]:
        deal = apply(deal, rng.choice(actions))
        yield deal


def every_deal(
    seen: View, pack: Sequence[Card]
) -> set[tuple[tuple[Card, ...], tuple[Action, ...]]]:
    known = set(seen.deck)
    unseen = [one for one in pack if one not in known]
    hidden = [exchanged_number(action) for action in seen.history if action & HIDDEN_EXCHANGE]
    found = set()
    for order in permutations(unseen):
        rest = iter(order)
        deck = tuple(next(rest) if one == NO_CARD else one for one in seen.deck)
        for discards in product(*(combinations(pack, number) for number in hidden)):
            given = iter(discards)
            history = tuple(
                exchange(card_set(next(given))) if action & HIDDEN_EXCHANGE else action
                for action in seen.history
            )
            try:
                deal = position_of_view(seen)._replace(deck=deck, history=history).deal()
            except IllegalAction:
                continue
            if view(deal, seen.viewer) == seen:
                found.add((deck, history))
    return found


LAWS = [Laws(), Laws(play="ordinary", packets=(2, 3)), Laws(enforcement="claims")]


@pytest.mark.parametrize("laws", LAWS, ids=["strict", "ordinary", "claims"])
@given(seed=st.integers(0, 1 << 32), exposures=st.integers(0, 3))
def test_no_sample_is_impossible(laws: Laws, seed: int, exposures: int) -> None:
    rng = Random(seed)
    for deal in course(laws, PACK, rng, exposures):
        for seat in (HOUSE, CHALLENGER):
            if deal.phase in (DEALING, EXPOSED):
                continue
            seen = view(deal, seat)
            assert view(possible_deals(seen).sample(rng), seat) == seen


@pytest.mark.parametrize("play", ["strict", "ordinary"])
@pytest.mark.parametrize("exposures", [0, 1, 2])
def test_the_count_is_that_of_a_full_enumeration(play: str, exposures: int) -> None:
    laws = Laws(play=play, packets=(1, 1))
    for seed in range(12):
        for deal in course(laws, SMALL, Random(seed), exposures):
            if deal.phase in (DEALING, EXPOSED):
                continue
            seen = view(deal, HOUSE)
            deals = possible_deals(seen, SMALL)
            found = every_deal(seen, SMALL)
            assert deals.count == len(found), seen.history
            assert deals.hands == len({final_hand(seen, *deal) for deal in found})


def final_hand(seen: View, deck: tuple[Card, ...], history: tuple[Action, ...]) -> int:
    return position_of_view(seen)._replace(deck=deck, history=history).deal().kept[1 - seen.viewer]


@pytest.mark.parametrize(("seed", "exposures"), [(1, 0), (4, 0), (3, 1), (8, 2), (11, 2)])
def test_all_possible_deals_are_equally_likely(seed: int, exposures: int) -> None:
    laws = Laws(packets=(1, 1))
    rng = Random(seed)
    for deal in course(laws, SMALL, Random(seed), exposures):
        seen = view(deal, CHALLENGER)
        if deal.phase in (DEALING, EXPOSED):
            continue
        found = every_deal(seen, SMALL)
        deals = possible_deals(seen, SMALL)
        drawn = Counter(
            (deal.deck, deal.history)
            for deal in (deals.sample(rng) for _ in range(10 * len(found)))
        )
        assert set(drawn) <= found
        squares = sum((drawn[deal] - 10) ** 2 / 10 for deal in found)
        free = len(found) - 1
        assert squares < free + 4.5 * (2 * free) ** 0.5 + 1


class Line(NamedTuple):
    """What the dealer of a published deal held and both said; what the elder then knows of him."""

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
    "thrown: void and no trump": Line("8D 7C 8C 9C TC", "S QS 8D", "8D", "KS AS 8S KH QH 9H"),
    "the king announced": Line("KH AS 7C 8C 9C", "S QS K AS", "KH AS", "KS"),
    "silence proves nothing": Line("KH AS 7C 8C 9C", "S QS AS", "AS", "KS"),
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_r5_2_what_is_proved_and_no_more(line: Line) -> None:
    elder = "QS 7S 7H KD QD"
    deal = set_up(elder, line.dealer, turn_up="8H").deal(PACK)
    for action in map(parse_token, line.said.split()):
        deal = apply(deal, action)
    deals = possible_deals(view(deal, CHALLENGER))
    rng = Random(7)
    hands = [deals.sample(rng).kept[HOUSE] for _ in range(400)]
    surely, never = card_set(cards(line.surely)), card_set(cards(line.never))
    known = card_set(cards(elder + " 8H"))
    assert all(hand & surely == surely and not hand & (never | known) for hand in hands)
    seen = 0
    for hand in hands:
        seen |= hand
    refuted = cards_in(card_set(PACK) & ~seen & ~known)
    assert set(cards(line.never)) <= set(refuted)
    assert deals.hands == math.comb(
        26 - len(refuted) - len(cards(line.surely)), 5 - len(cards(line.surely))
    )


def test_r8_5_under_claims_a_reply_proves_nothing() -> None:
    deal = set_up("QS 7S 7H KD QD", "8D 7C 8C 9C TC", "8H", laws=Laws(enforcement="claims"))
    state = deal.deal(PACK)
    for action in map(parse_token, ["S", "QS", "8D"]):
        state = apply(state, action)
    assert possible_deals(view(state, CHALLENGER)).hands == math.comb(25, 4)


def test_only_a_seat_has_possible_deals_and_none_after_a_claim() -> None:
    laws = Laws(enforcement="claims")
    deal = set_up("QS 7S 7H KD QD", "KS 7C 8C 9C TC", "8H", laws=laws).deal(PACK)
    for action in map(parse_token, ["S", "QS", "7C", "V"]):
        deal = apply(deal, action)
    with pytest.raises(PositionError, match="claimed"):
        possible_deals(view(deal, CHALLENGER))
    with pytest.raises(PositionError, match="gallery"):
        possible_deals(view(deal, GALLERY))


def test_r8_4_a_card_led_out_of_turn_and_taken_back_is_known() -> None:
    laws = Laws(enforcement="claims")
    deal = set_up("QS 7S 7H KD QD", "KS 7C 8C 9C TC", "8H", laws=laws).deal(PACK)
    for action in map(parse_token, ["S", "L9C", "W", "QS"]):
        deal = apply(deal, action)
    deals = possible_deals(view(deal, CHALLENGER))
    assert deals.hands == math.comb(25, 4)
    assert all(deals.sample(Random(at)).hands[HOUSE] >> cards("9C")[0] & 1 for at in range(50))
