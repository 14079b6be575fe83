"""Casinos of the table tests: what a test leaves open is closed after it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.table.casino_harness import CasinoHarness, plan


@pytest.fixture(autouse=True)
def close_casinos() -> Iterator[None]:
    before = set(CasinoHarness.opened)
    yield
    for harness in set(CasinoHarness.opened) - before:
        harness.house.close()


@pytest.fixture
def harness(tmp_path: Path) -> CasinoHarness:
    harness = CasinoHarness(tmp_path / "a.db", [plan()])
    for player in ("ann", "ben"):
        harness.chips(player)
    return harness
