"""Episodes for the adapters, played by action numbers, and the import of optional extras."""

from __future__ import annotations

from importlib import import_module
from operator import index
from typing import Any, Final

from casino import ecarte
from casino.ecarte import NO_SEAT, Action, Deal, Game, Laws, Rng, Seat
from casino.ecarte.observation import encoding
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


def learning_spaces() -> tuple[Any, Any]:
    """Return the observation and action spaces for Gymnasium and PettingZoo."""
    spaces, np = import_extra("gymnasium.spaces"), import_extra("numpy")
    highest = np.array(encoding.MAX_VALUES, np.int8)
    observed = {
        "observation": spaces.Box(np.zeros_like(highest), highest, dtype=np.int8),
        "action_mask": spaces.Box(0, 1, (encoding.NUM_ACTIONS,), np.int8),
    }
    return spaces.Dict(observed), spaces.Discrete(encoding.NUM_ACTIONS)


class NumpyRng:
    """An `Rng` backed by a numpy generator, which Gymnasium and PettingZoo use for seeding."""

    def __init__(self, generator: Any) -> None:
        self.generator = generator

    def randrange(self, stop: int, /) -> int:
        """Return a uniform random number from 0 to `stop - 1`."""
        return int(self.generator.integers(stop))


def check_settings(laws: Laws, episode: str) -> None:
    """Raise `LawsError` or `InputError` for settings that the adapters do not support."""
    ecarte.parse_laws(ecarte.laws_json(laws))
    if laws.enforcement != "strict":
        raise LawsError("law enforcement: under claims either seat may act at any time: use strict")
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
        """Start an episode. With `again`, the last game's loser may have to deal first (R2.1)."""
        self._rng = rng
        self._loser = self._loser if again else None
        dealer = ecarte.first_dealer(
            self.laws, ecarte.cut_for_deal(ecarte.shuffled(ecarte.PACK, rng)), self._loser
        )
        self.game = ecarte.new_game(self.laws, dealer)
        self.deal = ecarte.next_deal(self.game, rng)

    @property
    def turn(self) -> Seat:
        """The seat to act, or `NO_SEAT` once the episode is over."""
        return NO_SEAT if self.over else self.deal.turn

    @property
    def over(self) -> bool:
        """True once the episode is over."""
        return ecarte.is_over(self.deal)

    @property
    def returns(self) -> tuple[int, int]:
        """What each seat won: stakes in a game, points in a deal, or 0 before the end."""
        if self.episode == DEAL:
            return ecarte.returns(self.deal) if self.over else (0, 0)
        return ecarte.returns(self.game)

    def observed(self, seat: Seat) -> dict[str, Any]:
        """Return a seat's observation and action mask as arrays; out of turn the mask is all 0."""
        np = import_extra("numpy")
        legal = ecarte.legal_for(self.deal, seat) if self.turn == seat else ()
        mask = np.array(encoding.legal_mask(legal, self.deal.hands[seat]), np.int8)
        row = np.array(encoding.observation(ecarte.view(self.deal, seat)), np.int8)
        return {"observation": row, "action_mask": mask}

    def act(self, number: object) -> None:
        """Take the action with this number. An illegal action raises an error, changing nothing."""
        try:
            integer = index(number)  # type: ignore[arg-type]
        except TypeError:
            raise InputError(f"{number!r} is not the number of an action") from None
        self.take(encoding.decode_action(integer, self.deal.hands[self.deal.turn]))

    def take(self, action: Action) -> None:
        """Take an action. When a deal of a game ends, start the next one."""
        self.deal = ecarte.apply(self.deal, action)
        # A king turned up may end the next deal at once.
        while self.episode == GAME and ecarte.is_over(self.deal) and not self.game.over:
            self.game = ecarte.after_deal(self.game, self.deal)
            if not self.game.over:
                self.deal = ecarte.next_deal(self.game, self._rng)
        won = ecarte.winner(self.game)
        self._loser = None if won is None else 1 - won
