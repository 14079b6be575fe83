"""An audit of one game or one player proves each leaf it looks at, and says what it did not."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from casino.audit import ExportSource, FileSource, audit_game, audit_player
from casino.cli import main
from casino.reports.export import export
from tests.audit.test_tampering import errors, rewritten, sql, without_guards

GAME = "t1-000001"
NO_PATH = "no path leads from this leaf"

Edit = Callable[[dict[str, object]], None]


def turn_later(leaf: dict[str, object]) -> None:
    assert isinstance(leaf["at"], int)
    leaf["at"] += 1


def settle_later(leaf: dict[str, object]) -> None:
    pace = leaf["pace"]
    assert isinstance(pace, dict)
    pace["turn_ms"] += 1


def exported(path: Path) -> Path:
    file = path.with_name("export.jsonl")
    file.write_text("".join(export(path, "jsonl")))
    return file


def test_a_game_is_proved_and_the_verdict_says_what_was_not_looked_at(
    night_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each leaf is under the newest signature, of a file as of an export."""
    for source in (FileSource(night_file), ExportSource(exported(night_file))):
        report = audit_game(source, GAME)
        assert report.is_clean
        assert report.signed == report.leaves > 50
        assert report.unchecked.startswith("only this game was looked at")
    assert main(["audit", "--db", str(night_file), "--game", GAME]) == 0
    said = capsys.readouterr().out
    assert f"{report.leaves} of {report.leaves} leaves signed by key" in said
    assert "nor whether more of it stands elsewhere in the log" in said
    assert main(["audit", "--db", str(night_file), "--game", GAME, "--json"]) == 0
    assert orjson.loads(capsys.readouterr().out)["unchecked"] == report.unchecked


@pytest.mark.parametrize("option", ["--game", "--player"])
def test_a_misspelt_name_is_wrong_use_and_no_verdict(
    night_file: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    assert main(["audit", "--db", str(night_file), option, "Nobody"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("casino: the log has no ") and "'Nobody'" in err


def test_a_game_forged_so_that_all_of_it_fits_is_not_what_was_signed(
    night_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its leaves agree, and its settlement is right: only the signature shows it."""
    without_guards(night_file, rewritten("turned_up", turn_later))
    assert main(["audit", "--db", str(night_file), "--game", GAME]) == 1
    assert NO_PATH in capsys.readouterr().out
    report = audit_game(FileSource(night_file), GAME)
    assert {one.check for one in report.findings} == {"signed"}
    assert report.signed < report.leaves
    report = audit_game(ExportSource(exported(night_file)), GAME)
    assert report.signed == 0
    assert any(NO_PATH in line for line in errors(report))


def test_the_terms_that_a_game_follows_are_proved_with_it(night_file: Path) -> None:
    without_guards(night_file, rewritten("terms", settle_later))
    assert any(NO_PATH in line for line in errors(audit_game(FileSource(night_file), GAME)))


def test_a_players_chips_are_proved(night_file: Path) -> None:
    """A grant that was raised, and the balance with it, is not what was signed."""
    assert audit_player(FileSource(night_file), "ann").is_clean

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

    without_guards(night_file, spoil)
    found = errors(audit_player(FileSource(night_file), "ann"))
    assert found
    assert all(NO_PATH in line for line in found)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        ("DELETE FROM newest", "the signature over all leaves is missing"),
        ("UPDATE newest SET note = replace(note, 'ecarte', 'ecartf')", "the newest signature:"),
    ],
)
def test_a_game_without_a_sound_signature_is_not_clean(
    night_file: Path, spoil: str, said: str
) -> None:
    without_guards(night_file, sql(spoil))
    report = audit_game(FileSource(night_file), GAME)
    assert report.signed == 0
    assert any(said in line for line in errors(report))


def test_the_last_line_of_an_export_must_sign_it(night_file: Path) -> None:
    file = exported(night_file)
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
    assert any("not signed" in line for line in errors(audit_game(ExportSource(file), GAME)))


def test_the_head_of_an_export_is_no_leaf(night_file: Path) -> None:
    """One that looks like a leaf would have moved all others by a place."""
    file = exported(night_file)
    head, first, *rest = file.read_text().splitlines()
    spoilt = {**orjson.loads(first), **orjson.loads(head)}
    file.write_text("\n".join([orjson.dumps(spoilt).decode(), first, *rest, ""]))
    report = audit_game(ExportSource(file), GAME)
    assert report.is_clean
    assert report.signed == report.leaves
