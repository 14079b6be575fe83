"""The table file: hand buckets, decision indexes, packing and unpacking."""

from __future__ import annotations

import lzma
from collections import Counter
from importlib.resources import files
from itertools import combinations, permutations, product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.bots import rule_bot
from casino.ecarte import PACK, Laws, card, card_set, cards, suit_of
from casino.errors import InputError
from casino.solver.evaluation.hand_chart import classes
from casino.solver.policy import tables
from casino.solver.policy.tables import (
    BUCKETS,
    EIGHTHS,
    LEADS,
    MAX_TAKEN,
    MIXES,
    OUTCOMES,
    STEPS,
    WHOLE,
    ExchangeState,
    PackedTables,
    bucket_of,
    buckets,
    cards_to_discard,
    elder_wins,
    ends_before,
    exchange_counts,
    game_of,
    games_to,
    lead_index,
    load_packed,
    outcomes,
    pack,
    part_sizes,
    policy_tables,
    take_row,
    unpack,
)
from casino.solver.training import run as training
from casino.solver.training.cfr import BINS, DealScore, scores
from tools.card_play import even_leaves
from tools.double_dummy import trick_table


@pytest.mark.parametrize("strict", [True, False], ids=["strict", "ordinary"])
def test_shipped_tricks_match_computed_table(strict: bool) -> None:
    shipped = load_packed().strict if strict else load_packed().ordinary
    assert shipped == trick_table(strict).tricks.tobytes()


@pytest.mark.parametrize("target", [1, 5, 7])
def test_packed_tables_round_trip(target: int) -> None:
    parts = PackedTables(
        {"target": target, "seed": 5},
        *(bytes([at]) * size for at, size in enumerate(part_sizes(target))),
    )
    assert unpack(pack(parts), "x") == parts


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "is not a file of tables: give one made by casino solve"),
        (b"[1]\nx", "is not a file of tables"),
        (b"no json\nx", "is not a file of tables"),
        (b'{"version": 3, "target": 5}\n', "is a damaged file of tables"),
        (b'{"version": 2}\nold', "has tables of version 2, but this program"),
        (b'{"version": 3}\n' + lzma.compress(b""), "is a damaged file of tables: solve it again"),
        (b'{"version": 3, "target": 5}\n' + lzma.compress(b"too short"), "is a damaged file"),
        (b'{"version": 3, "target": "5"}\n' + lzma.compress(b""), "is a damaged file"),
        (b'{"version": 3, "target": 12}\n' + lzma.compress(b""), "is a damaged file"),
    ],
)
def test_invalid_table_file_is_refused(body: bytes, said: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.xz"
    file.write_bytes(body)
    with pytest.raises(InputError, match=f"mine.xz {said}"):
        load_packed(file)


def test_missing_table_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read .*/none.xz"):
        load_packed(tmp_path / "none.xz")


def test_user_table_file_loads_like_the_shipped_one(tmp_path: Path) -> None:
    file = tmp_path / "mine.xz"
    file.write_bytes((files("casino.solver") / tables.SHIPPED).read_bytes())
    assert load_packed(file) == load_packed()
    assert policy_tables(True, file) == policy_tables(True)
    assert policy_tables(True).open_cards.tricks != policy_tables(False).open_cards.tricks


@pytest.mark.parametrize(
    ("first", "second", "steps"),
    [
        (0, 5, STEPS),
        (5, 0, 0),
        (1, 1, 8),
        (3, 1, 4),
        (31, 1, 0),
        (1, 31, STEPS),
        (15, 1, 0),
        (1, 15, STEPS),
        (13, 3, 3),
        (14, 2, 2),
        (0, 0, STEPS),
    ],
)
def test_bids_are_rounded_to_sixteenths(first: float, second: float, steps: int) -> None:
    assert training._bids(np.array([[first, second]], np.float32)).tolist() == [steps]


def test_outcomes_if_elder_always_wins_a_point() -> None:
    bins = np.zeros(BINS, np.int64)
    bins[2 * 3 * 36 + 3 * 6 + 3] = 5  # no one vulnerable, no king, three tricks by both measures
    all_bins = dict.fromkeys(scores(5), bins)
    found = training._ends(all_bins, even_leaves(), Laws())
    assert found.shape == (games_to(5), OUTCOMES)
    assert found[game_of(4, 0, 5, False)].tolist() == [0, 0, WHOLE, 0, 0, 0]
    assert found[game_of(4, 2, 5, False)].tolist() == [0, WHOLE, 0, 0, 0, 0]
    assert found[game_of(4, 4, 5, True)].tolist() == [WHOLE, 0, 0, 0, 0, 0]
    after = found[game_of(3, 4, 5, False)]
    # At 4-4 the opponent is elder and wins, unless a king is turned up for the dealer.
    assert after.tolist() == [WHOLE // 8, 0, 0, 7 * WHOLE // 8, 0, 0]
    always = training._ends(all_bins, even_leaves(), Laws(deal="house"))
    assert always[game_of(3, 4, 5, False)].tolist() == [7 * WHOLE // 8, 0, 0, WHOLE // 8, 0, 0]


def test_shipped_equities_follow_from_shipped_outcomes() -> None:
    wins = elder_wins(load_packed())
    for elder in range(5):
        for dealer in range(5):
            assert wins[5 * elder + dealer] / WHOLE == pytest.approx(
                sum(ends_before(elder, dealer, Laws())[:3]) / EIGHTHS, abs=1e-4
            )
    ends = outcomes(load_packed())
    for score in scores(5):
        row = ends[game_of(score.elder, score.dealer, 5, score.king)]
        assert abs(sum(row) - WHOLE) <= 3 and min(row) >= 0


def test_unseen_buckets_are_filled_from_other_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = 2 * 8 * BUCKETS + MAX_TAKEN * 10 * BUCKETS
    known, lonely = np.zeros(sizes, np.float32), np.zeros(sizes, np.float32)
    known[0], lonely[2] = 100.0, 100.0  # bucket 0 stands there, bucket 1 here
    takes = 2 * 8 * BUCKETS
    # Bucket 0 takes two, bucket 1 four.
    known[takes + 1], lonely[takes + MAX_TAKEN + 3] = 100.0, 100.0
    totals = dict.fromkeys(scores(5), known) | {DealScore(2, 2, False): lonely}
    bins, none = np.ones(BINS, np.int64), np.zeros(0)
    solved = {score: training.TrainedScore(x, x, bins, 0, none) for score, x in totals.items()}
    seen = np.ones((2, MAX_TAKEN, BUCKETS), np.int64)
    about = {"leaves": even_leaves().reshape(-1).tolist()}
    counted = load_packed()._replace(about=about, endgame=b"as they were", leads=b"too")
    found = training.pack_tables(training.TrainingPlan(), solved, seen, counted)
    assert (found.endgame, found.leads) == (b"as they were", b"too")
    start = game_of(2, 2, 5, False) * 8 * BUCKETS
    assert found.bids[start] == 0 and found.bids[start + 1] == 0
    assert found.bids[start + 2] == STEPS
    other = game_of(0, 0, 5, False) * 8 * BUCKETS
    assert found.bids[other] == 0
    start = game_of(2, 2, 5, False) * 10 * BUCKETS
    taken = [one // MIXES // MAX_TAKEN + 1 for one in found.takes[start : start + 3]]
    assert taken == [2, 4, 1], "in an unseen bucket one card is taken"
    other = game_of(0, 0, 5, False) * 10 * BUCKETS
    assert [one // MIXES // MAX_TAKEN + 1 for one in found.takes[other : other + 2]] == [2, 4]
    assert len(found.takes) == games_to(5) * 10 * BUCKETS
    assert len(found.bids) == games_to(5) * 8 * BUCKETS
    assert found.strict == trick_table(True).tricks.tobytes()
    assert found.ordinary == trick_table(False).tricks.tobytes() != found.strict


TABLE = buckets()
deals = st.lists(st.sampled_from(PACK), min_size=6, max_size=6, unique=True)


def kind(hand: str, turn_up: str) -> int:
    return bucket_of(TABLE, card_set(cards(hand)), card(turn_up))


@pytest.mark.parametrize("turn_up", ["7S", "KS", "AH", "QD", "9C"])
def test_every_bucket_occurs_with_any_turn_up(turn_up: str) -> None:
    found = Counter(bucket_of(TABLE, row.hand, row.turn_up) for row in classes(card(turn_up)))
    assert sorted(found) == list(range(BUCKETS))
    assert found.total() == 31_913


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("KS 9H 8H 7D AC", "KS 8H 7H 9D TC", True),  # low cards, and ace and ten, are alike
        ("KS 9H 8H 7D AC", "KS 9H 8H 7D JC", False),
        ("KS 9H 8H 7D AC", "QS 9H 8H 7D AC", False),
        ("9S KH QH 7D AC", "8S KH QH 7D AC", False),  # of trumps every one counts
        ("9S KH QD 7D AC", "9S KH QH 7D AC", False),  # which suit a queen is guarded in
        ("9S KH QD 7D AC", "9S KD QC 7C AH", True),
    ],
)
def test_bucket_distinguishes_hands(one: str, other: str, same: bool) -> None:
    assert (kind(one, "7S") == kind(other, "7S")) is same


@given(deals)
def test_bucket_does_not_depend_on_order_of_plain_suits(dealt: list[int]) -> None:
    *hand, turn_up = dealt
    trumps = suit_of(turn_up)
    plain = [suit for suit in range(4) if suit != trumps]
    found = set()
    for order in permutations(plain):
        to = dict(zip(plain, order, strict=True)) | {trumps: trumps}
        found.add(bucket_of(TABLE, card_set(8 * to[c >> 3] + (c & 7) for c in hand), turn_up))
    assert len(found) == 1


@given(deals)
def test_lead_index_depends_on_bucket_and_card(dealt: list[int]) -> None:
    *cards_held, turn_up = dealt
    hand, trumps = card_set(cards_held), suit_of(turn_up)
    places = {one: lead_index(TABLE, hand, turn_up, one) for one in cards_held}
    assert set(places.values()) <= set(range(LEADS))

    def told(one: int) -> tuple[object, ...]:
        if one >> 3 == trumps:
            return (-1, one & 7)
        return (
            TABLE.code[hand >> 8 * (one >> 3) & 255],
            ("low", "ten", "J", "Q", "K")[(one & 7) - 3 if one & 7 > 4 else (one & 7) // 3],
        )

    for one, other in combinations(cards_held, 2):
        assert (places[one] == places[other]) == (told(one) == told(other))
    plain = [suit for suit in range(4) if suit != trumps]
    for order in permutations(plain):
        to = dict(zip(plain, order, strict=True)) | {trumps: trumps}
        moved = {one: 8 * to[one >> 3] + (one & 7) for one in cards_held}
        other = card_set(moved.values())
        for one in cards_held:
            assert lead_index(TABLE, other, turn_up, moved[one]) == places[one]


TOOK = range(1, 6)


def test_contexts_cover_all_public_situations() -> None:
    bids = {tables.bid_context(False, 0, 0), tables.bid_context(True, 0, 0)}
    bids |= {tables.bid_context(False, 1, took) for took in TOOK}
    bids |= {tables.bid_context(True, 2, took) for took in TOOK}
    assert bids == set(range(tables.BIDS))
    takes = {tables.take_context(False, 0, 0)}
    takes |= {tables.take_context(False, 1, took) for took in TOOK}
    takes |= {tables.take_context(True, n, took) for n, took in product((0, 1), TOOK)}
    assert takes == set(range(tables.TAKES))


@pytest.mark.parametrize(("took", "group"), [(1, 0), (2, 0), (3, 1), (4, 2), (5, 2)])
def test_exchange_counts_are_grouped(took: int, group: int) -> None:
    assert tables.group(took) == group


def test_every_score_has_its_own_number() -> None:
    found = {
        tables.game_of(elder, dealer, 5, king)
        for elder, dealer, king in product(range(5), range(5), (False, True))
    }
    assert found == set(range(tables.games_to(5)))


def test_rows_do_not_overlap() -> None:
    games = range(games_to(5))
    for row, contexts in ((tables.bid_row, tables.BIDS), (tables.take_row, tables.TAKES)):
        found = [row(game, context) for game, context in product(games, range(contexts))]
        assert found == list(range(0, len(games) * contexts * BUCKETS, BUCKETS))
    drawn = [tables.drawn_row(dealer, took) for dealer, took in product((False, True), TOOK)]
    assert drawn == list(range(0, 10 * BUCKETS, BUCKETS))


POLICY = tables.policy_tables(True)


def hands(number: int, turn_up: int, seed: int = 1) -> list[int]:
    rng, pack = Random(seed), [one for one in range(32) if one != turn_up]
    return [card_set(rng.sample(pack, 5)) for _ in range(number)]


@pytest.mark.parametrize(
    ("packed", "due"),
    [(0, (1, 1, 0)), (7, (1, 1, 7)), (8, (1, 2, 0)), (43, (2, 1, 3)), (199, (5, 5, 7))],
)
def test_exchange_byte_decodes_to_three_numbers(packed: int, due: tuple[int, int, int]) -> None:
    (hand,) = hands(1, 9)
    state = ExchangeState(30, True, 0, 4, hand, 9)
    at = take_row(30, 6) + bucket_of(POLICY.buckets, hand, 9)
    for byte in (packed, packed - 256):
        assert exchange_counts(POLICY._replace(takes={at: byte}), state) == due


@pytest.mark.parametrize("number", range(1, 6))
def test_cheapest_cards_are_discarded(number: int) -> None:
    for hand in hands(80, 20, 4):
        found = cards_to_discard(hand, 20, number, 5)
        assert found & ~hand == 0 and found.bit_count() == number
        left = hand
        for _ in range(number):
            left ^= 1 << rule_bot.cheapest_discard(left, hand, 2)
        assert found == hand ^ left
        assert cards_to_discard(hand, 20, number, 2).bit_count() == min(2, number)
