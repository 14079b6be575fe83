"""What seats and gallery know, see, prove and follow."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

import casino.ecarte
from casino import ecarte
from casino.ecarte import CHALLENGER, GALLERY, HOUSE, NO_CARD, Action, Deal, Laws
from casino.ecarte.actions import hidden_exchange
from casino.ecarte.laws import ALLOWED
from casino.ecarte.observation import observer
from casino.ecarte.observation.view import collect_evidence, is_revoke_proved
from casino.errors import IllegalAction
from tests.ecarte.deal_helpers import begun, dealt, say
from tests.ecarte.reshuffle import find_another
from tests.strategies import Course, courses, walk

VIEWERS = (HOUSE, CHALLENGER, GALLERY)
TRIES = 6
STRONG, WEAK = "KS QS JS AS TS", "9S 8S 7S 9H 8H"


@settings(max_examples=80)
@given(courses())
def test_view_and_legal_actions_do_not_depend_on_hidden_cards(course: Course) -> None:
    rng = random.Random(repr(course))
    for deal in course.states:
        for viewer in VIEWERS:
            other = find_another(deal, viewer, rng, TRIES)
            if other is None:
                continue
            assert ecarte.view(other, viewer) == ecarte.view(deal, viewer)
            if viewer != GALLERY:
                assert list(ecarte.legal_for(other, viewer)) == list(ecarte.legal_for(deal, viewer))


@given(courses())
def test_legal_actions_are_choices_or_accidents(course: Course) -> None:
    """Legal actions are the choices of both seats, exposures of cards, and a claim.

    No seat may choose a claim while the cards that would prove the revoke are hidden.
    """
    for deal in course.states:
        chosen = {action for seat in (HOUSE, CHALLENGER) for action in ecarte.legal_for(deal, seat)}
        accidents = {
            action
            for action in ecarte.legal_actions(deal)
            if ecarte.EXPOSE <= action < ecarte.LEAD_OUT
        }
        unseen = set(ecarte.legal_actions(deal)) - chosen - accidents
        assert chosen | accidents | unseen == set(ecarte.legal_actions(deal))
        assert unseen <= ({ecarte.CLAIM} if any(deal.hands) else set())


@given(courses())
def test_view_holds_only_cards_the_viewer_has_seen(course: Course) -> None:
    for deal in course.states:
        for viewer in VIEWERS:
            seen = ecarte.view(deal, viewer)
            known = {one for one in seen.deck if one != NO_CARD}
            public = set(ecarte.cards_in(seen.exposed)) | {seen.turn_up}
            if viewer == GALLERY:
                assert known <= public and seen.hands == (0, 0) and seen.hand == 0
            else:
                assert seen.hands[1 - viewer] == seen.kept[1 - viewer] == 0
                assert set(ecarte.cards_in(seen.hand)) <= known
                assert seen.hand == deal.hands[viewer]
            assert seen.sizes == tuple(hand.bit_count() for hand in deal.hands)


@pytest.mark.parametrize(
    ("deal", "may"),
    [
        (begun("S", STRONG, WEAK), False),
        (begun("S C", STRONG, WEAK), True),
        (say(dealt(STRONG, WEAK), "EKS N"), True),
        (say(dealt(STRONG, WEAK), "EKS"), False),
        (begun("S C", STRONG, WEAK, enforcement="claims"), False),
        (begun("S C", STRONG, WEAK, enforcement="claims", score="0-3"), True),
        (begun("", STRONG, WEAK, "KD", enforcement="claims", score="0-4"), True),
    ],
    ids=["playing", "over", "annulled", "exposed", "claims", "claims, game over", "king turned"],
)
def test_r8_5_both_hands_are_shown_only_in_final_deals(deal: Deal, may: bool) -> None:
    assert ecarte.can_show_all(deal) == may


ELDER, DEALER = "QS JS AS TS 9S", "KS 7S 7D KH 8H"

LINES = {
    "nothing to claim": ("S QS KS", False, False),
    "not won with": ("S QS 7S", True, False),
    "the king comes later": ("S QS 7S JS KS", True, True),
    "trumped": ("S QS 7D", True, False),
    "its suit comes later": ("S QS 7D 7S", True, True),
    "a lower card proves nothing": ("S TS 7S 9S 7D", True, False),
    "the king led out of turn and taken back": ("S QS 7S LKS W", True, True),
    "its suit was led out of turn before": ("S L7S W QS KH", True, True),
    "conceded before it shows": ("S QS 7S C", True, False),
    "played to the end": ("S QS 7S JS 7D KH AS 8H TS KS 9S", True, True),
}


@pytest.mark.parametrize(("tokens", "revoked", "seen"), LINES.values(), ids=LINES)
def test_r8_5_revoke_is_proved_by_cards_played(tokens: str, revoked: bool, seen: bool) -> None:
    deal = begun(tokens, ELDER, DEALER, "9D", enforcement="claims")
    assert (ecarte.CLAIM in ecarte.legal_actions(deal)) == deal.irregular.revoked[HOUSE] == revoked
    assert is_revoke_proved(ecarte.view(deal, CHALLENGER)) == seen
    assert (ecarte.CLAIM in ecarte.legal_for(deal, CHALLENGER)) == seen
    assert ecarte.CLAIM not in ecarte.legal_for(deal, HOUSE)


def test_r8_5_announced_king_proves_a_revoke() -> None:
    hands = ("QS JS AS TS 9S", "KS 8H 7D KH 8C", "7S")
    deal = begun("S QS K 8H", *hands, enforcement="claims")
    assert is_revoke_proved(ecarte.view(deal, CHALLENGER))
    silent = begun("S QS 8H", *hands, enforcement="claims")
    assert silent.irregular.revoked[HOUSE] and not is_revoke_proved(ecarte.view(silent, CHALLENGER))


@pytest.mark.parametrize(("exchange", "seen"), [("S", True), ("P A XQS X8H S", False)])
def test_r8_1_exposed_card_is_known_until_an_exchange(exchange: str, seen: bool) -> None:
    hands = (ELDER, DEALER, "9D", "7C 8C")
    deal = begun("", *hands, enforcement="claims")
    shown = begun("EKS", *hands, enforcement="claims")
    led = say(shown, f"{exchange} JS 7S")
    assert deal.hands == shown.hands
    assert led.irregular.revoked[HOUSE]
    assert is_revoke_proved(ecarte.view(led, CHALLENGER)) == seen


def test_r8_5_cards_shown_stay_known_after_a_claim() -> None:
    deal = begun("S QS 7S JS KS V QS", ELDER, DEALER, "9D", enforcement="claims")
    led = (CHALLENGER, ecarte.card("QS"), NO_CARD)
    assert collect_evidence(ecarte.view(deal, CHALLENGER), HOUSE).tricks == (led,)
    assert not is_revoke_proved(ecarte.view(deal, CHALLENGER))
    assert is_revoke_proved(ecarte.view(say(deal, "7S"), CHALLENGER))
    assert not is_revoke_proved(ecarte.view(say(deal, "KS"), CHALLENGER))


@settings(max_examples=200)
@given(courses(enforcement="claims"))
def test_proved_revoke_has_happened_and_shown_cards_were_held(course: Course) -> None:
    for deal in course.states:
        for seat in (HOUSE, CHALLENGER):
            seen = is_revoke_proved(ecarte.view(deal, seat))
            assert (
                not collect_evidence(ecarte.view(deal, seat), 1 - seat).shown & ~deal.kept[1 - seat]
            )
            happened = deal.irregular.revoked[1 - seat]
            assert happened or not seen
            if not any(deal.hands):
                assert seen == happened


def seen(deal: Deal) -> dict[str, Any]:
    """Return the gallery's view of a deal, without deck positions."""
    found = ecarte.view(deal, GALLERY)._asdict()
    del found["deck"]
    return found


def heard(deal: Deal, action: Action) -> tuple[str, int, list[int]]:
    """Return the public part of an action: token, owner of an exposed card, offenders."""
    said = hidden_exchange(ecarte.exchanged_number(action)) if action & ecarte.EXCHANGE else action
    of = HOUSE
    if ecarte.EXPOSE <= action < ecarte.LEAD_OUT:
        of = 0 if deal.hands[0] >> (action - ecarte.EXPOSE) & 1 else 1
    return ecarte.token(said), of, [seat for seat in range(2) if deal.irregular.revoked[seat]]


@pytest.mark.parametrize("seed", range(8))
def test_followed_public_deal_equals_gallery_view(seed: int) -> None:
    random, kinds, compared = Random(seed), set[str](), 0
    for _ in range(100):
        law = Laws(**{name: random.choice(values) for name, values in ALLOWED.items()})
        dealer, score = random.randrange(2), (random.randrange(5), random.randrange(5))
        first = ecarte.deal_cards(law, dealer, random.sample(ecarte.PACK, 32), score)
        course = walk(first, [random.randrange(1_000) for _ in range(60)])
        followed = observer.new_public_deal(law, dealer, score)
        for (deal, after), action in zip(pairwise(course.states), course.actions, strict=True):
            assert seen(deal) == seen(followed)
            compared += 1
            if action is None:
                followed = observer.with_turn_up(followed, after.turn_up)
                continue
            said, of, revoked = heard(deal, action)
            kinds.add(said[0] if len(said) != 2 else "card")
            followed = observer.apply_public(followed, said, of, revoked)
        assert seen(course.last) == seen(followed)
    assert compared > 1_000
    assert kinds >= {"card", "P", "S", "A", "R", "X", "K", "C", "E", "O", "L", "W", "V"}


def test_public_deal_refuses_illegal_actions() -> None:
    start = observer.with_turn_up(observer.new_public_deal(Laws(), HOUSE, (0, 0)), ecarte.PACK[0])
    with pytest.raises(IllegalAction):
        observer.apply_public(start, "A")
    with pytest.raises(IllegalAction):
        observer.apply_public(observer.apply_public(observer.apply_public(start, "P"), "A"), "X")


def test_deal_prints_readably() -> None:
    deal = begun("S KS", STRONG, "KH QH 9S 8S 7S", "7D", score="2-1")
    assert str(deal).splitlines() == [
        "house deals at 1-2, 7♦ turned up, 21 in the stock",
        "house       9♠ 8♠ 7♠ K♥ Q♥  0 tricks",
        "challenger  Q♠ J♠ A♠ 10♠  0 tricks",
        "the house is to play to the card led",
    ]
    assert deal._repr_svg_().count("#b3122a") == 6  # K♥ Q♥ 7♦, rank and suit
    assert "?? ?? ?? ?? ??" in str(ecarte.view(deal, CHALLENGER))
    assert "K♥" not in str(ecarte.view(deal, CHALLENGER)) and "Q♠" not in str(
        ecarte.view(deal, HOUSE)
    )


def test_str_names_the_action_due_in_every_phase() -> None:
    begun_deals = map(begun, ("", "P", "P A", "P A XKS", "S", "S KS", "S C"))
    deals = [dealt(), say(dealt(), "EKS"), say(dealt(), "EKS N"), *begun_deals]
    assert [str(deal).splitlines()[-1] for deal in deals] == [
        "the turn-up is to be shown", "the challenger is to ask for a new deal or let it stand",
        "the deal is annulled", "the challenger is to propose or stand",
        "the house is to accept or refuse", "the challenger is to exchange",
        "the house is to exchange", "the challenger is to lead",
        "the house is to play to the card led", "the deal is over",
    ]  # fmt: skip


@given(courses())
def test_repr_of_a_deal_and_of_a_view_evaluates_to_it(course: Course) -> None:
    for deal in course.states:
        assert eval(repr(deal), vars(casino.ecarte)) == deal
    for viewer in VIEWERS:
        seen = ecarte.view(course.last, viewer)
        assert eval(repr(seen), vars(casino.ecarte)) == seen


@given(courses())
def test_svg_is_valid_and_shows_each_card_held(course: Course) -> None:
    for deal in course.states:
        drawn = "".join(ET.fromstring(deal._repr_svg_()).itertext())
        cards = sum(deal.sizes) + (deal.led >= 0) + (deal.turn_up >= 0)
        assert sum(drawn.count(sign) for sign in "♠♥♦♣") == cards + (deal.turn_up >= 0)
