"""What a seat sees, as compiled code writes it: number by number what the encoding says."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from casino.ecarte import CHALLENGER, CONCEDE, HOUSE, NO_SEAT, PACK, STAND, Laws, new_deal, view
from casino.ecarte.observation import encoding
from casino.ecarte.observation.encoding import NUM_ACTIONS, OBSERVATION_SIZE
from casino.simulate.compiled.observation import (
    MASK_BYTES,
    OBSERVED_BYTES,
    Observations,
    observe,
    write_mask,
)
from tests.simulate.twin import Twin

LAWS = [
    Laws(),
    Laws(7, "ordinary", 2, (2, 3), "house"),
    Laws(11, packets=(2, 3), first_dealer="loser"),
    Laws(play="ordinary", deal="house"),
]


def room(games: int) -> Observations:
    numbers = np.full((games, OBSERVED_BYTES), 99, np.int8)
    return Observations(numbers, numbers.view(np.uint64))


def row(twin: Twin, seat: int) -> list[int]:
    seen = room(1)
    observe(twin.rules, twin.game, seat, seen, 0)
    assert not seen.numbers[0, OBSERVATION_SIZE:].any()
    found: list[int] = seen.numbers[0, :OBSERVATION_SIZE].tolist()
    return found


@pytest.mark.parametrize("laws", LAWS, ids=range(len(LAWS)))
def test_both_seats_see_what_the_encoding_says(laws: Laws) -> None:
    rng = Random(laws.target)
    for number in range(12):
        score = (rng.randrange(laws.target - 1), rng.randrange(laws.target - 1))
        twin = Twin(new_deal(laws, number % 2, rng.sample(PACK, 32), score))
        while True:
            for seat in (HOUSE, CHALLENGER):
                assert row(twin, seat) == encoding.observation(view(twin.deal, seat))
            if twin.deal.turn == NO_SEAT:
                break
            action = rng.choice(twin.legal)
            twin.act(twin.legal[0] if action in (STAND, CONCEDE) else action)


@pytest.mark.parametrize(
    "legal",
    [
        (0, 0),
        (1, 0),
        (1 << 63, 0),
        (0, 1),
        (0, 1 << 9),
        (0b1011 << 30, 0b11),
        ((1 << 64) - 1, 1023),
    ],
)
def test_a_mask_is_the_bits_of_what_is_legal(legal: tuple[int, int]) -> None:
    masks = np.full((3, MASK_BYTES // 8), 99, np.uint64)
    twin = Twin(new_deal(Laws(), HOUSE, PACK))
    twin.game.legal = list(legal)
    write_mask(twin.game, masks, 1)
    bits = legal[0] | legal[1] << 64
    assert masks[1].view(np.int8)[:NUM_ACTIONS].tolist() == [
        bits >> at & 1 for at in range(NUM_ACTIONS)
    ]
    assert not masks[1].view(np.int8)[NUM_ACTIONS:].any()
    assert (masks[[0, 2]] == 99).all()
