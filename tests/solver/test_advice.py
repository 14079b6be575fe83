"""Advice and reviews: every choice is judged by visible information only."""

from __future__ import annotations

import json
from random import Random

import pytest

from casino import ecarte
from casino.bots import play_game
from casino.ecarte import HOUSE, Deal, DealRecord, Laws, Record
from casino.errors import InputError
from casino.solver.evaluation.advice import Option, advice, first_advice, hint
from casino.solver.evaluation.review import Decision, review, review_json
from tests.ecarte.deal_helpers import begun, dealt, say
from tests.solver.views import deals

WEAK = ("7S 8S 9D 7D 8C", "KH QH JH AH TH", "9H")


def advice_for(deal: Deal, done: int | None = None, effort: int = 40) -> tuple[Option, ...]:
    return advice(ecarte.view(deal, deal.turn), ecarte.legal_for(deal, deal.turn), done, effort)


def chances(deal: Deal) -> dict[str, float]:
    return {ecarte.token(one.action): one.win_probability for one in advice_for(deal, effort=200)}


def test_silence_equals_announcing_a_worthless_king() -> None:
    for score, same in (("3-4", True), ("3-3", False)):
        found = chances(begun("P R", "KH QS 9D 8D 7D", "AD TD 7C 8C 9C", "8H", score=score))
        best = max(chance for name, chance in found.items() if name != "K")
        assert (found["K"] == best) is same and found["K"] >= best


def test_options_are_legal_and_sorted() -> None:
    for deal in deals(8, 21):
        found, legal = advice_for(deal), ecarte.legal_for(deal, deal.turn)
        values = [one.win_probability for one in found]
        assert values == sorted(values, reverse=True) and all(0 <= value <= 1 for value in values)
        said = {one.action for one in found}
        assert said <= set(legal)
        if deal.phase in (ecarte.ELDER_EXCHANGE, ecarte.DEALER_EXCHANGE):
            numbers = sorted(map(ecarte.exchanged_number, said))
            assert numbers == list(range(1, min(5, deal.stock) + 1)) or len(numbers) < 2
        elif found:
            bids = {ecarte.MARK, ecarte.PROPOSE, ecarte.STAND, ecarte.ACCEPT, ecarte.REFUSE}
            assert said == {one for one in legal if one < 32 or one in bids}


def test_action_taken_is_evaluated_too() -> None:
    deal = begun("P A", "KH QH JH 7S 7D", "9S 8S AS 9D 8D", "9H")
    silly = ecarte.parse_token("XKHQHJH")
    found = advice_for(deal, silly, 200)
    assert len(found) == 6 and found[-1].action == silly
    assert found[0].action == ecarte.EXCHANGE | ecarte.parse_token("X7S7D")
    assert found[0].win_probability > found[-1].win_probability + 0.2


def test_strong_hand_stands_and_weak_hand_proposes() -> None:
    found = chances(begun("", "KH QH JH AH TH", "7S 8S 9S 7D 8D", "9H", score="4-4"))
    assert found["S"] > 0.98 and next(iter(found)) == "S"
    found = chances(begun("", *WEAK))
    assert next(iter(found)) == "P" and found["P"] > found["S"] + 0.1


def test_hint_as_json() -> None:
    found = advice_for(begun("", *WEAK))
    said = hint(found)
    assert said is not None and said["best"] == "P"
    assert list(said["options"]) == ["P", "S"]
    assert said["options"]["P"] == round(found[0].win_probability, 4)
    assert hint(()) is None


def test_first_advice_equals_advice_on_a_deal() -> None:
    hand = ecarte.cards("KH 9H 7S 8D 7C")
    names = ecarte.format_cards(hand)
    found = first_advice(hand, ecarte.card("8H"), True, (3, 2), Laws())
    assert found == advice_for(begun("", names, "", "8H", score="3-2"), effort=200)
    found = first_advice(hand, ecarte.card("8H"), False, (2, 3), Laws())
    assert found == advice_for(begun("P", "", names, "8H", score="3-2"), effort=200)
    king = first_advice(ecarte.cards("9H 7H 7S 8D 7C"), ecarte.card("KH"), False, (2, 3), Laws())
    deal = begun("P", "", "9H 7H 7S 8D 7C", "KH", score="3-1")
    assert king == advice_for(deal, effort=200)
    with pytest.raises(InputError, match="the dealer has at least one"):
        first_advice(hand, ecarte.card("KD"), True, (2, 0), Laws())


def test_announcing_the_king_is_best() -> None:
    hands = ("KH 7S 8S 9D 7D", "QS JS TS AD TD", "9H")
    found = chances(begun("S", *hands, score="4-1"))
    assert found["K"] == 1 and max(chance for said, chance in found.items() if said != "K") < 1
    found = chances(begun("S", *hands))
    assert next(iter(found)) == "K" and found["K"] > sorted(found.values())[-2] + 0.02


NOVICE = play_game(("regle", "novice"), 12).record


def given_away(found: tuple[Decision, ...], seat: int) -> float:
    return sum(one.cost for one in found if one.seat == seat)


def test_review_covers_each_choice_once_in_order() -> None:
    found = review(NOVICE, effort=20)
    places = [(one.deal, one.position) for one in found]
    assert places == sorted(set(places)) and len(places) > 20
    for one in found:
        tokens = NOVICE.deals[one.deal - 1].actions.split()
        assert ecarte.parse_token(tokens[one.position - 1]) == one.done.action
        assert one.done in one.options and len(one.options) > 1
        assert one.cost >= 0 and one.best.win_probability == one.options[0].win_probability


def test_expert_gives_away_less_than_novice() -> None:
    expert = novice = 0.0
    for seed in range(3):
        found = review(play_game(("expert", "novice"), seed).record, effort=160)
        expert, novice = expert + given_away(found, 0), novice + given_away(found, 1)
    assert expert < 0.3 * novice and novice > 0.3


def test_review_does_not_depend_on_hidden_cards() -> None:
    rng, compared = Random(4), 0
    for seed in range(6):
        deck = Random(seed).sample(ecarte.PACK, 32)
        deal = ecarte.new_deal(Laws(), HOUSE, deck)
        other = ecarte.possible_deals(ecarte.view(deal, 1)).sample(rng)
        for said in ("P", "S"):
            one, two = (
                review(Record(Laws(), HOUSE, (DealRecord(HOUSE, pack, said),)), effort=50)
                for pack in (deal.deck, other.deck)
            )
            assert one == two and len(one) == 1
            compared += deal.hands != other.hands
    assert compared >= 10


def test_review_json_is_complete() -> None:
    found = review(NOVICE, effort=20)
    told = json.loads(json.dumps(review_json(NOVICE, found)))
    assert len(told["decisions"]) == len(found)
    for one in told["decisions"]:
        assert one["options"][one["action"]] == one["chance"]
        assert one["options"][one["best"]] == one["best_chance"]
        assert abs(one["best_chance"] - one["chance"] - one["cost"]) < 2e-4
        assert one["seat"] in ("house", "challenger")
    assert abs(told["given_away"]["challenger"] - given_away(found, 1)) < 1e-3


def test_game_with_revokes_is_reviewed_in_part() -> None:
    record = play_game(("novice", "novice"), 3, Laws(enforcement="claims")).record
    assert sum(1 for _ in ecarte.replay_steps(record)) > len(review(record, effort=5)) > 0


def test_r8_2_decision_on_an_exposed_card_is_not_rated() -> None:
    deal = say(dealt(), "EKS")
    assert deal.phase == ecarte.EXPOSED
    assert advice_for(deal) == advice_for(deal, ecarte.LET_STAND) == ()
    played = DealRecord(HOUSE, deal.deck, "EKS O P")
    found = review(Record(Laws(), HOUSE, (played,)), effort=5)
    assert [ecarte.token(one.done.action) for one in found] == ["P"]


def test_review_stops_where_the_game_was_given_up() -> None:
    found = review(NOVICE, effort=5, actions=4)
    assert found == review(NOVICE, effort=5)[: len(found)] != ()
    assert all(one.deal == 1 and one.position <= 4 for one in found)
