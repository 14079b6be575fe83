"""The audit finds any change to a real file and names its place."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from casino.audit import ExportSource, FileSource, Report, audit, audit_game, summarize
from casino.audit.check import Decide
from casino.ledger.ledger import Ledger
from casino.ledger.side_files import CasinoFiles
from casino.ledger.storage.location import LogLocation, open_log
from casino.ledger.tlog.merkle import Frontier, leaf_hash
from casino.ledger.tlog.note import SigningKey, sign_checkpoint
from casino.reports.export import export

Spoil = Callable[[sqlite3.Connection], object]


def opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("PRAGMA ignore_check_constraints = ON")
    connection.create_function("kind", 1, lambda body: orjson.loads(body)["type"])
    return connection


def without_guards(path: Path, spoil: Spoil) -> None:
    connection = opened(path)
    triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    kept = triggers.fetchall()
    for name, _ in kept:
        connection.execute(f"DROP TRIGGER {name}")
    spoil(connection)
    for _, sql in kept:
        connection.execute(sql)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def audited(where: Path | LogLocation) -> Report:
    return audit(FileSource(where), workers=1)


def exported(path: Path) -> ExportSource:
    file = path.with_suffix(".jsonl")
    file.write_text("".join(export(path, "jsonl")))
    return ExportSource(file)


def audited_both_ways(path: Path, decide: Decide | None = None) -> Report:
    """Audit a log as a file and as an export, which must give the same findings."""
    report = audit(FileSource(path), workers=1, decide=decide)
    assert audit(exported(path), workers=1, decide=decide).findings == report.findings
    return report


def errors(report: Report) -> list[str]:
    return [str(finding) for finding in report.findings if finding.severity == "error"]


def sql(statement: str) -> Spoil:
    def spoil(connection: sqlite3.Connection) -> None:
        assert connection.execute(statement).rowcount >= 1

    return spoil


def rewritten(kind: str, change: Callable[[dict[str, object]], None], nth: int = 0) -> Spoil:
    def spoil(connection: sqlite3.Connection) -> None:
        rows = connection.execute(
            "SELECT n, body FROM leaf WHERE kind(body) = ? ORDER BY n", (kind,)
        )
        number, body = rows.fetchall()[nth]
        leaf = orjson.loads(body)
        change(leaf)
        new = orjson.dumps(leaf, option=orjson.OPT_SORT_KEYS).decode()
        assert new != body
        connection.execute("UPDATE leaf SET body = ? WHERE n = ?", (new, number))

    return spoil


def test_l13_good_file_is_clean_and_unfinished_game_noted(played: Path) -> None:
    report = audited(played)
    assert errors(report) == []
    (note,) = report.findings
    assert str(note).startswith("unfinished: its seed is not revealed yet (leaf ")
    assert report.games == 5
    key = CasinoFiles(played).load_key().public
    assert (report.signed, report.key) == (report.leaves, key.key_id.hex())
    assert "casino.db.pub" in report.key_from
    assert report.known == ("casino.db.checkpoint",)


def make_ids_bytes(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA writable_schema = ON")
    sql = "UPDATE sqlite_master SET sql = replace(sql, 'STRICT, ', '') WHERE name = 'command'"
    assert connection.execute(sql).rowcount == 1
    connection.execute("PRAGMA writable_schema = RESET")
    connection.execute("UPDATE command SET id = CAST(id AS BLOB)")


ONE = "WHERE id = (SELECT id FROM command WHERE leaf IS NOT NULL ORDER BY bound LIMIT 1)"
EDITS = {
    "two balances": (
        lambda c: [
            c.execute("UPDATE account SET balance = balance + 1 WHERE name = 'wallet/ann'"),
            c.execute("UPDATE account SET balance = balance - 1 WHERE name = 'wallet/t1.p1'"),
        ],
        "wallet/t1.p1",
    ),
    "an account more": (sql("INSERT INTO account VALUES ('wallet/zed', 1)"), "wallet/zed"),
    "an account less": (sql("DELETE FROM account WHERE name = 'wallet/ann'"), "wallet/ann"),
    "a game that is over, open": (
        sql("INSERT INTO subject VALUES ('t1-000001', 0, NULL)"), "t1-000001 is over"
    ),
    "a game that runs, over": (sql("DELETE FROM subject WHERE last IS NULL"), "stored as running"),
    "a leaf's number": (sql("UPDATE leaf SET n = 100000 WHERE n = 40"), "leaf 40"),
    "a leaf's number, far away": (sql("UPDATE leaf SET n = 1000000000000 WHERE n = 40"), "leaf 40"),
    "a node more": (
        sql("INSERT INTO node VALUES (8, 900, zeroblob(32))"), "nodes are stored"
    ),
    "a node far away": (sql("UPDATE node SET place = 1 << 55 WHERE place = 0"), "node 0"),
    "a checkpoint far away": (
        sql("UPDATE OR REPLACE checkpoint SET size = 1000000000000 WHERE size < 300"),
        "1000000000000 leaves were signed",
    ),
    "a text that is none": (
        sql("UPDATE subject SET name = CAST(x'ff' AS TEXT) WHERE last IS NULL"),
        "is not stored as running",
    ),
    "a leaf of another player": (sql("UPDATE leaf SET owner = 'zed' WHERE n = 40"), "leaf 40"),
    "a leaf of a made-up type": (sql("UPDATE leaf SET kind = 'limit' WHERE n = 40"), "leaf 40"),
    "a game that begins later": (sql("UPDATE subject SET first = first + 1"), "be found by its"),
    "a game that ends earlier": (sql("UPDATE subject SET last = last - 1"), "be found by its"),
    "a leaf less": (sql("DELETE FROM leaf WHERE n = 40"), "leaf 40 is missing: leaf 41 is in its"),
    "a leaf's bytes": (sql("UPDATE leaf SET body = '{} ' WHERE n = 40"), "leaf 40"),
    "a node's place": (sql("UPDATE node SET place = 77 WHERE place = 0"), "leaf 0"),
    "every checkpoint less": (sql("DELETE FROM checkpoint"), "no signature was kept after"),
    "every checkpoint but the last less": (
        sql("DELETE FROM checkpoint WHERE size < (SELECT max(size) FROM checkpoint)"),
        "no signature was kept after this game (leaf",
    ),
    "a checkpoint less": (
        sql("DELETE FROM checkpoint WHERE size = (SELECT min(size) FROM checkpoint WHERE size >"
            " (SELECT min(n) FROM leaf WHERE kind(body) = 'game_over'))"),
        "no signature was kept after this game",
    ),
    "a checkpoint's size": (
        sql("UPDATE checkpoint SET size = size + 1 WHERE size < 300"),
        "checkpoint",
    ),
    "a checkpoint's text": (
        sql("UPDATE checkpoint SET note = replace(note, 'ecarte', 'ecartf')"),
        "ecartf",
    ),
    "a checkpoint's signature": (
        sql("UPDATE checkpoint SET note = substr(note, 1, length(note) - 20) || 'AAAA' || "
            "substr(note, -16)"),
        "signature",
    ),
    "a newest signature over missing leaves": (
        sql("UPDATE newest SET size = size + 1"), "leaves were signed, but it has only"
    ),
    "the newest signature less": (sql("DELETE FROM newest"), "not signed"),
    "a command's id": (sql(f"UPDATE command SET id = 'other' {ONE}"), "not the one that was given"),
    "a command's content": (
        sql(f"UPDATE command SET content = zeroblob(16) {ONE}"), "not the one that was given"
    ),
    "a command's answer": (
        sql(f"UPDATE command SET answer = x'7b7d20' {ONE}"), "not the one that was given"
    ),
    "a command's leaf": (
        sql(f"UPDATE command SET leaf = leaf + 1 {ONE}"), "not the one that was given"
    ),
    "a command's group": (
        sql(f"UPDATE command SET bound = bound + 1 {ONE}"), "not the one that was given"
    ),
    "a command less": (sql(f"DELETE FROM command {ONE}"), "not the one that was given"),
    "a command more": (
        sql("INSERT INTO command SELECT 'x', zeroblob(16), NULL, n, x'7b7d'"
            " FROM leaf WHERE kind(body) = 'seed_chain'"),
        "no leaf binds this stored answer",
    ),
    "a secret of no leaf": (
        sql("INSERT INTO secret VALUES ('t1-000006', 'action 9 9', x'00')"),
        "t1-000006",
    ),
    "a secret more": (sql("INSERT INTO secret VALUES ('t1-000001', 'x', x'00')"), "t1-000001"),
    "the key": (
        sql("UPDATE about SET value = replace(value, 'ecarte', 'ecartf') WHERE name = 'name'"),
        "about",
    ),
    "ids of another type": (make_ids_bytes, "table command is not as this program"),
    "a table more": (lambda c: c.execute("CREATE TABLE extra (a)"), "table extra"),
    "an index less": (lambda c: c.execute("DROP INDEX leaf_kind"), "index leaf_kind"),
}  # fmt: skip


@pytest.mark.parametrize(("spoil", "place"), EDITS.values(), ids=EDITS)
def test_edited_row_of_any_table_is_found(db_file: Path, spoil: Spoil, place: str) -> None:
    without_guards(db_file, spoil)
    found = errors(audited(db_file))
    assert any(place in line for line in found), (place, found)


@pytest.mark.parametrize(
    ("spoil", "place"),
    [
        (sql("DELETE FROM node WHERE place = 0"), "node 0 on level 8 is missing"),
        (sql("UPDATE node SET hash = zeroblob(32) WHERE place = 0"), "the stored hash of node 0"),
        (lambda connection: connection.execute("DROP TABLE account"), "table account is missing"),
    ],
)
def test_one_damaged_part_is_the_only_error(db_file: Path, spoil: Spoil, place: str) -> None:
    without_guards(db_file, spoil)
    (found,) = errors(audited(db_file))
    assert place in found


def test_lost_key_rotation_is_reported_as_lost_leaves_first(db_file: Path) -> None:
    Ledger(db_file, lambda: 1 << 50).rotate_key()
    without_guards(db_file, sql("DELETE FROM leaf WHERE n = (SELECT max(n) FROM leaf)"))
    first, second, *others = summarize(audited(db_file).findings)
    assert first.startswith("error: leaves: the log ends too early: ")
    assert second.startswith("error: key: the log is signed by the key ")
    assert "like it" not in "".join(others)


def test_removed_trigger_is_found(db_file: Path) -> None:
    connection = opened(db_file)
    connection.execute("DROP TRIGGER leaf_keeps")
    connection.close()
    assert any("leaf_keeps is missing" in line for line in errors(audited(db_file)))


def sign_again(connection: sqlite3.Connection, key: SigningKey) -> None:
    """Recompute everything derived from the leaves, as a thief with the key would."""
    tree, nodes = Frontier(), []
    roots = {}
    sql = "SELECT n, CAST(body AS BLOB) FROM leaf ORDER BY n"
    for number, body in connection.execute(sql).fetchall():
        nodes += tree.extend([leaf_hash(body)])
        roots[number + 1] = tree.root()
    for level, place, node in nodes:
        row = (node, level, place)
        connection.execute("UPDATE node SET hash = ? WHERE level = ? AND place = ?", row)
    for table in ("checkpoint", "newest"):
        for (size,) in connection.execute(f"SELECT size FROM {table}").fetchall():
            note = sign_checkpoint(key, size, roots[size])
            connection.execute(f"UPDATE {table} SET note = ? WHERE size = ?", (note, size))


@pytest.mark.parametrize(
    "body",
    [b"[7]", b'{"":{}}', b'{"type":7}', b'{"type":"zzz"}', b"[" * 10_000, b'{"at":1,"type":"cut"',
     b'{"type":"\xff"}', b'{"at":5,"at":6}', b"\x00\x01", b'{"at":5,"game":7,"type":"action"}',
     b'{"action":7,"at":5,"game":"t9-000009","type":"action"}'],
)  # fmt: skip
def test_invalid_leaf_bytes_are_found(db_file: Path, body: bytes) -> None:
    log = open_log(db_file)
    number = next(leaf.n for leaf in log.of_subject("t1-000001") if leaf.kind == "turned_up")
    log.close()
    update = "UPDATE leaf SET body = CAST(? AS TEXT) WHERE n = ?"
    without_guards(db_file, lambda connection: connection.execute(update, (body, number)))
    for report in (audited(db_file), audit_game(FileSource(db_file), "t1-000001")):
        found = [one.check for one in report.findings if one.leaf == number]
        assert "leaves" in found


@pytest.mark.parametrize(
    ("note", "words"),
    [("'x'", ": "), ("(SELECT note FROM checkpoint ORDER BY size LIMIT 1)", " covers ")],
)
def test_false_newest_signature_names_last_signed_leaf(
    db_file: Path, note: str, words: str
) -> None:
    without_guards(db_file, sql(f"UPDATE newest SET note = {note}"))
    report = audited(db_file)
    words = f"checkpoint {report.leaves}{words}"
    assert [one.leaf for one in report.findings if words in one.text] == [report.leaves - 1]
