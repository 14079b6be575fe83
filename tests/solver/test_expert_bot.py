"""The expert: legal, repeatable, and the same compiled."""

from __future__ import annotations

from random import Random

import pytest

from casino import ecarte
from casino.bots import play_game
from casino.ecarte import CHALLENGER, HOUSE, NO_SEAT, Deal, Laws
from casino.solver.expert_bot import Expert
from casino.solver.policy.compiled_tables import CompiledExpert
from casino.solver.policy.info_state import info_state
from tests.ecarte.deal_helpers import begun
from tests.solver.views import deals

EXPERT = Expert()


def answer(deal: Deal, seed: int = 1, bot: Expert = EXPERT) -> int:
    return bot.choose(ecarte.view(deal, deal.turn), ecarte.legal_for(deal, deal.turn), Random(seed))


@pytest.mark.parametrize(
    "laws",
    [
        Laws(), Laws(7, "ordinary", 2, (2, 3), "house"), Laws(11, enforcement="claims"),
        Laws(packets=(1, 1)), Laws(packets=(2, 2), play="ordinary"),
    ],
)  # fmt: skip
def test_expert_plays_whole_games_under_any_laws(laws: Laws) -> None:
    for seed in range(3):
        played = play_game(("expert", "novice"), seed, laws)
        assert max(played.game.score) == laws.target


def test_expert_exchanges_no_more_cards_than_the_stock_holds() -> None:
    rng = Random(11)
    short = 0
    for _ in range(12):
        deal = ecarte.new_deal(Laws(), HOUSE, rng.sample(ecarte.PACK, len(ecarte.PACK)))
        while deal.turn != NO_SEAT and deal.phase < 6:
            said = answer(deal, rng.randrange(99))
            if said == ecarte.STAND and ecarte.PROPOSE in ecarte.legal_for(deal, deal.turn):
                said = ecarte.PROPOSE
            elif said in (ecarte.ACCEPT, 35):
                said = ecarte.ACCEPT
            elif ecarte.exchanged_number(said) < 5 and deal.stock < 5:
                short += 1
            deal = ecarte.apply(deal, said)
    assert short


def test_r8_5_expert_claims_a_revoke_and_plays_on() -> None:
    hands = ("QS JS AS TS 9S", "KS 8S 7D KH 8H", "9D")
    deal = begun("S QS 8S JS KS", *hands, enforcement="claims")
    seen = ecarte.view(deal, CHALLENGER)
    assert EXPERT.choose(seen, ecarte.legal_for(deal, CHALLENGER), Random(1)) == ecarte.CLAIM
    again = ecarte.apply(deal, ecarte.CLAIM)
    assert info_state(ecarte.view(again, again.turn)) is None
    assert answer(again) in ecarte.legal_for(again, again.turn)


def test_compiled_expert_values_are_identical() -> None:
    seen_values: dict[type, list[list[int]]] = {Expert: [], CompiledExpert: []}
    for kind, found in seen_values.items():
        for effort in (1, 64, 300):

            class Noting(kind):  # type: ignore[misc, valid-type]
                def values(self, *given: object) -> list[int]:
                    found.append(list(super().values(*given)))  # noqa: B023
                    return found[-1]  # noqa: B023

            bot = Noting(effort)
            for deal in deals(6, 9):
                bot.choose(
                    ecarte.view(deal, deal.turn), ecarte.legal_for(deal, deal.turn), Random(5)
                )
    assert seen_values[Expert] == seen_values[CompiledExpert]
    assert len(seen_values[Expert]) > 60
