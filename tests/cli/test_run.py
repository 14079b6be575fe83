"""The game of two bots in the terminal."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

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


def night(folder: Path, *options: str, settings: str = "") -> tuple[int, Path]:
    """The exit status of a short headless night, and its file."""
    file, database = folder / "house.toml", folder / "casino.db"
    file.write_text("[spectators]\nnumber = 3\n" + settings, "utf-8")
    arguments = ["run", "--headless", "--config", str(file), "--db", str(database), *options]
    return main(arguments), database


def test_a_headless_night_fills_a_ledger_that_audits_clean(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """So many games at so many tables, and every card, cent and decision of a bot checks."""
    status, database = night(tmp_path, "--games", "5", "--tables", "2")
    assert status == 0
    assert "5 games" in capsys.readouterr().out
    assert main(["audit", "--db", str(database), "--bots"]) == 0
    assert "5 games" in capsys.readouterr().out


def test_a_night_with_a_seed_warns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Everybody who knows the seed knows the cards, and is told so."""
    assert night(tmp_path, "--games", "1", "--seed", "4")[0] == 0
    assert "not for play" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--games", "3"], ["--seed", "1"], ["--tables", "2"]])
def test_options_of_the_night_need_headless(
    option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Without --headless they are refused, and nothing is played."""
    assert main(["run", *option]) == 2
    assert "need --headless" in capsys.readouterr().err


def test_a_headless_table_needs_a_challenger(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A table where nobody would ever challenge the house is wrong use."""
    settings = "[table]\nchallenger = 'nobody'\n"
    assert night(tmp_path, "--games", "1", settings=settings)[0] == 2
    assert "needs a bot" in capsys.readouterr().err


def test_a_house_without_chips_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The night ends with one sentence that says who lacks what."""
    assert night(tmp_path, "--games", "1", settings="[bank]\nhouse_cents = 5\n")[0] == 1
    assert "house must put 3000 cents in escrow, but has 5" in capsys.readouterr().err


def test_a_full_disk_opens_no_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With less room than the settings want nothing new begins."""
    assert night(tmp_path, "--games", "1", settings="[bank]\nleast_free_mib = 1000000\n")[0] == 1
    assert "no bets are taken now" in capsys.readouterr().err
