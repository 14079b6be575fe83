"""The review of a game over HTTP."""

from __future__ import annotations

import json

from casino.solver.evaluation.review import review_line
from tests.web.server import Server


def test_game_review_matches_its_record(server: Server) -> None:
    visitor = server.visitor("forecast-two")
    server.play("fast")
    game = visitor.get("/api/games?limit=1")["games"][0]["game"]
    told = visitor.get(f"/api/games/{game}/review")
    assert told == visitor.get(f"/api/games/{game}/review")
    record = visitor.get(f"/api/games/{game}")["record"]
    expected = review_line(json.dumps(record), 64)
    assert {key: told[key] for key in expected} == expected
    assert told["decisions"] and told["game"] == game
    visitor.close()
