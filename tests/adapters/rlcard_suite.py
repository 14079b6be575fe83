"""What our own suite demands of the environment of RLCard: every step beside the engine."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from casino.ecarte import Laws
from casino.errors import BadInput, IllegalAction
from tests.adapters.conformance import picked
from tests.adapters.oracle import Oracle, needed
from tests.ecarte.reshuffle import another

Made = Callable[..., Any]
"""Makes an environment, as `casino.adapters.rlcard.environment` does."""


class Drawn:
    """The chance that a seed gives to RLCard."""

    def __init__(self, seed: int) -> None:
        self.generator, _ = needed("rlcard.utils.seeding").np_random(seed)

    def randrange(self, stop: int, /) -> int:
        """A number below `stop`."""
        return int(self.generator.randint(stop))


def check_steps(env: Any, laws: Laws, episode: str) -> None:
    """States of both seats, what is legal, whose turn it is, what is won, over some episodes.

    The environment was made with seed 3.
    """
    drawn, chance = Drawn(3), Random(1)
    loser = None
    for _ in range(4):
        state, player = env.reset()
        kept: list[tuple[Any, bytes]] = []
        oracle = Oracle(laws, episode, drawn, loser)
        while not oracle.over:
            assert player == env.get_player_id() == oracle.turn and not env.is_over()
            kept.append((state["obs"], state["obs"].tobytes()))
            _check_both_seats(env, oracle)
            assert state["obs"].tolist() == oracle.observation(player)
            number = picked(oracle.mask(player), chance)
            state, player = env.step(number)
            oracle.act(number)
        assert env.is_over() and env.get_payoffs().tolist() == list(oracle.returns)
        assert not any(env.get_state(seat)["legal_actions"] for seat in (0, 1))
        assert all(array.tobytes() == before for array, before in kept)
        loser = oracle.loser


def _check_both_seats(env: Any, oracle: Oracle) -> None:
    """Each seat sees its own, and only the seat to act may do anything."""
    for seat in (0, 1):
        mine = env.get_state(seat)
        assert mine["obs"].tolist() == oracle.observation(seat)
        legal = [number for number, may in enumerate(oracle.mask(seat)) if may]
        assert list(mine["legal_actions"]) == legal
        assert len(mine["raw_legal_actions"]) == len(legal)


def check_hidden(made: Made) -> None:
    """Hidden cards are dealt anew: a seat's state is the same in all its parts."""
    env, chance = made(seed=9), Random(2)
    state, _ = env.reset()
    table = env.game.table
    for _ in range(25):
        if env.is_over():
            break
        for seat in (0, 1):
            deal, mine = table.deal, env.get_state(seat)
            table.deal = another(deal, seat, chance) or deal
            same = env.get_state(seat)
            table.deal = deal
            assert mine["obs"].tolist() == same["obs"].tolist()
            for part in ("raw_obs", "action_record", "legal_actions", "raw_legal_actions"):
                assert mine[part] == same[part]
        state, _ = env.step(chance.choice(list(state["legal_actions"])))
    assert env.get_perfect_information()["position"] == str(table.deal)


def check_refusals(made: Made) -> None:
    """What is illegal is not played as something else, and nothing has happened."""
    env = made(seed=4)
    env.reset()
    before = str(env.game.table.deal)
    for number, error in ((0, IllegalAction), (74, BadInput), ("P", BadInput)):
        with pytest.raises(error):
            env.step(number)
    assert str(env.game.table.deal) == before


def check_seeds(made: Made) -> None:
    """The same seed, the same cards; another, others; also when it is given later."""
    first, second = made(seed=5), made(seed=6)
    cards = first.reset()[0]["raw_obs"]
    assert cards != second.reset()[0]["raw_obs"]
    second.seed(5)
    assert cards == second.reset()[0]["raw_obs"]


CHECKS = (check_hidden, check_refusals, check_seeds)
"""What is asked besides the steps."""
