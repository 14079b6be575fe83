"""The review of a game over HTTP."""

from __future__ import annotations

import json

from casino.solver.evaluation.review import review_line
from tests.web.doors import Doors


def test_a_finished_game_is_reviewed_as_its_record_is(doors: Doors) -> None:
    visitor = doors.visitor("forecast-two")
    doors.play("fast")
    game = visitor.get("/api/games?limit=1")["games"][0]["game"]
    told = visitor.get(f"/api/games/{game}/review")
    assert told == visitor.get(f"/api/games/{game}/review")
    record = visitor.get(f"/api/games/{game}")["record"]
    expected = review_line(json.dumps(record), 64)
    assert {key: told[key] for key in expected} == expected
    assert told["decisions"] and told["game"] == game
    visitor.close()
