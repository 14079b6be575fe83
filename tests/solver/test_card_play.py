"""Hand values counted from whole games, with the trumps mapped to one suit."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from casino.analysis.dd_index import best_tricks, table_index
from casino.ecarte import NO_CARD, PACK, card_set, cards, read_record, replay
from casino.simulate import series as series_module
from casino.simulate.series import Chunk, Run, play_series
from casino.solver.evaluation.rollout import tricks_by_rule
from casino.solver.policy import tables as brain_tables
from casino.solver.policy.tables import ENDGAME_POSITIONS, LEADS, REST, bucket_of, buckets
from tools import card_play
from tools.double_dummy import trick_table


def test_swapping_trumps_with_spades_keeps_tricks() -> None:
    assert card_play.swap_trumps(card_set(cards("KH 7S QD")), 1) == card_set(cards("KS 7H QD"))
    rng = Random(2)
    for _ in range(300):
        dealt = rng.sample(PACK, 10)
        elder, dealer, trumps = card_set(dealt[:5]), card_set(dealt[5:]), rng.randrange(4)
        moved = card_play.swap_trumps(elder, trumps), card_play.swap_trumps(dealer, trumps)
        assert card_play.swap_trumps(moved[0], trumps) == elder
        assert best_tricks(trick_table(), *moved, 0) == best_tricks(
            trick_table(), elder, dealer, trumps
        )
        assert 0 <= tricks_by_rule(*moved, 0, NO_CARD, 0) <= 5


def test_leads_are_counted_by_bucket() -> None:
    hand = card_set(cards("KS QS JS AS TS"))
    found = card_play.lead_odds([hand] * 9)
    start = LEADS * bucket_of(buckets(), hand, 0)
    row = list(found[start : start + LEADS])
    led = max(range(LEADS), key=row.__getitem__)
    assert led == 6, "the king, the seven being turned up"
    assert row[led] == round(card_play.MIN_SHARE + (255 - card_play.MIN_SHARE) * 9.2 / 10)
    assert set(row[:led] + row[led + 1 :]) == {
        round(card_play.MIN_SHARE + (255 - card_play.MIN_SHARE) * 0.2 / 10)
    }
    assert set(found[:start]) == {round(card_play.MIN_SHARE + (255 - card_play.MIN_SHARE) * 0.2)}, (
        "other buckets tell nothing"
    )


@pytest.mark.nightly
def test_shipped_leads_match_the_expert() -> None:
    rng, shipped = Random(3), brain_tables.load_packed().leads
    usual = rare = 0
    for _ in range(2_000):
        hand = card_set(rng.sample(range(1, 32), 5))
        start = LEADS * bucket_of(buckets(), hand, 0)
        row = shipped[start : start + LEADS]
        found = card_play.lead_odds([hand])[start : start + LEADS]
        led = found.index(max(found))
        usual += row[led] == max(row)
        rare += row[led] == min(row)
    assert usual > 1_500 and rare < 40


def test_leader_tricks_are_counted_from_each_position() -> None:
    elder, dealer = card_set(cards("KS 7H 8H 7D 8D")), card_set(cards("AS TS 9S 7C 8C"))
    played = cards("KS AS 7H TS 7C 8H 8C 8D 9S 7D")
    ends = np.zeros((ENDGAME_POSITIONS, REST + 1), np.int64)
    card_play.count_rests(trick_table(), elder, dealer, played, 0, ends)
    at = table_index(
        trick_table(), card_set(cards("7H 8H 7D 8D")), card_set(cards("TS 9S 7C 8C")), 0
    )
    assert ends[at].tolist() == [1, 0, 0, 0, 0]
    at = table_index(trick_table(), card_set(cards("7C 8C 9S")), card_set(cards("8H 8D 7D")), 0)
    assert ends[at].tolist() == [0, 0, 0, 1, 0]
    # With three tricks to one, the last trick does not matter.
    assert ends.sum() == 3


def test_frequent_position_gets_its_observed_odds() -> None:
    ends = np.zeros((ENDGAME_POSITIONS, REST + 1), np.int64)
    leader, other = card_set(cards("KS QS")), card_set(cards("8H 9H"))
    at = table_index(trick_table(), leader, other, 0)
    ends[at] = [0, 10_000, 0, 0, 0]
    rests = card_play.rest_odds(ends)
    row = rests[REST * at : REST * (at + 1)]
    assert row[0] == 255 and row[1] < 5 and row[2:] == b"\0\0"
    like = table_index(trick_table(), card_set(cards("KS AH")), card_set(cards("8H 9H")), 0)
    assert rests[REST * like] == 255 and rests[REST * like + 1] < 5
    three = table_index(trick_table(), card_set(cards("KS QS JS")), card_set(cards("8H 9H 7H")), 0)
    assert rests[REST * three : REST * (three + 1)] == b"\xff\xff\xff\0"


def test_deals_are_counted_by_elder_tricks(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def quickly(run: Run, series: int, recording: bool) -> Chunk:
        asked.append(series)
        return play_series(run._replace(house="regle", challenger="novice"), series, recording)

    monkeypatch.setattr(card_play, "lead_odds", lambda: b"as all hands lead")
    monkeypatch.setattr(card_play, "play_series", quickly)
    monkeypatch.setattr(card_play, "SERIES_GAMES", 40)
    monkeypatch.setattr(series_module, "SERIES_GAMES", 40)
    found = card_play.calibrate(90, 6).leaves
    assert asked == [0, 1, 2]
    expected = card_play.DOUBT * card_play.even_leaves()
    deals = 0
    for series in range(3):
        lines = play_series(Run(90, 6, "regle", "novice"), series, recording=True).lines
        for line in lines.splitlines():
            for deal in replay(read_record(line)).deals:
                if sum(deal.tricks) < 5:
                    continue
                first, second = (
                    card_play.swap_trumps(deal.kept[seat], deal.turn_up >> 3)
                    for seat in (deal.elder, deal.dealer)
                )
                by_cards = best_tricks(trick_table(), first, second, 0)
                by_rule = tricks_by_rule(first, second, 0, NO_CARD, 0)
                expected[by_cards, by_rule, deal.tricks[deal.elder]] += 1
                deals += 1
    assert deals > 250
    assert np.allclose(found, expected / expected.sum(axis=2, keepdims=True))
