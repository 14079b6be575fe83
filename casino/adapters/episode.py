"""Episodes for the adapters, played by action number, and import of optional extras.

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

from importlib import import_module
from operator import index
from typing import Any, Final

from casino.ecarte import (
    PACK,
    Action,
    Deal,
    Game,
    Laws,
    Rng,
    View,
    after_deal,
    apply,
    cut_for_deal,
    first_dealer,
    is_over,
    laws_json,
    legal_for,
    new_game,
    next_deal,
    parse_laws,
    returns,
    shuffled,
    view,
    winner,
)
from casino.ecarte.observation import encoding
from casino.ecarte.rules import NO_SEAT, Seat, other
from casino.errors import InputError, LawsError, MissingExtraError

GAME, DEAL = EPISODES = ("game", "deal")  # an episode is a whole game, or one deal
DEFAULT_LAWS: Final = Laws()


def import_extra(name: str) -> Any:
    """Import a module. Raise `MissingExtraError` if its package is not installed."""
    package = name.partition(".")[0]
    try:
        import_module(package)
        return import_module(name)
    except ModuleNotFoundError as error:
        # The package is installed but one of its own imports is missing: show that error.
        if error.name != package:
            raise
        raise MissingExtraError(package) from None


class NumpyRng:
    """An `Rng` backed by a numpy generator, which Gymnasium and PettingZoo use for seeding."""

    def __init__(self, generator: Any) -> None:
        self.generator = generator

    def randrange(self, stop: int, /) -> int:
        """Return a uniform random number from 0 to `stop - 1`."""
        return int(self.generator.integers(stop))


def check_settings(laws: Laws, episode: str) -> None:
    """Raise `LawsError` or `InputError` for settings that the adapters do not support."""
    parse_laws(laws_json(laws))
    if laws.enforcement != "strict":
        raise LawsError(
            "law enforcement: under claims either seat may act at any time: play under strict"
        )
    if episode not in EPISODES:
        raise InputError(f"an episode is 'game' or 'deal', not {episode!r}")


class EpisodeTable:
    """A table that plays one episode at a time, a game or a single deal."""

    def __init__(self, laws: Laws = DEFAULT_LAWS, episode: str = GAME) -> None:
        check_settings(laws, episode)
        self.laws = laws
        self.episode = episode
        self.game: Game
        self.deal: Deal
        self._rng: Rng
        self._loser: Seat | None = None

    def begin(self, rng: Rng, again: bool = False) -> None:
        """Start an episode. With `again`, the previous loser may have to deal first (R2.1)."""
        self._rng = rng
        self._loser = self._loser if again else None
        dealer = first_dealer(self.laws, cut_for_deal(shuffled(PACK, rng)), self._loser)
        self.game = new_game(self.laws, dealer)
        self.deal = next_deal(self.game, rng)

    @property
    def turn(self) -> Seat:
        """The seat to act, or `NO_SEAT` once the episode is over."""
        return NO_SEAT if self.over else self.deal.turn

    @property
    def over(self) -> bool:
        """True once the episode is over."""
        return is_over(self.deal)

    @property
    def returns(self) -> tuple[int, int]:
        """The amounts won by each seat from the other: stakes in a game, points in a deal."""
        if self.episode == DEAL:
            return returns(self.deal) if self.over else (0, 0)
        return returns(self.game)

    def legal(self) -> list[int]:
        """Return the sorted numbers of the legal actions, or [] once the episode is over."""
        if self.over:
            return []
        seat = self.deal.turn
        hand = self.deal.hands[seat]
        return sorted(encoding.encode_action(action, hand) for action in legal_for(self.deal, seat))

    def view(self, seat: Seat) -> View:
        """Return the deal as a seat sees it."""
        return view(self.deal, seat)

    def observation(self, seat: Seat) -> list[int]:
        """Return the deal as a seat sees it, encoded as a row of numbers."""
        return encoding.observation(self.view(seat))

    def action_of(self, number: int) -> Action:
        """Return the action with this number for the seat to act."""
        return encoding.decode_action(number, self.deal.hands[self.deal.turn])

    def act(self, number: object) -> None:
        """Take the action with this number. An illegal one raises an error and changes nothing."""
        try:
            integer = index(number)  # type: ignore[arg-type]
        except TypeError:
            raise InputError(f"{number!r} is not the number of an action") from None
        self.take(self.action_of(integer))

    def take(self, action: Action) -> None:
        """Take an action. When a deal of a game ends, start the next one."""
        self.deal = apply(self.deal, action)
        # A king turned up may end the next deal at once.
        while self.episode == GAME and is_over(self.deal) and not self.game.over:
            self.game = after_deal(self.game, self.deal)
            if not self.game.over:
                self.deal = next_deal(self.game, self._rng)
        won = winner(self.game)
        self._loser = None if won is None else other(won)
