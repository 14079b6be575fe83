"""The environment of PettingZoo: the library's own suites, and ours."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from casino.adapters import pettingzoo
from casino.ecarte import HOUSE, SEATS, Laws
from casino.errors import CasinoError, IllegalAction, InputError
from tests.adapters.oracle import EPISODES, Oracle, needed, pick_action, seeded
from tests.adapters.test_batch import LAWS


@pytest.fixture(autouse=True)
def library() -> Iterator[None]:
    """Require the library, and ignore its warnings about intended choices."""
    needed("pettingzoo")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning, module="pettingzoo")
        yield


@pytest.mark.parametrize("episode", ["game", "deal"])
def test_library_test_suites_pass(episode: str) -> None:
    suites: Any = needed("pettingzoo.test")
    suites.api_test(pettingzoo.env(episode=episode), num_cycles=500)
    suites.seed_test(lambda: pettingzoo.env(episode=episode), num_cycles=200)


@pytest.mark.parametrize("episode", ["game", "deal"])
@pytest.mark.parametrize("laws", LAWS[::29], ids=map(str, range(len(LAWS[::29]))))
def test_every_step_matches_the_engine(laws: Laws, episode: str) -> None:
    env, drawn = pettingzoo.env(laws, episode), seeded(5)
    env.reset(seed=5)
    oracle = Oracle(laws, episode, drawn)
    first = shown(env)
    for number in range(EPISODES):
        if number:
            env.reset()
            oracle = Oracle(laws, episode, drawn, oracle.loser)
        _check_episode(env, oracle, Random(5 + number))
    env.reset(seed=5)
    assert shown(env) == first
    env.reset(seed=6)
    assert shown(env) != first


def test_illegal_action_is_refused_by_the_rules() -> None:
    env = pettingzoo.env()
    env.reset(seed=1)
    with pytest.raises(IllegalAction, match="the player who leads must propose or play first"):
        env.step(37)
    for wrong in (None, 1.5, "P"):
        with pytest.raises((InputError, AssertionError)):
            env.unwrapped.step(wrong)
    with pytest.raises(AssertionError, match="action space"):
        env.step(74)


def test_agents_are_unknown_before_reset() -> None:
    with pytest.raises(AttributeError, match="before reset"):
        _ = pettingzoo.env().agents


def shown(env: Any) -> list[Any]:
    seen = [env.observe(agent) for agent in SEATS]
    return [
        env.agent_selection,
        [(one["observation"].tolist(), one["action_mask"].tolist()) for one in seen],
    ]


def _check_episode(env: Any, oracle: Oracle, chance: Random) -> None:
    kept: list[tuple[Any, bytes]] = []
    last = HOUSE
    while True:
        _check_agents_now(env, oracle, kept)
        if oracle.over:
            break
        last = oracle.turn
        mask = oracle.mask(last)
        if chance.random() < 0.2:
            _check_refusal(env, oracle, mask, chance)
        number = pick_action(mask, chance)
        env.step(number)
        oracle.act(number)
    for agent in (SEATS[1 - last], SEATS[last]):
        assert env.agent_selection == agent
        _, reward, terminated, truncated, _ = env.last()
        assert (reward, terminated, truncated) == (oracle.returns[SEATS.index(agent)], True, False)
        env.step(None)
    assert env.agents == []


def _check_agents_now(env: Any, oracle: Oracle, kept: list[tuple[Any, bytes]]) -> None:
    """Compare whose turn it is, what both agents see and may do, and what they have won."""
    assert env.agents == list(SEATS)
    if not oracle.over:
        assert env.agent_selection == SEATS[oracle.turn]
    for seat, agent in enumerate(SEATS):
        seen = env.observe(agent)
        assert env.observation_space(agent).contains(seen)
        assert seen["observation"].tolist() == oracle.observation(seat)
        assert seen["action_mask"].tolist() == oracle.mask(seat)
        assert env.rewards[agent] == oracle.returns[seat]
        assert (env.terminations[agent], env.truncations[agent]) == (oracle.over, False)
        assert env.infos[agent] == {}
        kept += [(array, array.tobytes()) for array in seen.values()]
    assert all(array.tobytes() == before for array, before in kept[-40:])


def _check_refusal(env: Any, oracle: Oracle, mask: list[int], chance: Random) -> None:
    """Check that an illegal action is refused and changes nothing."""
    number = chance.choice([number for number, may in enumerate(mask) if not may])
    with pytest.raises(CasinoError):
        env.step(number)
    _check_agents_now(env, oracle, [])
