"""The replay page steps through the casino's finished games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from casino.ecarte import Laws
from casino.ledger.ledger import open_log
from casino.web.backend import queries
from tests.table.casino_harness import CasinoHarness, plan
from tests.web.test_verify import run_script

GAMES = 8
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "usual": {},
    "slips": {"laws": Laws(target=7, play="ordinary"), "slip_permille": 300},
    "claims": {"laws": Laws(enforcement="claims")},
}


def played(path: Path, rules: dict[str, Any]) -> Path:
    harness = CasinoHarness(path, [plan(spectators=5, **rules)], seed=11)
    while harness.house.finished < GAMES:
        harness.advance()
    harness.house.close()
    return path


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_every_game_can_be_stepped_through_to_its_end(tmp_path: Path, name: str) -> None:
    log = open_log(played(tmp_path / "casino.db", CONFIGURATIONS[name]))
    try:
        names = [str(line["game"]) for line in queries.finished_games(log, None, None, GAMES)]
        records = [queries.finished_game(log, name)["record"] for name in names]
        found = run_script("steps.mjs", [queries.game_replay(log, name) for name in names])
    finally:
        log.close()
    assert len(found) == GAMES
    for record, end in zip(records, found, strict=True):
        assert end["deal"] == len(record["deals"])
        assert end["said"] == " ".join(deal["actions"] for deal in record["deals"]).split()
        assert (end["phase"], end["score"]) == ("over", record["result"]["score"])
