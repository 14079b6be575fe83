"""Run every benchmark at its smallest size."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SMALL = {
    "audit": "--games 5 --leaves 10000 --rounds 1",
    "bank": "--seconds 0.1 --rounds 1",
    "batch": "--rounds 1 --seconds 0.05",
    "best_response": "--iterations 100 --walks 2000000 --solve 30000 0-0",
    "card_response": "--hands 1 --drawn 10",
    "double_dummy": "--rounds 1",
    "engines": "--rounds 1 --seconds 0.05",
    "follow": "--leaves 10000 --rounds 1",
    "frames": "--seconds 1 --people 100",
    "live": "--games 5",
    "load": "--people 20 --seconds 1 --webs 0",
    "page": "--visits 1 --runs 1",
    "simulate": "--rounds 1 --seconds 0.05",
    "soak": "--seconds 3 --people 5",
    "table": "--seconds 0.2 --games 10 --rounds 1",
}


def test_every_benchmark_is_covered() -> None:
    assert {path.stem for path in (ROOT / "bench").glob("[!_]*.py")} == {*SMALL}


@pytest.mark.nightly
@pytest.mark.parametrize("name", SMALL)
def test_benchmark_runs_to_its_end(name: str) -> None:
    line = [sys.executable, "-m", f"bench.{name}", *SMALL[name].split()]
    subprocess.run(line, cwd=ROOT, check=True)
