"""The file of tables: what is in it, how large it is, and what is said of a bad one."""

from __future__ import annotations

import lzma
from importlib.resources import files
from pathlib import Path

import pytest

from casino.analysis import positions
from casino.ecarte.cards import card_set, cards
from casino.errors import BadInput
from casino.expert import stages, tables
from casino.expert.card_play import REST, WHOLE
from casino.expert.exchanges import MIXES, STEPS
from casino.expert.hands import KINDS
from casino.expert.open_cards import position
from casino.expert.tables import (
    SIZES,
    Packed,
    brain,
    elder_wins,
    ordinary_rests,
    outcomes,
    pack,
    packed,
    unpack,
)

MOST_BYTES = 3_000_000


def test_the_shipped_file_is_small_enough() -> None:
    """Three megabytes at most."""
    assert len((files("casino.expert") / tables.SHIPPED).read_bytes()) <= MOST_BYTES


def test_every_part_has_its_size_and_its_values() -> None:
    """Words in sixteenths; numbers of cards from 1 to 5 twice, and how they are mixed."""
    found = packed()
    assert [len(part) for part in found] == list(SIZES.values())
    assert max(found.words) == STEPS and min(found.words) == 0
    assert max(found.takes) < stages.MOST * stages.MOST * MIXES
    assert max(found.strict) == max(found.ordinary) == 5
    assert min(found.drawn) >= 0


def test_what_is_packed_is_unpacked() -> None:
    """Byte by byte, whatever else the first line says."""
    parts = Packed(*(bytes([at]) * size for at, size in enumerate(SIZES.values())))
    assert unpack(pack(parts, {"seed": 5}), "x") == parts


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}\n",
        b'{"version": 2}\n',
        b'{"version": 1}\n' + lzma.compress(bytes(sum(SIZES.values()))),
        b'{"version": 2}\n' + lzma.compress(b"too short"),
        b"[1]\nx",
        b"no json\nx",
    ],
)
def test_what_is_no_file_of_tables_is_refused(body: bytes, tmp_path: Path) -> None:
    """One sentence names the file and says what to do."""
    file = tmp_path / "mine.xz"
    file.write_bytes(body)
    with pytest.raises(BadInput, match="mine.xz: is not a file of tables of this version"):
        packed(file)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """As any other file of the user's."""
    with pytest.raises(BadInput, match="cannot be read"):
        packed(tmp_path / "none.xz")


def test_a_file_of_the_users_is_read_like_the_shipped_one(tmp_path: Path) -> None:
    """The same bytes give the same tables."""
    file = tmp_path / "mine.xz"
    file.write_bytes((files("casino.expert") / tables.SHIPPED).read_bytes())
    assert packed(file) == packed()
    assert brain(True, file) == brain(True)
    assert brain(True).open_cards.tricks != brain(False).open_cards.tricks


def test_the_rests_are_chances_that_fall() -> None:
    """More tricks are never likelier; nobody takes more than there are."""
    for strict in (True, False):
        rests = brain(strict).rests
        at = 0
        for size in range(REST + 1):
            for _ in range(positions.number(size)):
                row = [rests[at + trick] for trick in range(REST)]
                assert row == sorted(row, reverse=True) and not any(row[size:])
                at += REST
        assert at == len(packed().rests)


def test_with_open_cards_alike_the_ordinary_law_has_the_mean() -> None:
    """Under it there are as many different rests as numbers of cards and tricks."""
    rests = ordinary_rests(packed())
    rows = {rests[at : at + REST] for at in range(0, len(rests), REST)}
    assert len(rows) <= sum(size + 1 for size in range(REST + 1))
    table = brain(True).open_cards
    sure = position(table, card_set(cards("KS QS")), card_set(cards("8H 9H")), 0)
    assert rests[REST * sure + 1] > 230 and rests[REST * sure + 2] == 0


def test_the_ends_of_a_game_add_up() -> None:
    """At every score that is told, to a whole, but for what rounding leaves."""
    rows = outcomes(packed())
    for elder in range(stages.TARGET):
        for dealer in range(stages.TARGET):
            for king in (False, True):
                if dealer or not king:
                    row = rows[stages.game_of(elder, dealer, stages.TARGET, king)]
                    assert abs(sum(row) - WHOLE) <= 3


def test_a_point_more_is_worth_more() -> None:
    """For the elder in all rows, for the dealer in all columns."""
    wins = elder_wins(packed())
    for one in range(5):
        for more in range(4):
            assert wins[5 * more + one] < wins[5 * (more + 1) + one]
            assert wins[5 * one + more] > wins[5 * one + more + 1]


def test_nothing_of_one_score_is_that_of_another() -> None:
    """The strategies differ from score to score."""
    words = packed().words
    size = stages.WORDS * KINDS
    numbers = [stages.game_of(e, d, 5, False) for e in range(5) for d in range(5)]
    found = {words[number * size : (number + 1) * size] for number in numbers}
    assert len(found) == len(numbers)
