"""Hypothesis strategies: laws, packs, courses of deals, and game records.

A course is the sequence of states of a deal. Its choices are numbers that each pick a legal
action, so that failing courses shrink to fewer and smaller numbers.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

from casino import ecarte
from casino.ecarte.laws import ALLOWED

SEATS = st.sampled_from((0, 1))
DECKS = st.permutations(ecarte.PACK).map(tuple)
HANDS = st.sets(st.sampled_from(ecarte.PACK), max_size=6).map(ecarte.card_set)
CHOICES = st.lists(st.integers(0, 999), min_size=16, max_size=64)
TOKENS = [
    *"PSARKCNOWV",
    *(before + ecarte.format_card(one) for before in ("", "E", "L", "X") for one in ecarte.PACK),
    "X",
]
"""Every token, except the exchanges of two cards and more."""


class Course(NamedTuple):
    """The states of a deal in order, and the actions between them."""

    states: tuple[ecarte.Deal, ...]
    actions: tuple[ecarte.Action | None, ...]

    @property
    def last(self) -> ecarte.Deal:
        return self.states[-1]

    def __repr__(self) -> str:
        return ecarte.format_position(ecarte.position_of_deal(self.last))


def laws(**fixed: Any) -> st.SearchStrategy[ecarte.Laws]:
    values = {name: st.sampled_from(allowed) for name, allowed in ALLOWED.items()}
    return st.builds(
        ecarte.Laws, **{**values, **{name: st.just(one) for name, one in fixed.items()}}
    )


def pick(legal: Sequence[ecarte.Action], choice: int) -> ecarte.Action:
    """Pick a legal action; mark kings more often and concede less often."""
    action = legal[choice // 4 % len(legal)]
    if choice % 4 == 1 and ecarte.MARK in legal:
        return ecarte.MARK
    return legal[0] if action == ecarte.CONCEDE and choice % 4 else action


def walk(deal: ecarte.Deal, choices: list[int]) -> Course:
    states, actions = [deal], list[ecarte.Action | None]()
    for choice in choices:
        action: ecarte.Action | None = None
        if deal.phase == ecarte.DEALING and choice % 4:
            deal = ecarte.turn_up(deal)
        else:
            legal = ecarte.legal_actions(deal)
            if not legal:
                break
            action = pick(legal, choice)
            deal = ecarte.apply(deal, action)
        states.append(deal)
        actions.append(action)
    return Course(tuple(states), tuple(actions))


@st.composite
def courses(draw: st.DrawFn, /, **fixed: Any) -> Course:
    """Draw the course of a deal, finished or not, under any laws and at any score."""
    agreed = draw(laws(**fixed))
    points = st.integers(0, agreed.target - 1)
    began = (draw(points), draw(points))
    deal = ecarte.deal_cards(agreed, draw(SEATS), draw(DECKS), began)
    return walk(deal, draw(CHOICES))


def shuffled(seed: int) -> tuple[ecarte.Card, ...]:
    return tuple(random.Random(seed).sample(ecarte.PACK, 32))


@st.composite
def records(draw: st.DrawFn) -> ecarte.Record:
    """Draw a game record, with or without its result; its last deal may be unfinished."""
    agreed = draw(laws())
    first = dealer = draw(st.sampled_from(ecarte.first_dealers(agreed)))
    deals, score = [], (0, 0)
    for seed, choices in draw(st.lists(st.tuples(st.integers(0, 1 << 32), CHOICES), max_size=4)):
        deal = walk(ecarte.deal_cards(agreed, dealer, shuffled(seed), score), choices).last
        deals.append(ecarte.deal_record(deal))
        score = deal.score
        if deal.phase not in (ecarte.OVER, ecarte.ANNULLED) or deal.game_over:
            break
        if deal.phase == ecarte.OVER and agreed.deal == "alternate":
            dealer = 1 - dealer
    others = draw(st.dictionaries(st.sampled_from(("note", "é", "", "source")), JSON, max_size=2))
    names = draw(st.none() | st.fixed_dictionaries({"house": TEXT, "challenger": TEXT}))
    game = draw(st.none() | TEXT)
    record = ecarte.Record(agreed, first, tuple(deals), game, names, others=others)
    if draw(st.booleans()):
        stated = ecarte.outcome_json(ecarte.replay(record))
        record = record._replace(result={key: stated[key] for key in ("score", "winner", "stake")})
    return record


TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
