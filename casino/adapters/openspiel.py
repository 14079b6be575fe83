"""Écarté as a game of OpenSpiel, written in Python: `python_ecarte`.

Chance cuts for the deal and deals card by card. Actions have the numbers of `encoding`. The
information state of a seat is the text of `encoding.information_state`, after those of the deals
before; `resample_from_infostate` draws none but deals that agree with all the seat has seen. With
a short pack and small hands the game is small enough to be solved.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple

from casino.adapters.episode import DEAL, EPISODES, GAME
from casino.adapters.optional_imports import import_extra
from casino.ecarte.actions import EXCHANGE, Action, exchanged_number, token
from casino.ecarte.cards import PACK, Card, cards, cards_in, format_card, format_cards
from casino.ecarte.deal import apply, legal_actions, turn_up
from casino.ecarte.game import (
    Game,
    after_deal,
    begin_deal,
    first_dealers,
    is_over,
    new_game,
    returns,
)
from casino.ecarte.laws import Laws
from casino.ecarte.observation import encoding
from casino.ecarte.observation.possible_deals import possible_deals
from casino.ecarte.observation.view import GALLERY, view
from casino.ecarte.records.notation import format_position, position_of_view
from casino.ecarte.rules import CHALLENGER, HOUSE, SEATS, Seat
from casino.ecarte.state import Deal
from casino.ecarte.validation import check_laws
from casino.errors import BadInput

NAME: Final = "python_ecarte"
FULL_PACK: Final = "full"
"""The usual pack."""

PARAMETERS: Final[dict[str, Any]] = {
    "target": 5,
    "play": "strict",
    "vole_unexchanged": 1,
    "packets": "3/2",
    "deal": "alternate",
    "first_dealer": "cut",
    "episode": GAME,
    "pack": FULL_PACK,
}
"""The laws; what an episode is; the cards of the pack, for example `KSQSKHQH`."""

MAX_UTILITY: Final = 3
"""Stakes in a game, or points in a deal: two for the tricks and one for the king."""


class Variant(NamedTuple):
    """What is played."""

    laws: Laws
    episode: str
    pack: tuple[Card, ...]

    @property
    def dealt(self) -> int:
        """How many cards are dealt before anybody speaks."""
        return 2 * sum(self.laws.packets) + 1

    @property
    def deals(self) -> int:
        """The most deals of an episode: in each but the last of a game somebody scores."""
        return 1 if self.episode == DEAL else 2 * self.laws.target - 1

    @property
    def longest_deal(self) -> int:
        """The most decisions of a deal: four an exchange, two at last, the king, the cards."""
        exchanges = (len(self.pack) - self.dealt + 1) // 2
        return 4 * exchanges + 2 + self.dealt


def load_game(**parameters: Any) -> Any:
    """The game with some of `PARAMETERS`, known to OpenSpiel by its name from then on."""
    register()
    return import_extra("pyspiel").load_game(NAME, parameters)


def variant_of(parameters: dict[str, Any]) -> Variant:
    """What is played with some parameters; the rest have their defaults."""
    given = PARAMETERS | parameters
    episode, pack = given.pop("episode"), given.pop("pack")
    packets = str(given.pop("packets")).split("/")
    if len(packets) != 2 or not all(number.isdecimal() for number in packets):
        raise BadInput("packets are two numbers, for example 3/2")
    laws = Laws(**given, packets=(int(packets[0]), int(packets[1])))
    check_laws(laws)
    variant = Variant(laws, episode, PACK if pack == FULL_PACK else cards(pack))
    if episode not in EPISODES:
        raise BadInput(f"an episode is 'game' or 'deal', not {episode!r}")
    if not 0 < sum(laws.packets) <= encoding.MAX_HAND or len(variant.pack) < variant.dealt:
        raise BadInput("hands have one to five cards, and the pack is enough for two and a turn-up")
    if episode == GAME and sum(laws.packets) % 2 == 0:
        raise BadInput("with hands of an even size a game may never end: play one deal")
    return variant


class _Game:
    """What is played, and how large it can grow."""

    def __init__(self, parameters: dict[str, Any] | None = None) -> None:
        spiel = import_extra("pyspiel")
        self.variant = variant_of(parameters or {})
        info = spiel.GameInfo(
            num_distinct_actions=encoding.NUM_ACTIONS,
            max_chance_outcomes=len(PACK),
            num_players=len(SEATS),
            min_utility=float(-MAX_UTILITY),
            max_utility=float(MAX_UTILITY),
            utility_sum=0.0,
            max_game_length=self.variant.deals * self.variant.longest_deal,
        )
        super().__init__(game_type(), info, parameters or {})  # type: ignore[call-arg]

    def new_initial_state(self) -> Any:
        """Nothing has been cut or dealt."""
        return classes()["EcarteState"](self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        """Who writes down what a seat sees; with perfect recall, of all deals so far."""
        if params:
            raise BadInput(f"an observer has no parameters: {params}")
        spiel = import_extra("pyspiel")
        wanted = iig_obs_type or spiel.IIGObservationType(perfect_recall=False)
        kinds = spiel.PrivateInfoType
        if wanted.private_info == kinds.ALL_PLAYERS:
            raise BadInput("nobody observes both hands: choose one player's, or none")
        own = wanted.private_info == kinds.SINGLE_PLAYER
        return _Observer(wanted.perfect_recall, wanted.public_info, own)

    def max_chance_nodes_in_history(self) -> int:
        """The cut, and every card of every deal."""
        return 1 + self.variant.deals * len(self.variant.pack)


class _State:
    """A game as far as it has come; `deal` is the deal of the engine, when it is dealt.

    `dealt` are the cards of the deal that chance has dealt so far, `due` is how many it is to
    deal before anybody can act, `asked` the exchange that waits for them.
    """

    get_game: Callable[[], Any]
    full_history: Callable[[], Any]
    is_chance_node: Callable[[], bool]

    def __init__(self, game: Any) -> None:
        super().__init__(game)  # type: ignore[call-arg]
        self.variant: Variant = game.variant
        self.game: Game | None = None
        self.deal: Deal | None = None
        self.dealt: tuple[Card, ...] = ()
        self.due = self.variant.dealt
        self.asked: Action | None = None
        self.began = 0
        self.past: tuple[str, ...] = ("", "", "")
        dealers = first_dealers(self.variant.laws)
        if len(dealers) == 1:
            self.game = new_game(self.variant.laws, dealers[0])

    def current_player(self) -> int:
        """The seat to act, chance, or nobody any more."""
        player = import_extra("pyspiel").PlayerId
        if self.is_terminal():
            return int(player.TERMINAL)
        if self.due or self.deal is None:
            return int(player.CHANCE)
        return self.deal.turn

    def is_terminal(self) -> bool:
        """Whether the episode is over."""
        if self.game is None or self.deal is None or self.due:
            return False
        return self.game.over if self.variant.episode == GAME else is_over(self.deal)

    def returns(self) -> list[float]:
        """What each seat has won: stakes in a game, points in a deal."""
        if not self.is_terminal():
            return [0.0, 0.0]
        ended = self.game if self.variant.episode == GAME else self.deal
        assert ended is not None
        return [*map(float, returns(ended))]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Who has won the cut, or the next card of the deal, each as likely."""
        left = (
            range(len(SEATS)) if self.game is None else sorted({*self.variant.pack} - {*self.dealt})
        )
        return [(one, 1.0 / len(left)) for one in left]

    def _legal_actions(self, player: int) -> list[int]:
        """The numbers of what a seat may do, in order."""
        deal = self.deal
        if deal is None or player != deal.turn:
            return []
        return sorted(
            encoding.encode_action(one, deal.hands[player]) for one in legal_actions(deal)
        )

    def _apply_action(self, action: int) -> None:
        """Chance cuts or deals a card, or the seat to act does what a number stands for."""
        if self.game is None:
            self.game = new_game(self.variant.laws, action)
        elif self.due:
            self.dealt += (action,)
            self.due -= 1
            if not self.due:
                self._dealt(self.game)
        elif self.deal is not None:
            said = encoding.decode_action(action, self.deal.hands[self.deal.turn])
            number = exchanged_number(said) if said >= EXCHANGE else 0
            if number and said in legal_actions(self.deal):
                self.asked, self.due = said, number
            else:
                self._moved_on(self.game, apply(self.deal, said))

    def _dealt(self, game: Game) -> None:
        """All cards that were due are dealt: a deal begins, or an exchange is made."""
        deck = (*self.dealt, *(one for one in self.variant.pack if one not in self.dealt))
        if self.deal is None:
            self._moved_on(game, turn_up(begin_deal(game, deck)))
        elif self.asked is not None:
            deal = self.deal._replace(start=self.deal.start._replace(deck=deck))
            asked, self.asked = self.asked, None
            self._moved_on(game, apply(deal, asked))

    def _moved_on(self, game: Game, deal: Deal) -> None:
        """The deal has moved on; if it is over, the game may go on with the next."""
        self.deal = deal
        if self.variant.episode == DEAL or not is_over(deal):
            return
        self.game = after_deal(game, deal)
        if not self.game.over:
            self.past = tuple(self.known(who, recall=True) for who in (HOUSE, CHALLENGER, GALLERY))
            self.began = len(self.full_history()) + 1
            self.deal, self.dealt, self.due = None, (), self.variant.dealt

    def known(self, viewer: Seat, recall: bool) -> str:
        """What a seat or the gallery knows, as a text; with recall, of all deals so far."""
        now = "waiting for the deal"
        if self.deal is not None:
            seen = view(self.deal, viewer)
            if viewer == GALLERY:
                now = f"gallery sees: {format_position(position_of_view(seen))}"
            else:
                now = encoding.information_state(seen)
            if self.asked is not None:
                now += f" {token(self.asked)}" if viewer == self.deal.turn else " X"
        return f"{self.past[viewer]}{now}\n" if recall else now

    def _action_to_string(self, player: int, action: int) -> str:
        """An action as records write it."""
        if player == import_extra("pyspiel").PlayerId.CHANCE:
            return f"cut {SEATS[action]}" if self.game is None else f"deal {format_card(action)}"
        assert self.deal is not None
        return token(encoding.decode_action(action, self.deal.hands[player]))

    def __str__(self) -> str:
        done = f"dealt {' '.join(map(format_card, self.dealt)) or 'nothing'}"
        return done if self.deal is None else f"{self.deal!s}\n{done}"

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> Any:
        """Another state that looks the same to the seat, each possible deal equally likely."""
        assert self.deal is not None and not self.due
        other = possible_deals(view(self.deal, player), self.variant.pack).sample(_Sampled(sampler))
        state = self.get_game().new_initial_state()
        for step in self.full_history()[: self.began]:
            state.apply_action(step.action)
        history, deck = iter(other.history), iter(other.deck)
        if state.is_chance_node() and state.game is None:
            state.apply_action(self.full_history()[0].action)
        while state.due or state.deal.history != other.history:
            if state.is_chance_node():
                state.apply_action(next(deck))
            else:
                hand = state.deal.hands[state.deal.turn]
                state.apply_action(encoding.encode_action(next(history), hand))
        return state


class _Sampled:
    """Chance from a sampler of OpenSpiel, which gives fractions."""

    def __init__(self, sampler: Callable[[], float]) -> None:
        self.sampler = sampler

    def randrange(self, stop: int, /) -> int:
        """A number from 0 to `stop - 1`, each as likely."""
        return min(int(self.sampler() * stop), stop - 1)


class _Observer:
    """Writes down what is public, what a seat alone knows, or both: as a row and as a text."""

    def __init__(self, recall: bool, public: bool, own: bool) -> None:
        np = import_extra("numpy")
        self.recall, self.public, self.own = recall, public, own
        self.tensor = np.zeros(encoding.OBSERVATION_SIZE, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: Any, player: int) -> None:
        """Write the row; zeros until the cards are dealt, and for what is left out."""
        self.tensor[:] = 0
        if state.deal is None:
            return
        for at, number in enumerate(encoding.observation(view(state.deal, player))):
            if self.own if at in _PRIVATE else self.public:
                self.tensor[at] = number

    def string_from(self, state: Any, player: int) -> str:
        """The text."""
        if self.public:
            known: str = state.known(player if self.own else GALLERY, self.recall)
            return known
        return (
            ""
            if state.deal is None or not self.own
            else format_cards(cards_in(state.deal.hands[player]))
        )


_PRIVATE: Final = frozenset(
    32 * encoding.PLANES.index(plane) + card
    for plane in ("hand", "hand when play began", "own discards")
    for card in range(32)
)
"""The numbers of an observation that tell of a seat's own cards."""


@cache
def game_type() -> Any:
    """What OpenSpiel wants to know of the game."""
    spiel = import_extra("pyspiel")
    kinds = spiel.GameType
    return kinds(
        short_name=NAME,
        long_name="Écarté",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification=PARAMETERS,
    )


@cache
def classes() -> dict[str, Any]:
    """The classes of the game and its states, made when OpenSpiel is first needed."""
    spiel = import_extra("pyspiel")
    bases = {"EcarteGame": (_Game, spiel.Game), "EcarteState": (_State, spiel.State)}
    return {
        name: type(both[1])(name, both, {"__module__": __name__, "__doc__": both[0].__doc__})
        for name, both in bases.items()
    }


def __getattr__(name: str) -> Any:
    """Let a pickled state find its class."""
    if name in ("EcarteGame", "EcarteState"):
        return classes()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def register() -> None:
    """Make the game known to `pyspiel.load_game`."""
    spiel = import_extra("pyspiel")
    if NAME not in spiel.registered_names():
        spiel.register_game(game_type(), classes()["EcarteGame"])
