"""`casino arena`: its sentence, its JSON, its picture and its errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from casino.cli import main
from casino.simulate.match import MatchJob, MatchResult


@pytest.fixture(autouse=True)
def _usual_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def arena(*args: str) -> int:
    return main(["arena", "--engine", "threads", *args])


def test_it_says_who_wins(capsys: pytest.CaptureFixture[str]) -> None:
    assert arena("regle", "novice", "--games", "400") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "regle wins 8" in said and "of 400 games against novice" in said
    assert "every deal played from both seats (seed 1," in said
    assert "stakes in a game." in said


def test_the_json_is_all_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for _ in range(2):
        assert arena("regle", "novice", "--games", "301", "--seed", "4", "--json") == 0
        captured = capsys.readouterr()
        assert captured.err == ""
        found.append(json.loads(captured.out))
    assert found[0]["games"] == 302
    assert {k: v for k, v in found[0].items() if "second" not in k} == {
        k: v for k, v in found[1].items() if "second" not in k
    }


def test_an_interruption_leaves_the_results_so_far(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = MatchJob.play

    def play(match: MatchJob, number: int) -> MatchResult:
        if number:
            raise KeyboardInterrupt
        return usual(match, number)

    monkeypatch.setattr(MatchJob, "play", play)
    assert arena("regle", "novice", "--games", "9000", "--json", "--workers", "1") == 130
    captured = capsys.readouterr()
    assert json.loads(captured.out)["games"] == 2048
    assert "interrupted; these are the results so far" in captured.err
