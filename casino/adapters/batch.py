"""Batches of games in numpy arrays, for agents that learn from millions of decisions.

Every step overwrites the same arrays, so copy any that you need later. A game that ends restarts in
the same step.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

from casino.adapters.episode import DEAL, DEFAULT_LAWS, GAME, check_settings
from casino.bots.registry import BOT_NAMES, get_bot
from casino.ecarte import CHALLENGER, HOUSE, NO_SEAT, Laws, Seat
from casino.ecarte.observation.encoding import NUM_ACTIONS, OBSERVATION_SIZE
from casino.ecarte.validation import check_seat
from casino.errors import InputError, MissingExtraError

try:
    import numpy as np
    from numpy.typing import NDArray

    from casino.simulate.compiled import vector_env
    from casino.simulate.compiled.bot_actions import EXPERT
    from casino.simulate.compiled.game_loop import law_numbers
    from casino.simulate.compiled.splitmix import word
    from casino.simulate.compiled.vector_env import MASK_BYTES, OBSERVATION, OUTSIDE, RESTART
    from casino.simulate.series import COMPILED_BOTS, bot_number
except ImportError as error:
    raise MissingExtraError("numba") from error


@cache
def opponents() -> dict[str, int]:
    """Return the number of each compiled bot that keeps no state during a deal, keyed by name."""
    bots = {name: get_bot(name) for name in BOT_NAMES}
    numbers = {name: bot_number(bot) for name, bot in bots.items() if type(bot) in COMPILED_BOTS}
    return {name: number for name, number in numbers.items() if number & 15 != EXPERT}


class Batch:
    """Games played in parallel, each waiting for an action by the seat in `turns`.

    `masks` marks the legal actions of that seat and `observations` holds what it sees. After a
    step, `done` marks the games that ended and restarted, and `rewards` holds what each seat won in
    them: stakes in a game, points in a deal. With an `opponent`, the caller plays only `seat`, that
    bot plays the other, and `last` holds what `seat` saw at the end of each game that ended. A seed
    gives the same games with any number of threads.
    """

    def __init__(
        self,
        games: int,
        laws: Laws = DEFAULT_LAWS,
        *,
        seed: int = 1,
        episode: str = GAME,
        opponent: str | None = None,
        seat: Seat = CHALLENGER,
        observe: bool = True,
        threads: int = 1,
    ) -> None:
        check_settings(laws, episode)
        check_seat(seat, "the seat")
        self._rules = law_numbers(laws, episode == DEAL)
        self._bots: vector_env.BotNumbers = (OUTSIDE, OUTSIDE)
        if opponent is not None:
            if opponent not in opponents():
                names = ", ".join(opponents())
                raise InputError(f"opponent {opponent!r}: batches support only {names}")
            bot = opponents()[opponent]
            self._bots = (OUTSIDE, bot) if seat == HOUSE else (bot, OUTSIDE)
        games = _check_int("games", games, 1)
        self.done: NDArray[np.bool_] = np.zeros(games, np.bool_)
        self.turns: NDArray[np.int8] = np.zeros(games, np.int8)
        self.rewards: NDArray[np.int8] = np.zeros((games, 2), np.int8)
        # Compiled code writes eight bytes of a mask at a time.
        self._masks = np.zeros((games, MASK_BYTES // 8), np.uint64)
        self.masks: NDArray[np.bool_] = self._masks.view(np.bool_)[:, :NUM_ACTIONS]
        self._observed, self.observations = _allocate(games if observe else 0)
        self._last, self.last = _allocate(games if observe and opponent is not None else 0)
        self._games: NDArray[np.void] = np.zeros(games, vector_env.GAME)
        self._actions = np.zeros(games, np.int64)
        size = -(-games // _check_int("threads", threads, 1))
        self._parts = [slice(at, min(at + size, games)) for at in range(0, games, size)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._seed = self._resets = 0
        self.reset(seed)

    def __len__(self) -> int:
        return len(self._games)

    def reset(self, seed: int | None = None) -> None:
        """Restart all games from `seed`, or with new games if `seed` is None."""
        if seed is None:
            self._resets += 1
        else:
            self._seed, self._resets = _check_int("seed", seed, 0), 0
        key = word(self._seed, self._resets)
        self._games["key"] = [word(key, at) for at in range(len(self))]
        self._games["games"], self._games["loser"] = 0, NO_SEAT
        restarts = np.full(len(self), RESTART, np.int64)
        self._for_each_part(lambda part: self._step(part, restarts))

    def step(self, actions: Any) -> None:
        """Apply one action to each game. If any is illegal, raise `InputError` and apply none."""
        numbers = np.asarray(actions)
        if numbers.shape != self.done.shape or not np.issubdtype(numbers.dtype, np.integer):
            raise InputError(f"actions must be {len(self)} whole numbers, one for each game")
        taken = np.ascontiguousarray(numbers, np.int64)
        # Compiled code assumes legal actions, so all are checked before any is applied.
        illegal = vector_env.first_illegal(self._games, taken)
        if illegal >= 0:
            raise InputError(
                f"game {illegal}: action {taken[illegal]} is not legal: choose one from its mask, "
                f"{self.masks[illegal].nonzero()[0].tolist()}"
            )
        self._for_each_part(lambda part: self._step(part, taken))

    def random_actions(self) -> NDArray[np.int64]:
        """Return a random legal action for each game. The next call overwrites the array."""
        self._for_each_part(
            lambda part: vector_env.choose_randomly(self._games[part], self._actions[part])
        )
        return self._actions

    def _step(self, part: slice, actions: NDArray[np.int64]) -> None:
        vector_env.step(
            self._rules,
            self._bots,
            self._games[part],
            actions[part],
            self.rewards[part],
            self.done[part],
            self._last[part],
        )
        seen, masks = self._observed[part], self._masks[part]
        vector_env.observe_all(self._rules, self._games[part], self.turns[part], masks, seen)

    def _for_each_part(self, work: Callable[[slice], None]) -> None:
        if self._pool is None:
            work(self._parts[0])
        else:
            list(self._pool.map(work, self._parts))


def _allocate(games: int) -> tuple[NDArray[np.void], NDArray[np.int8]]:
    """Return rows for observations, and a view of them as numbers without padding."""
    rows: NDArray[np.void] = np.zeros(games, OBSERVATION)
    numbers = rows.view(np.int8).reshape(games, OBSERVATION.itemsize)
    return rows, numbers[:, :OBSERVATION_SIZE]


def _check_int(name: str, number: int, minimum: int) -> int:
    if type(number) is not int or not minimum <= number < 1 << 63:
        raise InputError(f"{name} must be a whole number of at least {minimum}, not {number!r}")
    return number
