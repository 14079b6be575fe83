"""A casino killed with -9 under load, repeatedly: its clients lose nothing (L5, L10, L15)."""

from __future__ import annotations

from pathlib import Path

from tests.ledger.kills import kill
from tests.ledger.load import ROTATING, SERVING

KILLS = 60
SEED = 11


def test_l10_kill_at_any_moment_loses_or_repeats_no_command(tmp_path: Path) -> None:
    deaths = kill(tmp_path, KILLS, SEED)
    assert deaths["answers"] > 5 * KILLS, "the clients were hardly served: this tests nothing"
    ways = {f"{does}, at a {what}" for does in (SERVING, ROTATING) for what in ("file", "moment")}
    assert deaths.keys() >= ways, "some way to die was never tried"
