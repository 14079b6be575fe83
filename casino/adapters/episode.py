"""The table behind every adapter that plays on objects: episodes, deal after deal, by numbers.

>>> from random import Random
>>> table = EpisodeTable()
>>> table.begin(Random(1))
>>> table.turn, table.legal()
(1, [32, 33])
>>> table.act(33)
>>> table.legal()
[6, 15, 18, 21, 22, 37]
"""

from __future__ import annotations

from operator import index
from typing import Final

from casino.ecarte.actions import Action
from casino.ecarte.cards import PACK
from casino.ecarte.deal import apply, legal_for
from casino.ecarte.game import (
    Game,
    after_deal,
    cut_for_deal,
    first_dealer,
    is_over,
    new_game,
    next_deal,
    returns,
    winner,
)
from casino.ecarte.laws import Laws, laws_json, parse_laws
from casino.ecarte.observation import encoding
from casino.ecarte.observation.view import View, view
from casino.ecarte.rng import Rng, shuffled
from casino.ecarte.rules import NOBODY, Seat, other
from casino.ecarte.state import Deal
from casino.errors import BadInput, BadLaws

GAME, DEAL = EPISODES = ("game", "deal")
"""What an episode is: a game to the target, or one deal."""

DEFAULT_LAWS: Final = Laws()


def check_settings(laws: Laws, episode: str) -> None:
    """Refuse what an adapter cannot play."""
    parse_laws(laws_json(laws))
    if laws.enforcement != "strict":
        raise BadLaws(
            "law enforcement: under claims either seat may act at any time: play under strict"
        )
    if episode not in EPISODES:
        raise BadInput(f"an episode is 'game' or 'deal', not {episode!r}")


class EpisodeTable:
    """Where one episode after the other is played; each has its chance from outside."""

    def __init__(self, laws: Laws = DEFAULT_LAWS, episode: str = GAME) -> None:
        check_settings(laws, episode)
        self.laws = laws
        self.episode = episode
        self.game: Game
        self.deal: Deal
        self._chance: Rng
        self._loser: Seat | None = None

    def begin(self, chance: Rng, again: bool = False) -> None:
        """Begin an episode; if the same two play again, the loser may have to deal (R2.1)."""
        self._chance = chance
        self._loser = self._loser if again else None
        dealer = first_dealer(self.laws, cut_for_deal(shuffled(PACK, chance)), self._loser)
        self.game = new_game(self.laws, dealer)
        self.deal = next_deal(self.game, chance)

    @property
    def turn(self) -> Seat:
        """The seat to act, or nobody once the episode is over."""
        return NOBODY if self.over else self.deal.turn

    @property
    def over(self) -> bool:
        """Whether the episode is over."""
        return is_over(self.deal)

    @property
    def returns(self) -> tuple[int, int]:
        """What each seat has won of the other: stakes in a game, points in a deal."""
        if self.episode == DEAL:
            return returns(self.deal) if self.over else (0, 0)
        return returns(self.game)

    def legal(self) -> list[int]:
        """The numbers of what the seat to act may do, in order."""
        if self.over:
            return []
        seat = self.deal.turn
        hand = self.deal.hands[seat]
        return sorted(encoding.encode_action(one, hand) for one in legal_for(self.deal, seat))

    def view(self, seat: Seat) -> View:
        """What a seat may know."""
        return view(self.deal, seat)

    def observation(self, seat: Seat) -> list[int]:
        """What a seat may know, as a row of numbers."""
        return encoding.observation(self.view(seat))

    def action_of(self, number: int) -> Action:
        """The action that a number stands for."""
        return encoding.decode_action(number, self.deal.hands[self.deal.turn])

    def act(self, number: object) -> None:
        """The seat to act does what a number stands for; a refusal changes nothing."""
        try:
            plain = index(number)  # type: ignore[arg-type]
        except TypeError:
            raise BadInput(f"{number!r} is not the number of an action") from None
        self.take(self.action_of(plain))

    def take(self, action: Action) -> None:
        """The seat to act takes an action; the next deal of a game begins as soon as it can."""
        self.deal = apply(self.deal, action)
        while self.episode == GAME and is_over(self.deal) and not self.game.over:
            self.game = after_deal(self.game, self.deal)
            if not self.game.over:
                self.deal = next_deal(self.game, self._chance)
        won = winner(self.game)
        self._loser = None if won is None else other(won)
