"""The environment of PettingZoo: the library's own suites, and ours."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from casino.adapters import pettingzoo
from casino.ecarte import Laws
from casino.errors import IllegalAction, InputError, LawsError
from tests.adapters.conformance import check_agents
from tests.adapters.oracle import needed
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
    check_agents(pettingzoo.env(laws, episode), laws, episode)


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


def test_invalid_arguments_are_named() -> None:
    with pytest.raises(LawsError, match="play under strict"):
        pettingzoo.env(Laws(enforcement="claims"))
    with pytest.raises(InputError, match="'game' or 'deal'"):
        pettingzoo.env(episode="match")
    with pytest.raises(AttributeError, match="before reset"):
        _ = pettingzoo.env().agents
