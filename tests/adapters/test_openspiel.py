"""The OpenSpiel game: the library's suite, and every step against the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from casino.adapters import openspiel
from casino.errors import InputError, LawsError
from tests.adapters.oracle import needed
from tests.adapters.spiel_suite import CHECKS, PLAYED, check_steps


@pytest.fixture(autouse=True)
def spiel() -> Any:
    return needed("pyspiel")


@pytest.mark.parametrize("parameters", PLAYED)
def test_library_simulation_test_passes(spiel: Any, parameters: dict[str, Any]) -> None:
    game = openspiel.load_game(**parameters)
    spiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    assert spiel.load_game(str(game)).variant == game.variant


@pytest.mark.parametrize("parameters", PLAYED)
def test_every_step_matches_the_engine(parameters: dict[str, Any]) -> None:
    check_steps(parameters)


@pytest.mark.parametrize("check", [*CHECKS], ids=lambda check: check.__name__)
def test_openspiel_specific_properties_hold(check: Callable[[], None]) -> None:
    check()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"packets": "five"}, "packets are two numbers"),
        ({"packets": "3/3"}, "one to five cards"),
        ({"packets": "0/0"}, "one to five cards"),
        ({"packets": "2/2"}, "may never end"),
        ({"pack": "KSQS"}, "enough for two"),
        ({"pack": "KSQX"}, "is not a card"),
        ({"episode": "match"}, "'game' or 'deal'"),
        ({"play": "loose"}, "law play"),
        ({"target": 0}, "law target"),
    ],
)
def test_invalid_parameters_are_named(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises((InputError, LawsError), match=said):
        openspiel.variant_of(wrong)
