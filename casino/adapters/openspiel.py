"""The OpenSpiel game `python_ecarte`, in Python.

Chance nodes cut for deal and deal the cards one by one. Actions are numbered as in `encoding`. A
seat's information state is the text of `encoding.information_state`, preceded by the texts of
earlier deals. `resample_from_infostate` samples only deals consistent with what the seat has seen.
With a short pack and small hands the game is small enough to solve.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from casino import ecarte
from casino.adapters.episode import DEAL, EPISODES, GAME, import_extra
from casino.ecarte import SEATS, Action, Card, Deal, Game, Laws, Seat
from casino.ecarte.observation import encoding
from casino.ecarte.validation import check_laws
from casino.errors import InputError

pyspiel, np = import_extra("pyspiel"), import_extra("numpy")

NAME: Final = "python_ecarte"
FULL_PACK: Final = "full"  # the pack of 32 cards

# Parameter defaults. A pack can also list its cards, for example `KSQSKHQH`.
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

MAX_UTILITY: Final = 3  # stakes in a game, or points in a deal: two for tricks, one for the king


class Variant(NamedTuple):
    """The laws, episode and pack that a set of parameters describes."""

    laws: Laws
    episode: str
    pack: tuple[Card, ...]

    @property
    def dealt(self) -> int:
        """The number of cards dealt before the first decision, including the turn-up."""
        return 2 * sum(self.laws.packets) + 1

    @property
    def max_deals(self) -> int:
        """The maximum number of deals in an episode. Every deal scores at least one point."""
        return 1 if self.episode == DEAL else 2 * self.laws.target - 1


def load_game(**parameters: Any) -> Any:
    """Load the game with these `PARAMETERS`."""
    return pyspiel.load_game(NAME, parameters)


def variant_of(parameters: dict[str, Any]) -> Variant:
    """Return the variant for these parameters. Raise `InputError` if it is not playable."""
    values = PARAMETERS | parameters
    episode, pack = values.pop("episode"), values.pop("pack")
    packets = str(values.pop("packets")).split("/")
    if len(packets) != 2 or not all(number.isdecimal() for number in packets):
        raise InputError("packets are two numbers, for example 3/2")
    laws = Laws(**values, packets=(int(packets[0]), int(packets[1])))
    check_laws(laws)
    variant = Variant(laws, episode, ecarte.PACK if pack == FULL_PACK else ecarte.cards(pack))
    if episode not in EPISODES:
        raise InputError(f"an episode is 'game' or 'deal', not {episode!r}")
    if not 0 < sum(laws.packets) <= encoding.MAX_HAND or len(variant.pack) < variant.dealt:
        raise InputError("hands have 1 to 5 cards, and the pack must hold two hands and a turn-up")
    if episode == GAME and sum(laws.packets) % 2 == 0:
        raise InputError("with hands of an even size a game may never end: play one deal")
    return variant


class _EcarteGame(pyspiel.Game):  # type: ignore[misc, name-defined]
    """Écarté as an OpenSpiel game."""

    def __init__(self, parameters: dict[str, Any] | None = None) -> None:
        self.variant = variant_of(parameters or {})
        # A deal has the most decisions if both sides exchange one card as often as possible.
        exchanges = (len(self.variant.pack) - self.variant.dealt + 1) // 2
        max_decisions = 4 * exchanges + 2 + self.variant.dealt
        info = pyspiel.GameInfo(
            num_distinct_actions=encoding.NUM_ACTIONS,
            max_chance_outcomes=len(ecarte.PACK),
            num_players=len(SEATS),
            min_utility=float(-MAX_UTILITY),
            max_utility=float(MAX_UTILITY),
            utility_sum=0.0,
            max_game_length=self.variant.max_deals * max_decisions,
        )
        super().__init__(GAME_TYPE, info, parameters or {})

    def new_initial_state(self) -> Any:
        return _EcarteState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        if params:
            raise InputError(f"an observer has no parameters: {params}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise InputError("an observer must see exactly what one player sees")
        return _Observer(kind.perfect_recall)

    def max_chance_nodes_in_history(self) -> int:
        return 1 + self.variant.max_deals * len(self.variant.pack)


class _EcarteState(pyspiel.State):  # type: ignore[misc, name-defined]
    """A state of the game.

    `deal` is the engine's deal, or None until the hands are dealt. `dealt` lists the cards that
    chance nodes have dealt in this deal, `cards_due` is the number still to be dealt before the
    next decision, and `pending_exchange` is the exchange that is waiting for these cards.
    """

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.variant: Variant = game.variant
        self.game: Game | None = None
        self.deal: Deal | None = None
        self.dealt: tuple[Card, ...] = ()
        self.cards_due = self.variant.dealt
        self.pending_exchange: Action | None = None
        self.deal_start = 0
        self.past: tuple[str, ...] = ("", "")
        dealers = ecarte.first_dealers(self.variant.laws)
        if len(dealers) == 1:
            self.game = ecarte.new_game(self.variant.laws, dealers[0])

    def current_player(self) -> int:
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        if self.cards_due or self.deal is None:
            return int(pyspiel.PlayerId.CHANCE)
        return self.deal.turn

    def is_terminal(self) -> bool:
        if self.game is None or self.deal is None or self.cards_due:
            return False
        return self.game.over if self.variant.episode == GAME else ecarte.is_over(self.deal)

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0, 0.0]
        ended = self.game if self.variant.episode == GAME else self.deal
        assert ended is not None
        return [*map(float, ecarte.returns(ended))]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        undealt = sorted({*self.variant.pack} - {*self.dealt})
        left = undealt if self.game is not None else range(len(SEATS))
        return [(outcome, 1.0 / len(left)) for outcome in left]

    def _legal_actions(self, player: int) -> list[int]:
        deal = self.deal
        if deal is None or player != deal.turn:
            return []
        hand = deal.hands[player]
        return sorted(encoding.encode_action(legal, hand) for legal in ecarte.legal_actions(deal))

    def _apply_action(self, action: int) -> None:
        if self.game is None:
            self.game = ecarte.new_game(self.variant.laws, action)
        elif self.cards_due:
            self.dealt += (action,)
            self.cards_due -= 1
            if not self.cards_due:
                self._cards_dealt(self.game)
        elif self.deal is not None:
            decoded = encoding.decode_action(action, self.deal.hands[self.deal.turn])
            number = ecarte.exchanged_number(decoded) if decoded >= ecarte.EXCHANGE else 0
            # Chance nodes must deal the new cards before the exchange can be applied.
            if number and decoded in ecarte.legal_actions(self.deal):
                self.pending_exchange, self.cards_due = decoded, number
            else:
                self._set_deal(self.game, ecarte.apply(self.deal, decoded))

    def _cards_dealt(self, game: Game) -> None:
        """Start the deal, or carry out the pending exchange, once all its cards are dealt."""
        # The engine needs a full deck, so append the undealt cards; they are replaced later.
        deck = (*self.dealt, *(card for card in self.variant.pack if card not in self.dealt))
        if self.deal is None:
            self._set_deal(game, ecarte.turn_up(ecarte.begin_deal(game, deck)))
        elif self.pending_exchange is not None:
            deal = self.deal._replace(start=self.deal.start._replace(deck=deck))
            pending, self.pending_exchange = self.pending_exchange, None
            self._set_deal(game, ecarte.apply(deal, pending))

    def _set_deal(self, game: Game, deal: Deal) -> None:
        self.deal = deal
        if self.variant.episode == DEAL or not ecarte.is_over(deal):
            return
        self.game = ecarte.after_deal(game, deal)
        if not self.game.over:
            self.past = tuple(self.known(seat, recall=True) for seat in range(len(SEATS)))
            self.deal_start = len(self.full_history()) + 1
            self.deal, self.dealt, self.cards_due = None, (), self.variant.dealt

    def known(self, seat: Seat, recall: bool) -> str:
        now = "waiting for the deal"
        if self.deal is not None:
            now = encoding.information_state(ecarte.view(self.deal, seat))
            if self.pending_exchange is not None:
                now += f" {ecarte.token(self.pending_exchange)}" if seat == self.deal.turn else " X"
        return f"{self.past[seat]}{now}\n" if recall else now

    def _action_to_string(self, player: int, action: int) -> str:
        if self.game is None:
            return f"cut {SEATS[action]}"
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {ecarte.format_card(action)}"
        assert self.deal is not None
        return ecarte.token(encoding.decode_action(action, self.deal.hands[player]))

    def __str__(self) -> str:
        dealt = f"dealt {' '.join(map(ecarte.format_card, self.dealt)) or 'nothing'}"
        return dealt if self.deal is None else f"{self.deal!s}\n{dealt}"

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> Any:
        """Return a uniformly sampled state that the player cannot distinguish from this one."""
        assert self.deal is not None and not self.cards_due
        deals = ecarte.possible_deals(ecarte.view(self.deal, player), self.variant.pack)
        other = deals.sample(_SamplerRng(sampler))
        state = self.get_game().new_initial_state()
        # Replay the real history before this deal, then the sampled deal card by card.
        for step in self.full_history()[: self.deal_start]:
            state.apply_action(step.action)
        history, deck = iter(other.history), iter(other.deck)
        if state.is_chance_node() and state.game is None:
            state.apply_action(self.full_history()[0].action)
        while state.cards_due or state.deal.history != other.history:
            if state.is_chance_node():
                state.apply_action(next(deck))
            else:
                hand = state.deal.hands[state.deal.turn]
                state.apply_action(encoding.encode_action(next(history), hand))
        return state


class _SamplerRng(NamedTuple):
    """An `Rng` that draws from OpenSpiel's source of numbers from 0 to 1."""

    sampler: Callable[[], float]

    def randrange(self, stop: int, /) -> int:
        # Rounding could make the product `stop` itself.
        return min(int(self.sampler() * stop), stop - 1)


class _Observer:
    """An observer of what one seat sees."""

    def __init__(self, recall: bool) -> None:
        self.recall = recall
        self.tensor = np.zeros(encoding.OBSERVATION_SIZE, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: Any, player: int) -> None:
        self.tensor[:] = 0
        if state.deal is not None:
            self.tensor[:] = encoding.observation(ecarte.view(state.deal, player))

    def string_from(self, state: Any, player: int) -> str:
        known: str = state.known(player, self.recall)
        return known


GAME_TYPE: Final = pyspiel.GameType(
    short_name=NAME,
    long_name="Écarté",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=len(SEATS),
    min_num_players=len(SEATS),
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=PARAMETERS,
)
pyspiel.register_game(GAME_TYPE, _EcarteGame)
