"""What hands are worth, counted: from whole games, with the trumps moved to one suit."""

from __future__ import annotations

from random import Random

import numpy as np

from casino.analysis.double_dummy import tables, tricks
from casino.ecarte.cards import PACK, card_set, cards
from casino.expert.cfr import thumb_tricks
from casino.expert.solve import even_leaves
from casino.simulate.calibration import counted_leaves, with_trumps_first


def test_trumps_and_spades_trade_places() -> None:
    """Twice is back again; tricks stay what they were."""
    assert with_trumps_first(card_set(cards("KH 7S QD")), 1) == card_set(cards("KS 7H QD"))
    rng = Random(2)
    for _ in range(300):
        dealt = rng.sample(PACK, 10)
        elder, dealer, trumps = card_set(dealt[:5]), card_set(dealt[5:]), rng.randrange(4)
        moved = with_trumps_first(elder, trumps), with_trumps_first(dealer, trumps)
        assert with_trumps_first(moved[0], trumps) == elder
        assert tricks(tables(), *moved, 0) == tricks(tables(), elder, dealer, trumps)
        assert 0 <= thumb_tricks(*moved) <= 5


def test_counts_are_chances_near_what_both_numbers_say() -> None:
    """Where open cards and the rule of thumb agree, the expert does mostly the same."""
    leaves = counted_leaves(300, 5)
    assert leaves.shape == (6, 6, 6)
    assert np.allclose(leaves.sum(axis=2), 1)
    assert (leaves != even_leaves()).any()
    assert leaves[4, 4, 3:].sum() > 0.9 and leaves[1, 1, :3].sum() > 0.9
