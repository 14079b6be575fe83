"""PettingZoo environment (AEC): both seats act in turn.

The agents are `house` and `challenger`. An observation is a dictionary of `observation` and
`action_mask`; the mask is all zeros unless it is the agent's turn. Rewards are paid at the end of
an episode: stakes for a game, points for a deal. An illegal action raises the engine's error and
changes nothing.
"""

from __future__ import annotations

from typing import Any

from casino.adapters.episode import (
    DEFAULT_LAWS,
    GAME,
    EpisodeTable,
    NumpyRng,
    import_extra,
    learning_spaces,
)
from casino.ecarte import SEATS, Laws

_Base = import_extra("pettingzoo").AECEnv


def env(laws: Laws = DEFAULT_LAWS, episode: str = GAME, render_mode: str | None = None) -> Any:
    """Return the environment, wrapped to check the order of calls and the range of actions."""
    wrappers = import_extra("pettingzoo.utils.wrappers")
    inner = _Ecarte(laws, episode, render_mode)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(inner))


class _Ecarte(_Base):  # type: ignore[misc, valid-type]
    """An Écarté table for two agents; `table` gives full access to the cards."""

    metadata = {  # noqa: RUF012 (PettingZoo's own way)
        "name": "ecarte_v0",
        "render_modes": ["ansi"],
        "render_fps": 1,
        "is_parallelizable": False,
    }

    def __init__(self, laws: Laws, episode: str, render_mode: str | None) -> None:
        self.table = EpisodeTable(laws, episode)
        self.render_mode = render_mode
        self.possible_agents = list(SEATS)
        self.agents: list[str] = []
        observed, actions = learning_spaces()
        self.observation_spaces = dict.fromkeys(SEATS, observed)
        self.action_spaces = dict.fromkeys(SEATS, actions)
        self._generator: Any = None

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        again = seed is None and self._generator is not None
        if not again:
            self._generator, _ = import_extra("gymnasium.utils.seeding").np_random(seed)
        self.table.begin(NumpyRng(self._generator), again)
        self.agents = list(SEATS)
        self.rewards = dict.fromkeys(SEATS, 0)
        self._cumulative_rewards = dict.fromkeys(SEATS, 0)
        self.terminations = dict.fromkeys(SEATS, False)
        self.truncations = dict.fromkeys(SEATS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in SEATS}
        self.agent_selection = SEATS[self.table.turn]

    def observe(self, agent: str) -> dict[str, Any]:
        return self.table.observed(SEATS.index(agent))

    def step(self, action: int | None) -> None:
        """Take an action for the selected agent. Once the episode is over, pass None."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self.table.act(action)
        self._cumulative_rewards[agent] = 0
        self.rewards = dict(zip(SEATS, self.table.returns, strict=True))
        self._accumulate_rewards()
        if self.table.over:
            self.terminations = dict.fromkeys(SEATS, True)
            # Both agents must now take their final step, the other one first.
            self.agent_selection = SEATS[1 - SEATS.index(agent)]
        else:
            self.agent_selection = SEATS[self.table.turn]

    def render(self) -> str | None:
        return str(self.table.deal) if self.render_mode == "ansi" else None
