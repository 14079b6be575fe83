"""A casino whose log is in a database, by commands alone: prepared, filled, audited, copied."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from casino.cli import main
from tests.cli.test_run import run_headless
from tests.ledger.postgres_server import needs_postgres
from tools.postgres_server import HOUSE, STRANGER, PostgresServer

pytestmark = [needs_postgres, pytest.mark.usefixtures("empty_folder")]

Said = pytest.CaptureFixture[str]


def empty(postgres: PostgresServer, name: str) -> str:
    with postgres.connect("postgres") as connection:
        connection.execute(f"CREATE DATABASE {name} STRATEGY = FILE_COPY")
    return name


@pytest.fixture(scope="module")
def urls(postgres: PostgresServer) -> dict[str, str]:
    """A database that is ready and empty, and one that belongs to another role."""
    return {
        "DB": postgres.url(postgres.database(), HOUSE),
        "STRANGER": postgres.url(empty(postgres, "strange"), STRANGER),
    }


def verdict(capsys: Said, *place: str) -> dict[str, Any]:
    """Return the report of an audit that recomputes all bots' decisions; it must be clean."""
    capsys.readouterr()
    assert main(["audit", "--bots", "--json", *place]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_casino_can_move_to_a_database_and_back(
    postgres: PostgresServer, tmp_path: Path, capsys: Said
) -> None:
    status, database = run_headless(tmp_path, "--games", "2")
    assert status == 0
    name = empty(postgres, "moved")
    owner, house = postgres.url(name), postgres.url(name, HOUSE)
    for _ in range(2):
        assert main(["prepare", owner, "--house", HOUSE]) == 0
    assert f"{HOUSE} may append to it" in capsys.readouterr().out

    assert main(["copy", "--from", str(database), "--to", "postgresql:///x?host=/nowhere"]) == 2
    assert main(["copy", "--from", str(database), "--to", house]) == 0
    first = capsys.readouterr().out
    assert "leaves, root " in first
    names = "casino.db.key, casino.db.pub, casino.db.master, casino.db.checkpoint"
    assert f"Before you start it, move {names} to" in first
    there = tmp_path / "there"
    there.mkdir()
    for file in tmp_path.glob("casino.db.*"):
        file.rename(there / file.name)
    settings = tmp_path / "moved.toml"
    where = f'[bank]\nurl = "{house}"\ndb = "{there}/casino.db"\n'
    settings.write_text(where + "[spectators]\nnumber = 3\n")
    config = ("--config", str(settings))

    assert main(["run", "--headless", *config, "--games", "3"]) == 0
    assert "3 games" in capsys.readouterr().out
    found = verdict(capsys, *config)
    assert found["games"] == 5
    assert verdict(capsys, "--db", house)["games"] == 5
    assert main(["statement", *config, "house"]) == 0
    assert main(["export", *config, "--format", "hledger"]) == 0
    assert "Liabilities:Players" in capsys.readouterr().out

    (there / "casino.db.master").unlink()
    assert main(["run", "--headless", *config, "--games", "1"]) == 2
    assert "casino.db.master is missing" in capsys.readouterr().err

    back = tmp_path / "back.db"
    assert main(["copy", *config, "--from", house, "--to", str(back)]) == 0
    root = capsys.readouterr().out.partition("root ")[2].partition(",")[0]
    assert root == found["root"]
    assert verdict(capsys, "--db", str(back))["root"] == root


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (("copy", "--from", "DB", "--to", "DB"), "cannot be copied to itself"),
        (("copy", "--from", "none.db", "--to", "DB"), "there is no log at none.db"),
        (("copy", "--from", "DB", "--to", "none.db"), "there is no log at postgresql:"),
        (("copy", "--from", "DB", "--to", "postgresql://%zz"), "is not the address of a database"),
        (("prepare", "postgresql://nobody@/none?host=/nowhere"), "cannot prepare"),
        (("prepare", "DB", "--house", "no such role"), "cannot prepare"),
        (("prepare", "STRANGER"), "cannot prepare"),
        (("audit", "--db", "postgresql://nobody@/none?host=/nowhere"), "start the server"),
        (("audit", "--db", "DB"), "names no key"),
        (("restore", "--db", "DB", __file__), "is a database: restore to a file"),
    ],
)
def test_invalid_database_commands_are_refused(
    urls: dict[str, str], tmp_path: Path, capsys: Said, command: tuple[str, ...], why: str
) -> None:
    assert main([urls.get(word, word) for word in command]) == 2
    said = capsys.readouterr()
    assert why in said.err and said.err.count("\n") == 1 and said.out == ""
    assert not list(tmp_path.glob("*.db"))
