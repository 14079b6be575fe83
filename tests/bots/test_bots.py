"""The bots at the table: always legal, repeatable, and as their descriptions say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from casino import ecarte
from casino.bots import BOT_NAMES, get_bot, play_game
from casino.bots.random_bot import ERROR_RATE_SCALE, MixedBot
from casino.bots.rule_bot import RuleBot
from casino.ecarte import CHALLENGER, HOUSE, Action, Deal, Laws, Rng, View
from casino.errors import InputError
from casino.simulate.match import MatchJob
from tests.ecarte.deal_helpers import begun, changed, say
from tests.simulate.test_match import played


def shuffled(rng: Random) -> list[int]:
    return rng.sample(ecarte.PACK, len(ecarte.PACK))


def answer(deal: Deal, name: str, rng: Random) -> Action:
    return get_bot(name).choose(ecarte.view(deal, deal.turn), ecarte.legal_actions(deal), rng)


@pytest.mark.parametrize("name", BOT_NAMES)
def test_r4_1_bots_always_announce_the_king(name: str) -> None:
    marked, deals = 0, 60 if name == "expert" else 300
    for seed in range(deals):
        rng = Random(seed)
        deal = ecarte.new_deal(Laws(), rng.randrange(2), shuffled(rng))
        while not ecarte.is_over(deal):
            action = answer(deal, name, rng)
            assert action in ecarte.legal_actions(deal)
            assert ecarte.actor(deal, action) == deal.turn
            deal = ecarte.apply(deal, action)
        king = 8 * (deal.turn_up >> 3) + 7
        if any(kept >> king & 1 for kept in deal.kept):
            marked += 1
            assert ecarte.MARK in deal.history
    assert marked > deals // 6


def test_regle_elder_without_stock_stands() -> None:
    rng = Random(2)
    for _ in range(20):
        deal = ecarte.new_deal(Laws(), HOUSE, shuffled(rng))
        deal = changed(deal, drawn=len(deal.deck))
        assert answer(deal, "regle", rng) == ecarte.STAND


def test_r3_5_regle_exchanges_no_more_than_the_stock_holds() -> None:
    deal = ecarte.new_deal(Laws(), CHALLENGER, ecarte.PACK)
    low = [ecarte.parse_token(name) for name in ("7S", "8S", "9D", "TD", "QC")]
    hands = (sum(1 << one for one in low), 0)
    deal = changed(
        deal, hands=hands, phase=ecarte.ELDER_EXCHANGE, drawn=30, history=(ecarte.PROPOSE,)
    )
    assert ecarte.token(answer(deal, "regle", Random(1))) == "X8S7S"


def test_novice_chooses_legal_actions_uniformly() -> None:
    rng = Random(9)
    start = ecarte.new_deal(Laws(), CHALLENGER, ecarte.PACK)
    said = Counter(answer(start, "novice", rng) for _ in range(4_000))
    assert said.keys() == {ecarte.PROPOSE, ecarte.STAND}
    exchanging = ecarte.apply(ecarte.apply(start, ecarte.PROPOSE), ecarte.parse_token("A"))
    taken = [answer(exchanging, "novice", rng) for _ in range(5_000)]
    numbers = Counter(map(ecarte.exchanged_number, taken))
    cards = Counter(
        one for bits in taken for one in range(32) if (bits ^ ecarte.EXCHANGE) >> one & 1
    )
    leading = changed(ecarte.apply(start, ecarte.STAND), marked=HOUSE)
    assert leading.phase == ecarte.LEADING
    led = Counter(answer(leading, "novice", rng) for _ in range(5_000))
    assert numbers.keys() == {1, 2, 3, 4, 5}
    assert len(led) == len(cards) == 5
    for counted in (said, numbers, cards, led):
        even = counted.total() / len(counted)
        assert all(abs(number - even) < even / 5 for number in counted.values())


def test_r8_2_regle_lets_exposed_card_stand_and_novice_either() -> None:
    deal = ecarte.deal_cards(Laws(enforcement="claims"), HOUSE, ecarte.PACK)
    shown = deal.hands[CHALLENGER].bit_length() - 1
    deal = ecarte.apply(deal, ecarte.EXPOSE + shown)
    rng = Random(4)
    assert answer(deal, "regle", rng) == ecarte.LET_STAND
    assert {answer(deal, "novice", rng) for _ in range(40)} == {ecarte.LET_STAND, ecarte.NEW_DEAL}


@pytest.mark.parametrize("name", BOT_NAMES)
def test_r8_5_bot_claims_only_proved_revokes(name: str) -> None:
    revoked, honest = (
        begun("S QS 8S", "QS JS AS TS 9S", dealer, "9D", enforcement="claims")
        for dealer in ("KS 8S 7D KH 8H", "8S 7S 7D KH 8H")
    )
    assert revoked.irregular.revoked != honest.irregular.revoked
    assert ecarte.view(revoked, CHALLENGER) == ecarte.view(honest, CHALLENGER)
    assert answer_of(revoked, name) == answer_of(honest, name) != ecarte.CLAIM
    assert answer_of(say(revoked, "JS KS"), name) == ecarte.CLAIM


def answer_of(deal: Deal, name: str) -> Action:
    legal = ecarte.legal_for(deal, CHALLENGER)
    return get_bot(name).choose(ecarte.view(deal, CHALLENGER), legal, Random(1))


@pytest.mark.parametrize(
    "laws",
    [
        Laws(),
        Laws(7, "ordinary", 2),
        Laws(enforcement="claims"),
        Laws(packets=(2, 3), first_dealer="challenger"),
    ],
)
@pytest.mark.parametrize("house", BOT_NAMES)
def test_bots_play_games_that_replay(laws: Laws, house: str) -> None:
    for seed in range(4 if house == "expert" else 20):
        played = play_game((house, "novice"), seed, laws)
        assert all(map(ecarte.is_over, played.deals)) and ecarte.is_over(played.game)
        assert not any(any(deal.irregular.revoked) for deal in played.deals)
        assert not any(ecarte.CONCEDE in deal.history for deal in played.deals)
        again = ecarte.replay(played.record)
        assert again.deals == played.deals
        assert (again.game, again.winner, again.stake) == (played.game, played.winner, played.stake)
        assert max(played.game.score) == laws.target


def test_r2_1_first_dealer_follows_the_law() -> None:
    assert play_game(("regle",) * 2, 1, Laws(first_dealer="house")).first_dealer == HOUSE
    lost = Laws(first_dealer="loser")
    for seat in (HOUSE, CHALLENGER):
        assert play_game(("regle", "regle"), 1, lost, loser=seat).first_dealer == seat
    cut = {play_game(("regle", "regle"), seed).first_dealer for seed in range(12)}
    assert cut == {HOUSE, CHALLENGER}


def test_r7_2_returns_of_a_game_are_its_stakes() -> None:
    for seed in range(20):
        played = play_game(("regle", "novice"), seed)
        stake = played.stake or 0
        sign = 1 if played.winner == HOUSE else -1
        assert ecarte.returns(played.game) == (sign * stake, -sign * stake)
        first = played.deals[0]
        assert ecarte.returns(first) == (
            first.score[0] - first.score[1],
            first.score[1] - first.score[0],
        )


@pytest.mark.parametrize(
    "bots", ["regle", ("regle",), ("regle",) * 3, ("regle", "croesus"), ("regle", 7)]
)
def test_game_requires_two_known_bots(bots: Any) -> None:
    with pytest.raises(InputError, match="a game needs two bots|no bot 'croesus'|7 is not a bot"):
        play_game(bots, 1)


class ConstantBot:
    def __init__(self, said: Action) -> None:
        self.said = said
        self.asked = 0

    def choose(self, view: View, legal_actions: Sequence[Action], rng: Rng) -> Action:
        self.asked += 1
        return self.said


@pytest.mark.parametrize("error_rate", [0, 1, 12, ERROR_RATE_SCALE])
def test_mixed_bot_errs_at_its_rate(error_rate: int) -> None:
    deal = ecarte.new_deal(Laws(), CHALLENGER, ecarte.PACK)
    seen, legal = ecarte.view(deal, deal.turn), ecarte.legal_for(deal, deal.turn)
    worse, better = ConstantBot(ecarte.STAND), ConstantBot(ecarte.PROPOSE)
    player, rng = MixedBot(worse, better, error_rate), Random(3)
    said = [player.choose(seen, legal, rng) for _ in range(3_200)]
    assert said.count(ecarte.STAND) == worse.asked and said.count(ecarte.PROPOSE) == better.asked
    spread = 0 if error_rate in (0, ERROR_RATE_SCALE) else 4 * (100 * error_rate) ** 0.5
    assert abs(worse.asked - 100 * error_rate) <= spread


def test_r8_5_mixed_bot_always_claims_a_revoke() -> None:
    hands = ("QS JS AS TS 9S", "KS 8S 7D KH 8H", "9D")
    deal = begun("S QS 8S JS KS", *hands, enforcement="claims")
    player = MixedBot(ConstantBot(ecarte.parse_token("AS")), RuleBot(), ERROR_RATE_SCALE)
    legal = ecarte.legal_for(deal, CHALLENGER)
    assert player.choose(ecarte.view(deal, CHALLENGER), legal, Random(1)) == ecarte.CLAIM


@pytest.mark.nightly
@pytest.mark.parametrize("place", range(1, len(BOT_NAMES)))
def test_each_bot_narrowly_beats_the_one_below(place: int) -> None:
    found = played(
        MatchJob(BOT_NAMES[place], BOT_NAMES[place - 1], 5_000 if place < 6 else 2_500, 2)
    )
    won, doubt = found.win_rate.value, 2.5 * found.win_rate.error
    assert 0.52 - doubt < won < 0.60 + doubt
    assert won > 0.5 + doubt
