"""Eighteen faults that an environment of PettingZoo may have, each a way to plant it.

Every function takes the class of the environment and gives one with the fault.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from casino.ecarte import CONCEDE, SEATS
from casino.ecarte.observation import encoding
from casino.errors import CasinoError


def _changed(base: Any, **methods: Any) -> Any:
    """The class with some methods changed."""
    return type("Broken", (base,), methods)


def _observing(base: Any, change: Callable[[Any, str, dict[str, Any]], None]) -> Any:
    """The class with something changed in all that is observed."""

    def observe(self: Any, agent: str) -> dict[str, Any]:
        seen: dict[str, Any] = base.observe(self, agent)
        change(self, agent, seen)
        return seen

    return _changed(base, observe=observe)


def _stepping(base: Any, change: Callable[[Any], None]) -> Any:
    """The class with something changed after each step."""

    def step(self: Any, action: Any) -> None:
        alive = not any(self.terminations.values())
        base.step(self, action)
        if alive:
            change(self)

    return _changed(base, step=step)


def reward_of_the_wrong_sign(base: Any) -> Any:
    """Who has won pays."""

    def change(env: Any) -> None:
        env.rewards = {agent: -won for agent, won in env.rewards.items()}
        env._cumulative_rewards = {agent: -won for agent, won in env._cumulative_rewards.items()}

    return _stepping(base, change)


def winner_alone_is_paid(base: Any) -> Any:
    """The loser loses nothing."""

    def change(env: Any) -> None:
        env.rewards = {agent: max(won, 0) for agent, won in env.rewards.items()}
        env._cumulative_rewards = dict(env.rewards)

    return _stepping(base, change)


def every_game_is_single(base: Any) -> Any:
    """Double and triple games are paid like single ones."""

    def change(env: Any) -> None:
        env.rewards = {agent: (won > 0) - (won < 0) for agent, won in env.rewards.items()}
        env._cumulative_rewards = dict(env.rewards)

    return _stepping(base, change)


def rewards_are_counted_twice(base: Any) -> Any:
    """What is won is added to the sum once more."""
    return _stepping(base, lambda env: env._accumulate_rewards())


def mask_off_by_one(base: Any) -> Any:
    """The mask stands one number too far."""

    def change(_: Any, __: str, seen: dict[str, Any]) -> None:
        mask = seen["action_mask"]
        mask[1:] = mask[:-1].copy()

    return _observing(base, change)


def mask_without_conceding(base: Any) -> Any:
    """One of the legal actions is missing."""

    def change(_: Any, __: str, seen: dict[str, Any]) -> None:
        seen["action_mask"][CONCEDE] = 0

    return _observing(base, change)


def mask_of_the_whole_hand(base: Any) -> Any:
    """Every card held may be played, whatever was led."""

    def change(_: Any, __: str, seen: dict[str, Any]) -> None:
        if seen["action_mask"][:32].any():
            seen["action_mask"][:32] |= seen["observation"][:32]

    return _observing(base, change)


def mask_at_the_end(base: Any) -> Any:
    """Something may still be done when the episode is over."""

    def change(env: Any, _: str, seen: dict[str, Any]) -> None:
        if env.table.over:
            seen["action_mask"][CONCEDE] = 1

    return _observing(base, change)


def mask_out_of_turn(base: Any) -> Any:
    """Who waits is offered what the other may do."""

    def change(env: Any, _: str, seen: dict[str, Any]) -> None:
        seen["action_mask"][env.table.legal()] = 1

    return _observing(base, change)


def hidden_card_shown(base: Any) -> Any:
    """The first card of the other's hand is seen."""

    def change(env: Any, agent: str, seen: dict[str, Any]) -> None:
        hand = env.table.deal.hands[1 - SEATS.index(agent)]
        place = 32 * encoding.PLANES.index("shown by the other")
        seen["observation"][place : place + 32] |= [int((hand & -hand) >> c & 1) for c in range(32)]

    return _observing(base, change)


def eyes_of_the_other_seat(base: Any) -> Any:
    """An agent sees what the other should."""

    def change(env: Any, agent: str, seen: dict[str, Any]) -> None:
        seen["observation"][:] = env.table.observation(1 - SEATS.index(agent))

    return _observing(base, change)


def eyes_of_a_step_before(base: Any) -> Any:
    """What is seen lags one step behind."""

    def step(self: Any, action: Any) -> None:
        self.before = [self.table.observation(seat) for seat in (0, 1)]
        base.step(self, action)

    def observe(self: Any, agent: str) -> dict[str, Any]:
        seen: dict[str, Any] = base.observe(self, agent)
        if hasattr(self, "before"):
            seen["observation"][:] = self.before[SEATS.index(agent)]
        return seen

    return _changed(base, step=step, observe=observe)


def one_array_for_all(base: Any) -> Any:
    """Every observation is written into the same array."""

    def observe(self: Any, agent: str) -> dict[str, Any]:
        seen: dict[str, Any] = base.observe(self, agent)
        self.kept = getattr(self, "kept", {})
        own = self.kept.setdefault(agent, seen["observation"])
        own[:] = seen["observation"]
        return {**seen, "observation": own}

    return _changed(base, observe=observe)


def agents_strictly_in_turn(base: Any) -> Any:
    """The agents alternate, whoever took the trick."""

    def change(env: Any) -> None:
        env.agent_selection = SEATS[1 - SEATS.index(env.acted)]

    def step(self: Any, action: Any) -> None:
        self.acted = self.agent_selection
        stepped.step(self, action)

    stepped = _stepping(base, change)
    return _changed(stepped, step=step)


def score_that_stays(base: Any) -> Any:
    """A reset deals new cards, and the game goes on where it was."""

    def reset(self: Any, seed: Any = None, options: Any = None) -> None:
        score = self.table.deal.score if hasattr(self.table, "deal") else (0, 0)
        base.reset(self, seed, options)
        if self.table.laws.target not in score:
            standing = self.table.deal.standing._replace(score=score)
            self.table.deal = self.table.deal._replace(standing=standing)

    return _changed(base, reset=reset)


def seed_ignored(base: Any) -> Any:
    """Whatever the seed, the same games come."""

    def reset(self: Any, seed: Any = None, options: Any = None) -> None:
        base.reset(self, 42 if seed is not None else None, options)

    return _changed(base, reset=reset)


def chance_that_begins_anew(base: Any) -> Any:
    """Every episode after a seed has the cards of the first."""

    def reset(self: Any, seed: Any = None, options: Any = None) -> None:
        self.seed = seed if seed is not None else getattr(self, "seed", None)
        base.reset(self, self.seed, options)

    return _changed(base, reset=reset)


def illegal_action_played_as_another(base: Any) -> Any:
    """What is not legal is quietly replaced by what is."""

    def step(self: Any, action: Any) -> None:
        try:
            base.step(self, action)
        except CasinoError:
            base.step(self, self.table.legal()[0])

    return _changed(base, step=step)


FAULTS: Final[list[Callable[[Any], Any]]] = [
    reward_of_the_wrong_sign, winner_alone_is_paid, every_game_is_single,
    rewards_are_counted_twice, mask_off_by_one, mask_without_conceding, mask_of_the_whole_hand,
    mask_at_the_end, mask_out_of_turn, hidden_card_shown, eyes_of_the_other_seat,
    eyes_of_a_step_before, one_array_for_all, agents_strictly_in_turn, score_that_stays,
    seed_ignored, chance_that_begins_anew, illegal_action_played_as_another,
]  # fmt: skip
