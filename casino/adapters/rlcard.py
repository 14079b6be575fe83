"""Écarté as an environment of RLCard: two agents, each asked in its turn.

A state has `obs`, the row of `encoding`; `legal_actions` by their numbers and, as records write
them, `raw_legal_actions`; in `raw_obs` what the seat sees as a text; in `action_record` what it has
seen happen. An illegal action raises the rules' own refusal, and nothing has happened.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import cache
from typing import Any

from casino.adapters.episode import DEFAULT_LAWS, GAME, EpisodeTable
from casino.adapters.optional_imports import import_extra
from casino.ecarte.actions import token
from casino.ecarte.laws import Laws
from casino.ecarte.observation import encoding
from casino.ecarte.rules import SEATS, Seat
from casino.errors import BadInput


def environment(laws: Laws = DEFAULT_LAWS, episode: str = GAME, seed: int | None = None) -> Any:
    """The environment; what its agents win are stakes in a game, points in a deal."""
    config = {"allow_step_back": False, "seed": seed, "laws": laws, "episode": episode}
    return environment_class()(config)


@cache
def environment_class() -> Any:
    """The class of the environment, made when RLCard is first needed."""
    base = import_extra("rlcard.envs").Env
    return type("Ecarte", (_Ecarte, base), {"__module__": __name__, "__doc__": _Ecarte.__doc__})


class _Ecarte:
    """Two agents at a table."""

    name = "ecarte"

    def __init__(self, config: dict[str, Any]) -> None:
        if config.get("allow_step_back"):
            raise BadInput("a card played stays played: leave allow_step_back off")
        self.game = _Game(
            EpisodeTable(config.get("laws", DEFAULT_LAWS), config.get("episode", GAME))
        )
        super().__init__(config)  # type: ignore[call-arg]
        self.state_shape = [[encoding.OBSERVATION_SIZE] for _ in SEATS]
        self.action_shape = [None for _ in SEATS]

    def get_payoffs(self) -> Any:
        """What each seat has won."""
        return import_extra("numpy").array(self.game.table.returns, float)

    def get_perfect_information(self) -> dict[str, Any]:
        """The whole table, both hands open."""
        return {"position": str(self.game.table.deal)}

    def _extract_state(self, state: dict[str, Any]) -> dict[str, Any]:
        """The state is what the seat may know already."""
        return state

    def _decode_action(self, number: int) -> int:
        """Actions are played by their numbers."""
        return number


class _Game:
    """The table as RLCard asks for it."""

    allow_step_back = False

    def __init__(self, table: EpisodeTable) -> None:
        self.table = table
        self.np_random: Any = None
        self._seeded: Any = None

    def get_num_players(self) -> int:
        """Two seats."""
        return len(SEATS)

    def get_num_actions(self) -> int:
        """How many numbers of actions there are."""
        return encoding.NUM_ACTIONS

    def init_game(self) -> tuple[dict[str, Any], Seat]:
        """Begin an episode; the loser of the last one may have to deal, unless it was seeded."""
        again = self._seeded is self.np_random
        self._seeded = self.np_random
        self.table.begin(self, again)
        return self._asked()

    def step(self, number: int) -> tuple[dict[str, Any], Seat]:
        """The seat to act acts."""
        self.table.act(number)
        return self._asked()

    def is_over(self) -> bool:
        """Whether the episode is over."""
        return self.table.over

    def get_player_id(self) -> Seat:
        """The seat to act; the house, if nobody is any more."""
        return max(self.table.turn, 0)

    def get_state(self, seat: Seat) -> dict[str, Any]:
        """What a seat sees and may do."""
        np = import_extra("numpy")
        seen = self.table.view(seat)
        legal = self.table.legal() if self.table.turn == seat else []
        return {
            "obs": np.array(encoding.observation(seen), np.int8),
            "legal_actions": OrderedDict.fromkeys(legal),
            "raw_obs": encoding.information_state(seen),
            "raw_legal_actions": [token(self.table.action_of(number)) for number in legal],
            "action_record": [token(action) for action in seen.history],
        }

    def randrange(self, stop: int, /) -> int:
        """Chance as RLCard seeds it."""
        return int(self.np_random.randint(stop))

    def _asked(self) -> tuple[dict[str, Any], Seat]:
        """Whose turn it is, and what that seat sees."""
        seat = self.get_player_id()
        return self.get_state(seat), seat
