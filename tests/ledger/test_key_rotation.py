"""L16: which key must sign which size of a log, and how a key is rotated."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from casino.errors import FileError
from casino.ledger.entries import KeyRotated, Leaf, LogOpened, RunStarted, encode
from casino.ledger.side_files import SECTOR, CasinoFiles, CheckpointFile, read_note
from casino.ledger.storage.base import StoredLeaf
from casino.ledger.storage.location import SqliteLocation, is_address
from casino.ledger.tlog.key_rotation import KeyChain, Link, chain_of, make_rotation, with_rotation
from casino.ledger.tlog.merkle import EMPTY_ROOT
from casino.ledger.tlog.note import SigningKey, sign_checkpoint

FIRST, SECOND, THIRD, STRANGER = (
    SigningKey.from_seed("log", bytes([number]) * 32) for number in range(4)
)
ROTATED_AT = 10
OPENED = LogOpened(at=1, key=FIRST.public.text(), name="log", version=3)


def stored(number: int, leaf: Leaf) -> StoredLeaf:
    return StoredLeaf(number, encode(replace(leaf, at=5)))


def chain(*rotations: tuple[int, SigningKey, SigningKey]) -> KeyChain:
    leaves = [stored(n, make_rotation(n, old, new)) for n, old, new in rotations]
    return chain_of(encode(OPENED), leaves)


TWICE = chain((ROTATED_AT, FIRST, SECOND), (20, SECOND, THIRD))


@pytest.mark.parametrize(
    ("size", "able"),
    [
        (0, [FIRST]),
        (ROTATED_AT, [FIRST]),
        (ROTATED_AT + 1, [FIRST, SECOND]),
        (ROTATED_AT + 2, [SECOND]),
        (20, [SECOND]),
        (21, [SECOND, THIRD]),
        (22, [THIRD]),
        (9_999, [THIRD]),
    ],
)
def test_l16_checkpoint_at_rotation_may_be_signed_by_either_key(
    size: int, able: list[SigningKey]
) -> None:
    for key in (FIRST, SECOND, THIRD, STRANGER):
        note = sign_checkpoint(key, size, EMPTY_ROOT)
        if key in able:
            assert TWICE.open(note).size == size
        else:
            with pytest.raises(FileError, match="is not signed by the key of log"):
                TWICE.open(note)


GOOD = make_rotation(ROTATED_AT, FIRST, SECOND)
OTHER = SigningKey.from_seed("other", bytes(32))
SPOILT: dict[str, tuple[KeyRotated, str]] = {
    "by the old key alone": (replace(GOOD, new_signature=GOOD.old_signature), "has not signed"),
    "by the new key alone": (replace(GOOD, old_signature=GOOD.new_signature), "has not signed"),
    "at another leaf": (make_rotation(ROTATED_AT + 1, FIRST, SECOND), "has not signed"),
    "by a stranger": (make_rotation(ROTATED_AT, STRANGER, SECOND), "the key of another log"),
    "to another name": (make_rotation(ROTATED_AT, FIRST, OTHER), "the key of another log"),
    "no signature": (replace(GOOD, new_signature="x"), "a signature is not base64"),
    "to another key than signed": (
        replace(GOOD, new=THIRD.public.text()), "has not signed this rotation"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("leaf", "said"), SPOILT.values(), ids=SPOILT)
def test_l16_rotation_is_signed_by_both_keys(leaf: KeyRotated, said: str) -> None:
    with pytest.raises(FileError, match=said):
        with_rotation(chain(), stored(ROTATED_AT, leaf))


def test_l16_first_leaf_names_the_key() -> None:
    for first in (None, b"", b"x", encode(RunStarted(at=1))):
        with pytest.raises(FileError, match="does not name the log's key"):
            chain_of(first, [])
    with pytest.raises(FileError, match="leaf 7 does not name the new key"):
        with_rotation(chain(), stored(7, RunStarted()))
    assert chain() == KeyChain((Link(0, FIRST.public),))


def files(tmp_path: Path, *names: str) -> CasinoFiles:
    for name in names:
        (tmp_path / f"casino.db{name}").write_text("x")
    return CasinoFiles(tmp_path / "casino.db")


@pytest.mark.parametrize(
    ("there", "signed", "said"),
    [
        ([], None, ""),
        ([".key"], None, "is missing or empty, but it had a log (see casino.db.key): restore a"),
        (["-wal"], None, "(see casino.db-wal): restore"),
        ([".key"], 5, "with 5 signed leaves (see casino.db.key, casino.db.checkpoint)"),
        ([], 5, "with 5 signed leaves (see casino.db.checkpoint): restore"),
        ([".key", "-shm"], 0, ""),
        ([".pub", ".master"], None, ""),
    ],
)
def test_l14_missing_log_is_not_silently_recreated(
    tmp_path: Path, there: list[str], signed: int | None, said: str
) -> None:
    beside = files(tmp_path, *there)
    if signed is not None:
        beside.checkpoint.write_text(sign_checkpoint(FIRST, signed, EMPTY_ROOT))
    location = SqliteLocation(beside.path)
    if not said:
        location.check_not_rolled_back()
        return
    for _ in ("missing", "empty"):
        with pytest.raises(FileError) as refused:
            location.check_not_rolled_back()
        assert said in str(refused.value)
        beside.path.touch()


def test_l23_log_gets_unique_name_unless_one_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("casino.ledger.side_files.gethostname", lambda: "Ann's PC.lan")
    names = [CasinoFiles(tmp_path / f"{n}.db").create_key().name for n in range(2)]
    assert all(re.fullmatch("ann-s-pc.lan/ecarte-casino/[0-9a-f]{8}", name) for name in names)
    assert names[0] != names[1] == CasinoFiles(tmp_path / "1.db").load_key().name
    chosen = CasinoFiles(tmp_path / "2.db").create_key("example.org/log")
    assert chosen.name == "example.org/log"


def test_l16_new_key_starts_with_an_empty_checkpoint(tmp_path: Path) -> None:
    beside = files(tmp_path)
    with pytest.raises(FileError, match="can only be continued with its key"):
        beside.load_key()
    key = beside.create_key()
    assert beside.load_key().text() == key.text()
    assert beside.pub.read_text() == key.public.text() + "\n"
    assert chain_of(encode(replace(OPENED, key=key.public.text())), []).open(
        read_note(beside.checkpoint) or ""
    ) == (key.name, 0, EMPTY_ROOT)
    assert read_note(beside.cosigned) is None
    SqliteLocation(beside.path).check_not_rolled_back()
    beside.key.write_text("x")
    with pytest.raises(FileError, match=r"key: a secret key begins with .*: put it back"):
        beside.load_key()
    beside.next_key.write_text(SECOND.text())
    assert beside.adopt_next_key().text() == beside.load_key().text() == SECOND.text()
    assert not beside.next_key.exists()
    assert beside.pub.read_text() == SECOND.public.text() + "\n"
    assert files(tmp_path).create_key("mine").name == "mine"


def test_l14_files_moved_aside_get_numbered_suffixes(tmp_path: Path) -> None:
    (tmp_path / "casino.db.d").mkdir()
    first = files(tmp_path, "", ".key", ".lock", ".broken", ".x.txt").move_aside()
    assert [one.name for one in first] == ["casino.db.aside-1", "casino.db.key.aside-1"]
    second = files(tmp_path, ".key", ".pub").move_aside()
    assert [one.name for one in second] == ["casino.db.key.aside-2", "casino.db.pub.aside-2"]
    third = files(tmp_path, ".pub").move_aside()
    assert [one.name for one in third] == ["casino.db.pub.aside-1"]
    for others in ("lock", "broken", "x.txt", "d"):
        assert (tmp_path / f"casino.db.{others}").exists()


def test_l15_unpublished_checkpoint_is_written_in_place(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    kept, place = CheckpointFile(path), list[int]()
    for text, publish in (("one", False), ("two", False), ("six", True), ("four", False),
                          ("x" * SECTOR, False), ("y" * SECTOR, False),
                          ("x" * (SECTOR + 1), False), ("y" * (SECTOR + 1), False)):  # fmt: skip
        kept.renew(text, publish)
        assert path.read_text() == text
        place.append(path.stat().st_ino)
    in_place = [one == before for before, one in pairwise(place)]
    assert in_place == [True, False, False, False, True, False, False]
    kept.close()
    kept.close()
    kept.renew("z" * (SECTOR + 1), publish=False)
    assert path.read_text() == "z" * (SECTOR + 1)
    kept.close()


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("postgresql://h/d", True), ("postgres://h", True), ("casino.db", False),
     ("/srv/postgresql://", False), ("", False), ("http://h", False)],
)  # fmt: skip
def test_database_url_is_distinguished_from_a_file_path(text: str, is_one: bool) -> None:
    assert is_address(text) is is_one
