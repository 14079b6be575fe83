"""Our suite for environments sees each of eighteen faults that are planted for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from casino.adapters import pettingzoo
from casino.adapters.episode import GAME
from casino.ecarte import Laws
from tests.adapters.conformance import check_agents
from tests.adapters.faults import FAULTS
from tests.adapters.oracle import needed


@pytest.fixture
def sound() -> Any:
    """The class of the environment without a fault."""
    needed("pettingzoo")
    return pettingzoo.environment_class()


def test_the_faults_are_eighteen() -> None:
    """Each has a name of its own."""
    assert len({fault.__name__ for fault in FAULTS}) == 18


def test_without_a_fault_nothing_is_seen(sound: Any) -> None:
    """The suite finds nothing where nothing is wrong."""
    check_agents(sound(Laws(), GAME, None), Laws(), GAME)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_planted_fault_is_seen(fault: Callable[[Any], Any], sound: Any) -> None:
    """The suite stops at the fault."""
    broken = fault(sound)(Laws(), GAME, None)
    with pytest.raises(pytest.fail.Exception if _refusal(fault) else AssertionError):
        check_agents(broken, Laws(), GAME)


def _refusal(fault: Callable[[Any], Any]) -> bool:
    """Whether a fault shows by an error that does not come."""
    return fault.__name__ == "illegal_action_played_as_another"
