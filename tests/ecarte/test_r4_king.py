"""R4 marking the king of trumps."""

from __future__ import annotations

import pytest

from casino.ecarte import CHALLENGER, HOUSE, LEADING, NO_SEAT, OVER, Deal
from tests.ecarte.board import begun, legal, points, refused, say, score

WITH = "KD QS JS AS TS"
WITHOUT = "KH QH 9S 8S 7S"
OTHERS = "KC QC JC AC TC"


def elder_holds(tokens: str, score: str = "0-0") -> Deal:
    return begun(tokens, WITH, WITHOUT, "7D", score=score)


def dealer_holds(tokens: str, score: str = "0-0") -> Deal:
    return begun(tokens, OTHERS, "KD 8D 9S 8S 7S", "7D", score=score)


def test_r4_1_the_elder_marks_before_his_first_lead() -> None:
    deal = elder_holds("S")
    assert "K" in legal(deal)
    deal = say(deal, "K")
    assert (points(deal), deal.marked, deal.turn, deal.phase) == ((1, 0), CHALLENGER, 1, LEADING)
    assert "K" not in legal(deal)


def test_r4_1_the_king_may_be_the_first_card() -> None:
    assert points(say(elder_holds("S"), "K KD")) == (1, 0)


def test_r4_1_the_dealer_marks_before_he_answers() -> None:
    deal = dealer_holds("S KC")
    assert legal(deal) == {"8D", "KD", "K", "C"}
    deal = say(deal, "K")
    assert (points(deal), deal.marked, deal.turn) == ((0, 1), HOUSE, HOUSE)
    assert points(say(deal, "KD")) == (0, 1)


@pytest.mark.parametrize("tokens", ["", "P", "P A", "P R KD", "S KD"])
def test_r4_1_nobody_marks_before_his_turn_to_play(tokens: str) -> None:
    deal = elder_holds(tokens)
    assert "K" not in legal(deal)
    refused(deal, "K")


def test_r4_1_who_does_not_hold_it_cannot_mark() -> None:
    assert refused(dealer_holds("S"), "K") == ("no_king", "R4.1")
    assert refused(elder_holds("S QS"), "K") == ("no_king", "R4.1")


def test_r4_1_a_king_turned_up_is_nobodys() -> None:
    deal = begun("S", "QD QS JS AS TS", WITHOUT, "KD")
    assert refused(deal, "K") == ("no_king", "R4.1")


def test_r4_1_the_king_is_marked_once() -> None:
    assert refused(elder_holds("S K"), "K") == ("already_marked", "R4.1")


def test_r4_1_a_king_drawn_counts_like_a_king_dealt() -> None:
    deal = begun("P A XTS X7S S", "KS QS JS AS TS", WITHOUT, "7D", "KD")
    assert points(say(deal, "K")) == (1, 0)


def test_r4_1_a_king_discarded_is_gone() -> None:
    deal = elder_holds("P A XKD X7S S")
    assert refused(deal, "K") == ("no_king", "R4.1")


def test_r4_2_the_first_card_ends_the_elders_right() -> None:
    deal = elder_holds("S JS 9S")
    assert deal.turn == CHALLENGER
    assert refused(deal, "K") == ("mark_too_late", "R4.2")
    assert "K" not in legal(deal)


def test_r4_2_the_king_led_unannounced_is_too_late() -> None:
    deal = elder_holds("S KD 7S")
    assert deal.turn == CHALLENGER
    assert refused(deal, "K") == ("mark_too_late", "R4.2")


def test_r4_2_the_first_card_ends_the_dealers_right() -> None:
    deal = dealer_holds("S KC 8D")
    assert deal.turn == HOUSE
    assert refused(deal, "K") == ("mark_too_late", "R4.2")


def test_r4_3_silence_is_legal() -> None:
    deal = elder_holds("S KD 7S QS 9S JS 8S AS KH TS QH")
    assert (deal.phase, deal.marked, points(deal)) == (OVER, NO_SEAT, (1, 0))


@pytest.mark.parametrize(
    ("deal", "final"),
    [(elder_holds("S K", "4-4"), (5, 4)), (dealer_holds("P R KC K", "3-4"), (3, 5))],
    ids=["elder", "dealer"],
)
def test_r4_4_a_mark_can_end_the_game(deal: Deal, final: tuple[int, int]) -> None:
    assert (score(deal), deal.phase, deal.turn, legal(deal)) == (final, OVER, NO_SEAT, set())
    for said in ("K", "C", "KD", "P", "V"):
        assert refused(deal, said) == ("game_over", "R7.1")
