"""The file of tables: what is in it, how large it is, and what is said of a bad one."""

from __future__ import annotations

import lzma
from importlib.resources import files
from itertools import product
from pathlib import Path
from statistics import fmean

import pytest

from casino.analysis import dd_index
from casino.ecarte import card_set, cards
from casino.errors import InputError
from casino.solver.evaluation.endgame import position
from casino.solver.policy import infosets, tables
from casino.solver.policy.abstraction import KINDS
from casino.solver.policy.infosets import MIXES, STEPS
from casino.solver.policy.play_policy import REST, WHOLE, trick_worths
from casino.solver.policy.tables import (
    PackedTables,
    elder_wins,
    load_packed,
    ordinary_rests,
    outcomes,
    pack,
    part_sizes,
    policy_tables,
    unpack,
)

MAX_BYTES = 3_000_000


def test_the_shipped_file_is_small_enough() -> None:
    assert len((files("casino.solver") / tables.SHIPPED).read_bytes()) <= MAX_BYTES


def test_every_part_has_its_size_and_its_values() -> None:
    found = load_packed()
    assert found.target == 5 and [len(part) for part in found[1:]] == part_sizes(5)
    assert max(found.words) == STEPS and min(found.words) == 0
    assert max(found.takes) < infosets.MOST * infosets.MOST * MIXES
    assert max(found.strict) == max(found.ordinary) == 5
    assert min(found.drawn) >= 0


@pytest.mark.parametrize("target", [1, 5, 7])
def test_what_is_packed_is_unpacked(target: int) -> None:
    parts = PackedTables(
        target, *(bytes([at]) * size for at, size in enumerate(part_sizes(target)))
    )
    assert unpack(pack(parts, {"seed": 5}), "x") == parts


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "is not a file of tables: name one made by casino solve"),
        (b"[1]\nx", "is not a file of tables"),
        (b"no json\nx", "is not a file of tables"),
        (b'{"version": 3, "target": 5}\n', "is not a whole file of tables"),
        (b'{"version": 2}\nold', "is a file of tables of version 2, this is ve"),
        (b'{"version": 3}\n' + lzma.compress(b""), "is not a whole file of tables: solve it again"),
        (b'{"version": 3, "target": 5}\n' + lzma.compress(b"too short"), "is not a whole file"),
        (b'{"version": 3, "target": "5"}\n' + lzma.compress(b""), "is not a whole file"),
        (b'{"version": 3, "target": 12}\n' + lzma.compress(b""), "is not a whole file"),
    ],
)
def test_what_is_no_file_of_tables_is_refused(body: bytes, said: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.xz"
    file.write_bytes(body)
    with pytest.raises(InputError, match=f"mine.xz: {said}"):
        load_packed(file)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_packed(tmp_path / "none.xz")


def test_a_file_of_the_users_is_read_like_the_shipped_one(tmp_path: Path) -> None:
    file = tmp_path / "mine.xz"
    file.write_bytes((files("casino.solver") / tables.SHIPPED).read_bytes())
    assert load_packed(file) == load_packed()
    assert policy_tables(True, file) == policy_tables(True)
    assert policy_tables(True).open_cards.tricks != policy_tables(False).open_cards.tricks


def test_tables_for_seven_points_know_how_many_are_missing(tmp_path: Path) -> None:
    parts = [bytearray(size) for size in part_sizes(7)]
    for elder, dealer in product(range(7), repeat=2):
        number = infosets.game_of(elder, dealer, 7, False, 7)
        parts[5][24 * number : 24 * number + 4] = (1000 * elder + 8 * dealer).to_bytes(4, "little")
    file = tmp_path / "seven.xz"
    file.write_bytes(pack(PackedTables(7, *map(bytes, parts)), {}))
    found = policy_tables(True, file)
    assert found.target == 7
    expected = [(1000 * e + 8 * d) * 7 // 8 for e, d in product(range(7), repeat=2)]
    assert [found.worth[at] for at in range(49)] == expected
    worths = [0] * 12
    trick_worths(found, True, (0, 6), 0, True, (7, 1, True), worths)
    assert worths[5] == expected[7 * 2 + 6], "who has nothing of seven points is told by it"
    trick_worths(found, True, (0, 4), 0, True, (5, 1, True), worths)
    assert worths[5] == expected[7 * 4 + 6], "in a game to five he lacks as many as at 2-6"


def test_the_rests_are_chances_that_fall() -> None:
    for strict in (True, False):
        rests = policy_tables(strict).rests
        at = 0
        for size in range(REST + 1):
            for _ in range(dd_index.count_positions(size)):
                row = [rests[at + trick] for trick in range(REST)]
                assert row == sorted(row, reverse=True) and not any(row[size:])
                at += REST
        assert at == len(load_packed().rests)


def test_with_open_cards_alike_the_ordinary_law_has_the_mean() -> None:
    rests = ordinary_rests(load_packed())
    rows = {rests[at : at + REST] for at in range(0, len(rests), REST)}
    assert len(rows) <= sum(size + 1 for size in range(REST + 1))
    table = policy_tables(True).open_cards
    sure = position(table, card_set(cards("KS QS")), card_set(cards("8H 9H")), 0)
    assert rests[REST * sure + 1] > 230 and rests[REST * sure + 2] == 0
    found = load_packed()
    first = sum(dd_index.count_positions(size) for size in range(REST))
    places = range(first, len(rests) // REST)
    mine = next(at for at in places if found.ordinary[at] == 2)
    alike = [at for at in places if found.strict[at] == 2]
    for trick in range(REST):
        mean = fmean(found.rests[REST * at + trick] for at in alike)
        assert rests[REST * mine + trick] == int(mean)


def test_the_ends_of_a_game_add_up() -> None:
    rows = outcomes(load_packed())
    for elder in range(infosets.TARGET):
        for dealer in range(infosets.TARGET):
            for king in (False, True):
                if dealer or not king:
                    row = rows[infosets.game_of(elder, dealer, infosets.TARGET, king)]
                    assert abs(sum(row) - WHOLE) <= 3


def test_a_point_more_is_worth_more() -> None:
    wins = elder_wins(load_packed())
    for one in range(5):
        for more in range(4):
            assert wins[5 * more + one] < wins[5 * (more + 1) + one]
            assert wins[5 * one + more] > wins[5 * one + more + 1]


def test_nothing_of_one_score_is_that_of_another() -> None:
    words = load_packed().words
    size = infosets.WORDS * KINDS
    numbers = [infosets.game_of(e, d, 5, False) for e in range(5) for d in range(5)]
    found = {words[number * size : (number + 1) * size] for number in numbers}
    assert len(found) == len(numbers)
