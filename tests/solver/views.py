"""Views and deals for tests of the expert: played by the engine, from seeds."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from casino import ecarte
from casino.bots import get_bot
from casino.ecarte import NO_SEAT, Deal, Laws, View

USUAL = Laws()


def deals(number: int, seed: int, laws: Laws = USUAL, bot: str = "regle") -> Iterator[Deal]:
    """Yield every state of some deals, played by a bot in both seats."""
    rng = Random(seed)
    player = get_bot(bot)
    for _ in range(number):
        deal = ecarte.new_deal(laws, rng.randrange(2), rng.sample(ecarte.PACK, len(ecarte.PACK)))
        while (seat := deal.turn) != NO_SEAT:
            yield deal
            deal = ecarte.apply(
                deal, player.choose(ecarte.view(deal, seat), ecarte.legal_for(deal, seat), rng)
            )


def card_views(number: int, seed: int, laws: Laws = USUAL) -> Iterator[View]:
    for deal in deals(number, seed, laws, "novice"):
        if deal.phase in (ecarte.LEADING, ecarte.FOLLOWING) and deal.sizes[deal.turn] > 1:
            yield ecarte.view(deal, deal.turn)
