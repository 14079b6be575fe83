"""`casino review`: for a person, as JSON, of a file and of a casino's game, and its errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from casino.bots import play_game
from casino.cli import main
from casino.ecarte import write_record
from casino.ledger.ledger import open_log

RECORD = play_game(("regle", "novice"), 12).record


@pytest.fixture
def records(tmp_path: Path) -> Path:
    file = tmp_path / "one.egr.jsonl"
    file.write_text(write_record(RECORD._replace(game="g7")) + "\n")
    return file


def test_a_person_reads_each_decision(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(records)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Game g7: ") and "Deal 1" in said and "better: " in said
    assert "The house gave away " in said and "The challenger gave away " in said


def test_json_is_one_line_for_each_game(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records.write_text(2 * records.read_text())
    assert main(["review", str(records), "--json", "--seat", "challenger"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == 2 and lines[0] == lines[1]
    assert lines[0]["game"] == "g7"
    assert {one["seat"] for one in lines[0]["decisions"]} == {"challenger"}


def test_a_game_of_the_casino_is_found(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = open_log(played)
    name = next(json.loads(leaf.body)["game"] for leaf in log.of_kinds(("game_over",), 0))
    log.close()
    assert main(["review", name, "--db", str(played), "--json", "--seat", "house"]) == 0
    assert json.loads(capsys.readouterr().out)["game"] == name


def test_what_is_not_there_is_named(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["review", "nobody-1", "--db", str(played)]) == 2
    assert "neither a file of records nor a finished game" in capsys.readouterr().err
    assert main(["review", "nobody-1", "--db", str(tmp_path / "none.db")]) == 2
    assert "there is no" in capsys.readouterr().err


def test_a_bad_record_is_named_with_its_place(
    records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = records.read_text()
    records.write_text("nonsense\n")
    assert main(["review", str(records)]) == 2
    assert "line 1" in capsys.readouterr().err
    records.write_text(good.replace('"actions": "', '"actions": "A ', 1).replace(
        '"actions":"', '"actions":"A ', 1))  # fmt: skip
    assert main(["review", str(records)]) == 2
    assert "game g7" in capsys.readouterr().err
