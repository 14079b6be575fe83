"""The environment of RLCard: its own agents play in it, and every step is the engine's."""

from __future__ import annotations

import sys
from random import Random

import pytest

from casino.adapters import rlcard
from casino.ecarte import HOUSE, Laws, encoding, view
from casino.errors import BadInput, BadLaws, IllegalAction, MissingExtra
from tests.adapters.conformance import picked
from tests.adapters.oracle import Oracle, needed
from tests.adapters.test_batch import LAWS
from tests.ecarte.reshuffle import another

needed("rlcard")


class Drawn:
    """The chance that a seed gives to RLCard."""

    def __init__(self, seed: int) -> None:
        self.generator, _ = needed("rlcard.utils.seeding").np_random(seed)

    def randrange(self, stop: int, /) -> int:
        """A number below `stop`."""
        return int(self.generator.randint(stop))


@pytest.mark.parametrize("laws", LAWS[::37], ids=map(str, range(len(LAWS[::37]))))
@pytest.mark.parametrize("episode", ["game", "deal"])
def test_every_step_is_the_engines(laws: Laws, episode: str) -> None:
    """States of both seats, what is legal, whose turn it is, what is won, over some episodes."""
    env, drawn, chance = rlcard.environment(laws, episode, seed=3), Drawn(3), Random(1)
    loser = None
    for _ in range(3):
        state, player = env.reset()
        oracle = Oracle(laws, episode, drawn, loser)
        while not oracle.over:
            assert player == env.get_player_id() == oracle.turn and not env.is_over()
            for seat in (0, 1):
                mine = env.get_state(seat)
                assert mine["obs"].tolist() == oracle.observation(seat)
                mask = oracle.mask(seat)
                legal = [number for number, may in enumerate(mask) if may]
                assert list(mine["legal_actions"]) == legal
                assert len(mine["raw_legal_actions"]) == len(legal)
            assert state["obs"].tolist() == oracle.observation(player)
            number = picked(oracle.mask(player), chance)
            state, player = env.step(number)
            oracle.act(number)
        assert env.is_over() and env.get_payoffs().tolist() == list(oracle.returns)
        assert not any(env.get_state(seat)["legal_actions"] for seat in (0, 1))
        loser = oracle.loser


def test_the_agents_of_the_library_play() -> None:
    """A whole run of two random agents, as RLCard's own training does it."""
    env = rlcard.environment(seed=1)
    agents = needed("rlcard.agents")
    env.set_agents([agents.RandomAgent(num_actions=env.num_actions) for _ in range(2)])
    trajectories, payoffs = env.run(is_training=True)
    assert len(trajectories) == 2 and payoffs.sum() == 0
    assert env.state_shape == [[encoding.OBSERVED]] * 2 and env.num_players == 2


def test_nothing_hidden_is_told() -> None:
    """Hidden cards are dealt anew: a seat's state is the same in all its parts."""
    env, chance = rlcard.environment(seed=9), Random(2)
    state, player = env.reset()
    table = env.game.table
    for _ in range(25):
        if env.is_over():
            break
        for seat in (0, 1):
            deal, mine = table.deal, env.get_state(seat)
            table.deal = another(deal, seat, chance) or deal
            same = env.get_state(seat)
            table.deal = deal
            assert mine["obs"].tolist() == same["obs"].tolist()
            for part in ("raw_obs", "action_record", "legal_actions", "raw_legal_actions"):
                assert mine[part] == same[part]
        state, player = env.step(chance.choice(list(state["legal_actions"])))
    assert env.get_perfect_information()["position"] == str(table.deal)
    assert view(table.deal, HOUSE).history is not None and player in (0, 1)


def test_an_illegal_action_is_refused() -> None:
    """It is not played as another one, and nothing has happened."""
    env = rlcard.environment(seed=4)
    env.reset()
    before = str(env.game.table.deal)
    for number, error in ((0, IllegalAction), (74, BadInput), ("P", BadInput)):
        with pytest.raises(error):
            env.step(number)
    assert str(env.game.table.deal) == before


def test_seeds_repeat() -> None:
    """The same seed, the same cards; another, others; also when it is given later."""
    first, second = rlcard.environment(seed=5), rlcard.environment(seed=6)
    cards = first.reset()[0]["raw_obs"]
    assert cards != second.reset()[0]["raw_obs"]
    second.seed(5)
    assert cards == second.reset()[0]["raw_obs"]


def test_wrong_arguments_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps back, laws, episodes, and a library that is missing."""
    with pytest.raises(BadInput, match="leave allow_step_back off"):
        rlcard.environment_class()({"allow_step_back": True, "seed": 1})
    with pytest.raises(BadLaws, match="play under strict"):
        rlcard.environment(Laws(enforcement="claims"))
    with pytest.raises(BadInput, match="'game' or 'deal'"):
        rlcard.environment(episode="evening")
    rlcard.environment_class.cache_clear()
    monkeypatch.setitem(sys.modules, "rlcard", None)
    with pytest.raises(MissingExtra, match=r"ecarte-casino\[rlcard\]"):
        rlcard.environment()
