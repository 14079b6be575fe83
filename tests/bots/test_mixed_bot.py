"""Mixed bots: error rate, claims, and strength."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from casino import ecarte
from casino.bots import BOT_NAMES
from casino.bots.random_bot import ERROR_RATE_SCALE, MixedBot
from casino.bots.rule_bot import RuleBot
from casino.ecarte import CHALLENGER, Action, Laws, Rng, View, view
from casino.simulate.match import MatchJob
from tests.ecarte.deal_helpers import begun
from tests.simulate.test_match import played


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
    seen, legal = view(deal, deal.turn), ecarte.legal_for(deal, deal.turn)
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
    assert player.choose(view(deal, CHALLENGER), legal, Random(1)) == ecarte.CLAIM


@pytest.mark.nightly
@pytest.mark.parametrize("place", range(1, len(BOT_NAMES)))
def test_each_bot_narrowly_beats_the_one_below(place: int) -> None:
    found = played(
        MatchJob(BOT_NAMES[place], BOT_NAMES[place - 1], 5_000 if place < 6 else 2_500, 2)
    )
    won, doubt = found.win_rate.value, 2.5 * found.win_rate.error
    assert 0.52 - doubt < won < 0.60 + doubt
    assert won > 0.5 + doubt
