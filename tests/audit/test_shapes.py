"""A leaf of whatever type with a value of a wrong type in whatever field is found, at its place."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from casino.audit import ExportSource, FileSource, Report, audit, audit_game, audit_player
from casino.cli import main
from casino.events import factories
from casino.events.codec import KINDS, decode
from casino.events.types import OwnLimits, SeatChanged
from casino.ledger import accounts
from casino.ledger.entries import canonical
from casino.ledger.ledger import open_log
from casino.ledger.storage.base import StorageError
from casino.reports.export import export
from tests.audit.test_tampering import without_guards
from tests.ledger.issues import REFILL
from tests.ledger.night import Night, open_bank
from tests.ledger.sealing import wait

WRONG: dict[type, list[Any]] = {
    str: [7, None, True, [], {}],
    int: ["7", 1.5, 10**17, None, [], {}],
    list: ["x", 5, None, {}, [5], [[]]],
    dict: ["x", 5, None, []],
}
"""What may stand where a value of a type must."""


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("every") / "casino.db"
    bank = open_bank(path)
    night = Night(bank, bettors=2)
    while not any(leaf.kind == "hands" for leaf in bank.reader().leaves()):
        night.play_game()
    night.play_game("void")

    def work(tx: Any) -> dict[str, Any]:
        tx.log(SeatChanged(player="ben", table="t1", what="queued"))
        for number, key in enumerate(("day_stake_cents", "day_loss_cents", "break_until_ms")):
            tx.log(factories.limit_set("t1.p0", {key: 10**6 - number}, tx.now))
        granted = accounts.grant("zed", 500, REFILL)
        tx.post(accounts.correct(tx.post(granted), granted.postings, "too much"))
        return {}

    wait(bank.submit(work, "extra", b""))
    bank.close()
    open_bank(path).rotate_key()
    open_bank(path).close()
    (told,) = audit(FileSource(path), workers=1).findings
    assert (told.severity, told.text.split(" ", 2)[2]) == ("warning", "is undone by the house")
    return path


def bodies(path: Path) -> dict[str, tuple[int, dict[str, Any]]]:
    found: dict[str, tuple[int, dict[str, Any]]] = {}
    for number, body in FileSource(path).rows():
        leaf = orjson.loads(body)
        if leaf["type"] not in found or len(leaf) > len(found[leaf["type"]][1]):
            found[leaf["type"]] = number, leaf
    return found


def places(value: Any) -> Iterator[Callable[[Any], tuple[Any, Any]]]:
    """For each value within a leaf, how to come to what holds it, and to its key there."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    if isinstance(value, list) and value and isinstance(value[0], dict | list):
        keys = [0]
    for key in keys:
        yield lambda whole, key=key: (whole, key)  # type: ignore[misc]
        if isinstance(value[key], dict | list):
            for place in places(value[key]):
                yield lambda whole, key=key, place=place: place(whole[key])  # type: ignore[misc]


def spoilt(leaf: dict[str, Any], most: int) -> Iterator[dict[str, Any]]:
    """The leaf with each of its values, however deep, replaced, taken away, or joined by one.

    At most so many wrong values are put in each place.
    """
    for place in places(leaf):
        holder, key = place(leaf)
        numbers = leaf["type"] == "betting_closed" and key in NUMBERS
        for wrong in [one for one in WRONG[type(holder[key])] if one != [5] or not numbers][:most]:
            yield changed(leaf, place, lambda held, at, wrong=wrong: held.__setitem__(at, wrong))  # type: ignore[misc]
        if isinstance(holder, dict):
            if key not in MAY_LACK.get(leaf["type"], ()) and key not in MAY_LACK["any"]:
                yield changed(leaf, place, lambda held, at: held.__delitem__(at))
            yield changed(leaf, place, lambda held, _: held.__setitem__("zzz", 1))


NUMBERS = ("withheld",)
"""A list of numbers, in which a 5 is no wrong value."""

MAY_LACK = {
    "any": ("command",),
    "entry": ("corrects", "game", "reason"),
    "bet": ("seal",),
    "game_opened": ("loser_deals", "house", "cover_cents", "strength"),
    "seed_chain": ("reason",),
    "betting_closed": ("withheld",),
    "action": ("seal", "of", "revoked"),
    "seat": ("game",),
    "game_over": ("exchanges",),
    "game_void": ("exchanges", "server_seed"),
    "limit": OwnLimits.__struct_fields__,
}
"""What a leaf may lack, so that it is no fault if it is taken away."""


def changed(leaf: dict[str, Any], place: Any, change: Callable[[Any, Any], None]) -> dict[str, Any]:
    copy: dict[str, Any] = orjson.loads(orjson.dumps(leaf))
    change(*place(copy))
    return copy


def encoded(leaf: dict[str, Any]) -> bytes:
    return orjson.dumps(leaf, option=orjson.OPT_SORT_KEYS)


def is_found(report: Report, number: int) -> bool:
    return any((one.check, one.leaf) == ("leaves", number) for one in report.findings)


@pytest.mark.parametrize("kind", KINDS)
def test_l6_a_value_of_a_wrong_type_in_any_field_is_found_in_the_file(
    every: Path, tmp_path: Path, kind: str
) -> None:
    """Every field of every type, at every depth: the audit ends, and names the leaf."""
    path = tmp_path / "casino.db"
    without_guards(every, lambda connection: connection.execute("VACUUM INTO ?", (str(path),)))
    number, leaf = bodies(every)[kind]
    for wrong in spoilt(leaf, 1):
        row = encoded(wrong), number
        without_guards(path, lambda c, row=row: c.execute(UPDATE, row))  # type: ignore[misc]
        report = audit(FileSource(path), workers=1)
        assert is_found(report, number), wrong


UPDATE = "UPDATE leaf SET body = CAST(? AS TEXT) WHERE n = ?"


@pytest.mark.parametrize("kind", KINDS)
def test_l6_a_value_of_a_wrong_type_in_any_field_is_found_in_an_export(
    every: Path, tmp_path: Path, kind: str
) -> None:
    lines = "".join(export(every, "jsonl")).splitlines()
    number, leaf = bodies(every)[kind]
    at = next(at for at, line in enumerate(lines) if line.startswith(f'{{"n":{number},'))
    file = tmp_path / "export.jsonl"
    for wrong in spoilt(leaf, 9):
        line = orjson.dumps({"n": number, "leaf": encoded(wrong).decode()}).decode()
        file.write_text("\n".join([*lines[:at], line, *lines[at + 1 :]]) + "\n")
        assert is_found(audit(ExportSource(file), workers=1), number), wrong


@pytest.mark.parametrize(
    "body",
    [b"[7]", b"777", b'{"":{}}', b'{"type":7}', b'{"type":"zzz"}', b'{"type":[]}', b"[" * 10_000,
     b'{"at":1,"type":"cut"', b'{"type":"\xff"}', b'{"at":5,"at":6}', b"\x00\x00\x00"],
)  # fmt: skip
def test_bytes_that_are_no_leaf_are_found(every: Path, tmp_path: Path, body: bytes) -> None:
    """Bytes of whatever kind are a finding, and `casino audit` exits with 1."""
    path = tmp_path / "casino.db"

    def spoil(connection: sqlite3.Connection) -> None:
        connection.execute(UPDATE, (body, 20))

    without_guards(every, lambda connection: connection.execute("VACUUM INTO ?", (str(path),)))
    without_guards(path, spoil)
    assert is_found(audit(FileSource(path), workers=1), 20)
    assert not audit_game(FileSource(path), "t1-000001").is_clean
    assert not audit_player(FileSource(path), "t1.p0").is_clean
    assert main(["audit", "--db", str(path)]) == 1


UNREADABLE = [
    b"\x00\x01\x02",
    b'{"type":"zzz"}',
    b'{"at":5,"game":"t1-000001","type":"zzz"}',
    b'{"action":7,"at":5,"game":"t9-000009","type":"action"}',
    b'{"at":5,"game":7,"type":"action"}',
]
"""Bytes that hold no leaf, some of which say that they are of a game, of this one or another."""


@pytest.mark.parametrize("body", UNREADABLE)
@pytest.mark.parametrize("place", ["game_opened", "turned_up", "entry", "game_over", "cut_late"])
def test_a_leaf_of_a_game_that_cannot_be_read_is_named_by_the_audit_of_it(
    every: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str, body: bytes
) -> None:
    """Wherever it stands in the game, the last leaf of that kind, and whatever its bytes say."""
    path = tmp_path / "casino.db"
    without_guards(every, lambda connection: connection.execute("VACUUM INTO ?", (str(path),)))
    of_kind = [leaf for leaf in open_log(path).leaves() if leaf.kind == place and leaf.subject]
    number, game = of_kind[-1].n, str(of_kind[-1].subject)
    assert audit_game(FileSource(path), game).is_clean
    without_guards(path, lambda connection: connection.execute(UPDATE, (body, number)))
    found = audit_game(FileSource(path), game).findings
    assert [one.check for one in found if one.leaf == number and one.severity == "error"] == [
        "leaves"
    ]
    assert main(["audit", "--db", str(path), "--game", game]) == 1
    assert "not those of a leaf" in capsys.readouterr().out


def test_a_leaf_written_is_one_of_its_type(every: Path) -> None:
    found = bodies(every)
    assert found.keys() == KINDS.keys()
    for _, leaf in found.values():
        assert canonical(decode(encoded(leaf))) == encoded(leaf)


def test_a_page_that_cannot_be_read_is_a_finding_at_its_leaf(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The audit of all, and that of one game, names it, says what to do, and exits with 1."""
    path = tmp_path / "casino.db"
    bank = open_bank(path)
    night = Night(bank, bettors=2)
    for _ in range(4):
        night.play_game()
    bank.close()
    pages = sqlite3.connect(path)
    ((size,),) = pages.execute("PRAGMA page_size")
    pages.close()
    data = path.read_bytes()
    said = b'"game":"t1-000003"'
    at = max(range(0, len(data), size), key=lambda at: data[at : at + size].count(said))
    path.write_bytes(data[:at] + bytes(size) + data[at + size :])
    hidden = next(n for n in range(10**4) if not is_there(path, n))
    whole = audit(FileSource(path), workers=1)
    assert is_found(whole, hidden)
    assert any(one.check == "file" for one in whole.findings)
    words = "this leaf cannot be read: database disk image is malformed; restore a backup with"
    for args in ([], ["--game", "t1-000003"]):
        assert main(["audit", "--db", str(path), *args]) == 1
        assert f"{words} casino restore (leaf {hidden})" in capsys.readouterr().out
    one = audit_game(FileSource(path), "t1-000003")
    assert any("leaves cannot be read" in finding.text for finding in one.findings)


def is_there(path: Path, number: int) -> bool:
    try:
        return next(open_log(path).leaves(number, 1)).n == number
    except StorageError:
        return False
