"""A real night, played once for all tests that audit, export or tamper with it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bank.night import Night, open_bank, play_night


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a night: 4 settled games, a void one, an unfinished one."""
    path = tmp_path_factory.mktemp("night") / "casino.db"
    play_night(path, games=4)
    return path


@pytest.fixture
def night_file(played: Path, tmp_path: Path) -> Path:
    """A copy of the night that a test may spoil, with all that lies beside it."""
    for file in played.parent.iterdir():
        shutil.copy2(file, tmp_path / file.name)
    return tmp_path / played.name


@pytest.fixture
def night(tmp_path: Path) -> Iterator[Night]:
    """A table that is open."""
    bank = open_bank(tmp_path / "open.db")
    yield Night(bank)
    bank.close()
