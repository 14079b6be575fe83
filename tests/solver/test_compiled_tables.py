"""The compiled expert: the same decisions as in plain Python, whatever the view and the chance."""

from __future__ import annotations

from random import Random

import pytest

from casino.bots import BOT_NAMES, get_bot
from casino.ecarte import MARK, Laws, legal_for, view
from casino.solver.expert_bot import Expert
from casino.solver.policy.compiled_tables import CompiledExpert, compiled_bot
from tests.solver.views import deals


@pytest.mark.parametrize(
    "laws", [Laws(), Laws(play="ordinary"), Laws(7, deal="house"), Laws(enforcement="claims")]
)
def test_it_decides_as_plain_python_does(laws: Laws) -> None:
    """At every moment of some deals, card for card."""
    plain, fast = Expert(), compiled_bot(get_bot("expert"))
    assert type(fast) is CompiledExpert
    played = 0
    for at, deal in enumerate(deals(12, 44, laws, "regle")):
        seen, legal = view(deal, deal.turn), legal_for(deal, deal.turn)
        found = fast.choose(seen, legal, Random(at))
        assert found == plain.choose(seen, legal, Random(at))
        played += 0 <= found < 32
    assert played > 60


def test_it_hides_the_king_as_plain_python_does() -> None:
    """At 3-4, where one who knows that both are silent judges by nothing else."""
    plain, fast = Expert(), compiled_bot(get_bot("expert"))
    hidden = 0
    for score in ((4, 3), (3, 4)):
        for at, deal in enumerate(deals(30, 46, bot="regle", score=score)):
            seen, legal = view(deal, deal.turn), legal_for(deal, deal.turn)
            found = fast.choose(seen, legal, Random(at))
            assert found == plain.choose(seen, legal, Random(at))
            hidden += MARK in legal and found != MARK
    assert hidden


def test_its_values_are_the_same_to_the_last_unit() -> None:
    """Not only the best card: every number, with many samples and with few."""
    seen_values: dict[type, list[list[int]]] = {Expert: [], CompiledExpert: []}
    for bucket, found in seen_values.items():
        for effort in (1, 64, 300):

            class Noting(bucket):  # type: ignore[misc, valid-type]
                """Notes what each card is worth."""

                def values(self, *given: object) -> list[int]:
                    found.append(list(super().values(*given)))  # noqa: B023
                    return found[-1]  # noqa: B023

            bot = Noting(effort)
            for deal in deals(6, 9, bot="regle"):
                bot.choose(view(deal, deal.turn), legal_for(deal, deal.turn), Random(5))
    assert seen_values[Expert] == seen_values[CompiledExpert]
    assert len(seen_values[Expert]) > 60


def test_who_does_not_weigh_cards_stays_as_he_is() -> None:
    """The other bots need no machine code, nor does an expert who has it already."""
    for name in BOT_NAMES:
        bot = get_bot(name)
        assert (compiled_bot(bot) is bot) is (type(bot) is not Expert)
    again = compiled_bot(get_bot("expert"))
    assert compiled_bot(again) is again
