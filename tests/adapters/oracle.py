"""What an adapter must show, computed by the engine from the same seed."""

from __future__ import annotations

from typing import Any

import pytest

from casino import ecarte
from casino.adapters.episode import NumpyRng
from casino.ecarte import Deal, Game, Laws, Rng, returns
from casino.ecarte.observation import encoding

EXTRAS = {"pettingzoo": "pettingzoo", "gymnasium": "gymnasium", "pyspiel": "openspiel"}


def needed(package: str) -> Any:
    """Import the library under test, or skip the test with the reason."""
    extra = EXTRAS.get(package, package)
    return pytest.importorskip(
        package, reason=f"{package} is not installed: pip install 'ecarte-casino[{extra}]'"
    )


class Oracle:
    """One episode played by the engine; `chance` is the adapter's random source."""

    def __init__(self, laws: Laws, episode: str, chance: Rng, loser: int | None = None) -> None:
        self.episode, self.chance = episode, chance
        dealer = ecarte.first_dealer(
            laws, ecarte.cut_for_deal(ecarte.shuffled(ecarte.PACK, chance)), loser
        )
        self.game: Game = ecarte.new_game(laws, dealer)
        self.deal: Deal = ecarte.next_deal(self.game, chance)

    @property
    def over(self) -> bool:
        return ecarte.is_over(self.deal) if self.episode == "deal" else self.game.over

    @property
    def turn(self) -> int:
        return -1 if self.over else self.deal.turn

    @property
    def loser(self) -> int | None:
        return int(self.returns[1] < 0) if self.game.over else None

    @property
    def returns(self) -> tuple[int, int]:
        if not self.over:
            return 0, 0
        return returns(self.deal if self.episode == "deal" else self.game)

    def mask(self, seat: int) -> list[int]:
        if seat != self.turn:
            return [0] * encoding.NUM_ACTIONS
        return [
            *map(int, encoding.legal_mask(ecarte.legal_for(self.deal, seat), self.deal.hands[seat]))
        ]

    def observation(self, seat: int) -> list[int]:
        return encoding.observation(ecarte.view(self.deal, seat))

    def act(self, number: int) -> None:
        self.take(encoding.decode_action(number, self.deal.hands[self.deal.turn]))

    def take(self, action: int) -> None:
        self.deal = ecarte.apply(self.deal, action)
        while ecarte.is_over(self.deal) and self.episode == "game":
            self.game = ecarte.after_deal(self.game, self.deal)
            if self.game.over:
                return
            self.deal = ecarte.next_deal(self.game, self.chance)


def seeded(seed: int) -> NumpyRng:
    generator, _ = needed("gymnasium.utils.seeding").np_random(seed)
    return NumpyRng(generator)
