"""Wild nights in bulk: whatever is asked and wherever it crashes, the file audits clean.

`python -m tests.table.wild FROM TO` runs as many more as there is time for.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.table.wild import run

BATCHES = 4
NIGHTS = 8


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
def test_wild_nights_audit_clean(batch: int, tmp_path: Path) -> None:
    """Each seed's night has no finding; together they do everything and are refused everything."""
    counted: Counter[str] = Counter()
    for seed in range(batch * NIGHTS, (batch + 1) * NIGHTS):
        findings, done = run(seed, tmp_path)
        # That games were void after the lock is noted, and is no fault.
        faults = [one for one in findings if (one.check, one.severity) != ("voids", "note")]
        assert faults == [], f"python -m tests.table.wild {seed}"
        counted += done
    missing = {"PlayAction", "PlaceBet", "SetLimit", "TakeSeat", "crash"} - set(counted)
    assert not missing, f"nothing of {missing} happened: these nights test little"


def test_a_wild_night_comes_again(tmp_path: Path) -> None:
    """The same seed asks the same and is answered the same."""
    (tmp_path / "again").mkdir()
    assert run(7, tmp_path) == run(7, tmp_path / "again")
