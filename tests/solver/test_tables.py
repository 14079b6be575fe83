"""The file of tables: what is in it, how large it is, and what is said of a bad one."""

from __future__ import annotations

import lzma
from importlib.resources import files
from pathlib import Path

import pytest

from casino.errors import InputError
from casino.solver.policy import infosets, tables
from casino.solver.policy.infosets import MIXES, STEPS
from casino.solver.policy.tables import (
    PackedTables,
    load_packed,
    pack,
    part_sizes,
    policy_tables,
    unpack,
)


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
