"""Many games in one call: each is its own, whoever else is in the slice and whichever thread."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from casino.bots import get_bot
from casino.ecarte import CHALLENGER, HOUSE, OVER, Laws
from casino.ecarte.observation import encoding
from casino.ecarte.observation.encoding import NUM_ACTIONS
from casino.simulate.compiled import batch_step
from casino.simulate.compiled.batch_step import OUTSIDE
from casino.simulate.compiled.observation import MASK_BYTES, OBSERVED_BYTES, Observations
from casino.simulate.compiled.splitmix import word
from casino.simulate.compiled.vector_env import GAME, episode_rules
from casino.simulate.series import bot_number

USUAL = Laws()

SIGN = -(1 << 63)
"""The last bit of a word, which is the sign of an int."""


class Slice(NamedTuple):
    """Games with the arrays that calls write into, as a batch hands them over."""

    laws: Laws
    one_deal: bool
    bots: tuple[int, int] | None
    games: NDArray[np.void]
    rewards: NDArray[np.int8]
    done: NDArray[np.bool_]
    last: Observations | None

    @classmethod
    def of(
        cls,
        size: int,
        laws: Laws = USUAL,
        one_deal: bool = False,
        bots: tuple[int, int] | None = None,
        key: int = 5,
        first: int = 0,
    ) -> Slice:
        numbers = np.full((size, OBSERVED_BYTES), 99, np.int8)
        last = None if bots is None else Observations(numbers, numbers.view(np.uint64))
        games = np.zeros(size, GAME)
        rewards = np.full((size, 2), 9, np.int8)
        found = cls(laws, one_deal, bots, games, rewards, np.zeros(size, np.bool_), last)
        batch_step.begin(episode_rules(laws, one_deal), bots, key, first, games)
        return found

    def step(self, *actions: int) -> None:
        chosen = np.zeros(len(self.games), np.int64)
        if actions:
            chosen[:] = actions
        else:
            batch_step.choose_randomly(self.games, chosen)
        assert batch_step.first_illegal(self.games, chosen) == -1
        rules = episode_rules(self.laws, self.one_deal)
        batch_step.step(rules, self.bots, self.games, chosen, self.rewards, self.done, self.last)


def test_a_game_is_the_same_in_any_slice() -> None:
    whole = Slice.of(12)
    parts = [Slice.of(5), Slice.of(4, first=5), Slice.of(3, first=9)]
    for _ in range(60):
        together = np.concatenate([part.games for part in parts])
        assert (together == whole.games).all()
        whole.step()
        for part in parts:
            part.step()
        assert np.concatenate([part.done for part in parts]).tolist() == whole.done.tolist()
        rewards = np.concatenate([part.rewards for part in parts])
        assert (rewards == whole.rewards).all()
    assert len(set(whole.games["key"].tolist())) == 12
    assert whole.games["key"].tolist() == [word(5, at) for at in range(12)]


@pytest.mark.parametrize("seat", [HOUSE, CHALLENGER])
def test_a_bot_answers_before_anybody_is_asked(seat: int) -> None:
    regle = bot_number(get_bot("regle"))
    bots = (OUTSIDE, regle) if seat == HOUSE else (regle, OUTSIDE)
    some = Slice.of(20, one_deal=True, bots=bots)
    assert some.last is not None
    ended = 0
    for _ in range(30):
        assert (some.games["turn"] == seat).all()
        some.last.numbers[:] = 99
        some.step()
        assert (some.last.numbers[~some.done] == 99).all()
        seen = some.last.numbers[some.done]
        assert (seen[:, OVER_AT] == OVER).all() and not (seen == 99).any()
        ended += len(seen)
        gained = some.last.numbers[:, OWN_SCORE].astype(int) - some.last.numbers[:, OWN_BEGAN]
        points = some.rewards[:, seat].astype(int)
        lost = some.last.numbers[:, OTHERS].astype(int) - some.last.numbers[:, OTHERS_BEGAN]
        assert (points == gained - lost)[some.done].all()
    assert ended > 20


NUMBERS_AT = 32 * len(encoding.PLANES)
OVER_AT, OWN_SCORE, OWN_BEGAN, OTHERS, OTHERS_BEGAN = (
    NUMBERS_AT + encoding.NUMBERS.index(name)
    for name in ("phase", "own score", "own score before", "other's score", "other's score before")
)


@pytest.mark.parametrize("observing", [True, False])
def test_a_look_shows_whose_turn_it_is_and_what_it_may_do(observing: bool) -> None:
    some = Slice.of(6)
    for _ in range(9):
        some.step()
    turns, masks = np.full(6, 9, np.int8), np.full((6, MASK_BYTES // 8), 99, np.uint64)
    numbers = np.full((6, OBSERVED_BYTES), 99, np.int8)
    seen = Observations(numbers, numbers.view(np.uint64)) if observing else None
    batch_step.observe_all(episode_rules(some.laws, False), some.games, turns, masks, seen)
    for at, game in enumerate(some.games):
        legal = int(game["legal"][0]) & (1 << 64) - 1 | int(game["legal"][1]) << 64
        assert turns[at] == game["turn"]
        assert masks[at].view(np.bool_).tolist() == [legal >> n & 1 == 1 for n in range(MASK_BYTES)]
        hand = sum(1 << card for card in range(32) if numbers[at, card] == 1)
        assert hand == game["hands"][game["turn"]] if observing else (numbers == 99).all()


def test_the_first_illegal_action_is_found() -> None:
    games = np.zeros(3, GAME)
    games["legal"] = [1 << 60 | SIGN, 0b1000000001], [(1 << 63) - 1, 0], [-1, -1]
    legal = [{60, 63, 64, 73}, set(range(63)), set(range(NUM_ACTIONS))]
    right = [60, 0, 0]
    for at, can in enumerate(legal):
        for number in (*range(-2, NUM_ACTIONS + 3), 1 << 40, -(1 << 40)):
            actions = np.array(right, np.int64)
            actions[at] = number
            found = batch_step.first_illegal(games, actions)
            assert found == (-1 if number in can else at), (at, number)
    assert batch_step.first_illegal(games, np.array([1, 99, -1])) == 0
    assert batch_step.first_illegal(games[:0], np.zeros(0, np.int64)) == -1
