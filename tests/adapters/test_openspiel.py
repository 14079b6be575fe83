"""The game of OpenSpiel: the library's suite and algorithms, every step beside the engine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from casino.adapters import openspiel
from casino.ecarte import PACK, Laws
from casino.errors import InputError, LawsError, MissingExtraError
from tests.adapters.oracle import needed
from tests.adapters.spiel_suite import CHECKS, PLAYED, SMALL, TINY, check_steps


@pytest.fixture(autouse=True)
def spiel() -> Any:
    return needed("pyspiel")


@pytest.mark.parametrize("parameters", PLAYED)
def test_the_suite_of_the_library_passes(spiel: Any, parameters: dict[str, Any]) -> None:
    game = openspiel.load_game(**parameters)
    spiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    assert spiel.load_game(str(game)).variant == game.variant


@pytest.mark.parametrize("parameters", PLAYED)
def test_every_step_is_the_engines(parameters: dict[str, Any]) -> None:
    check_steps(parameters)


@pytest.mark.parametrize("check", [*CHECKS], ids=lambda check: check.__name__)
def test_what_the_engine_does_not_say_holds(check: Callable[[], None]) -> None:
    check()


def test_an_observer_has_its_limits(spiel: Any) -> None:
    game = openspiel.load_game(episode="deal")
    both = spiel.IIGObservationType(
        perfect_recall=False, private_info=spiel.PrivateInfoType.ALL_PLAYERS
    )
    with pytest.raises(InputError, match="not both"):
        game.make_py_observer(both)
    with pytest.raises(InputError, match="no parameters"):
        game.make_py_observer(None, {"colour": 1})


def test_what_is_private_is_the_hand_alone(spiel: Any) -> None:
    game = openspiel.load_game(episode="deal", first_dealer="house")
    own = spiel.IIGObservationType(perfect_recall=False, public_info=False)
    observer = game.make_py_observer(own)
    state = game.new_initial_state()
    observer.set_from(state, 1)
    assert (observer.string_from(state, 1), observer.tensor.any()) == ("", False)
    for card in PACK[:11]:
        state.apply_action(card)
    observer.set_from(state, 1)
    assert observer.string_from(state, 1) == "KSQSJS8S7S"
    assert observer.tensor.nonzero()[0].tolist() == [0, 1, 5, 6, 7, 32, 33, 37, 38, 39]


def test_a_tiny_game_is_solved() -> None:
    algorithms: Callable[[str], Any] = lambda name: needed(f"open_spiel.python.{name}")  # noqa: E731
    game = openspiel.load_game(**TINY)
    exploitability = algorithms("algorithms.exploitability").exploitability
    uniform = exploitability(game, algorithms("policy").UniformRandomPolicy(game))
    solver = algorithms("algorithms.cfr").CFRPlusSolver(game)
    for _ in range(12):
        solver.evaluate_and_update_policy()
    assert exploitability(game, solver.average_policy()) < uniform / 10


def test_searching_bots_play() -> None:
    mcts = needed("open_spiel.python.algorithms.mcts")
    ismcts = needed("open_spiel.python.algorithms.ismcts")
    game = openspiel.load_game(**SMALL)
    rollout = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    bots = [
        mcts.MCTSBot(game, 2.0, 10, rollout, random_state=np.random.RandomState(2)),
        ismcts.ISMCTSBot(game, rollout, 2.0, 10, random_state=np.random.RandomState(3)),
    ]
    chance, state = Random(4), game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(chance.choice(state.legal_actions()))
        else:
            state.apply_action(bots[state.current_player()].step(state))
    assert sum(state.returns()) == 0


def test_golden_playthrough(golden: Callable[[str, str], None]) -> None:
    playthrough = needed("open_spiel.python.algorithms.generate_playthrough").playthrough
    openspiel.register()
    name = "python_ecarte(episode=deal,first_dealer=house,pack=KSQSKHQHKDQDJD,packets=1/0,target=5)"
    golden("adapters/playthrough.txt", playthrough(name, None, seed=3))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"packets": "five"}, "packets are two numbers"),
        ({"packets": "3/3"}, "one to five cards"),
        ({"packets": "0/0"}, "one to five cards"),
        ({"packets": "2/2"}, "may never end"),
        ({"pack": "KSQS"}, "enough for two"),
        ({"pack": "KSQX"}, "is not a card"),
        ({"episode": "evening"}, "'game' or 'deal'"),
        ({"play": "loose"}, "law play"),
        ({"target": 0}, "law target"),
    ],
)
def test_wrong_parameters_are_named(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises((InputError, LawsError), match=said):
        openspiel.variant_of(wrong)


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(MissingExtraError, match=r"ecarte-casino\[openspiel\]"):
        openspiel.load_game()
    monkeypatch.undo()
    with pytest.raises(AttributeError, match="no attribute 'Whist'"):
        _ = openspiel.Whist
    openspiel.register()
    assert openspiel.load_game().variant.laws == Laws()
