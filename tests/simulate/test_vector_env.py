"""Games one action at a time: each article of the rules, beside a deal of the engine."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from casino.ecarte import (
    ACCEPT,
    CHALLENGER,
    CONCEDE,
    HOUSE,
    NO_SEAT,
    PACK,
    PROPOSE,
    PROPOSING,
    REFUSE,
    STAND,
    Laws,
    card_set,
    new_deal,
)
from casino.ecarte.laws import ALLOWED
from casino.ecarte.observation import encoding
from casino.simulate.compiled import vector_env
from casino.simulate.compiled.splitmix import word
from casino.simulate.compiled.vector_env import episode_rules
from casino.simulate.reference_engine import shuffled_pack
from tests.simulate.twin import Twin, empty

LAWS = [
    Laws(**dict(zip(ALLOWED, values, strict=True)))
    for values in product(*ALLOWED.values())
    if "claims" not in values
]
ALL = encoding.FIRST_EXCHANGE + 31
"""The number of exchanging five cards."""


@pytest.mark.parametrize("at", range(0, len(LAWS), 9))
def test_every_step_is_the_engines(at: int) -> None:
    laws, rng = LAWS[at], Random(at)
    for dealer in (HOUSE, CHALLENGER):
        score = (rng.randrange(laws.target), rng.randrange(laws.target))
        if laws.target - 1 in score and rng.random() < 0.5:
            score = (0, 0)
        twin = Twin(new_deal(laws, dealer, rng.sample(PACK, 32), score))
        while twin.deal.turn != NO_SEAT:
            legal = twin.legal
            number = rng.choice(legal)
            # Proposals go on for long, and are seldom ended by a deal that is conceded.
            if number in (STAND, REFUSE, CONCEDE) and rng.random() < 0.7:
                number = legal[0]
            twin.act(number)


def test_cards_are_drawn_from_a_pack_shuffled_as_far_as_it_is_needed() -> None:
    rules, key = episode_rules(Laws(), True), 40
    game = empty()
    game.game_key, game.dealer = key, HOUSE
    vector_env.begin_deal(rules, game)
    whole = shuffled_pack(word(key, 1))
    two, one = encoding.FIRST_EXCHANGE + 3, encoding.FIRST_EXCHANGE + 1
    for some, blocks, drawn in ((ALL, 2, 16), (two, 2, 18), (one, 3, 19), (ALL, 3, 24)):
        if game.phase == PROPOSING:
            vector_env.act(rules, game, PROPOSE)
            vector_env.act(rules, game, ACCEPT)
        seat, before = game.turn, game.drawn
        vector_env.act(rules, game, some)
        assert (game.shuffled, game.drawn) == (blocks, drawn)
        assert game.hands[seat] & card_set(whole[before:drawn]) == card_set(whole[before:drawn])
        assert game.given[seat] & game.hands[seat] == 0
