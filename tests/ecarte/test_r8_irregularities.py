"""R8 irregularities: cards exposed, leads out of turn, revokes."""

from __future__ import annotations

import pytest

from casino.ecarte import (
    ANNULLED,
    CHALLENGER,
    DEALING,
    EXPOSED,
    FOLLOWING,
    HOUSE,
    LEADING,
    NO_SEAT,
    OVER,
    Deal,
    Game,
    Laws,
    actor,
    after_deal,
    parse_token,
    turn_up,
)
from tests.ecarte.board import (
    begun,
    dealt,
    hand,
    in_order,
    led,
    legal,
    points,
    refused,
    say,
    score,
    tricks,
)

STRONG, WEAK = "KS QS JS AS TS", "9S 8S 7S 9H 8H"


def claims(tokens: str, elder: str = STRONG, dealer: str = WEAK, **laws: str) -> Deal:
    return begun(tokens, elder, dealer, "7D", enforcement="claims", **laws)


# --- exposed cards


@pytest.mark.parametrize("enforcement", ["strict", "claims"])
def test_r8_1_a_card_of_the_dealers_own_exposed(enforcement: str) -> None:
    deal = say(dealt(enforcement=enforcement), "EKH")
    assert (deal.phase, deal.turn) == (DEALING, HOUSE)
    assert "EKH" not in legal(deal)
    assert legal(turn_up(deal)) == {"P", "S"}


def test_r8_1_only_dealt_cards_can_be_exposed() -> None:
    assert len(legal(dealt())) == 10
    assert refused(dealt(), "E7D") == ("not_dealt", "R8.1")
    assert refused(dealt(), "EKC") == ("not_dealt", "R8.1")


def test_r8_1_a_card_is_exposed_once() -> None:
    assert refused(say(dealt(), "EKH"), "EKH") == ("exposed_twice", "R8.1")
    assert refused(say(dealt(), "EKS"), "EKS") == ("exposed_twice", "R8.1")


@pytest.mark.parametrize("tokens", ["", "P", "P A", "S", "S KS"])
def test_r8_1_cards_are_exposed_before_anything_else(tokens: str) -> None:
    assert refused(begun(tokens), "EKH") == ("exposed_too_late", "R8.1")


def test_r8_2_the_elder_has_a_word_on_his_own_card() -> None:
    deal = say(dealt(), "EKS")
    assert (deal.phase, deal.turn) == (EXPOSED, CHALLENGER)
    assert {"N", "O"} <= legal(deal)
    assert refused(deal, "P") == ("exposure_due", "R8.2")


def test_r8_2_more_cards_may_be_exposed_before_he_answers() -> None:
    for second in ("EQS", "EKH"):
        deal = say(dealt(), f"EKS {second}")
        assert (deal.phase, deal.turn) == (EXPOSED, CHALLENGER)


def test_r8_2_let_it_stand() -> None:
    deal = say(dealt(), "EKS O")
    assert (deal.phase, deal.turn) == (DEALING, HOUSE)
    assert say(deal, "EQS").phase == EXPOSED
    assert legal(turn_up(deal)) == {"P", "S"}


def test_r8_2_a_new_deal_annuls_this_one() -> None:
    deal = say(dealt(STRONG, WEAK, "KD", score="4-4"), "EKS N")
    assert (deal.phase, deal.turn, score(deal), legal(deal)) == (ANNULLED, NO_SEAT, (4, 4), set())
    game = after_deal(Game(Laws(), HOUSE, (4, 4)), deal)
    assert (game.dealer, game.score, game.over) == (HOUSE, (4, 4), False)
    for said in ("P", "EKS", "N", "C", "KS", "V"):
        refused(deal, said)


def test_r8_2_no_word_without_an_exposed_card() -> None:
    assert refused(dealt(), "N") == ("not_exposed", "R8.2")
    assert refused(say(dealt(), "EKH"), "O") == ("not_exposed", "R8.2")
    assert refused(begun("S"), "N") == ("not_exposed", "R8.2")


# --- cards played and led out of turn


def test_r8_3_a_played_card_is_not_taken_back() -> None:
    assert refused(begun("S KS"), "W") == ("nothing_to_take_back", "R8.4")
    assert refused(claims("S KS"), "W") == ("nothing_to_take_back", "R8.4")
    assert refused(claims("S L9S KS"), "W") == ("nothing_to_take_back", "R8.4")


@pytest.mark.parametrize("taken", [0, 1])
def test_r8_4_the_wrong_seat_leads(taken: int) -> None:
    deal = claims("S" + " KS 9S" * taken)
    assert {said for said in legal(deal) if said[0] == "L"} == {
        "L" + one for one in hand(deal, HOUSE).split()
    }
    deal = say(deal, "L8H")
    assert (deal.phase, deal.turn, deal.irregular.led_out) == (FOLLOWING, CHALLENGER, True)
    assert led(deal, "8H")
    assert "8H" not in hand(deal, HOUSE)


def test_r8_4_it_may_be_taken_back_until_it_is_answered() -> None:
    deal = claims("S L8H W")
    assert (deal.phase, deal.turn, deal.irregular.led_out) == (LEADING, CHALLENGER, False)
    assert hand(deal, HOUSE) == in_order(WEAK)
    assert actor(claims("S L8H"), parse_token("W")) == HOUSE


def test_r8_4_answered_it_stands() -> None:
    deal = claims("S L9S KS")
    assert (tricks(deal), deal.turn, deal.irregular.led_out) == ((1, 0), CHALLENGER, False)
    deal = claims("S L9H TS")
    assert (tricks(deal), deal.turn) == ((0, 1), HOUSE)


def test_r8_4_the_king_can_be_marked_before_answering() -> None:
    deal = claims("S L9S", "KD QS JS AS TS")
    assert "K" in legal(deal)
    assert points(say(deal, "K QS")) == (1, 0)


def test_r8_4_a_lead_taken_back_loses_no_right() -> None:
    deal = claims("S L9S W KS", STRONG, "KD 9S 8S 7S 9H")
    assert points(say(deal, "K")) == (0, 1)


def test_r8_4_conceding_answers_a_lead_out_of_turn() -> None:
    deal = claims("S L9S C")
    assert (deal.phase, tricks(deal), points(deal)) == (OVER, (0, 5), (0, 2))
    assert not deal.irregular.led_out


@pytest.mark.parametrize(
    ("tokens", "said", "refusal"),
    [
        ("S KS", "L9S", ("already_led", "R8.4")),
        ("S L9S", "L8S", ("already_led", "R8.4")),
        ("S", "LKS", ("not_held_out_of_turn", "R8.4")),
        ("P", "L9S", ("answer_due", "R3.2")),
    ],
)
def test_r8_4_what_is_no_lead_out_of_turn(tokens: str, said: str, refusal: tuple[str, str]) -> None:
    assert refused(claims(tokens), said) == refusal


def test_r8_4_refused_under_strict() -> None:
    assert refused(begun("S", STRONG, WEAK), "L9S") == ("no_lead_out", "R8.4")


# --- revokes


@pytest.mark.parametrize(
    ("dealer", "tokens", "play"),
    [
        ("KS 8S 7D KH 8H", "S QS 7D", "strict"),
        ("KS 8S 7D KH 8H", "S QS 8S", "strict"),
        ("KH 9H 8D 9C 8C", "S QS KH", "strict"),
        ("KS 8S 7D KH 8H", "S QS KH", "ordinary"),
    ],
    ids=["not following", "not winning", "not trumping", "not following, ordinary"],
)
def test_r8_5_what_a_revoke_is(dealer: str, tokens: str, play: str) -> None:
    deal = begun(tokens, "QS JS AS TS 9S", dealer, "9D", enforcement="claims", play=play)
    assert "V" in legal(deal)
    assert actor(deal, parse_token("V")) == CHALLENGER


@pytest.mark.parametrize("tokens", ["S QS KS", "S QS 8S", "S"])
def test_r8_5_only_a_real_revoke_can_be_claimed(tokens: str) -> None:
    deal = begun(tokens, "QS JS AS TS 9S", "KS 8S 7D KH 8H", "9D", enforcement="claims",
                 play="ordinary")  # fmt: skip
    assert refused(deal, "V") == ("no_revoke", "R8.5")


def test_r8_5_under_strict_the_card_is_refused() -> None:
    assert refused(begun("S QS", "QS JS AS TS 9S", "KS 8S 7H KH 8H"), "8S")[0] == "must_win"
    assert refused(begun("S"), "V") == ("no_claims", "R8.5")


REVOKE = ("KS QS JS 9S 8S", "AS TS 7S KD 8D")
"""The dealer answers spades with trumps though he could follow."""


def test_r8_5_the_hands_are_restored_and_played_again() -> None:
    deal = claims("S KS KD 8D QS V", *REVOKE)
    assert (deal.phase, deal.turn, tricks(deal)) == (LEADING, CHALLENGER, (0, 0))
    assert hand(deal, CHALLENGER) == in_order(REVOKE[0])
    assert hand(deal, HOUSE) == in_order(REVOKE[1])
    assert deal.irregular.offended == (True, False)
    assert refused(deal, "V") == ("no_revoke", "R8.5")


@pytest.mark.parametrize(
    ("first", "law", "scored"),
    [("S", 1, (0, 1)), ("P R", 1, (0, 0)), ("P R", 2, (0, 1)), ("P A X8C XKC S", 1, (0, 1))],
    ids=["2 for the vulnerable elder", "1 unexchanged", "2 by the club rule", "2 for the vole"],
)
def test_r8_5_the_offender_who_wins_scores_one_less(
    first: str, law: int, scored: tuple[int, int]
) -> None:
    drawn, kept = ("7C", "JC") if "X" in first else ("8C", "KC")
    tokens = f"{first} TS KD V TS AS KD 8H QD {drawn} KH 9H {kept} 9C"
    hands = ("TS 9H 8H 9C 8C", "AS KD QD KH KC", "7D", "7C JC")
    deal = begun(tokens, *hands, enforcement="claims", vole_unexchanged=law)
    assert (tricks(deal), points(deal)) == ((0, 5), scored)


@pytest.mark.parametrize(("first", "scored"), [("S", (1, 0)), ("P R", (2, 0))])
def test_r8_5_the_innocent_side_scores_normally(first: str, scored: tuple[int, int]) -> None:
    deal = claims(f"{first} KS KD V KS 7S QS TS JS AS 9S 8D KD 8S", *REVOKE)
    assert (tricks(deal), points(deal)) == ((3, 2), scored)


def test_r8_5_it_can_be_claimed_after_the_deal() -> None:
    over = claims("S KS KD 8D QS AS JS 9S TS 7S 8S", *REVOKE)
    assert (over.phase, points(over), legal(over)) == (OVER, (0, 2), {"V"})
    deal = say(over, "V")
    assert (deal.phase, points(deal), tricks(deal)) == (LEADING, (0, 0), (0, 0))
    assert refused(over, "P") == ("deal_over", "R7.1")


def test_r8_5_it_can_be_claimed_after_conceding() -> None:
    over = claims("S KS KD 8D QS C", *REVOKE)
    assert over.phase == OVER
    assert say(over, "V").phase == LEADING


def test_r8_5_not_after_the_end_of_the_game() -> None:
    deal = begun("S KS KD 8D QS AS JS 9S TS 7S 8S", *REVOKE, "7D", "", score="4-3",
                 enforcement="claims")  # fmt: skip
    assert score(deal) == (4, 5)
    assert legal(deal) == set()
    assert refused(deal, "V") == ("game_over", "R7.1")


def test_r8_5_a_marked_king_stays_marked() -> None:
    deal = claims("S KS K KD V", *REVOKE)
    assert (points(deal), deal.marked) == ((0, 1), HOUSE)
    assert refused(say(deal, "KS"), "K") == ("already_marked", "R4.1")


def test_r8_5_a_right_once_lost_stays_lost() -> None:
    deal = say(claims("S KS KD V", *REVOKE), "KS")
    assert "K" not in legal(deal)
    assert refused(deal, "K") == ("mark_too_late", "R4.2")


def test_r8_5_both_may_have_revoked() -> None:
    deal = claims("S KS KD 8D QS", "KS QS JS TD 9D", "AS TS 7S KD 8D")
    assert deal.irregular.revoked == (True, True)
    assert actor(deal, parse_token("V")) == NO_SEAT
    assert say(deal, "V").irregular.offended == (True, True)


def test_r8_5_a_revoke_in_the_replay_can_be_claimed_too() -> None:
    deal = claims("S KS KD V KS 8D V", *REVOKE)
    assert (deal.phase, tricks(deal), deal.irregular.offended) == (LEADING, (0, 0), (True, False))


def test_r8_5_an_answer_to_a_lead_out_of_turn_can_revoke() -> None:
    deal = claims("S LAS TD", "KS QS JS TD 9D", "AS TS 7S KD 8D")
    assert actor(deal, parse_token("V")) == HOUSE
