"""The OpenSpiel game: the library's suite, and every step against the engine."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from casino import ecarte
from casino.adapters import openspiel
from casino.ecarte import Deal
from casino.ecarte.observation import encoding
from casino.errors import CasinoError, InputError, LawsError
from tests.adapters.oracle import Oracle, needed

TINY: dict[str, Any] = {
    "episode": "deal",
    "packets": "1/0",
    "pack": "KSQSKHQH",
    "first_dealer": "house",
    "target": 2,
}
SMALL: dict[str, Any] = {"episode": "deal", "packets": "1/1", "pack": "KSQSJSKHQHJHKD", "target": 7}
PLAYED: list[dict[str, Any]] = [
    {}, {"target": 7, "play": "ordinary", "packets": "2/3", "first_dealer": "challenger"},
    {"vole_unexchanged": 2, "deal": "house", "episode": "deal"}, TINY, SMALL,
]  # fmt: skip


@pytest.fixture(autouse=True)
def spiel() -> Any:
    return needed("pyspiel")


@pytest.mark.parametrize("parameters", PLAYED)
def test_library_simulation_test_passes(spiel: Any, parameters: dict[str, Any]) -> None:
    game = openspiel.load_game(**parameters)
    spiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    assert spiel.load_game(str(game)).variant == game.variant


def played(game: Any, chance: Random) -> Any:
    state = game.new_initial_state()
    while not state.is_terminal():
        legal = state.legal_actions()
        action = chance.choice(legal)
        if not state.is_chance_node() and action == ecarte.CONCEDE and chance.random() < 0.8:
            action = legal[0]
        state.apply_action(action)
    return state


class EngineGame(Oracle):
    """The engine's game, with the cards that chance dealt in a finished state."""

    def __init__(self, variant: openspiel.Variant, history: list[int], cut: bool) -> None:
        self.variant, self.history, self.episode = variant, iter(history), variant.episode
        first = next(self.history) if cut else {"house": 0}.get(variant.laws.first_dealer, 1)
        if variant.laws.deal == "house":
            first = 0
        self.game = ecarte.new_game(variant.laws, first)
        self.deal = self.next_deal()

    def next_deal(self) -> Deal:
        self.deck = [next(self.history) for _ in range(self.variant.dealt)]
        return ecarte.turn_up(ecarte.begin_deal(self.game, self.whole()))

    def whole(self) -> list[int]:
        return [*self.deck, *(one for one in self.variant.pack if one not in self.deck)]

    def act_as_recorded(self) -> None:
        deal = self.deal
        action = encoding.decode_action(next(self.history), deal.hands[deal.turn])
        if action >= 1 << 32:
            self.deck += [next(self.history) for _ in range(action.bit_count() - 1)]
            start = deal.start._replace(deck=tuple(self.whole()))
            self.deal = deal._replace(start=start)
        self.take(action)


@pytest.mark.parametrize("parameters", PLAYED)
def test_every_step_matches_the_engine(parameters: dict[str, Any]) -> None:
    game = openspiel.load_game(**parameters)
    for seed in range(3):
        history = played(game, Random(seed)).history()
        state = game.new_initial_state()
        engine = EngineGame(game.variant, history, cut=state.game is None)
        decisions = 0
        for action in history:
            if not state.is_chance_node():
                deal = engine.deal
                assert state.current_player() == deal.turn
                hand = deal.hands[deal.turn]
                legal = sorted(
                    encoding.encode_action(one, hand) for one in ecarte.legal_actions(deal)
                )
                assert state.legal_actions() == legal
                for seat in (0, 1):
                    seen = ecarte.view(deal, seat)
                    text = encoding.information_state(seen)
                    assert state.observation_string(seat) == text
                    assert state.information_state_string(seat).splitlines()[-1] == text
                    assert state.observation_tensor(seat) == encoding.observation(seen)
                engine.act_as_recorded()
                decisions += 1
            else:
                _check_chance(state)
            state.apply_action(action)
        assert engine.over and state.is_terminal()
        assert state.returns() == list(engine.returns)
        assert decisions <= game.max_game_length()
        assert len(history) - decisions <= game.max_chance_nodes_in_history()


def _check_chance(state: Any) -> None:
    """Check that all remaining cards are equally likely and none is dealt twice."""
    outcomes = state.chance_outcomes()
    assert {p for _, p in outcomes} == {1 / len(outcomes)}
    left = {0, 1} if state.game is None else {*state.variant.pack} - {*state.dealt}
    assert {one for one, _ in outcomes} == left


def test_information_states_include_earlier_deals_and_differ() -> None:
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


def test_an_exchange_shows_the_opponent_nothing_but_itself() -> None:
    state = openspiel.load_game(first_dealer="house", episode="deal").new_initial_state()
    for card in ecarte.PACK[:11]:
        state.apply_action(card)
    for action in (32, 34, encoding.FIRST_EXCHANGE + 0b11):
        state.apply_action(action)
    assert state.is_chance_node() and state.cards_due == 2
    assert state.information_state_string(1).endswith(" XKSQS\n")
    assert state.information_state_string(0).endswith(" X\n")


def test_resampled_states_have_the_same_information_and_actions() -> None:
    dealt_anew = False
    for parameters in (*PLAYED, {"play": "ordinary"}):
        game = openspiel.load_game(**parameters)
        chance = Random(7)
        for seed in range(2):
            state = game.new_initial_state()
            for action in played(game, Random(seed)).history():
                if not state.is_chance_node():
                    seat = state.current_player()
                    other = state.resample_from_infostate(seat, chance.random)
                    texts = [one.information_state_string(seat) for one in (state, other)]
                    assert texts[0] == texts[1]
                    assert other.legal_actions() == state.legal_actions()
                    dealt_anew |= other.deal.hands[1 - seat] != state.deal.hands[1 - seat]
                state.apply_action(action)
    assert dealt_anew


def test_illegal_numbers_are_refused_and_change_nothing() -> None:
    state = openspiel.load_game(first_dealer="house", episode="deal").new_initial_state()
    for card in ecarte.PACK[:11]:
        state.apply_action(card)
    before = str(state)
    for number in (0, 37, encoding.FIRST_EXCHANGE + 1):
        with pytest.raises(CasinoError):
            state._apply_action(number)
        assert str(state) == before and not state.cards_due


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"packets": "five"}, "packets are two numbers"),
        ({"packets": "3/3"}, "1 to 5 cards"),
        ({"packets": "0/0"}, "1 to 5 cards"),
        ({"packets": "2/2"}, "may never end"),
        ({"pack": "KSQS"}, "must hold two"),
        ({"pack": "KSQX"}, "is not a card"),
        ({"episode": "match"}, "'game' or 'deal'"),
        ({"play": "loose"}, "law play"),
        ({"target": 0}, "law target"),
    ],
)
def test_invalid_parameters_are_named(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises((InputError, LawsError), match=said):
        openspiel.variant_of(wrong)
