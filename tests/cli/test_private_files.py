"""Every file that a casino makes is its owner's alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from casino.cli import main
from tests.cli.test_run import night
from tests.web.doors import FAST, open_doors


def modes(folder: Path) -> dict[str, int]:
    return {
        str(file.relative_to(folder)): stat.S_IMODE(file.stat().st_mode)
        for file in folder.rglob("*")
        if file.is_file()
    }


@pytest.fixture
def careless() -> Iterator[None]:
    """A process whose files are everybody's, unless it says otherwise."""
    before = os.umask(0)
    yield
    os.umask(before)


def test_l22_every_file_the_casino_makes_is_its_owners_alone(
    tmp_path: Path, careless: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "made"
    made.mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(made / "config"))
    settings = tmp_path / "settings"
    settings.mkdir()
    _, database = night(settings, "--games", "1")
    monkeypatch.chdir(tmp_path)
    (settings / "house.toml").unlink()
    with open_doors(made / "live.db", {"fast": {**FAST, "number": 2}}) as doors:
        visitor = doors.visitor("ann")
        visitor.post("/api/password", {"new_password": "correct horse battery"})
        visitor.join("fast")
        visitor.until(lambda: any(e["type"] == "game_over" for e in visitor.events))
        state = ["--once", "--state", str(made / "state")]
        assert main(["follow", doors.url, *state]) == 0
        visitor.close()
        seen = modes(made)
        assert {f"live.db{end}" for end in ("", "-wal", "-shm", ".key", ".cookies")} <= set(seen)
        assert set(seen.values()) == {0o600}, seen
    for arguments in (
        ["backup", "--db", str(database), str(made / "copy.db")],
        ["backup", "--db", str(database), "--with-keys", str(made / "keys.db")],
        ["restore", str(made / "keys.db"), "--db", str(made / "again.db")],
        ["rotate-key", "--db", str(made / "again.db")],
    ):
        assert main(arguments) == 0, arguments
    found = modes(made) | {f"night/{name}": mode for name, mode in modes(settings).items()}
    ends = (".db", ".db.key", ".db.master", ".db.pub", ".db.checkpoint", ".db.people")
    assert all(any(name.endswith(end) for name in found) for end in ends), found
    assert {"state/state.json", "state/checkpoint", "keys.db.key", "again.db"} <= set(found)
    assert {name: oct(mode) for name, mode in found.items() if mode != 0o600} == {}
