"""Helpers for tests of the rules: set up hands, apply tokens, list legal actions.

By default the house deals and the challenger is the elder; a score gives the elder's points
first, as players call it.
"""

from __future__ import annotations

from typing import Any

import pytest

from casino import ecarte
from casino.ecarte import HOUSE, Deal, Laws, Seat
from casino.ecarte.actions import DEALING
from casino.ecarte.deal import Start, is_dealing_action
from casino.errors import IllegalAction

ELDER = "KS QS JS AS TS"
DEALER = "KH QH 9S 8S 7S"
TOP = "7C 8C 9C TC AC JC QC KC 8D 9D TD AD JD QD KD JH AH TH 9H 8H 7H"
"""A stock of 21 cards that completes the usual hands and the turn-up."""

FIVES = "P A XKSQSJSASTS XKHQH9S8S7S P A X7C8C9CTCAC XJCQCKC8D9D"
"""Two exchanges that leave one card of that stock."""


def dealt(
    elder: str = ELDER,
    dealer: str = DEALER,
    turned: str = "7D",
    draw: str = "",
    *,
    score: str = "0-0",
    seat: Seat = HOUSE,
    **laws: Any,
) -> Deal:
    points = [int(number) for number in score.split("-")]
    house_first = (points[1], points[0]) if seat == HOUSE else (points[0], points[1])
    position = ecarte.set_up(
        elder, dealer, turned, draw, seat=seat, score=house_first, laws=Laws(**laws)
    )
    return position.dealing(ecarte.PACK)


def changed(deal: Deal, **fields: Any) -> Deal:
    of_start = {name: fields.pop(name) for name in Start._fields if name in fields}
    return deal._replace(start=deal.start._replace(**of_start), **fields)


def say(deal: Deal, tokens: str) -> Deal:
    for one in tokens.split():
        action = ecarte.parse_token(one)
        if deal.phase == DEALING and not is_dealing_action(action):
            deal = ecarte.turn_up(deal)
        deal = ecarte.apply(deal, action)
    return deal


def begun(tokens: str, *hands: str, **laws: Any) -> Deal:
    deal = say(dealt(*hands, **laws), tokens)
    return ecarte.turn_up(deal) if deal.phase == DEALING else deal


def legal(deal: Deal) -> set[str]:
    return {ecarte.token(action) for action in ecarte.legal_actions(deal)}


def refused(deal: Deal, said: str) -> tuple[str, str]:
    before = tuple(deal)
    with pytest.raises(IllegalAction) as caught:
        ecarte.apply(deal, ecarte.parse_token(said))
    assert tuple(deal) == before
    assert said not in legal(deal)
    return caught.value.reason, caught.value.article


def hand(deal: Deal, seat: Seat) -> str:
    return " ".join(ecarte.format_card(one) for one in ecarte.cards_in(deal.hands[seat]))


def score(deal: Deal) -> tuple[int, int]:
    return deal.score[deal.elder], deal.score[deal.dealer]


def points(deal: Deal) -> tuple[int, int]:
    elder, dealer = score(deal)
    return elder - deal.score_before[deal.elder], dealer - deal.score_before[deal.dealer]


def tricks(deal: Deal) -> tuple[int, int]:
    return deal.tricks[deal.elder], deal.tricks[deal.dealer]


def stock(deal: Deal) -> str:
    return " ".join(ecarte.format_card(one) for one in deal.deck[deal.drawn :])


def in_order(names: str) -> str:
    """Sort cards in the order of the pack, as the other functions show them."""
    return " ".join(ecarte.format_card(one) for one in ecarte.PACK if one in ecarte.cards(names))
