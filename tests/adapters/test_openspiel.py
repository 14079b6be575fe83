"""The game of OpenSpiel: the library's suite and algorithms, every step beside the engine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from casino.adapters import openspiel
from casino.ecarte import (
    CONCEDE,
    PACK,
    Deal,
    Game,
    Laws,
    after_deal,
    apply,
    begin_deal,
    encoding,
    is_over,
    legal_actions,
    new_game,
    returns,
    turn_up,
    view,
)
from casino.errors import BadInput, BadLaws, CasinoError, MissingExtra
from tests.adapters.oracle import needed
from tests.ecarte.reshuffle import another

TINY: dict[str, Any] = {
    "episode": "deal",
    "packets": "1/0",
    "pack": "KSQSKHQH",
    "first_dealer": "house",
    "target": 2,
}
SMALL: dict[str, Any] = {"episode": "deal", "packets": "1/1", "pack": "KSQSJSKHQHJHKD", "target": 7}
PLAYED: list[dict[str, Any]] = [
    {},
    {"target": 7, "play": "ordinary", "packets": "2/3", "first_dealer": "challenger"},
    {"vole_unexchanged": 2, "deal": "house", "episode": "deal"},
    TINY,
    SMALL,
]


@pytest.fixture(autouse=True)
def spiel() -> Any:
    """The tests are about the library."""
    return needed("pyspiel")


def played(game: Any, chance: Random) -> Any:
    """A random game to its end; deals are seldom conceded."""
    state = game.new_initial_state()
    while not state.is_terminal():
        legal = state.legal_actions()
        action = chance.choice(legal)
        if not state.is_chance_node() and action == CONCEDE and chance.random() < 0.8:
            action = legal[0]
        state.apply_action(action)
    return state


@pytest.mark.parametrize("parameters", PLAYED)
def test_the_suite_of_the_library_passes(spiel: Any, parameters: dict[str, Any]) -> None:
    """Random simulations with all that OpenSpiel checks on the way, copies and texts included."""
    game = openspiel.load_game(**parameters)
    spiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    assert spiel.load_game(str(game)).terms == game.terms


class Beside:
    """The engine's game, dealt with the cards that chance has dealt in a finished state."""

    def __init__(self, terms: openspiel.Terms, history: list[int], cut: bool) -> None:
        self.terms, self.history = terms, iter(history)
        first = next(self.history) if cut else {"house": 0}.get(terms.laws.first_dealer, 1)
        if terms.laws.deal == "house":
            first = 0
        self.game: Game = new_game(terms.laws, first)
        self.deal: Deal
        self.deck: list[int] = []
        self.next_deal()

    def next_deal(self) -> None:
        """Deal."""
        self.deck = [next(self.history) for _ in range(self.terms.dealt)]
        self.deal = turn_up(begin_deal(self.game, self.whole()))
        self.go_on()

    def whole(self) -> list[int]:
        """The pack as far as it is known, the rest in any order."""
        return [*self.deck, *(one for one in self.terms.pack if one not in self.deck)]

    def go_on(self) -> None:
        """Begin the next deal of a game."""
        if is_over(self.deal) and self.terms.episode == "game":
            self.game = after_deal(self.game, self.deal)
            if not self.game.over:
                self.next_deal()

    def act(self) -> None:
        """Do what was done next."""
        deal = self.deal
        action = encoding.action_of(next(self.history), deal.hands[deal.turn])
        if action >= 1 << 32:
            self.deck += [next(self.history) for _ in range(action.bit_count() - 1)]
            start = deal.start._replace(deck=tuple(self.whole()))
            deal = deal._replace(start=start)
        self.deal = apply(deal, action)
        self.go_on()


@pytest.mark.parametrize("parameters", PLAYED)
def test_every_step_is_the_engines(parameters: dict[str, Any]) -> None:
    """What may be done and what both seats see, at every decision; and what the end brings."""
    game = openspiel.load_game(**parameters)
    for seed in range(3):
        history = played(game, Random(seed)).history()
        state = game.new_initial_state()
        beside = Beside(game.terms, history, cut=state.game is None)
        decisions = 0
        for action in history:
            if not state.is_chance_node():
                deal = beside.deal
                assert state.current_player() == deal.turn
                hand = deal.hands[deal.turn]
                legal = sorted(encoding.number_of(one, hand) for one in legal_actions(deal))
                assert state.legal_actions() == legal
                for seat in (0, 1):
                    seen = view(deal, seat)
                    text = encoding.information_state(seen)
                    assert state.observation_string(seat) == text
                    assert state.information_state_string(seat).splitlines()[-1] == text
                    assert state.observation_tensor(seat) == encoding.observation(seen)
                beside.act()
                decisions += 1
            state.apply_action(action)
        ended = beside.deal if game.terms.episode == "deal" else beside.game
        assert state.returns() == list(returns(ended))
        assert decisions <= game.max_game_length()
        assert len(history) - decisions <= game.max_chance_nodes_in_history()


def test_nothing_of_a_deal_is_forgotten() -> None:
    """The information state keeps the deals before; no two decisions of a seat have the same."""
    game = openspiel.load_game()
    for seed in range(4):
        seen: list[tuple[int, str]] = []
        state = game.new_initial_state()
        for action in played(game, Random(seed)).history():
            if not state.is_chance_node():
                player = state.current_player()
                seen.append((player, state.information_state_string(player)))
            state.apply_action(action)
        assert len(set(seen)) == len(seen)
        assert seen[-1][1].count("sees:") > 2


def test_an_exchange_shows_its_cards_only_to_its_own_seat() -> None:
    """While chance still deals, the other knows that cards are exchanged and no more."""
    state = openspiel.load_game(first_dealer="house", episode="deal").new_initial_state()
    for card in PACK[:11]:
        state.apply_action(card)
    for action in (32, 34, encoding.EXCHANGES + 0b11):
        state.apply_action(action)
    assert state.is_chance_node() and state.due == 2
    assert state.information_state_string(1).endswith(" XKSQS\n")
    assert state.information_state_string(0).endswith(" X\n")


def test_what_is_public_shows_no_hand(spiel: Any) -> None:
    """Whatever the hands: the same public text and row; the private ones are the hand alone."""
    game = openspiel.load_game(episode="deal")
    public = spiel.IIGObservationType(
        perfect_recall=False, public_info=True, private_info=spiel.PrivateInfoType.NONE
    )
    observer = game.make_py_observer(public)
    state, chance = game.new_initial_state(), Random(3)
    for action in played(game, Random(5)).history():
        if not state.is_chance_node():
            for seat in (0, 1):
                other = another(state.deal, -1, chance)
                if other is None:
                    continue
                found = []
                for deal in (state.deal, other):
                    twin = state.clone()
                    twin.deal = deal
                    observer.set_from(twin, seat)
                    found.append((observer.string_from(twin, seat), observer.tensor.tolist()))
                assert found[0] == found[1]
        state.apply_action(action)
    both = spiel.IIGObservationType(
        perfect_recall=False, private_info=spiel.PrivateInfoType.ALL_PLAYERS
    )
    with pytest.raises(BadInput, match="nobody observes both hands"):
        game.make_py_observer(both)
    with pytest.raises(BadInput, match="no parameters"):
        game.make_py_observer(None, {"colour": 1})


def test_what_is_private_is_the_hand_alone(spiel: Any) -> None:
    """Without what is public, a seat reads its cards and nothing else."""
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


def test_resampled_states_are_possible() -> None:
    """The seat knows the same, may do the same, and sees the deal go on: not one is impossible."""
    for parameters in (*PLAYED, {"play": "ordinary"}):
        game = openspiel.load_game(**parameters)
        chance = Random(7)
        for seed in range(2):
            state = game.new_initial_state()
            hands = set()
            for action in played(game, Random(seed)).history():
                if not state.is_chance_node():
                    seat = state.current_player()
                    other = state.resample_from_infostate(seat, chance.random)
                    texts = [one.information_state_string(seat) for one in (state, other)]
                    assert texts[0] == texts[1]
                    assert other.legal_actions() == state.legal_actions()
                    hands.add(other.deal.hands[1 - seat])
                state.apply_action(action)
            assert len(hands) > 1


def test_a_tiny_game_is_solved() -> None:
    """Counterfactual regret brings exploitability down to a tenth of uniform play."""
    algorithms: Callable[[str], Any] = lambda name: needed(f"open_spiel.python.{name}")  # noqa: E731
    game = openspiel.load_game(**TINY)
    exploitability = algorithms("algorithms.exploitability").exploitability
    uniform = exploitability(game, algorithms("policy").UniformRandomPolicy(game))
    solver = algorithms("algorithms.cfr").CFRPlusSolver(game)
    for _ in range(12):
        solver.evaluate_and_update_policy()
    assert exploitability(game, solver.average_policy()) < uniform / 10


def test_searching_bots_play() -> None:
    """MCTS, and MCTS over information states, which deals the hidden cards anew."""
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
    """The library's own way to write a game down, state by state."""
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
    """Every wrong parameter has a sentence."""
    with pytest.raises((BadInput, BadLaws), match=said):
        openspiel.terms_of(wrong)


def test_an_illegal_action_is_refused() -> None:
    """A number that stands for nothing legal raises the rules' refusal, and nothing is done."""
    state = openspiel.load_game(first_dealer="house", episode="deal").new_initial_state()
    for card in PACK[:11]:
        state.apply_action(card)
    before = str(state)
    for number in (0, 37, encoding.EXCHANGES + 1):
        with pytest.raises(CasinoError):
            state._apply_action(number)
        assert str(state) == before and not state.due


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Importing the adapter works; using it says what to install."""
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(MissingExtra, match=r"ecarte-casino\[openspiel\]"):
        openspiel.load_game()
    monkeypatch.undo()
    with pytest.raises(AttributeError, match="no attribute 'Whist'"):
        _ = openspiel.Whist
    openspiel.register()
    assert openspiel.load_game().terms.laws == Laws()
