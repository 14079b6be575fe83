"""A deal to look at: what a text and a drawing show, and a repr that gives the deal again."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET

from hypothesis import given

import casino.ecarte
from casino.ecarte import CHALLENGER, GALLERY, HOUSE, view
from tests.ecarte.board import begun, dealt, say
from tests.ecarte.reshuffle import another
from tests.strategies import Course, courses

ELDER, DEALER = "KS QS JS AS TS", "KH QH 9S 8S 7S"


def test_a_deal_prints_as_a_person_reads_it() -> None:
    deal = begun("S KS", ELDER, DEALER, "7D", score="2-1")
    assert str(deal).splitlines() == [
        "house deals at 1-2, 7♦ turned up, 21 in the stock",
        "house       9♠ 8♠ 7♠ K♥ Q♥  0 tricks",
        "challenger  Q♠ J♠ A♠ 10♠  0 tricks",
        "the house is to play to the card led",
    ]
    assert "?? ?? ?? ?? ??" in str(view(deal, CHALLENGER))
    assert "K♥" not in str(view(deal, CHALLENGER)) and "Q♠" not in str(view(deal, HOUSE))


def test_what_is_due_is_said_in_every_phase() -> None:
    asked = "the challenger is to ask for a new deal or let it stand"
    assert dealt().status == "the turn-up is to be shown"
    assert say(dealt(), "EKS").status == asked
    assert say(dealt(), "EKS N").status == "the deal is annulled"
    told = [begun(said).status for said in ("", "P", "P A", "P A XKS", "S", "S KS", "S C")]
    assert told == [
        "the challenger is to propose or stand",
        "the house is to accept or refuse",
        "the challenger is to exchange",
        "the house is to exchange",
        "the challenger is to lead",
        "the house is to play to the card led",
        "the deal is over",
    ]


@given(courses())
def test_the_repr_of_a_deal_evaluates_to_it(course: Course) -> None:
    for deal in course.states:
        assert eval(repr(deal), vars(casino.ecarte)) == deal


@given(courses())
def test_the_repr_of_a_view_evaluates_to_it(course: Course) -> None:
    for viewer in (HOUSE, CHALLENGER, GALLERY):
        seen = view(course.last, viewer)
        assert eval(repr(seen), vars(casino.ecarte)) == seen


def shown(svg: str) -> str:
    return "".join(ET.fromstring(svg).itertext())


@given(courses())
def test_a_drawing_is_sound_and_shows_each_card_held(course: Course) -> None:
    deal = course.last
    drawn = shown(deal._repr_svg_())
    cards = sum(deal.sizes) + (deal.led >= 0) + (deal.turn_up >= 0)
    assert sum(drawn.count(sign) for sign in "♠♥♦♣") == cards + (deal.turn_up >= 0)


@given(courses())
def test_a_drawing_does_not_change_with_what_is_hidden(course: Course) -> None:
    rng = random.Random(repr(course))
    for viewer in (HOUSE, CHALLENGER, GALLERY):
        other = another(course.last, viewer, rng)
        if other is not None:
            pictures = {view(deal, viewer)._repr_svg_() for deal in (course.last, other)}
            assert len(pictures) == len({str(view(d, viewer)) for d in (course.last, other)}) == 1
