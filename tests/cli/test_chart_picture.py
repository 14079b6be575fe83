"""What the picture of the chart shows is what was counted; and every form says the same."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from casino.cli import main
from casino.cli.play import chart as charts
from casino.cli.play.chart import OddsRow, rows
from casino.ecarte import Laws, card
from casino.solver.evaluation.hand_chart import OPPONENTS


@pytest.fixture(scope="module")
def chart() -> dict[str, OddsRow]:
    return {row.hand: row for row in rows(card("9C"), Laws())}


def test_text_csv_and_json_say_the_same(
    chart: dict[str, OddsRow], capsys: pytest.CaptureFixture[str]
) -> None:
    table = ["odds", "--table", "--turn-up", "9C", "--sort", "hands"]
    assert main([*table, "--format", "csv"]) == 0
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert main([*table, "--json"]) == 0
    classes = json.loads(capsys.readouterr().out)["classes"]
    assert main(table) == 0
    text = capsys.readouterr().out.splitlines()[1:]
    for line, found, said in list(zip(lines, classes, text, strict=True))[::211]:
        row = chart[line["hand"]]
        assert found["hand"] == row.hand.replace("/", "").split()
        assert (found["trumps"], found["hands"]) == (row.trumps, row.hands)
        for role, tricks, plays, words in (
            ("elder", row.elder, row.stands, ("propose", "stand")),
            ("dealer", row.dealer, row.refuses, ("accept", "refuse")),
        ):
            won = sum(tricks[3:])
            assert found[role] == {"wins": won, "tricks": tricks, "regle": words[plays]}
            assert [int(line[f"{role}_{number}"]) for number in range(6)] == tricks
            assert (line[f"{role}_wins"], line[f"{role}_regle"]) == (str(won), words[plays])
            assert f"{won:,}" in said and f"{100 * won / OPPONENTS:.2f} %" in said
        assert said.startswith(f"{row.hand} ") and f" {row.hands} " in said
        assert said.endswith(f"{line['elder_regle']}, {line['dealer_regle']}")
    sizes = [int(line["hands"]) for line in lines]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize(
    ("name", "given", "begins"),
    [
        ("a.JSON", (), b'{"opponents": 65780,'),
        ("a", (), b"hand "),
        ("a.txt", (), b"hand "),
        ("a.csv", (), b"hand,"),
        ("a.svg", (), b"<?xml"),
        ("a.png", (), b"\x89PNG"),
        ("a.csv", ("--format", "text"), b"hand "),
        ("a.txt", ("--json",), b'{"opponents": 65780,'),
    ],
)
def test_what_is_asked_for_goes_before_the_name_of_the_file(
    name: str,
    given: tuple[str, ...],
    begins: bytes,
    tmp_path: Path,
    chart: dict[str, OddsRow],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(charts, "rows", lambda *_: list(chart.values())[::100])
    assert main(["odds", "--table", "-o", str(tmp_path / name), *given]) == 0
    assert (tmp_path / name).read_bytes().startswith(begins)
