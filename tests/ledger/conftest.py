"""Both stores for the ledger tests: a file and a database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from casino.ledger.storage.location import LogLocation, SqliteLocation
from tests.ledger.game_simulator import GameSimulator, open_ledger
from tests.ledger.postgres_server import needs_postgres

STORES = ["file", pytest.param("database", marks=needs_postgres)]


@pytest.fixture(params=STORES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> LogLocation:
    path = tmp_path / "casino.db"
    if request.param == "file":
        return SqliteLocation(path)
    made: LogLocation = request.getfixturevalue("postgres").place(path)
    return made


@pytest.fixture
def night(place: LogLocation) -> Iterator[GameSimulator]:
    bank = open_ledger(place)
    yield GameSimulator(bank)
    bank.close()
