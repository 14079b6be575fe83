"""What an adapter must show, computed by the engine from the same seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from casino import ecarte
from casino.adapters.episode import NumpyRng
from casino.bots import Bot
from casino.ecarte import Card, Deal, Game, Laws, Rng, returns
from casino.ecarte.observation import encoding

EPISODES = 4
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
        self.start(laws, ecarte.shuffled(ecarte.PACK, chance), loser)

    def start(self, laws: Laws, pack: Sequence[Card], loser: int | None) -> None:
        """Start a game, whose first dealer is cut for with a pack."""
        dealer = ecarte.first_dealer(laws, ecarte.cut_for_deal(pack), loser)
        self.game: Game = ecarte.new_game(laws, dealer)
        self.deal: Deal = self.next_deal()

    def next_deal(self) -> Deal:
        return ecarte.next_deal(self.game, self.chance)

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

    def answer(self, bots: Mapping[int, Bot]) -> None:
        """Let bots take their turns."""
        while bot := bots.get(self.turn):
            legal = ecarte.legal_for(self.deal, self.turn)
            self.take(bot.choose(ecarte.view(self.deal, self.turn), legal, self.chance))

    def act(self, number: int) -> None:
        self.take(encoding.decode_action(number, self.deal.hands[self.deal.turn]))

    def take(self, action: int) -> None:
        self.deal = ecarte.apply(self.deal, action)
        while ecarte.is_over(self.deal) and self.episode == "game":
            self.game = ecarte.after_deal(self.game, self.deal)
            if self.game.over:
                return
            self.deal = self.next_deal()


def seeded(seed: int) -> NumpyRng:
    generator, _ = needed("gymnasium.utils.seeding").np_random(seed)
    return NumpyRng(generator)


def pick_action(mask: list[int], chance: Random) -> int:
    legal = [number for number, may in enumerate(mask) if may]
    number = chance.choice(legal)
    return legal[0] if number == ecarte.CONCEDE and chance.random() < 0.8 else number
