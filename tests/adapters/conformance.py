"""Our own checks of an environment: every step is compared with the engine's.

The suites of the libraries check types and shapes; these check values.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from casino.bots import Bot
from casino.ecarte import CONCEDE, HOUSE, SEATS, Laws
from casino.errors import CasinoError
from tests.adapters.oracle import Oracle, seeded
from tests.ecarte.reshuffle import another

EPISODES = 4


def pick_action(mask: list[int], chance: Random) -> int:
    legal = [number for number, may in enumerate(mask) if may]
    number = chance.choice(legal)
    return legal[0] if number == CONCEDE and chance.random() < 0.8 else number


def check_agents(env: Any, laws: Laws, episode: str, seed: int = 5) -> None:
    drawn = seeded(seed)
    env.reset(seed=seed)
    oracle = Oracle(laws, episode, drawn)
    first = shown(env)
    for number in range(EPISODES):
        if number:
            env.reset()
            oracle = Oracle(laws, episode, drawn, oracle.loser)
        _check_episode(env, oracle, Random(seed + number))
    env.reset(seed=seed)
    assert shown(env) == first
    env.reset(seed=seed + 1)
    assert shown(env) != first
    _check_hidden(env, Random(seed))


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


def _check_hidden(env: Any, chance: Random) -> None:
    """Redraw hidden cards: agents that cannot see them must get the same bytes."""
    table = env.unwrapped.table
    for _ in range(12):
        for seat, agent in enumerate(SEATS):
            seen = env.observe(agent)
            deal = table.deal
            table.deal = another(deal, seat, chance) or deal
            same = env.observe(agent)
            table.deal = deal
            assert {name: one.tobytes() for name, one in seen.items()} == {
                name: one.tobytes() for name, one in same.items()
            }
        agent = env.agent_selection
        env.step(pick_action(env.observe(agent)["action_mask"].tolist(), chance))
        if any(env.terminations.values()):
            return


def check_alone(env: Any, laws: Laws, episode: str, bot: Bot, seat: int, seed: int = 5) -> None:
    drawn, chance = seeded(seed), Random(seed)
    loser: int | None = None
    for number in range(EPISODES):
        seen, info = env.reset(seed=None if number else seed)
        oracle = Oracle(laws, episode, drawn, loser)
        kept: list[tuple[Any, bytes]] = []
        reward, terminated, truncated = 0.0, False, False
        while True:
            _answered(oracle, bot, seat, drawn)
            kept += [(array, array.tobytes()) for array in seen.values()]
            assert all(array.tobytes() == before for array, before in kept[-40:])
            assert env.observation_space.contains(seen)
            assert seen["observation"].tolist() == oracle.observation(seat)
            assert seen["action_mask"].tolist() == oracle.mask(seat)
            assert (reward, terminated) == (oracle.returns[seat], oracle.over)
            assert not truncated and info == {}
            if oracle.over:
                break
            mask = oracle.mask(seat)
            if chance.random() < 0.2:
                _check_nothing_happens(env, seen, mask, chance)
            action = pick_action(mask, chance)
            seen, reward, terminated, truncated, info = env.step(action)
            oracle.act(action)
        loser = oracle.loser
    first, _ = env.reset(seed=seed)
    again, _ = env.reset(seed=seed)
    other, _ = env.reset(seed=seed + 1)
    assert first["observation"].tolist() == again["observation"].tolist()
    assert first["observation"].tolist() != other["observation"].tolist()


def _answered(oracle: Oracle, bot: Bot, seat: int, drawn: Any) -> None:
    from casino.ecarte import legal_for, view

    while oracle.turn == 1 - seat:
        legal = legal_for(oracle.deal, oracle.turn)
        oracle.take(bot.choose(view(oracle.deal, oracle.turn), legal, drawn))


def _check_nothing_happens(env: Any, seen: Any, mask: list[int], chance: Random) -> None:
    """Check that an illegal action is answered with a message and the same view."""
    number = chance.choice([number for number, may in enumerate(mask) if not may])
    same, reward, terminated, truncated, info = env.step(number)
    assert same["observation"].tolist() == seen["observation"].tolist()
    assert same["action_mask"].tolist() == seen["action_mask"].tolist()
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert isinstance(info["refused"], str)
