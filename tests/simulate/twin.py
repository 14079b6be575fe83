"""A game of `steps` beside its twin, a deal of the engine: what is done to one is done to both.

Here `steps` runs as plain Python: nothing is compiled, and every field can be looked at.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from casino.ecarte import (
    FOLLOWING,
    HOUSE,
    LEADING,
    NO_SEAT,
    OVER,
    Deal,
    Laws,
    apply,
    legal_for,
    new_deal,
)
from casino.ecarte.observation import encoding
from casino.simulate.compiled import vector_env
from casino.simulate.compiled.splitmix import BLOCKS
from casino.simulate.compiled.vector_env import GAME, EpisodeRules, episode_rules


def empty() -> Any:
    """A game of which nothing is known, with the fields that an array of games has."""
    fields = {}
    for name in GAME.names or ():
        shape = GAME[name].shape
        fields[name] = [0] * shape[0] if shape else 0
    return SimpleNamespace(**fields)


def game_of(rules: EpisodeRules, deal: Deal) -> Any:
    game = empty()
    game.dealer, game.deck, game.shuffled = deal.dealer, list(deal.deck), len(BLOCKS) - 1
    game.turned, game.drawn = deal.start.turned, deal.drawn
    game.hands, game.kept = list(deal.hands), list(deal.hands)
    game.score, game.began = list(deal.score_before), list(deal.score_before)
    game.led = game.vulnerable = game.marked = game.loser = NO_SEAT
    vector_env._may_speak(game)
    vector_env.add_points(rules, game, deal.dealer, int(deal.start.turned & 7 == 7))
    return game


def legal_numbers(game: Any) -> list[int]:
    words = game.legal
    return [
        at
        for at in range(encoding.NUM_ACTIONS)
        if words[at // vector_env.WORD] >> at % vector_env.WORD & 1
    ]


class Twin:
    """A deal played by both, and compared after every action."""

    def __init__(self, deal: Deal, *, one_deal: bool = True) -> None:
        self.rules = episode_rules(deal.laws, one_deal)
        self.deal = deal
        self.game = game_of(self.rules, deal)
        self.compare()

    @classmethod
    def of(
        cls, deck: Any, score: tuple[int, int] = (0, 0), dealer: int = HOUSE, **laws: Any
    ) -> Twin:
        """A deal of a pack, the house dealing unless another is named."""
        return cls(new_deal(Laws(**laws), dealer, deck, score))

    @property
    def legal(self) -> list[int]:
        """The numbers of the actions that are legal now."""
        return legal_numbers(self.game)

    def act(self, *numbers: int) -> Twin:
        """Take some actions, by their numbers."""
        for number in numbers:
            hand = self.deal.hands[self.deal.turn]
            self.deal = apply(self.deal, encoding.decode_action(number, hand))
            vector_env.act(self.rules, self.game, number)
            self.compare()
        return self

    def compare(self) -> None:
        """Both are the same, to the last field."""
        game, deal = self.game, self.deal
        assert (game.phase, game.turn) == (deal.phase, deal.turn)
        assert (tuple(game.score), tuple(game.began)) == (deal.score, deal.score_before)
        assert tuple(game.tricks) == deal.tricks
        assert (game.vulnerable, game.marked) == (deal.vulnerable, deal.marked)
        assert game.drawn == deal.drawn and game.dealer == deal.dealer
        assert tuple(game.kept) == deal.kept
        legal: list[int] = []
        if deal.phase != OVER:
            assert (tuple(game.hands), game.led) == (deal.hands, deal.led)
            assert game.trick == sum(deal.tricks)
            shown = encoding.legal_mask(legal_for(deal, deal.turn), deal.hands[deal.turn])
            legal = [number for number, can in enumerate(shown) if can]
        assert legal_numbers(game) == legal
        if deal.phase in (LEADING, FOLLOWING):
            assert legal_numbers(game)[-1] <= encoding.FIRST_EXCHANGE
