"""The environment of RLCard: its own agents play in it, and every step is the engine's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from casino.adapters import rlcard
from casino.ecarte import Laws
from casino.ecarte.observation import encoding
from casino.errors import BadInput, BadLaws, MissingExtra
from tests.adapters.oracle import needed
from tests.adapters.rlcard_suite import CHECKS, check_steps
from tests.adapters.test_batch import LAWS

needed("rlcard")


@pytest.mark.parametrize("laws", LAWS[::37], ids=map(str, range(len(LAWS[::37]))))
@pytest.mark.parametrize("episode", ["game", "deal"])
def test_every_step_is_the_engines(laws: Laws, episode: str) -> None:
    """States of both seats, what is legal, whose turn it is, what is won, over some episodes."""
    check_steps(rlcard.environment(laws, episode, seed=3), laws, episode)


def test_the_agents_of_the_library_play() -> None:
    """A whole run of two random agents, as RLCard's own training does it."""
    env = rlcard.environment(seed=1)
    agents = needed("rlcard.agents")
    env.set_agents([agents.RandomAgent(num_actions=env.num_actions) for _ in range(2)])
    trajectories, payoffs = env.run(is_training=True)
    assert len(trajectories) == 2 and payoffs.sum() == 0
    assert env.state_shape == [[encoding.OBSERVATION_SIZE]] * 2 and env.num_players == 2


@pytest.mark.parametrize("check", [*CHECKS], ids=lambda check: check.__name__)
def test_what_the_engine_does_not_say_holds(check: Callable[[Any], None]) -> None:
    """Hidden cards dealt anew, refusals, seeds."""
    check(rlcard.environment)


def test_wrong_arguments_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps back, laws, episodes, and a library that is missing."""
    with pytest.raises(BadInput, match="leave allow_step_back off"):
        rlcard.environment_class()({"allow_step_back": True, "seed": 1})
    with pytest.raises(BadLaws, match="play under strict"):
        rlcard.environment(Laws(enforcement="claims"))
    with pytest.raises(BadInput, match="'game' or 'deal'"):
        rlcard.environment(episode="evening")
    rlcard.environment_class.cache_clear()
    monkeypatch.setitem(sys.modules, "rlcard", None)
    with pytest.raises(MissingExtra, match=r"ecarte-casino\[rlcard\]"):
        rlcard.environment()
