"""Gymnasium environments: one agent against a bot, in a single game or a vector of games.

`gymnasium.make("casino.adapters.gymnasium:casino/Ecarte-v0", opponent="expert")` makes a single
game; `gymnasium.make_vec` makes a vector, played in compiled batches. An observation is a
dictionary of `observation` and `action_mask`. The reward is paid at the end of an episode: stakes
for a game, points for a deal.
"""

from __future__ import annotations

from typing import Any, Final

from casino.adapters.batch import Batch
from casino.adapters.episode import (
    DEFAULT_LAWS,
    GAME,
    EpisodeTable,
    NumpyRng,
    import_extra,
    learning_spaces,
)
from casino.bots import Bot, get_bot
from casino.ecarte import CHALLENGER, NO_SEAT, Laws, Seat, legal_for, view
from casino.ecarte.observation.encoding import NUM_ACTIONS
from casino.ecarte.validation import check_seat
from casino.errors import CasinoError, InputError

gymnasium, np = import_extra("gymnasium"), import_extra("numpy")

ENVIRONMENT: Final = "casino/Ecarte-v0"
# What `step` does with an illegal action: explain it in `info["refused"]`, or raise the error.
REFUSE, RAISE = ILLEGAL = ("refuse", "raise")


class EcarteEnv(gymnasium.Env):  # type: ignore[misc, name-defined]
    """A single game against a bot; `opponent` is the bot's name or a `Bot` object."""

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 (Gymnasium's own way)

    def __init__(
        self,
        opponent: str | Bot = "regle",
        seat: Seat = CHALLENGER,
        laws: Laws = DEFAULT_LAWS,
        episode: str = GAME,
        illegal: str = REFUSE,
        render_mode: str | None = None,
    ) -> None:
        check_seat(seat, "the seat")
        if illegal not in ILLEGAL:
            raise InputError(f"illegal must be 'refuse' or 'raise', not {illegal!r}")
        self.table = EpisodeTable(laws, episode)
        self.opponent = get_bot(opponent) if isinstance(opponent, str) else opponent
        self.seat = seat
        self.illegal = illegal
        self.render_mode = render_mode
        self.observation_space, self.action_space = learning_spaces()
        self._begun = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start an episode. Without a seed, the random generator continues its sequence."""
        super().reset(seed=seed)
        self.table.begin(NumpyRng(self.np_random), again=self._begun and seed is None)
        self._begun = True
        self._let_bot_act()
        return self.table.observed(self.seat), {}

    def step(self, action: int) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Take an action, then let the bot act until it is the agent's turn or the episode ends."""
        if not self._begun or self.table.over:
            raise gymnasium.error.ResetNeeded("the episode is over: call reset")
        try:
            self.table.act(action)
        except CasinoError as error:
            if self.illegal == RAISE:
                raise
            return self.table.observed(self.seat), 0.0, False, False, {"refused": str(error)}
        self._let_bot_act()
        reward = float(self.table.returns[self.seat])
        return self.table.observed(self.seat), reward, self.table.over, False, {}

    def render(self) -> str | None:
        """Return the deal as text, if the render mode is `ansi`."""
        return str(view(self.table.deal, self.seat)) if self.render_mode == "ansi" else None

    def _let_bot_act(self) -> None:
        while (seat := self.table.turn) not in (self.seat, NO_SEAT):
            legal = legal_for(self.table.deal, seat)
            seen, rng = view(self.table.deal, seat), NumpyRng(self.np_random)
            self.table.take(self.opponent.choose(seen, legal, rng))


class EcarteVectorEnv(gymnasium.vector.VectorEnv):  # type: ignore[misc, name-defined]
    """A vector of games against a bot; a game that ends restarts in the same step.

    An illegal action raises an error. With `copy=False`, observations are the batch's own arrays,
    which the next step overwrites.
    """

    def __init__(
        self,
        num_envs: int = 1,
        opponent: str = "regle",
        seat: Seat = CHALLENGER,
        laws: Laws = DEFAULT_LAWS,
        episode: str = GAME,
        copy: bool = True,
        threads: int = 1,
    ) -> None:
        batch_space = gymnasium.vector.utils.batch_space
        mode = gymnasium.vector.AutoresetMode.SAME_STEP
        self.metadata = {"render_modes": [], "autoreset_mode": mode}
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = learning_spaces()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        options: dict[str, Any] = {"episode": episode, "opponent": opponent, "seat": seat}
        self.batch = Batch(num_envs, laws, threads=threads, **options)
        self.seat = seat
        self.copy = copy
        self._begun = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Restart all games. Without a seed, the random generator continues its sequence."""
        super().reset(seed=seed)
        if self._begun and seed is None:
            self.batch.reset()
        else:
            self.batch.reset(int(self.np_random.integers(1 << 62)) if seed is None else seed)
        self._begun = True
        return self._observed(), {}

    def step(self, actions: Any) -> tuple[dict[str, Any], Any, Any, Any, dict[str, Any]]:
        """Take one action for each game."""
        self.batch.step(actions)
        done = self.batch.done.copy()
        infos: dict[str, Any] = {}
        if done.any():
            last = np.full(self.num_envs, None, object)
            for at in done.nonzero()[0]:
                # No action is legal at the end of a game.
                mask = np.zeros(NUM_ACTIONS, np.int8)
                last[at] = {"observation": self.batch.last[at].copy(), "action_mask": mask}
            infos = {"final_obs": last, "_final_obs": done.copy()}
            infos |= {"final_info": {}, "_final_info": done.copy()}
        rewards = self.batch.rewards[:, self.seat].astype(np.float64)
        return self._observed(), rewards, done, np.zeros_like(done), infos

    def _observed(self) -> dict[str, Any]:
        rows, masks = self.batch.observations, self.batch.masks.view(np.int8)
        if self.copy:
            rows, masks = rows.copy(), masks.copy()
        return {"observation": rows, "action_mask": masks}


# `gymnasium.make("MODULE:ID")` imports the module and expects it to register the environment.
gymnasium.register(ENVIRONMENT, entry_point=EcarteEnv, vector_entry_point=EcarteVectorEnv)
