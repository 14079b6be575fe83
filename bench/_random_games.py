"""Random whole games: our engine and others, each as one function that plays a game.

Each engine is driven the fastest way its public interface allows, with the same choice of an
action, `actions[int(random() * len(actions))]`, in its leanest setting: RLCard without the
environment around its game, PokerKit with every automation. A package is imported when its engine
is loaded, so a missing one costs its own rows only.
"""

import random
from collections.abc import Callable, Sequence
from importlib import import_module
from random import Random
from typing import Any, NamedTuple

from casino.ecarte import (
    CHALLENGER,
    HOUSE,
    LEADING,
    PACK,
    Card,
    Deal,
    Game,
    Laws,
    Record,
    after_deal,
    apply,
    begin_deal,
    deal_record,
    legal_actions,
    new_game,
    turn_up,
    write_record,
)

LAWS = Laws()
CHANCE, TERMINAL = -1, -4  # OpenSpiel's player numbers for a chance node and the end

PlayOne = Callable[[Random], tuple[int, int]]
"""Plays one random game; returns its numbers of decisions and of chance steps."""


class Played(NamedTuple):
    games: int
    decisions: int
    chances: int


def play_games(play_one: PlayOne, rng: Random, games: int) -> Played:
    decisions = chances = 0
    for _ in range(games):
        decided, drawn = play_one(rng)
        decisions += decided
        chances += drawn
    return Played(games, decisions, chances)


def shuffled(rng: Random) -> tuple[Card, ...]:
    """Return a pack in random order; sorting by random keys is the quickest fair way in Python."""
    pick = rng.random
    return tuple(sorted(PACK, key=lambda _: pick()))


def first_deal(rng: Random) -> tuple[Game, Deal]:
    """Return a new game, its dealer drawn by lot, and its first deal."""
    game = new_game(LAWS, (HOUSE, CHALLENGER)[rng.random() < 0.5])
    return game, turn_up(begin_deal(game, shuffled(rng)))


def ecarte(is_played_out: bool) -> PlayOne:
    """Return our engine; in a game that is played out neither side concedes."""

    def play_one(rng: Random) -> tuple[int, int]:
        pick = rng.random
        game, deal = first_deal(rng)
        decisions, packs = 0, 1
        while True:
            while actions := legal_actions(deal):
                # While cards are played, the last legal action is to concede.
                choices = len(actions) - (is_played_out and deal.phase >= LEADING)
                deal = apply(deal, actions[int(pick() * choices)])
                decisions += 1
            game = after_deal(game, deal)
            if game.over:
                return decisions, packs
            deal = turn_up(begin_deal(game, shuffled(rng)))
            packs += 1

    return play_one


def random_states(rng: Random) -> list[Deal]:
    _, deal = first_deal(rng)
    states = [deal]
    while actions := legal_actions(deal):
        deal = apply(deal, rng.choice(actions))
        states.append(deal)
    return states


def random_record(rng: Random) -> str:
    """Return the record of a random game, as a line of a file."""
    game, deal = first_deal(rng)
    first_dealer, deals = game.dealer, []
    while True:
        while actions := legal_actions(deal):
            deal = apply(deal, rng.choice(actions))
        deals.append(deal_record(deal))
        game = after_deal(game, deal)
        if game.over:
            return write_record(Record(LAWS, first_dealer, tuple(deals)))
        deal = turn_up(begin_deal(game, shuffled(rng)))


def pokerkit(seed: int) -> PlayOne:
    """Return PokerKit: a heads-up hand of fixed-limit hold'em."""
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


def load_spiel(name: str) -> Any:
    """Return a game of OpenSpiel in which an even choice among the outcomes of chance is fair."""
    spiel: Any = import_module("pyspiel")
    if name.startswith("python_"):
        import_module("open_spiel.python.games")
    game = spiel.load_game(name)
    state = game.new_initial_state()
    while state.current_player() != TERMINAL:
        if state.current_player() == CHANCE:
            outcomes = state.chance_outcomes()
            uneven = [p for _, p in outcomes if abs(p * len(outcomes) - 1) > 1e-9]
            if uneven or [a for a, _ in outcomes] != state.legal_actions():
                raise ValueError(f"chance is not even in {name}")
        state.apply_action(state.legal_actions()[0])
    return game


def open_spiel(name: str) -> Callable[[int], PlayOne]:
    """Return a loader of a game of OpenSpiel, driven from Python."""

    def load(_seed: int) -> PlayOne:
        game = load_spiel(name)

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


class OtherEngine(NamedTuple):
    """An engine to compare with: the name of its row, its package and its loader."""

    name: str
    package: str
    load: Callable[[int], PlayOne]


EUCHRE = OtherEngine("OpenSpiel C++ euchre", "open_spiel", open_spiel("euchre"))
POKERKIT = OtherEngine("PokerKit limit hold'em", "pokerkit", pokerkit)
OTHERS = (
    EUCHRE,
    OtherEngine("OpenSpiel py Kuhn poker", "open_spiel", open_spiel("python_kuhn_poker")),
    OtherEngine("OpenSpiel py tic-tac-toe", "open_spiel", open_spiel("python_tic_tac_toe")),
    OtherEngine("OpenSpiel py dominoes", "open_spiel", open_spiel("python_team_dominoes")),
    OtherEngine("RLCard limit hold'em", "rlcard", rlcard),
    POKERKIT,
)


def load_installed(
    engines: Sequence[OtherEngine], seed: int, say: Callable[[str], None]
) -> list[tuple[str, PlayOne]]:
    """Load the engines whose packages are installed, and name the others."""
    loaded = []
    for engine in engines:
        try:
            loaded.append((engine.name, engine.load(seed)))
        except ImportError as error:
            say(f"left out: {engine.name}: {engine.package} cannot be imported ({error})")
    return loaded
