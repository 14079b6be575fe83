"""`casino run` without a browser: headless runs, settings, errors at the start, and SIGTERM."""

from __future__ import annotations

import json
import re
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from casino.cli import main
from casino.config import Config, load
from casino.config_tables import table_plans
from casino.ledger.side_files import NEW_MASTER, CasinoFiles
from casino.ledger.storage.location import open_log
from casino.table.runtime.casino import Casino, SimulatedClock
from tests.table.casino_harness import open_game


def run_headless(folder: Path, *options: str, settings: str = "") -> tuple[int, Path]:
    file, database = folder / "house.toml", folder / "casino.db"
    file.write_text("[spectators]\nnumber = 3\n" + settings, "utf-8")
    arguments = ["run", "--headless", "--config", str(file), "--db", str(database), *options]
    return main(arguments), database


def test_a_headless_run_writes_a_ledger_that_audits_clean(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, database = run_headless(tmp_path, "--games", "5", "--tables", "2", "--seed", "7")
    assert status == 0
    games, bets, hint = capsys.readouterr().out.splitlines()
    assert re.sub(r" in .*:", ":", games) == "5 games: the house won 4, the challenger 1."
    assert bets == ("15 bets, with units totalling 201.20; the house earned 8.29 in commission.")
    assert hint == f"To check every card and cent: casino audit --db {database}"
    assert main(["audit", "--db", str(database), "--bots"]) == 0
    assert "5 games" in capsys.readouterr().out
    uneven = "[table]\nchallenger = 'novice'\n"
    assert run_headless(tmp_path, "--games", "1", "--tables", "1", settings=uneven)[0] == 0
    warning, _ = capsys.readouterr().err.splitlines()
    assert warning.startswith("Warning: table t1 takes bets at even odds, but of 100 games against")


def leave_unfinished(path: Path) -> None:
    house = Casino(path, table_plans(Config(tables={"grand": {"number": 0}})), SimulatedClock())
    open_game(house.service, "grand")
    house.close()


def test_an_unfinished_game_of_a_removed_table_is_completed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    leave_unfinished(tmp_path / "casino.db")
    status, database = run_headless(tmp_path, "--games", "3", "--tables", "1")
    assert status == 0
    assert "grand-000001 is unfinished and holds 60.00" in capsys.readouterr().err
    log = open_log(database)
    assert log.open_subjects() == {}
    over = [json.loads(leaf.body)["game"] for leaf in log.of_kinds(["game_over"])]
    assert sorted(over) == ["grand-000001", "t1-000001", "t1-000002"]
    log.close()


def test_an_unfinished_game_of_a_removed_table_is_void_after_a_restore(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    leave_unfinished(tmp_path / "casino.db")
    CasinoFiles(tmp_path / "casino.db").master.write_text(NEW_MASTER)
    status, _ = run_headless(tmp_path, "--games", "2", "--tables", "1")
    out, err = capsys.readouterr()
    assert (status, "1 void" in out) == (0, True)
    assert "it is void, then grand stays closed" in err


def test_l22_a_lost_master_secret_is_replaced_only_on_purpose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database, master = tmp_path / "casino.db", tmp_path / "casino.db.master"
    leave_unfinished(database)
    master.unlink()
    one_game = ("--games", "1", "--tables", "1")
    assert run_headless(tmp_path, *one_game)[0] == 2
    assert f"{master} is missing, and only it reveals the cards" in capsys.readouterr().err
    assert not master.exists()
    assert main(["backup", "--db", str(database), str(tmp_path / "copy.db")]) == 0
    database.unlink()
    assert main(["restore", str(tmp_path / "copy.db"), "--db", str(database)]) == 0
    said = capsys.readouterr().out
    assert "void as soon as the casino starts" in said and "The master secret is lost" in said
    assert run_headless(tmp_path, *one_game)[0] == 0
    assert len(master.read_text()) == 65


def test_config_commands_show_and_check_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "house.toml"
    file.write_text("[table]\npace_ms = 7\n[tables.salon]\ntarget = 7\n", "utf-8")
    assert main(["config", "show", str(file)]) == 0
    shown = tmp_path / "shown.toml"
    shown.write_text(capsys.readouterr().out, "utf-8")
    assert load(shown, {}) == load(file, {}) != Config()
    assert main(["config", "check", str(file)]) == 0
    assert capsys.readouterr().out == f"{file}: the settings are valid\n"
    monkeypatch.chdir(tmp_path)
    assert main(["config", "check"]) == 0
    assert capsys.readouterr().out.startswith("no config.toml here, so the defaults apply: ")
    file.write_text("[table]\nhouse = 'nomod:Cls'\n", "utf-8")
    assert main(["config", "check", "--config", str(file)]) == 2
    assert "table garnier, house: bot nomod:Cls: there is no module" in capsys.readouterr().err
    file.write_text("[table]\npace = 7\n[web]\nport = -1\n", "utf-8")
    assert main(["config", "check", str(file)]) == 2
    assert "did you mean pace_ms?\n  [web] port: -1 must be" in capsys.readouterr().err
    file.write_text("[table]\nstake_cents = 7\n", "utf-8")
    assert main(["config", "show", str(file)]) == 0
    assert '# [tables.garnier]\n# challenger = "regle"\n' in capsys.readouterr().out
    file.write_text("[tables.salon]\n[tables.faro]\nchallenger = 'novice'\n", "utf-8")
    assert main(["config", "check", str(file)]) == 0
    assert capsys.readouterr().err == (
        "Warning: table faro takes bets at even odds, but of 100 games against regle regle wins 50,"
        " novice 16: choose bots of similar strength.\n"
    )
    file.write_text("[witness]\nat = 'http://x foo'\n", "utf-8")
    database = tmp_path / "casino.db"
    for line in ("config check", f"run --port 0 --db {database} --config"):
        assert main([*line.split(), str(file)]) == 2
        assert f"{file}: [witness] at: 'http://x foo' must list" in capsys.readouterr().err
    assert not database.exists()


def test_a_house_without_chips_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_headless(tmp_path, "--games", "1", settings="[bank]\nhouse_cents = 5\n")[0] == 1
    assert "house must put 30.00 chips at risk, but has 0.05" in capsys.readouterr().err


def test_no_game_starts_on_a_full_disk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    settings = "[bank]\nleast_free_mib = 1000000\n"
    assert run_headless(tmp_path, "--games", "1", settings=settings)[0] == 1
    assert "MiB are free, and [bank] least_free_mib = 1000000: bets are refused" in caplog.text
    assert "its disk is full or failing: free some space and give" in capsys.readouterr().err


def test_a_port_in_use_leaves_no_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["run", "--port", port, "--db", str(tmp_path / "casino.db")]) == 2
    assert f"cannot listen on 127.0.0.1:{port} (Address already" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_l14_a_lost_file_is_refused_until_new_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, database = run_headless(tmp_path, "--games", "1")
    database.unlink()
    assert run_headless(tmp_path, "--games", "1")[0] == 2
    assert "--new" in capsys.readouterr().err
    assert run_headless(tmp_path, "--games", "1", "--new")[0] == 0
    assert "moved aside" in capsys.readouterr().err
    assert main(["audit", "--db", str(database)]) == 0


def test_l22_sigterm_stops_a_headless_run_cleanly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def stopped(*_: object) -> Iterator[Callable[..., None]]:
        yield lambda completed: signal.raise_signal(signal.SIGTERM) if completed == 3 else None

    monkeypatch.setattr("casino.cli.host.run.progress", stopped)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as for a shell's background job
    status, database = run_headless(tmp_path)
    signal.signal(signal.SIGINT, before)
    out, err = capsys.readouterr()
    assert (status, err.splitlines()[-1]) == (130, "casino: interrupted")
    assert "games in" in out and "To check every card and cent" in out
    with closing(open_log(database)) as log:
        newest = log.signed_head()
        assert newest is not None and newest.size == log.size()
        assert next(log.leaves(log.size() - 1)).kind == "run_stopped"
