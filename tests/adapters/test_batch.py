"""Batches play the engine's games: every mask, observation, reward and end is compared with it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random
from typing import Any, Final

import numpy as np
import pytest

from casino import ecarte
from casino.adapters.batch import Batch, opponents
from casino.bots import get_bot
from casino.ecarte import CHALLENGER, HOUSE, Card, Deal, Laws
from casino.ecarte.laws import ALLOWED
from casino.ecarte.observation import encoding
from casino.errors import InputError, LawsError
from casino.simulate.compiled import vector_env
from casino.simulate.compiled.splitmix import CHOICES, KeyDraws, word
from casino.simulate.reference_engine import shuffled_pack
from tests.adapters.oracle import Oracle, pick_action

LAWS: Final = [
    Laws(**dict(zip(ALLOWED, values, strict=True)))
    for values in product(*ALLOWED.values())
    if "claims" not in values
]
"""All published laws under enforcement strict."""

SEED: Final = 2025


class EngineEpisode(Oracle):
    """Episodes one after another; a bot, if there is one, takes its turns at once."""

    def __init__(self, laws: Laws, key: int, episode: str, opponent: str | None, seat: int) -> None:
        self.laws, self.key, self.episode = laws, key, episode
        self.bots = {} if opponent is None else {1 - seat: get_bot(opponent)}
        self.games, self.last_loser = 0, -1
        self.begin()

    def begin(self) -> None:
        self.game_key = word(self.key, self.games)
        self.games += 1
        self.start(self.laws, shuffled_pack(word(self.game_key, 0)), self.last_loser)
        self.answer(self.bots)

    def start(self, laws: Laws, pack: Sequence[Card], loser: int | None) -> None:
        self.dealt = 0
        super().start(laws, pack, loser)

    def next_deal(self) -> Deal:
        self.dealt += 1
        key = word(self.game_key, self.dealt)
        self.chance = KeyDraws(key, CHOICES)
        return ecarte.turn_up(ecarte.begin_deal(self.game, shuffled_pack(key)))

    def step(self, number: int) -> tuple[bool, tuple[int, int]]:
        """Take an action; return whether the episode is over, and its rewards."""
        self.act(number)
        self.answer(self.bots)
        if not self.over:
            return False, (0, 0)
        self.end, won = self.deal, self.returns
        self.last_loser = -1 if self.episode == "deal" else int(won[0] > 0)
        self.begin()
        return True, won


def compare(batch: Batch, laws: Laws, steps: int, **how: Any) -> int:
    """Play a batch alongside the engine; return how many episodes have ended."""
    episode, opponent = how.get("episode", "game"), how.get("opponent")
    key = word(SEED, 0)
    seat = how.get("seat", CHALLENGER)
    shadows = [
        EngineEpisode(laws, word(key, at), episode, opponent, seat) for at in range(len(batch))
    ]
    chance, ended = Random(3), 0
    for _ in range(steps):
        numbers = []
        for at, shadow in enumerate(shadows):
            turn = shadow.turn
            legal = shadow.mask(turn)
            assert batch.turns[at] == turn
            assert batch.masks[at].tolist() == legal
            assert batch.observations[at].tolist() == shadow.observation(turn)
            numbers.append(pick_action(legal, chance))
        batch.step(numbers)
        for at, shadow in enumerate(shadows):
            done, won = shadow.step(numbers[at])
            assert (bool(batch.done[at]), tuple(batch.rewards[at].tolist())) == (done, won)
            ended += done
            if done and opponent:
                assert batch.last[at].tolist() == encoding.observation(
                    ecarte.view(shadow.end, seat)
                )
    return ended


@pytest.mark.parametrize("target", ALLOWED["target"])
def test_batch_matches_the_engine(target: int) -> None:
    ended = 0
    for laws in LAWS:
        if laws.target == target:
            ended += compare(Batch(4, laws, seed=SEED), laws, 8 * target)
    assert ended > 30


@pytest.mark.parametrize("opponent", opponents())
@pytest.mark.parametrize("seat", [HOUSE, CHALLENGER])
def test_bot_in_a_batch_plays_as_elsewhere(opponent: str, seat: int) -> None:
    for laws in LAWS[::37]:
        how: dict[str, Any] = {"opponent": opponent, "seat": seat}
        assert compare(Batch(6, laws, seed=SEED, **how), laws, 100, **how) > 1


def test_episode_may_be_one_deal() -> None:
    for laws in LAWS[::23]:
        batch = Batch(8, laws, seed=SEED, episode="deal")
        assert compare(batch, laws, 40, episode="deal") > 16
        how: dict[str, Any] = {"episode": "deal", "opponent": "regle", "seat": HOUSE}
        assert compare(Batch(8, laws, seed=SEED, **how), laws, 40, **how) > 16


def trace(batch: Batch, steps: int) -> list[bytes]:
    shown = []
    for _ in range(steps):
        batch.step(batch.random_actions())
        shown += [
            array.tobytes()
            for array in (batch.masks, batch.observations, batch.rewards, batch.done, batch.turns)
        ]
    return shown


def test_number_of_threads_changes_nothing() -> None:
    one = trace(Batch(20, seed=5), 100)
    assert trace(Batch(20, seed=5, threads=3), 100) == one
    assert trace(Batch(20, seed=5, threads=64), 100) == one
    unseen = Batch(20, seed=5, observe=False)
    assert unseen.observations.size == 0
    assert trace(unseen, 100)[::5] == one[::5]


def test_seed_and_reset_determine_the_games() -> None:
    batch = Batch(50, seed=1)
    first = trace(batch, 30)
    batch.reset()
    second = trace(batch, 30)
    batch.reset(1)
    assert trace(batch, 30) == first
    batch.reset()
    assert trace(batch, 30) == second
    assert first != second != trace(Batch(50, seed=2), 30)


@pytest.mark.parametrize("number", [0, -1, 74, 34, 73, 1 << 40])
def test_illegal_action_leaves_the_batch_unchanged(number: int) -> None:
    batch, same = Batch(5, seed=3), Batch(5, seed=3)
    actions = np.full(5, 33)
    actions[2] = number
    with pytest.raises(InputError, match=rf"game 2: action {number} is not legal.*\[32, 33\]"):
        batch.step(actions)
    assert trace(batch, 20) == trace(same, 20)


def test_first_illegal_action_is_found() -> None:
    games = np.zeros(3, vector_env.GAME)
    last_bit = -(1 << 63)  # the last bit of a word, which is the sign of an int
    games["legal"] = [1 << 60 | last_bit, 0b1000000001], [(1 << 63) - 1, 0], [-1, -1]
    legal = [{60, 63, 64, 73}, set(range(63)), set(range(encoding.NUM_ACTIONS))]
    for at, can in enumerate(legal):
        for number in (*range(-2, encoding.NUM_ACTIONS + 3), 1 << 40, -(1 << 40)):
            actions = np.array([60, 0, 0], np.int64)
            actions[at] = number
            found = vector_env.first_illegal(games, actions)
            assert found == (-1 if number in can else at), (at, number)
    assert vector_env.first_illegal(games, np.array([1, 99, -1])) == 0


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"games": 0}, "games must be"),
        ({"games": 2.0}, "games must be"),
        ({"seed": -1}, "seed must be"),
        ({"seed": 1 << 63}, "seed must be"),
        ({"threads": 0}, "threads must be"),
        ({"seat": 2}, "the seat must be"),
        ({"episode": "night"}, "an episode is 'game' or 'deal'"),
        ({"opponent": "expert"}, "batches support only novice, .*, regle"),
    ],
)
def test_invalid_argument_is_named(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Batch(**({"games": 3} | wrong))


@pytest.mark.parametrize("laws", [Laws(enforcement="claims"), Laws(target=6), Laws(packets=(1, 1))])
def test_unsupported_laws_are_refused(laws: Laws) -> None:
    with pytest.raises(LawsError, match=r"law (enforcement|target|packets)"):
        Batch(3, laws)
