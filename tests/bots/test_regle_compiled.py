"""The rule of thumb in machine code: the same functions, the same answers, as fast as needed."""

from __future__ import annotations

from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from casino.analysis.numba_support import compiled, register_for_numba
from casino.bots import heuristics
from casino.ecarte import card_set

Case: TypeAlias = tuple[int, int, int, int, bool]

register_for_numba(heuristics)


@compiled
def answers(cases: NDArray[np.int64]) -> NDArray[np.int64]:
    found = np.zeros((len(cases), 5), np.int64)
    for at in range(len(cases)):
        hand, trumps, most, led, strict = cases[at]
        found[at, 0] = heuristics.should_stand(hand, trumps)
        found[at, 1] = heuristics.should_refuse(hand, trumps)
        found[at, 2] = heuristics.discards(hand, trumps, most)
        found[at, 3] = heuristics.lead(hand, trumps)
        found[at, 4] = heuristics.follow(hand, led, trumps, strict != 0)
    return found


def random_case(rng: Random) -> Case:
    """A hand of one to five cards, trumps, how many may be exchanged, a card led, a law."""
    *held, led = rng.sample(range(32), rng.randint(2, 6))
    return card_set(held), rng.randrange(4), rng.randrange(6), led, rng.random() < 0.5


def plain(case: Case) -> list[int]:
    hand, trumps, most, led, strict = case
    return [
        heuristics.should_stand(hand, trumps),
        heuristics.should_refuse(hand, trumps),
        heuristics.discards(hand, trumps, most),
        heuristics.lead(hand, trumps),
        heuristics.follow(hand, led, trumps, strict),
    ]


def test_machine_code_says_what_python_says() -> None:
    rng = Random(11)
    cases = [random_case(rng) for _ in range(20_000)]
    assert answers(np.array(cases, np.int64)).tolist() == [plain(case) for case in cases]
