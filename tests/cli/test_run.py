"""The game of two bots in the terminal."""

from __future__ import annotations

from hashlib import sha256

import pytest

from casino.cli import main


def lines_of(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What `casino run` prints when it does not pause."""
    monkeypatch.setenv("CASINO_TABLE_PACE_MS", "0")
    assert main(["run"]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_game_is_told_to_its_end(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first line names the players, the last lines of the game its winner and the stake."""
    lines = lines_of(capsys, monkeypatch)
    assert lines[0] == "regle (house) against novice (challenger), a game to 5 points"
    assert lines[-3].split("wins the game: ")[1] in {"single.", "double.", "triple."}


def test_the_cards_are_committed_to_before_and_shown_after(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The seed printed at the end is the one whose hash stood at the beginning."""
    lines = lines_of(capsys, monkeypatch)
    seed = bytes.fromhex(lines[-1].rsplit(" ", 1)[1])
    assert lines[1].endswith(sha256(seed).hexdigest())


def test_r2_2_a_house_that_always_deals_deals_first_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under law deal = house no heading names the challenger as dealer."""
    monkeypatch.setenv("CASINO_LAWS_DEAL", "house")
    headings = [line for line in lines_of(capsys, monkeypatch) if line.startswith("Deal ")]
    assert headings
    assert all(line.endswith("dealt by regle (house)") for line in headings)
