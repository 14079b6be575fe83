"""The environments of Gymnasium: the library's own checks, and ours."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from casino.adapters import gymnasium
from casino.adapters.batch import Batch
from casino.bots import get_bot
from casino.ecarte import CHALLENGER, HOUSE, Laws
from casino.errors import IllegalAction, InputError, LawsError
from tests.adapters.oracle import EPISODES, Oracle, needed, pick_action, seeded
from tests.adapters.test_batch import LAWS

NAME = f"casino.adapters.gymnasium:{gymnasium.ENVIRONMENT}"


@pytest.fixture(autouse=True)
def library() -> Any:
    return needed("gymnasium")


@pytest.mark.parametrize("how", [{}, {"episode": "deal", "seat": HOUSE, "opponent": "novice"}])
def test_library_env_checker_passes(library: Any, how: dict[str, Any]) -> None:
    env = library.make(NAME, render_mode="ansi", **how)
    needed("gymnasium.utils.env_checker").check_env(env.unwrapped)
    env.close()


def test_illegal_action_raises_if_configured() -> None:
    env: Any = gymnasium.EcarteEnv(illegal="raise", episode="deal", seat=HOUSE)
    env.reset(seed=2)
    with pytest.raises(IllegalAction):
        env.step(0)
    with pytest.raises(InputError, match="is not the number of an action"):
        env.step("P")
    over = False
    while not over:
        number = int(env.table.observed(env.seat)["action_mask"].nonzero()[0][0])
        _, _, over, _, _ = env.step(number)
    with pytest.raises(needed("gymnasium.error").ResetNeeded, match="call reset"):
        env.step(33)
    with pytest.raises(needed("gymnasium.error").ResetNeeded, match="call reset"):
        gymnasium.EcarteEnv().step(33)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"opponent": "croesus"}, "no bot 'croesus'"),
        ({"seat": 2}, "the seat must be"),
        ({"illegal": "ignore"}, "'refuse' or 'raise'"),
        ({"episode": "match"}, "'game' or 'deal'"),
        ({"laws": Laws(enforcement="claims")}, "use strict"),
    ],
)
def test_invalid_arguments_are_named(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises((InputError, LawsError), match=said):
        gymnasium.EcarteEnv(**wrong)


def test_vector_environment_matches_batch(library: Any) -> None:
    for seat in (HOUSE, CHALLENGER):
        how: dict[str, Any] = {"opponent": "novice", "seat": seat}
        envs = library.make_vec(NAME, num_envs=40, **how)
        batch = Batch(40, **how)
        batch.reset(11)
        seen, infos = envs.reset(seed=11)
        ended = 0
        for _ in range(80):
            assert infos == {} or infos["_final_obs"].any()
            assert envs.observation_space.contains(seen)
            assert (seen["observation"] == batch.observations).all()
            assert (seen["action_mask"] == batch.masks).all()
            actions = batch.random_actions()
            batch.step(actions)
            seen, rewards, terminated, truncated, infos = envs.step(actions)
            assert (rewards == batch.rewards[:, seat]).all()
            assert (terminated == batch.done).all() and not truncated.any()
            for at in terminated.nonzero()[0]:
                assert (infos["final_obs"][at]["observation"] == batch.last[at]).all()
                assert not infos["final_obs"][at]["action_mask"].any()
                ended += 1
        assert ended > 30


@pytest.mark.parametrize("seat", [HOUSE, CHALLENGER])
@pytest.mark.parametrize(("episode", "name"), [("game", "regle"), ("deal", "novice")])
@pytest.mark.parametrize("laws", LAWS[::53], ids=map(str, range(len(LAWS[::53]))))
def test_every_step_matches_the_engine(laws: Laws, episode: str, name: str, seat: int) -> None:
    env: Any = gymnasium.EcarteEnv(opponent=name, seat=seat, laws=laws, episode=episode)
    drawn, chance, bot = seeded(5), Random(5), get_bot(name)
    loser: int | None = None
    for number in range(EPISODES):
        seen, info = env.reset(seed=None if number else 5)
        oracle = Oracle(laws, episode, drawn, loser)
        kept: list[tuple[Any, bytes]] = []
        reward, terminated, truncated = 0.0, False, False
        while True:
            oracle.answer({1 - seat: bot})
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
    first, _ = env.reset(seed=5)
    again, _ = env.reset(seed=5)
    other, _ = env.reset(seed=6)
    assert first["observation"].tolist() == again["observation"].tolist()
    assert first["observation"].tolist() != other["observation"].tolist()


def _check_nothing_happens(env: Any, seen: Any, mask: list[int], chance: Random) -> None:
    """Check that an illegal action is answered with a message and the same view."""
    number = chance.choice([number for number, may in enumerate(mask) if not may])
    same, reward, terminated, truncated, info = env.step(number)
    assert same["observation"].tolist() == seen["observation"].tolist()
    assert same["action_mask"].tolist() == seen["action_mask"].tolist()
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert isinstance(info["refused"], str)
