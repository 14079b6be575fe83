"""The replay page steps through finished games as the casino tells them again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from casino.ecarte import Laws
from casino.ledger.ledger import open_log
from casino.web.backend import queries
from tests.table.nights import Evening, plan
from tests.web.test_verify import said

GAMES = 8
NIGHTS: dict[str, dict[str, Any]] = {
    "usual": {},
    "slips": {"laws": Laws(target=7, play="ordinary"), "slip_permille": 300},
    "claims": {"laws": Laws(enforcement="claims")},
}


def played(path: Path, rules: dict[str, Any]) -> Path:
    evening = Evening(path, [plan(spectators=5, **rules)], seed=11)
    while evening.house.finished < GAMES:
        evening.go()
    evening.house.close()
    return path


@pytest.mark.parametrize("name", NIGHTS)
def test_every_game_can_be_stepped_through_to_its_end(tmp_path: Path, name: str) -> None:
    log = open_log(played(tmp_path / "casino.db", NIGHTS[name]))
    try:
        names = [str(line["game"]) for line in queries.finished_games(log, None, None, GAMES)]
        records = [queries.finished_game(log, name)["record"] for name in names]
        found = said("steps.mjs", [queries.game_replay(log, name) for name in names])
    finally:
        log.close()
    assert len(found) == GAMES
    for record, end in zip(records, found, strict=True):
        assert end["deal"] == len(record["deals"])
        assert end["said"] == " ".join(deal["actions"] for deal in record["deals"]).split()
        assert (end["phase"], end["score"]) == ("over", record["result"]["score"])
