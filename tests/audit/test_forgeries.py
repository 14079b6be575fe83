"""Forgeries by an insider, with and without the key: chosen ones and random ones."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import orjson

from casino.audit import ExportSource, FileSource, TrustedEvidence, audit, audit_game, read_evidence
from casino.ledger.side_files import CasinoFiles
from casino.ledger.storage.location import open_log
from casino.ledger.tlog.note import SigningKey
from casino.reports.export import export
from tests.audit.forgeries import ELSEWHERE, FOUND, HARMLESS, REFUSED, forge
from tests.audit.test_tampering import errors, sign_again, without_guards


def test_l16_log_resigned_with_another_key_is_found_by_pub_file(db_file: Path) -> None:
    genuine = CasinoFiles(db_file).pub.read_text().strip()
    other = SigningKey.generate(SigningKey.parse(CasinoFiles(db_file).key.read_text()).name)

    def forge(connection: sqlite3.Connection) -> None:
        first = orjson.loads(connection.execute("SELECT body FROM leaf WHERE n = 0").fetchone()[0])
        first["key"] = other.public.text()
        body = orjson.dumps(first, option=orjson.OPT_SORT_KEYS).decode()
        connection.execute("UPDATE leaf SET body = ? WHERE n = 0", (body,))
        sql = "UPDATE about SET value = ? WHERE name = 'key'"
        connection.execute(sql, (other.public.text(),))
        sign_again(connection, other)

    without_guards(db_file, forge)
    CasinoFiles(db_file).checkpoint.unlink()
    report = audit(FileSource(db_file), workers=1)
    assert any(", not " + genuine in line for line in errors(report))
    CasinoFiles(db_file).pub.unlink()
    report = audit(FileSource(db_file), workers=1, elsewhere=TrustedEvidence(key=genuine))
    assert any(", not " in line for line in errors(report))
    alone = audit(FileSource(db_file), workers=1)
    assert errors(alone) == []
    assert "not whose it is" in alone.key_from


def test_l16_export_with_missing_lines_is_not_clean(played: Path, tmp_path: Path) -> None:
    lines, file = list(export(played, "jsonl")), tmp_path / "export.jsonl"
    last = max(at for at, line in enumerate(lines) if line.startswith('{"checkpoint"'))
    for gone in (1, last):
        file.write_text("".join([*lines[:gone], *lines[gone + 1 :]]))
        assert errors(audit(ExportSource(file), workers=1)) != [], gone


def test_l17_game_audit_checks_known_checkpoint(
    played: Path, db_file: Path, tmp_path: Path
) -> None:
    newest = open_log(played).signed_head()
    assert newest is not None
    known = tmp_path / "known"
    known.write_text(newest.note.replace("\n" + str(newest.size) + "\n", "\n99999\n"))
    elsewhere = TrustedEvidence((read_evidence(known),))
    report = audit_game(FileSource(db_file), "t1-000001", elsewhere=elsewhere)
    assert any(finding.check == "known" for finding in report.findings)
    assert report.known[-1] == str(known)


RANDOM_FORGERIES = 120


def test_random_forgeries_are_found_or_harmless() -> None:
    found = forge(RANDOM_FORGERIES)
    assert found.keys() == {FOUND, REFUSED, ELSEWHERE, HARMLESS}
    assert found[FOUND] + found[REFUSED] + found[ELSEWHERE] > RANDOM_FORGERIES * 4 // 5
