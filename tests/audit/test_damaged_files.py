"""Truncated, damaged or unindexed data is found and reported with advice."""

from __future__ import annotations

import re
import sqlite3
from itertools import count
from pathlib import Path

import orjson
import pytest

from casino.audit import FileSource, audit_game, audit_player
from casino.cli import main
from casino.ledger.storage.base import DamagedFileError
from casino.ledger.storage.location import open_log
from tests.audit.test_tampering import audited, errors, exported, rewritten, sql, without_guards
from tests.ledger.game_simulator import play_games


@pytest.fixture(scope="module")
def long_log(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("damaged") / "casino.db"
    play_games(path, games=2, bettors=3)
    return path.read_bytes()


@pytest.fixture
def at(long_log: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "casino.db"
    path.write_bytes(long_log)
    return path


def leaf_pages(path: Path) -> list[int]:
    connection = sqlite3.connect(path)
    try:
        sql = "SELECT pageno FROM dbstat WHERE name = 'leaf' AND pagetype = 'leaf' ORDER BY path"
        return [number for (number,) in connection.execute(sql)]
    except sqlite3.OperationalError:
        pytest.skip("this SQLite does not tell which page is whose")
    finally:
        connection.close()


def wiped(log: bytes, page: int) -> bytes:
    return log[: (page - 1) * 4096] + bytes(4096) + log[page * 4096 :]


def unreadable_leaf(path: Path) -> int:
    log = open_log(path)
    for number in count():
        try:
            next(log.leaves(number, 1))
        except DamagedFileError:
            return number
    raise AssertionError


def test_damaged_page_is_reported_with_advice(at: Path, long_log: bytes) -> None:
    pages = leaf_pages(at)
    signed = open_log(at).signed_head()
    assert signed is not None
    at.with_name("casino.db.checkpoint").write_text(signed.note)
    at.write_bytes(wiped(long_log, pages[len(pages) // 3]))
    hidden = unreadable_leaf(at)
    found = errors(audited(at))
    damage = "casino.db is damaged (database disk image is malformed): restore a backup"
    text = f"this leaf cannot be read: {damage} with casino restore"
    assert f"leaves: {text} (leaf {hidden})" in found
    assert any(line.startswith("file:") for line in found)
    report = audited(at)
    assert report.leaves == hidden and 0 < report.signed <= hidden and report.root
    assert report.known == ("casino.db.checkpoint",)
    assert DamagedFileError.exit_status == 2
    spans = open_log(at).subjects()
    (game,) = (name for name, first, last in spans if first <= hidden <= (last or hidden))
    for report in (audit_game(FileSource(at), game), audit_player(FileSource(at), "ann")):
        assert any("restore a backup" in line for line in errors(report))


def test_any_damaged_page_is_named(
    at: Path, long_log: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    unread = []
    for page in range(1, len(long_log) // 4096 + 1):
        at.write_bytes(wiped(long_log, page))
        code = main(["audit", "--db", str(at)])
        out, err = capsys.readouterr()
        if code == 2:
            assert "cannot be read as the casino's file" in err
            unread.append(page)
        else:
            assert re.search(f"error: file: .*page {page}:", out, re.IGNORECASE), out
            assert "\\n" not in out
    # Without the schema, SQLite opens no file.
    assert unread[0] == 1 and len(unread) <= 4


def test_a_leaf_with_damaged_columns_is_named(at: Path, long_log: bytes) -> None:
    body = next(open_log(at).leaves(300, 1)).body
    start = long_log.index(body)  # before it are the lengths of the columns kind and owner
    at.write_bytes(long_log[: start - 2] + b"\x7f\x7f" + long_log[start:])
    assert any(line.endswith("(leaf 300)") for line in errors(audited(at)))


@pytest.mark.parametrize("name", ["kind", "owner"])
def test_leaves_missing_from_an_index_are_found(db_file: Path, name: str) -> None:
    def spoil(connection: sqlite3.Connection) -> None:
        sql = f"SELECT sql FROM sqlite_master WHERE name = 'leaf_{name}'"
        (honest,) = connection.execute(sql).fetchone()
        connection.execute(f"DROP INDEX leaf_{name}")
        connection.execute(f"{honest} AND n % 2")
        connection.execute("PRAGMA writable_schema = ON")
        sql = f"UPDATE sqlite_master SET sql = ? WHERE name = 'leaf_{name}'"
        assert connection.execute(sql, (honest,)).rowcount == 1

    without_guards(db_file, spoil)
    assert any(f"missing from index leaf_{name}" in line for line in errors(audited(db_file)))


GAME = "t1-000001"
NO_PATH = "this leaf is not covered by the root"


def delay_leaf(leaf: dict[str, object]) -> None:
    assert isinstance(leaf["at"], int)
    leaf["at"] += 1


def test_game_audit_proves_leaves_and_names_its_limits(
    db_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for source in (FileSource(db_file), exported(db_file)):
        report = audit_game(source, GAME)
        assert report.is_clean
        assert report.signed == report.leaves > 50
        assert report.unchecked.startswith("only this game was checked")
    assert main(["audit", "--db", str(db_file), "--game", GAME]) == 0
    said = capsys.readouterr().out
    assert f"{report.leaves} of {report.leaves} leaves signed by key" in said
    assert "nor leaves of the game elsewhere in the log" in said
    assert main(["audit", "--db", str(db_file), "--game", GAME, "--json"]) == 0
    assert orjson.loads(capsys.readouterr().out)["unchecked"] == report.unchecked


def test_consistently_forged_game_fails_signature_check(
    db_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    without_guards(db_file, rewritten("turned_up", delay_leaf))
    assert main(["audit", "--db", str(db_file), "--game", GAME]) == 1
    assert NO_PATH in capsys.readouterr().out
    report = audit_game(FileSource(db_file), GAME)
    assert {one.check for one in report.findings} == {"signed"}
    assert report.signed < report.leaves
    report = audit_game(exported(db_file), GAME)
    assert report.signed == 0
    assert any(NO_PATH in line for line in errors(report))


def test_player_audit_finds_forged_entry(db_file: Path) -> None:
    assert audit_player(FileSource(db_file), "ann").is_clean

    def more(leaf: dict[str, object]) -> None:
        leaf["postings"] = [["treasury", -100_000_005], ["wallet/ann", 100_000_005]]

    def spoil(connection: sqlite3.Connection) -> None:
        rows = connection.execute("SELECT body FROM leaf WHERE kind(body) = 'entry' ORDER BY n")
        bodies = [body for (body,) in rows]
        nth = next(n for n, body in enumerate(bodies) if "wallet/ann" in body)
        old = dict(orjson.loads(bodies[nth])["postings"])["wallet/ann"]
        rewritten("entry", more, nth)(connection)
        sql(
            f"UPDATE account SET balance = balance + {100_000_005 - old} WHERE name = 'wallet/ann'"
        )(connection)

    without_guards(db_file, spoil)
    found = errors(audit_player(FileSource(db_file), "ann"))
    assert found
    assert all(NO_PATH in line for line in found)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        ("DELETE FROM newest", "the newest signature is missing"),
        ("UPDATE newest SET note = replace(note, 'ecarte', 'ecartf')", "the newest signature:"),
    ],
)
def test_game_without_valid_signature_is_not_clean(db_file: Path, spoil: str, said: str) -> None:
    without_guards(db_file, sql(spoil))
    report = audit_game(FileSource(db_file), GAME)
    assert report.signed == 0
    assert any(said in line for line in errors(report))


@pytest.mark.parametrize("option", ["--game", "--player"])
def test_unknown_game_or_player_is_a_usage_error(
    db_file: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    assert main(["audit", "--db", str(db_file), option, "Nobody"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("casino: the log has no ") and "'Nobody'" in err
