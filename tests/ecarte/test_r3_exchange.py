"""R3 proposing and exchanging."""

from __future__ import annotations

import pytest

from casino.ecarte import (
    ANSWERING,
    CHALLENGER,
    DEALER_EXCHANGE,
    ELDER_EXCHANGE,
    HOUSE,
    LEADING,
    NO_SEAT,
    PROPOSING,
    Deal,
)
from tests.ecarte.board import (
    DEALER,
    ELDER,
    FIVES,
    TOP,
    begun,
    hand,
    in_order,
    legal,
    refused,
    say,
    stock,
)


def drawn(tokens: str) -> Deal:
    """A deal of the usual hands with the stock in a known order, some tokens on."""
    return begun(tokens, ELDER, DEALER, "7D", TOP)


def test_r3_1_the_elder_stands_or_proposes() -> None:
    deal = drawn("")
    assert (deal.phase, deal.turn, legal(deal)) == (PROPOSING, CHALLENGER, {"P", "S"})


@pytest.mark.parametrize("said", ["KS", "A", "R", "K", "C", "XKS", "W", "N", "O"])
def test_r3_1_nothing_else_comes_first(said: str) -> None:
    deal = drawn("")
    assert refused(deal, said)[0] in {
        "decision_due", "no_proposal", "not_accepted", "nothing_to_take_back", "not_exposed",
    }  # fmt: skip


def test_r3_2_the_dealer_accepts_or_refuses() -> None:
    deal = drawn("P")
    assert (deal.phase, deal.turn, legal(deal)) == (ANSWERING, HOUSE, {"A", "R"})
    assert refused(deal, "KH") == ("answer_due", "R3.2")


def test_r3_2_after_a_refusal_the_cards_are_played() -> None:
    deal = drawn("P R")
    assert (deal.phase, deal.turn) == (LEADING, CHALLENGER)
    assert hand(deal, CHALLENGER) == in_order(ELDER)
    assert hand(deal, HOUSE) == in_order(DEALER)


def test_r3_3_the_elder_exchanges_first() -> None:
    deal = drawn("P A")
    assert (deal.phase, deal.turn) == (ELDER_EXCHANGE, CHALLENGER)
    deal = say(deal, "XTSAS")
    assert hand(deal, CHALLENGER) == in_order("KS QS JS 7C 8C")
    assert (deal.phase, deal.turn) == (DEALER_EXCHANGE, HOUSE)
    deal = say(deal, "X7S")
    assert hand(deal, HOUSE) == in_order("KH QH 9S 8S 9C")
    assert (deal.phase, deal.turn) == (PROPOSING, CHALLENGER)
    assert stock(deal) == " ".join(TOP.split()[3:])


@pytest.mark.parametrize("tokens", ["P A", "P A XKS"])
def test_r3_3_one_to_five_cards(tokens: str) -> None:
    deal = drawn(tokens)
    exchanges = legal(deal)
    assert len(exchanges) == 31
    assert {len(said) // 2 for said in exchanges} == {1, 2, 3, 4, 5}
    assert refused(deal, "X") == ("too_few", "R3.3")


@pytest.mark.parametrize("said", ["XKC", "XKSKH", "X7C", "XKSQSJSASTS9S"])
def test_r3_3_only_held_cards_are_exchanged(said: str) -> None:
    assert refused(drawn("P A"), said) == ("not_held", "R3.3")


def test_r3_3_the_discards_are_never_seen_again() -> None:
    deal = drawn("P A XKS X7S P A XQS X8S")
    for gone in ("KS", "QS", "7S", "8S"):
        assert gone not in hand(deal, HOUSE) + hand(deal, CHALLENGER) + stock(deal)
    assert refused(say(deal, "P A"), "XKS") == ("not_held", "R3.3")


def test_r3_3_the_order_of_the_discards_means_nothing() -> None:
    assert drawn("P A XKSTS") == drawn("P A XTSKS")


def test_r3_4_proposals_go_on_as_long_as_there_is_stock() -> None:
    deal = drawn("P A XKS X7S P A XQS X8S P A XJS X9S")
    assert legal(deal) == {"P", "S"}
    assert say(deal, "S").phase == LEADING
    assert say(deal, "P R").phase == LEADING


def test_r3_4_with_an_empty_stock_play_begins() -> None:
    deal = drawn(f"{FIVES} P A XKD X")
    assert (deal.stock, deal.phase, deal.turn) == (0, LEADING, CHALLENGER)
    assert refused(deal, "P") == ("no_stock", "R3.4")
    assert refused(deal, "S") == ("stand_too_late", "R3.4")


@pytest.mark.parametrize("number", [2, 3, 4, 5])
def test_r3_5_nobody_asks_for_more_than_the_stock_holds(number: int) -> None:
    deal = drawn(f"{FIVES} P A")
    held = hand(deal, CHALLENGER).split()
    assert legal(deal) == {"X" + one for one in held}
    assert refused(deal, "X" + "".join(held[:number])) == ("too_many", "R3.5")


def test_r3_5_the_dealer_keeps_his_hand_when_the_elder_took_the_last_card() -> None:
    deal = drawn(f"{FIVES} P A")
    deal = say(deal, "X" + hand(deal, CHALLENGER).split()[0])
    assert (deal.stock, deal.phase, legal(deal)) == (0, DEALER_EXCHANGE, {"X"})
    before = hand(deal, HOUSE)
    assert refused(deal, "X" + before.split()[0]) == ("too_many", "R3.5")
    assert hand(say(deal, "X"), HOUSE) == before


def test_r3_5_the_dealer_may_take_the_last_card() -> None:
    deal = drawn("P A XKSQSJSASTS XKHQH9S8S7S P A X7C8C9CTCAC XJCQCKC8D")
    assert deal.stock == 2
    deal = say(deal, "P A X" + hand(deal, CHALLENGER).split()[0])
    assert {len(said) for said in legal(deal)} == {3}
    assert say(deal, "X" + hand(deal, HOUSE).split()[0]).phase == LEADING


@pytest.mark.parametrize(
    ("tokens", "said", "refusal"),
    [
        ("P", "P", ("answer_due", "R3.2")),
        ("P", "S", ("stand_too_late", "R3.4")),
        ("P A", "R", ("no_proposal", "R3.2")),
        ("P A XKS", "XQS", ("not_held", "R3.3")),
        ("P A XKS X7S", "X8S", ("not_accepted", "R3.3")),
        ("P R", "A", ("no_proposal", "R3.2")),
        ("P R", "P", ("propose_too_late", "R3.6")),
        ("S", "P", ("propose_too_late", "R3.6")),
        ("S KS", "P", ("propose_too_late", "R3.6")),
    ],
)
def test_r3_6_nothing_said_is_taken_back(tokens: str, said: str, refusal: tuple[str, str]) -> None:
    assert refused(drawn(tokens), said) == refusal


@pytest.mark.parametrize(
    ("tokens", "vulnerable"),
    [
        ("S", CHALLENGER),
        ("P R", HOUSE),
        ("P A XKS X7S S", NO_SEAT),
        ("P A XKS X7S P R", NO_SEAT),
        ("P A XKS X7S P A XQS X8S S", NO_SEAT),
        (f"{FIVES} P A XKD X", NO_SEAT),
    ],
)
def test_r3_7_only_the_first_decision_carries_a_penalty(tokens: str, vulnerable: int) -> None:
    deal = drawn(tokens)
    assert (deal.phase, deal.vulnerable) == (LEADING, vulnerable)


@pytest.mark.parametrize("tokens", ["", "P", "P A", "P A XKS", "P A XKS X7S"])
def test_r3_7_nobody_is_vulnerable_while_they_talk(tokens: str) -> None:
    assert drawn(tokens).vulnerable == NO_SEAT
