"""Gymnasium environments: one agent against a bot, in a single game or in a vector of games.

>>> ENVIRONMENT
'casino/Ecarte-v0'

`gymnasium.make("casino.adapters.gymnasium:casino/Ecarte-v0", opponent="expert")` makes a single
game; `gymnasium.make_vec` makes a vector, played in compiled batches. An observation is a
dictionary of `observation` and `action_mask`. The reward is paid at the end of an episode: stakes
for a game, points for a deal.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import Any, Final

from casino.adapters.episode import DEFAULT_LAWS, GAME, EpisodeTable, NumpyRng, import_extra
from casino.bots.protocol import Bot
from casino.bots.registry import get_bot
from casino.ecarte import CHALLENGER, NO_SEAT, Laws, Seat, legal_for
from casino.ecarte.observation import encoding
from casino.ecarte.validation import check_seat
from casino.errors import CasinoError, InputError, MissingExtraError

ENVIRONMENT: Final = "casino/Ecarte-v0"
# Explain an illegal action in `info["refused"]`, or raise the error.
REFUSE, RAISE = ILLEGAL = ("refuse", "raise")


def environment(**options: Any) -> Any:
    """Return a single-game environment; its options are those of `_SingleEnv`."""
    return classes()["EcarteEnv"](**options)


def vector_environment(num_envs: int = 1, **options: Any) -> Any:
    """Return a vector environment of `num_envs` games; its options are those of `_VectorEnv`."""
    return classes()["EcarteVectorEnv"](num_envs, **options)


@cache
def classes() -> dict[str, Any]:
    """Return the environment classes, created on first use because their bases are optional."""
    gymnasium = import_extra("gymnasium")
    bases = {
        "EcarteEnv": (_SingleEnv, gymnasium.Env),
        "EcarteVectorEnv": (_VectorEnv, import_extra("gymnasium.vector").VectorEnv),
    }
    return {
        name: type(name, parents, {"__module__": __name__, "__doc__": parents[0].__doc__})
        for name, parents in bases.items()
    }


def __getattr__(name: str) -> Any:
    if name in ("EcarteEnv", "EcarteVectorEnv"):
        return classes()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def register() -> None:
    """Register the environment with `gymnasium.make` and `gymnasium.make_vec`."""
    import_extra("gymnasium").register(
        ENVIRONMENT, entry_point=environment, vector_entry_point=vector_environment
    )


def _spaces() -> tuple[Any, Any]:
    spaces, np = import_extra("gymnasium.spaces"), import_extra("numpy")
    highest = np.array(encoding.MAX_VALUES, np.int8)
    observed = {
        "observation": spaces.Box(np.zeros_like(highest), highest, dtype=np.int8),
        "action_mask": spaces.Box(0, 1, (encoding.NUM_ACTIONS,), np.int8),
    }
    return spaces.Dict(observed), spaces.Discrete(encoding.NUM_ACTIONS)


class _SingleEnv:
    """Environment of one game against a bot; `opponent` is the bot's name or a `Bot` object."""

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 (Gymnasium's own way)
    np_random: Any

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
        self.observation_space, self.action_space = _spaces()
        self._begun = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start an episode. Without a seed, the random generator continues its sequence."""
        super().reset(seed=seed)  # type: ignore[misc]
        self.table.begin(NumpyRng(self.np_random), again=self._begun and seed is None)
        self._begun = True
        self._let_bot_act()
        return self._observed(), {}

    def step(self, action: int) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Take an action, then let the bot act until it is the agent's turn or the episode ends."""
        if not self._begun or self.table.over:
            raise import_extra("gymnasium.error").ResetNeeded("the episode is over: reset first")
        try:
            self.table.act(action)
        except CasinoError as error:
            if self.illegal == RAISE:
                raise
            return self._observed(), 0.0, False, False, {"refused": str(error)}
        self._let_bot_act()
        reward = float(self.table.returns[self.seat])
        return self._observed(), reward, self.table.over, False, {}

    def render(self) -> str | None:
        return str(self.table.view(self.seat)) if self.render_mode == "ansi" else None

    def _let_bot_act(self) -> None:
        while (seat := self.table.turn) not in (self.seat, NO_SEAT):
            legal = legal_for(self.table.deal, seat)
            self.table.take(
                self.opponent.choose(self.table.view(seat), legal, NumpyRng(self.np_random))
            )

    def _observed(self) -> dict[str, Any]:
        np = import_extra("numpy")
        mask = np.zeros(encoding.NUM_ACTIONS, np.int8)
        mask[self.table.legal()] = 1
        row = np.array(self.table.observation(self.seat), np.int8)
        return {"observation": row, "action_mask": mask}


class _VectorEnv:
    """A vector of games against a bot; a game that ends restarts in the same step.

    An illegal action raises an error. With `copy=False`, observations are the batch's own arrays,
    which the next step overwrites.
    """

    np_random: Any

    def __init__(
        self,
        num_envs: int,
        opponent: str = "regle",
        seat: Seat = CHALLENGER,
        laws: Laws = DEFAULT_LAWS,
        episode: str = GAME,
        copy: bool = True,
        threads: int = 1,
    ) -> None:
        from casino.adapters.batch import Batch

        batch_space = import_extra("gymnasium.vector.utils").batch_space
        mode = import_extra("gymnasium.vector").AutoresetMode.SAME_STEP
        self.metadata = {"render_modes": [], "autoreset_mode": mode}
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = _spaces()
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
        super().reset(seed=seed)  # type: ignore[misc]
        if self._begun and seed is None:
            self.batch.reset()
        else:
            self.batch.reset(int(self.np_random.integers(1 << 62)) if seed is None else seed)
        self._begun = True
        return self._observed(), {}

    def step(self, actions: Any) -> tuple[dict[str, Any], Any, Any, Any, dict[str, Any]]:
        np = import_extra("numpy")
        self.batch.step(actions)
        done = self.batch.done.copy()
        infos: dict[str, Any] = {}
        if done.any():
            last = np.full(self.num_envs, None, object)
            for at in done.nonzero()[0]:
                # No action is legal at the end of a game.
                mask = np.zeros(encoding.NUM_ACTIONS, np.int8)
                last[at] = {"observation": self.batch.last[at].copy(), "action_mask": mask}
            infos = {"final_obs": last, "_final_obs": done.copy()}
            infos |= {"final_info": {}, "_final_info": done.copy()}
        rewards = self.batch.rewards[:, self.seat].astype(np.float64)
        return self._observed(), rewards, done, np.zeros_like(done), infos

    def _observed(self) -> dict[str, Any]:
        np = import_extra("numpy")
        rows, masks = self.batch.observations, self.batch.masks.view(np.int8)
        if self.copy:
            rows, masks = rows.copy(), masks.copy()
        return {"observation": rows, "action_mask": masks}


# `gymnasium.make("MODULE:ID")` imports the module and expects it to register the environment.
with suppress(MissingExtraError):
    register()
