"""The other engines, each as one function that plays one random game by its own interface.

Every engine is driven the fastest way its public interface allows, with the same picker
(`actions[int(random() * len(actions))]`), in its leanest setting: RLCard without the
environment around its game, PokerKit with every automation. Packages are imported when an
engine is loaded, so that a missing one costs its own rows and no more.
"""

import random
from collections.abc import Callable
from importlib import import_module
from random import Random
from typing import Any, NamedTuple

from bench._laps import PlayOne

CHANCE, TERMINAL = -1, -4  # OpenSpiel's player numbers for a chance node and the end


class Rival(NamedTuple):
    """An engine to compare with: its row's name, its package and how to set it up."""

    name: str
    package: str
    load: Callable[[int], PlayOne]


def pokerkit(seed: int) -> PlayOne:
    """Set up PokerKit: a heads-up hand of fixed-limit hold'em with every routine automated."""
    kit: Any = import_module("pokerkit")
    random.seed(seed)  # PokerKit shuffles with the global generator
    game = kit.FixedLimitTexasHoldem(
        tuple(kit.Automation), True, 0, (1, 2), 2, 4, mode=kit.Mode.TOURNAMENT
    )

    def play_one(rng: Random) -> tuple[int, int]:
        pick = rng.random
        state = game((200, 200), 2)
        decisions = 0
        while state.status:
            actions = []
            if state.can_check_or_call():
                actions.append(state.check_or_call)
            if state.can_fold():
                actions.append(state.fold)
            if state.can_complete_bet_or_raise_to():
                actions.append(state.complete_bet_or_raise_to)
            actions[int(pick() * len(actions))]()
            decisions += 1
        return decisions, 0

    return play_one


def rlcard(seed: int) -> PlayOne:
    """Set up RLCard: its limit hold'em game, without the environment around it."""
    game: Any = import_module("rlcard.games.limitholdem").Game()
    game.np_random.seed(seed)

    def play_one(rng: Random) -> tuple[int, int]:
        pick = rng.random
        state, _ = game.init_game()
        decisions = 0
        while not game.is_over():
            actions = state["legal_actions"]
            state, _ = game.step(actions[int(pick() * len(actions))])
            decisions += 1
        return decisions, 0

    return play_one


def open_spiel(name: str) -> Callable[[int], PlayOne]:
    """Set up one game of OpenSpiel, driven from Python over its state."""

    def load(_seed: int) -> PlayOne:
        spiel: Any = import_module("pyspiel")
        if name.startswith("python_"):
            import_module("open_spiel.python.games")
        game = spiel.load_game(name)
        demand_even_chances(game.new_initial_state())

        def play_one(rng: Random) -> tuple[int, int]:
            pick = rng.random
            state = game.new_initial_state()
            decisions = chances = 0
            while (player := state.current_player()) != TERMINAL:
                actions = state.legal_actions()
                state.apply_action(actions[int(pick() * len(actions))])
                if player == CHANCE:
                    chances += 1
                else:
                    decisions += 1
            return decisions, chances

        return play_one

    return load


def demand_even_chances(state: Any) -> None:
    """Make sure that picking evenly is fair here: all outcomes of chance are equally likely."""
    while state.current_player() != TERMINAL:
        if state.current_player() == CHANCE:
            outcomes = state.chance_outcomes()
            uneven = [p for _, p in outcomes if abs(p * len(outcomes) - 1) > 1e-9]
            if uneven or [a for a, _ in outcomes] != state.legal_actions():
                raise ValueError(f"chance is not even in {state.get_game()}")
        state.apply_action(state.legal_actions()[0])


RIVALS = (
    Rival("OpenSpiel C++ euchre", "open_spiel", open_spiel("euchre")),
    Rival("OpenSpiel py Kuhn poker", "open_spiel", open_spiel("python_kuhn_poker")),
    Rival("OpenSpiel py tic-tac-toe", "open_spiel", open_spiel("python_tic_tac_toe")),
    Rival("OpenSpiel py dominoes", "open_spiel", open_spiel("python_team_dominoes")),
    Rival("RLCard limit hold'em", "rlcard", rlcard),
    Rival("PokerKit limit hold'em", "pokerkit", pokerkit),
)
