"""Refusal messages, laws and faults of betting."""

from __future__ import annotations

import pytest

from casino import betting
from casino.betting import Cover, close, enter_bet, parse_betting_rules, settle
from casino.ecarte import CHALLENGER, HOUSE
from casino.errors import InvariantError, LawsError, Refused
from tests.betting.notation import book_of


@pytest.mark.parametrize(
    ("side", "said"),
    [
        (CHALLENGER, "you have bet on the other side of this game: add to that bet"),
        (HOUSE, "you may bet 2.50 chips on a game and have bet 1.00: bet 1.50 or less"),
    ],
)
def test_g2_g5_refusal_says_what_to_do(side: int, said: str) -> None:
    book = book_of("ann H 100")._replace(limits=betting.BetSizeLimits(1, 1000, 250, 1000))
    with pytest.raises(Refused) as caught:
        enter_bet(book, "ann", side, 151, 10**6)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("gallery_stakes", "double", "law gallery_stakes: double must be game or single"),
        ("gallery_stakes", 1, "law gallery_stakes: 1 must be game or single"),
        ("matching", "first", "law matching: first must be pro_rata or last_in_first_out"),
        ("commission_base", "net", "law commission_base: net must be winnings or gross"),
        ("commission_bp", -1, "law commission_bp: -1 must be a whole number from 0 to 10000"),
        ("commission_bp", True, "law commission_bp: True must be a whole number from 0 to 10000"),
        ("commission_bp", 5.0, "law commission_bp: 5.0 must be a whole number from 0 to 10000"),
        ("principal_commission_bp", 10_001,
         "law principal_commission_bp: 10001 must be a whole number from 0 to 10000"),
    ],
)  # fmt: skip
def test_invalid_law_is_refused(name: str, value: object, said: str) -> None:
    with pytest.raises(LawsError) as caught:
        parse_betting_rules({name: value})
    assert str(caught.value) == said


def test_unknown_law_is_refused() -> None:
    with pytest.raises(LawsError, match="law tips is unknown: choose one of gallery_stakes, "):
        parse_betting_rules({"tips": 1})


@pytest.mark.parametrize("multiplier", [0, 4, -1])
def test_g10_multiplier_is_one_to_three(multiplier: int) -> None:
    closing = close(book_of("ann H 100; ben C 100"), Cover())
    with pytest.raises(InvariantError):
        settle(closing, HOUSE, multiplier)
