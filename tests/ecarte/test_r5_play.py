"""R5 the play."""

from __future__ import annotations

import pytest

from casino.ecarte import (
    CHALLENGER,
    FOLLOWING,
    HOUSE,
    LEADING,
    NO_CARD,
    NO_SEAT,
    OVER,
    card,
    cards,
    cards_in,
    format_card,
)
from casino.ecarte.rules import higher_cards, legal_replies, reply_wins
from tests.ecarte.board import begun, led, legal, legal_cards, points, refused, say, tricks

SPADES, HEARTS, DIAMONDS, CLUBS = range(4)


def replies(hand: str, lead: str, trumps: int, strict: bool = True) -> str:
    """The cards with which a hand may answer a lead, in the order of the pack."""
    bits = sum(1 << one for one in cards(hand))
    legal = legal_replies(bits, card(lead), trumps, strict)
    return " ".join(format_card(one) for one in cards_in(legal))


@pytest.mark.parametrize("tokens", ["S", "P R", "P A XKS X7S S", "P A XKS X7S P R"])
@pytest.mark.parametrize("seat", [HOUSE, CHALLENGER])
def test_r5_1_the_elder_leads(tokens: str, seat: int) -> None:
    deal = begun(tokens, "KS QS JS AS TS", "9S 8S 7S 9H 8H", "7D", "7C 8C", seat=seat)
    assert (deal.phase, deal.turn, deal.led) == (LEADING, deal.elder, NO_CARD)


def test_r5_1_any_card_may_be_led() -> None:
    deal = begun("S", "KS QH JD AC TS", "9S 8S 7S 9H 8H")
    assert legal(deal) == {"KS", "QH", "JD", "AC", "TS", "C"}
    assert refused(deal, "9S") == ("not_held", "R5.1")
    assert refused(deal, "7C") == ("not_held", "R5.1")


def test_r5_1_the_second_player_answers() -> None:
    deal = begun("S KS", "KS QH JD AC TS", "9S 8S 7S 9H 8H")
    assert (deal.phase, deal.turn) == (FOLLOWING, HOUSE)
    assert led(deal, "KS")
    assert refused(deal, "QH") == ("not_held", "R5.1")


def test_r5_1_the_winner_leads_next() -> None:
    won = begun("S KS 9S", "KS QH JD AC TS", "9S 8S 7S 9H 8H")
    assert (won.turn, won.phase, tricks(won)) == (CHALLENGER, LEADING, (1, 0))
    lost = begun("S TS JS", "KS QH JD AC TS", "JS 8S 7S 9H 8H")
    assert (lost.turn, lost.phase, tricks(lost)) == (HOUSE, LEADING, (0, 1))


@pytest.mark.parametrize("said", ["P", "A", "S", "N", "W", "XKS"])
def test_r5_1_nobody_talks_during_the_play(said: str) -> None:
    for tokens in ("S", "S KS"):
        refused(begun(tokens, "KS QH JD AC TS", "9S 8S 7S 9H 8H"), said)


@pytest.mark.parametrize(
    ("hand", "lead", "legal"),
    [
        ("KS 7S QH JD 8C", "TS", "KS"),
        ("KS QS 7S QH JD", "JS", "KS QS"),
        ("AS 7S QH JD 8C", "TS", "AS"),
        ("AS QS QH JD 8C", "JS", "QS"),
        ("9S 7S QH JD 8C", "TS", "9S 7S"),
        ("AS 7S QH JD 8C", "JS", "AS 7S"),
        ("QH JD 8C 7C 9D", "TS", "JD 9D"),
        ("QH 8C 7C 9H 8H", "TS", "QH 9H 8H 8C 7C"),
        ("KD 8D QH 8C 7C", "TD", "KD"),
        ("9D 8D QH 8C 7C", "TD", "9D 8D"),
        ("QH 8C 7C 9H 8H", "TD", "QH 9H 8H 8C 7C"),
    ],
)
def test_r5_2_the_second_player_must_win_if_he_can(hand: str, lead: str, legal: str) -> None:
    assert replies(hand, lead, DIAMONDS) == legal


def test_r5_2_a_card_that_could_win_must() -> None:
    deal = begun("S TS", "TS QH JD AC 9H", "KS JS 8S 7H 8H")
    assert legal_cards(deal) == "KS JS"
    assert refused(deal, "8S") == ("must_win", "R5.2")
    assert refused(deal, "7H") == ("must_win", "R5.2")


def test_r5_2_a_suit_that_cannot_win_must_be_followed() -> None:
    deal = begun("S TS", "TS QH JD AC 9H", "9S 8S KD 7H 8H", "7D")
    assert legal_cards(deal) == "9S 8S"
    assert refused(deal, "KD") == ("must_follow", "R5.2")


def test_r5_2_a_void_must_be_trumped() -> None:
    deal = begun("S TS", "TS QH JD AC 9H", "8C 9C KD 8D 8H", "7D")
    assert legal_cards(deal) == "KD 8D"
    assert refused(deal, "8C") == ("must_trump", "R5.2")


def test_r5_2_with_neither_any_card_may_be_thrown() -> None:
    deal = begun("S TS", "TS QH JD AC 9H", "8C 9C KC 7H 8H", "7D")
    assert legal_cards(deal) == "8H 7H KC 9C 8C"


@pytest.mark.parametrize(
    ("lead", "reply", "wins"),
    [
        ("TS", "JS", True),
        ("TS", "9S", False),
        ("AS", "JS", True),
        ("AS", "TS", False),
        ("KS", "7D", True),
        ("7S", "KH", False),
        ("7S", "KC", False),
        ("QD", "KD", True),
        ("QD", "JD", False),
        ("7D", "KS", False),
    ],
)
def test_r5_3_the_trick(lead: str, reply: str, wins: bool) -> None:
    assert reply_wins(card(lead), card(reply), DIAMONDS) == wins


def test_r5_3_a_ruff_takes_the_trick() -> None:
    deal = begun("S KS 7D", "KS QH JH AC 9H", "8C 9C 7D 7H 8H", "8D")
    assert (tricks(deal), deal.turn) == ((0, 1), HOUSE)


@pytest.mark.parametrize(
    ("hand", "lead", "legal"),
    [
        ("KS 7S QH JD 8C", "TS", "KS 7S"),
        ("9S 7S QH JD 8C", "TS", "9S 7S"),
        ("QH JD 8C 7C 9D", "TS", "QH JD 9D 8C 7C"),
        ("KD 8D QH 8C 7C", "TD", "KD 8D"),
    ],
)
def test_r5_4_ordinary_play_follows_suit_alone(hand: str, lead: str, legal: str) -> None:
    assert replies(hand, lead, DIAMONDS, strict=False) == legal


def test_r5_4_following_is_still_a_duty() -> None:
    deal = begun("S TS", "TS QH JD AC 9H", "KS 8S KD 7H 8H", "7D", play="ordinary")
    assert legal_cards(deal) == "KS 8S"
    assert refused(deal, "KD") == ("must_follow", "R5.4")
    free = begun("S TS", "TS QH JD AC 9H", "8C 9C KD 7H 8H", "7D", play="ordinary")
    assert legal_cards(free) == "8H 7H KD 9C 8C"


@pytest.mark.parametrize(
    ("tokens", "taken", "scored"),
    [
        ("S C", (0, 5), (0, 2)),
        ("P R C", (0, 5), (0, 1)),
        ("P R KS C", (5, 0), (2, 0)),
        ("S KS C", (5, 0), (1, 0)),
        ("S KS 9S C", (1, 4), (0, 2)),
        ("S KS 9S QS 8S JS 7S C", (3, 2), (1, 0)),
        ("S KS 9S QS 8S JS 7S AS C", (5, 0), (1, 0)),
        ("P A XTS XKC P R C", (0, 5), (0, 2)),
    ],
)
def test_r5_5_who_concedes_gives_the_tricks_that_remain(
    tokens: str, taken: tuple[int, int], scored: tuple[int, int]
) -> None:
    deal = begun(tokens, "KS QS JS AS TS", "9S 8S 7S KC QC", "7D", "7C 8C")
    assert (deal.phase, deal.turn) == (OVER, NO_SEAT)
    assert (tricks(deal), points(deal)) == (taken, scored)


def test_r5_5_nobody_concedes_before_the_play() -> None:
    for tokens, article in [("", "R3.1"), ("P", "R3.2"), ("P A", "R3.3"), ("P A XKS", "R3.3")]:
        assert refused(begun(tokens), "C")[1] == article


def test_r5_5_both_may_concede_at_their_turn() -> None:
    deal = begun("S")
    for one in ["KS", "9S", "QS", "8S", "JS", "7S", "AS"]:
        assert "C" in legal(deal)
        deal = say(deal, one)


@pytest.mark.parametrize("lead", [one + suit for suit in "SHDC" for one in "KQJAT987"])
def test_r5_2_r5_3_higher_cards_are_those_that_beat_a_lead_of_their_suit(lead: str) -> None:
    led_card = card(lead)
    suit = [one for one in range(32) if one >> 3 == led_card >> 3]
    beaten_by = [one for one in suit if reply_wins(led_card, one, (led_card >> 3) + 1 & 3)]
    assert cards_in(higher_cards((1 << 32) - 1, led_card)) == tuple(reversed(beaten_by))
