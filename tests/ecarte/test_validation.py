"""What a caller of the library may get wrong: each mistake has a clear error of its own."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from casino.ecarte import (
    CHALLENGER,
    HOUSE,
    PACK,
    Laws,
    after_deal,
    deal_cards,
    format_position,
    new_deal,
    new_game,
    next_deal,
    parse_position,
    position_of_deal,
    position_of_view,
    possible_deals,
    replay,
    set_up,
    stake,
    view,
    winner,
)
from casino.ecarte.observation import encoding
from casino.errors import CardsError, InputError, LawsError, PositionError

LAWS = Laws()
DEAL = new_deal(LAWS, HOUSE, PACK)
SEEN = view(DEAL, HOUSE)
GAME = new_game(LAWS, HOUSE)


@pytest.mark.parametrize(
    ("deck", "said"),
    [
        ([*PACK[:31], PACK[0]], "KS is repeated"),
        ((PACK[0],) * 32, "KS is repeated"),
        (PACK[:10], "10 cards are too few"),
        ([], "0 cards are too few"),
        ([*PACK[:31], 32], "32 is not a card"),
        ([*PACK[:31], -1], "ints from 0 to 31"),
        ([*PACK[:31], "KS"], "ints from 0 to 31"),
        ([*PACK[:31], 7.0], "ints from 0 to 31"),
        ("KSQS", "ints from 0 to 31"),
        (None, "ints from 0 to 31"),
    ],
)
def test_r2_3_what_is_no_pack_is_refused(deck: Any, said: str) -> None:
    with pytest.raises(CardsError, match=said):
        new_deal(LAWS, HOUSE, deck)


def test_a_pack_may_be_any_sequence_of_ints() -> None:
    assert new_deal(LAWS, HOUSE, list(PACK)) == new_deal(LAWS, HOUSE, PACK)
    assert all(type(card) is int for card in deal_cards(LAWS, HOUSE, [True, 0, *range(2, 32)]).deck)
    assert new_deal(LAWS, HOUSE, PACK[:11]).stock == 0


@pytest.mark.parametrize("seat", [2, -1, True, False, None, "house", 0.0])
def test_r1_1_who_has_no_seat_does_not_deal(seat: Any) -> None:
    with pytest.raises(InputError, match="the dealer must be HOUSE"):
        new_deal(LAWS, seat, PACK)
    with pytest.raises(InputError, match="the first dealer must be HOUSE"):
        new_game(LAWS, seat)


@pytest.mark.parametrize(
    ("laws", "said"),
    [
        (Laws(target=0), "law target: 0"),
        (Laws(target=True), "law target: True"),
        (Laws(play="loose"), "law play: 'loose'"),
        (Laws(packets=(3, 2, 1)), "law packets"),  # type: ignore[arg-type]
        (Laws(packets=(-1, 6)), "law packets"),
        (Laws(enforcement="none"), "law enforcement: 'none'"),
        (("strict",), "the laws must be Laws"),
        ({"target": 7}, "the laws must be Laws"),
    ],
)
def test_laws_that_nobody_knows_are_refused(laws: Any, said: str) -> None:
    with pytest.raises(LawsError, match=said):
        new_deal(laws, HOUSE, PACK)
    with pytest.raises(LawsError, match=said):
        new_game(laws, HOUSE)


@pytest.mark.parametrize(
    "score", [(5, 0), (0, 7), (-1, 0), (1.0, 2), (True, 0), None, 3, "31", (1, 2, 3), ("1", 2)]
)
def test_r7_1_no_deal_begins_at_an_impossible_score(score: Any) -> None:
    with pytest.raises(PositionError):
        new_deal(LAWS, CHALLENGER, PACK, score)
    with pytest.raises(PositionError):
        set_up("7H KC", score=score)


@pytest.mark.parametrize(
    ("call", "given", "said"),
    [
        (lambda given: view(given, HOUSE), SEEN, "must be a Deal, not a View"),
        (lambda given: view(given, HOUSE), GAME, "must be a Deal, not a Game"),
        (lambda given: view(given, HOUSE), None, "must be a Deal, not None"),
        (possible_deals, DEAL, "must be a View, not a Deal"),
        (encoding.observation, DEAL, "must be a View, not a Deal"),
        (encoding.information_state, DEAL, "must be a View, not a Deal"),
        (position_of_deal, SEEN, "must be a Deal, not a View"),
        (position_of_view, DEAL, "must be a View, not a Deal"),
        (format_position, DEAL, "must be a Position, not a Deal"),
        (lambda given: next_deal(given, Random(1)), DEAL, "must be a Game, not a Deal"),
        (lambda given: next_deal(GAME, given), None, "must have a method randrange"),
        (lambda given: after_deal(given, DEAL), DEAL, "must be a Game, not a Deal"),
        (winner, DEAL, "must be a Game, not a Deal"),
        (stake, DEAL, "must be a Game, not a Deal"),
        (replay, "{}", "must be a Record, not '{}'"),
        (set_up, None, "a list of cards must be a str, not None"),
        (parse_position, None, "line must be a str, not None"),
    ],
)
def test_an_object_of_another_class_is_refused(
    call: Callable[[Any], Any], given: Any, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        call(given)
