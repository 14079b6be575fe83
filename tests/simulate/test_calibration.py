"""What hands are worth, counted: from whole games, with the trumps moved to one suit."""

from __future__ import annotations

from random import Random

import numpy as np

from casino.analysis.double_dummy import place, tables, tricks
from casino.ecarte.cards import PACK, card_set, cards
from casino.expert.card_play import REST
from casino.expert.cfr import thumb_tricks
from casino.expert.solve import even_leaves
from casino.expert.tables import RESTS
from casino.simulate.calibration import _play, counted, rests_of, with_trumps_first


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
    leaves, rests = counted(300, 5)
    assert len(rests) == REST * RESTS
    assert leaves.shape == (6, 6, 6)
    assert np.allclose(leaves.sum(axis=2), 1)
    assert (leaves != even_leaves()).any()
    assert leaves[4, 4, 3:].sum() > 0.9 and leaves[1, 1, :3].sum() > 0.9


def test_the_leaders_tricks_are_counted_from_each_position() -> None:
    """By hand: the elder's king of trumps falls to nobody; the dealer's trumps take the rest."""
    elder, dealer = card_set(cards("KS 7H 8H 7D 8D")), card_set(cards("AS TS 9S 7C 8C"))
    played = np.array(cards("KS AS 7H TS 7C 8H 8C 8D 9S 7D"), np.int64)
    ends = np.zeros((RESTS, REST + 1), np.int64)
    _play(tables(), elder, dealer, played, 0, ends)
    at = place(tables(), card_set(cards("7H 8H 7D 8D")), card_set(cards("TS 9S 7C 8C")), 0)
    assert ends[at].tolist() == [1, 0, 0, 0, 0]
    at = place(tables(), card_set(cards("7C 8C 9S")), card_set(cards("8H 8D 7D")), 0)
    assert ends[at].tolist() == [0, 0, 0, 1, 0]
    # With three tricks to one the last one matters to nobody.
    assert ends.sum() == 3


def test_a_position_met_often_is_worth_what_came_of_it() -> None:
    """One never met is worth the mean of those that open cards hold for alike."""
    ends = np.zeros((RESTS, REST + 1), np.int64)
    leader, other = card_set(cards("KS QS")), card_set(cards("8H 9H"))
    at = place(tables(), leader, other, 0)
    ends[at] = [0, 10_000, 0, 0, 0]
    rests = rests_of(ends)
    row = rests[REST * at : REST * (at + 1)]
    assert row[0] == 255 and row[1] < 5 and row[2:] == b"\0\0"
    like = place(tables(), card_set(cards("KS AH")), card_set(cards("8H 9H")), 0)
    assert rests[REST * like] == 255 and rests[REST * like + 1] < 5
    three = place(tables(), card_set(cards("KS QS JS")), card_set(cards("8H 9H 7H")), 0)
    assert rests[REST * three : REST * (three + 1)] == b"\xff\xff\xff\0"
