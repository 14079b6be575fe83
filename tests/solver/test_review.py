"""Reviews: every choice judged, by what could be seen; the expert gives little away."""

from __future__ import annotations

import json
from random import Random

from casino.bots import play_game
from casino.ecarte import (
    HOUSE,
    PACK,
    DealRecord,
    Laws,
    Record,
    new_deal,
    parse_token,
    possible_deals,
    replay_steps,
    view,
)
from casino.solver.evaluation.review import Decision, review, review_json

NOVICE = play_game(("regle", "novice"), 12).record


def given_away(found: tuple[Decision, ...], seat: int) -> float:
    return sum(one.cost for one in found if one.seat == seat)


def test_every_choice_is_judged_once_and_in_order() -> None:
    found = review(NOVICE, effort=20)
    places = [(one.deal, one.position) for one in found]
    assert places == sorted(set(places)) and len(places) > 20
    for one in found:
        tokens = NOVICE.deals[one.deal - 1].actions.split()
        assert parse_token(tokens[one.position - 1]) == one.done.action
        assert one.done in one.options and len(one.options) > 1
        assert one.cost >= 0 and one.best.chance == one.options[0].chance


def test_the_expert_gives_little_away_and_the_novice_much() -> None:
    expert = novice = 0.0
    for seed in range(3):
        found = review(play_game(("expert", "novice"), seed).record, effort=160)
        expert, novice = expert + given_away(found, 0), novice + given_away(found, 1)
    assert expert < 0.3 * novice and novice > 0.3


def test_hidden_cards_do_not_count() -> None:
    rng, compared = Random(4), 0
    for seed in range(6):
        deck = Random(seed).sample(PACK, 32)
        deal = new_deal(Laws(), HOUSE, deck)
        other = possible_deals(view(deal, 1)).sample(rng)
        for said in ("P", "S"):
            one, two = (
                review(Record(Laws(), HOUSE, (DealRecord(HOUSE, pack, said),)), effort=50)
                for pack in (deal.deck, other.deck)
            )
            assert one == two and len(one) == 1
            compared += deal.hands != other.hands
    assert compared >= 10


def test_the_json_says_all_of_it() -> None:
    found = review(NOVICE, effort=20)
    told = json.loads(json.dumps(review_json(NOVICE, found)))
    assert len(told["decisions"]) == len(found)
    for one in told["decisions"]:
        assert one["options"][one["action"]] == one["chance"]
        assert one["options"][one["best"]] == one["best_chance"]
        assert abs(one["best_chance"] - one["chance"] - one["cost"]) < 2e-4
        assert one["seat"] in ("house", "challenger")
    assert abs(told["given_away"]["challenger"] - given_away(found, 1)) < 1e-3


def test_a_game_with_revokes_is_reviewed_as_far_as_it_can_be() -> None:
    record = play_game(("novice", "novice"), 3, Laws(enforcement="claims")).record
    assert sum(1 for _ in replay_steps(record)) > len(review(record, effort=5)) > 0
