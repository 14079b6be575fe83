"""What a seat can be sure of: a revoke is noticed by the cards on the table and by nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from casino.ecarte import (
    CHALLENGER,
    CLAIM,
    HOUSE,
    PACK,
    Deal,
    Laws,
    legal_actions,
    legal_for,
    set_up,
    view,
)
from casino.ecarte.observation.view import collect_evidence, is_revoke_proved
from tests.ecarte.board import begun, say
from tests.strategies import Course, courses

ELDER, DEALER = "QS JS AS TS 9S", "KS 8S 7D KH 8H"

LINES = {
    "nothing to claim": ("S QS KS", False, False),
    "not won with": ("S QS 8S", True, False),
    "the king comes later": ("S QS 8S JS KS", True, True),
    "trumped": ("S QS 7D", True, False),
    "its suit comes later": ("S QS 7D 8S", True, True),
    "a lower card proves nothing": ("S TS 8S 9S 7D", True, False),
    "the king led out of turn and taken back": ("S QS 8S LKS W", True, True),
    "the king led out of turn before": ("S LKS W QS 8S", True, True),
    "conceded before it shows": ("S QS 8S C", True, False),
    "played to the end": ("S QS 8S JS 7D KH AS 8H TS KS 9S", True, True),
}


@pytest.mark.parametrize(("tokens", "revoked", "seen"), LINES.values(), ids=LINES)
def test_r8_5_a_revoke_is_noticed_when_the_cards_show_it(
    tokens: str, revoked: bool, seen: bool
) -> None:
    deal = begun(tokens, ELDER, DEALER, "9D", enforcement="claims")
    assert (CLAIM in legal_actions(deal)) == deal.irregular.revoked[HOUSE] == revoked
    assert is_revoke_proved(view(deal, CHALLENGER)) == seen
    assert (CLAIM in legal_for(deal, CHALLENGER)) == seen
    assert CLAIM not in legal_for(deal, HOUSE)


def test_r8_5_the_king_announced_proves_a_revoke_before_it_is_played() -> None:
    tokens = "S QS K 8H"
    hands = ("QS JS AS TS 9S", "KS 8H 7D KH 8C", "7S")
    deal = begun(tokens, *hands, enforcement="claims")
    assert is_revoke_proved(view(deal, CHALLENGER))
    silent = begun("S QS 8H", *hands, enforcement="claims")
    assert silent.irregular.revoked[HOUSE] and not is_revoke_proved(view(silent, CHALLENGER))


@pytest.mark.parametrize(("exchange", "seen"), [("S", True), ("P A XQS X8H S", False)])
def test_r8_1_an_exposed_card_is_known_until_an_exchange(exchange: str, seen: bool) -> None:
    laws = Laws(enforcement="claims")
    deal = set_up(ELDER, DEALER, "9D", "7C 8C", laws=laws).deal(PACK)
    shown = begun("EKS", ELDER, DEALER, "9D", "7C 8C", enforcement="claims")
    led = say(shown, f"{exchange} JS 8S")
    assert deal.hands == shown.hands
    assert led.irregular.revoked[HOUSE]
    assert is_revoke_proved(view(led, CHALLENGER)) == seen


def test_r8_5_after_a_claim_the_cards_shown_are_still_known() -> None:
    deal = begun("S QS 8S JS KS V QS", ELDER, DEALER, "9D", enforcement="claims")
    assert collect_evidence(view(deal, CHALLENGER)).replies == ()
    assert not is_revoke_proved(view(deal, CHALLENGER))
    assert is_revoke_proved(view(say(deal, "8S"), CHALLENGER))
    assert not is_revoke_proved(view(say(deal, "KS"), CHALLENGER))


@settings(max_examples=200)
@given(courses(enforcement="claims"))
def test_what_is_noticed_has_happened(course: Course) -> None:
    for deal in course.states:
        for seat in (HOUSE, CHALLENGER):
            seen = is_revoke_proved(view(deal, seat))
            happened = deal.irregular.revoked[1 - seat]
            assert happened or not seen
            if not any(deal.hands):
                assert seen == happened


@settings(max_examples=100)
@given(courses(enforcement="claims"))
def test_the_cards_shown_were_held(course: Course) -> None:
    for deal in course.states:
        for seat in (HOUSE, CHALLENGER):
            assert not collect_evidence(view(deal, seat)).shown & ~held(deal, 1 - seat)


def held(deal: Deal, seat: int) -> int:
    return deal.kept[seat]
