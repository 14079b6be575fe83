"""No option is ignored: those that do not go together, and numbers that are none, are refused."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from casino.cli import COMMANDS, USAGE, casino, main
from tests.ledger.night import play_night

HAND = "odds --hand 7HKCQCJC7S --turn-up 8H --role elder"

BET = "bet http://127.0.0.1:9 --table t1 --side house --name ann"

TOGETHER = {
    "audit --db a.db --from a.jsonl": ("--db", "--from"),
    "audit --game t1-000001 --player ann": ("--game", "--player"),
    "follow http://127.0.0.1:9 --once --serve 127.0.0.1:0": ("--once", "--serve"),
    "follow http://127.0.0.1:9 --once --every 5": ("--once", "--every"),
    "odds --table --hand 7HKCQCJC7S": ("--table", "--hand"),
    "odds --table --role elder": ("--table", "--role"),
    "odds --table --lead KC": ("--table", "--lead"),
    "odds --table --given stood": ("--table", "--given"),
    "odds --table --score 3-2": ("--table", "--score"),
    "odds --table --json --format csv": ("--json", "--format"),
    f"{HAND} -o x.csv": ("--output", "--table"),
    f"{HAND} --format csv": ("--format", "--table"),
    f"{HAND} --sort elder": ("--sort", "--table"),
    "rng --raw --decks 3": ("--raw", "--decks"),
    "run --headless --host localhost": ("--headless", "--host"),
    "run --headless --port 5000": ("--headless", "--port"),
    "run --seed 1": ("--seed", "--headless"),
    "simulate --resume": ("--resume", "--checkpoint"),
    "simulate --sweep seed=1,2 --records r": ("--sweep", "--records"),
    "simulate --sweep seed=1,2 --checkpoint c": ("--sweep", "--checkpoint"),
    "simulate --sweep seed=1,2 --seed 3": ("--sweep", "--seed"),
    "simulate --sweep house=novice,regle --house novice": ("--sweep", "--house"),
    "simulate --sweep challenger=novice --challenger novice": ("--sweep", "--challenger"),
    "simulate --sweep seed=1 challenger=novice --challenger regle": ("--sweep", "--challenger"),
    "simulate --records x --checkpoint x": ("--records", "--checkpoint", "the same file"),
    "simulate --records x.svg --plot ./x.svg": ("--records", "--plot", "the same file"),
    "simulate --checkpoint x.svg --plot y/../x.svg": ("--checkpoint", "--plot", "the same file"),
    "simulate --sweep law.target=5,7 --law target=7": ("--law target", "--sweep law.target"),
    "simulate --law target=5 --law target=7": ("law target", "twice"),
    "simulate --engine dask://127.0.0.1:9 --workers 2": ("--engine", "--workers"),
    "watch --password x": ("No such option", "--password"),
    f"{BET} --unit 5 --password x": ("No such option", "--password"),
}
"""Command lines with two options of which one would be useless, and what the sentence names."""


@pytest.mark.parametrize("line", TOGETHER)
def test_options_that_do_not_go_together_are_refused(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(line.split()) == USAGE
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert all(name in err for name in TOGETHER[line]), err
    assert list(tmp_path.iterdir()) == []


def test_no_option_is_given_twice_or_empty(capsys: pytest.CaptureFixture[str]) -> None:
    """Every option of every command that takes a value."""
    for name in COMMANDS:
        command = casino.get_command(click.Context(casino), name)
        assert command is not None
        for option in command.params:
            if not isinstance(option, click.Option) or option.is_flag:
                continue
            for flag in option.opts:
                for nothing in ("", "  "):
                    assert main([name, flag, nothing]) == USAGE
                    out, err = capsys.readouterr()
                    assert out == "", (name, flag)
                    assert " is empty: give it a value, or leave it out." in err, (name, flag)
                if option.multiple:
                    continue
                for second in ("1", "2"):
                    assert main([name, flag, "1", flag, second]) == USAGE
                    out, err = capsys.readouterr()
                    assert (out, err.partition(" is given twice")[2]) == (
                        "", f": give it once. See 'casino {name} --help'.\n"
                    )  # fmt: skip


@pytest.mark.parametrize("name", ["casino.db", "./casino.db", "link"])
def test_an_export_never_overwrites_the_casinos_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    play_night(tmp_path / "casino.db", games=1)
    (tmp_path / "link").symlink_to("casino.db")
    before = Path("casino.db").read_bytes()
    for line in (["-o", name], ["--db", "casino.db", "-o", name]):
        assert main(["export", "--format", "csv", *line]) == USAGE
        assert f"casino: {Path(name)} is the casino's file itself" in capsys.readouterr().err
    assert Path("casino.db").read_bytes() == before


NUMBERS = (
    "simulate --games",
    "simulate --seed",
    "simulate --workers",
    "simulate --commission-bp",
    "simulate --sweep seed=5,",
    "follow http://127.0.0.1:9 --every",
    "follow http://127.0.0.1:9 --quorum",
    "verify-receipt bet.tlog-proof --quorum",
    "run --games",
    "run --port",
    "run --tables",
    "run --headless --seed",
    "rng --decks",
    f"{HAND} --score",
    f"{BET} --unit",
)


@pytest.mark.parametrize("line", NUMBERS)
def test_numbers_are_written_in_the_digits_0_to_9(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = line.split()
    for wrong in ("٣", "1_0", "1.5.", "9" * 10_000):
        value = f"{wrong}-2" if words[-1] == "--score" else wrong
        given = [*words[:-1], words[-1] + value] if words[-1].endswith(",") else [*words, value]
        assert main(given) == USAGE
        err = capsys.readouterr().err
        assert len(err.splitlines()) == 1
        assert len(err) < 300
        assert "limit (" not in err and "set_int_max_str_digits" not in err


@pytest.mark.parametrize("digits", ["9" * 10_000, "-" + "9" * 10_000])
def test_a_long_number_in_the_settings_is_refused(
    digits: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CASINO_TABLE_PACE_MS", digits)
    assert main(["run", "--headless", "--games", "1"]) == USAGE
    said = capsys.readouterr().err
    monkeypatch.delenv("CASINO_TABLE_PACE_MS")
    Path("config.toml").write_text(f"[table]\npace_ms = {digits}\n", "utf-8")
    assert main(["run", "--headless", "--games", "1"]) == USAGE
    said += capsys.readouterr().err
    assert "CASINO_TABLE_PACE_MS" in said and "config.toml" in said
    assert len(said) < 400
    assert "set_int_max_str_digits" not in said
