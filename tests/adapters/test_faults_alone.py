"""Our suite for one agent against a bot sees each of eight faults that are planted for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from casino.adapters import gymnasium
from casino.bots import get_bot
from casino.ecarte import CHALLENGER, Laws
from tests.adapters.conformance import check_alone
from tests.adapters.oracle import needed

Fault = Callable[[Any], Any]


def _stepping(base: Any, change: Callable[[Any, list[Any]], None]) -> Any:
    """The class with something changed in what a step returns."""

    def step(self: Any, action: Any) -> tuple[Any, ...]:
        result = list(base.step(self, action))
        change(self, result)
        return tuple(result)

    return type("Broken", (base,), {"step": step})


def reward_of_the_bot(base: Any) -> Any:
    """The agent is told what the other seat has won."""

    def change(_: Any, result: list[Any]) -> None:
        result[1] = -result[1]

    return _stepping(base, change)


def reward_deal_by_deal(base: Any) -> Any:
    """The lead in points is paid out while the game goes on."""

    def change(env: Any, result: list[Any]) -> None:
        mine, others = env.table.deal.score[env.seat], env.table.deal.score[1 - env.seat]
        result[1] += 0 if result[2] else mine - others

    return _stepping(base, change)


def end_told_as_cut_short(base: Any) -> Any:
    """A game that is over is said to be truncated."""

    def change(_: Any, result: list[Any]) -> None:
        result[2], result[3] = False, result[2]

    return _stepping(base, change)


def hands_in_the_info(base: Any) -> Any:
    """The other's hand is told beside what is observed."""

    def change(env: Any, result: list[Any]) -> None:
        result[4] = {**result[4], "hands": env.table.deal.hands}

    return _stepping(base, change)


def bot_that_does_not_choose(base: Any) -> Any:
    """The bot's first answer is whatever comes first."""

    def answer(self: Any) -> None:
        if self.table.turn == 1 - self.seat:
            self.table.act(self.table.legal()[0])
            base._let_bot_act(self)

    return type("Broken", (base,), {"_let_bot_act": answer})


def bot_of_another_chance(base: Any) -> Any:
    """The bot's chance does not follow from the seed."""

    def reset(self: Any, **how: Any) -> Any:
        found = base.reset(self, **how)
        self.np_random.integers(7)
        return found

    return type("Broken", (base,), {"reset": reset})


def seat_of_the_bot(base: Any) -> Any:
    """What is observed is what the bot sees."""

    def observed(self: Any) -> dict[str, Any]:
        seen: dict[str, Any] = base._observed(self)
        seen["observation"][:] = self.table.observation(1 - self.seat)
        return seen

    return type("Broken", (base,), {"_observed": observed})


def refusal_that_ends_the_game(base: Any) -> Any:
    """Who tries what is illegal has lost."""

    def change(_: Any, result: list[Any]) -> None:
        result[2] = result[2] or "refused" in result[4]

    return _stepping(base, change)


FAULTS: Final[list[Fault]] = [
    reward_of_the_bot, reward_deal_by_deal, end_told_as_cut_short, hands_in_the_info,
    bot_that_does_not_choose, bot_of_another_chance, seat_of_the_bot, refusal_that_ends_the_game,
]  # fmt: skip


def checked(made: Any) -> None:
    """Hold an environment against the engine."""
    env = made(opponent="novice", laws=Laws(target=7))
    check_alone(env, Laws(target=7), "game", get_bot("novice"), CHALLENGER)


@pytest.fixture
def sound() -> Any:
    """The class of the environment without a fault."""
    needed("gymnasium")
    return gymnasium.classes()["EcarteEnv"]


def test_without_a_fault_nothing_is_seen(sound: Any) -> None:
    """The suite finds nothing where nothing is wrong."""
    checked(sound)
    assert len(FAULTS) == 8


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_planted_fault_is_seen(fault: Fault, sound: Any) -> None:
    """The suite stops at the fault."""
    with pytest.raises(AssertionError):
        checked(fault(sound))
