"""What the expert says over HTTP: for a version, from what everybody sees, once."""

from __future__ import annotations

import json

import pytest

from casino.solver.evaluation.review import review_line
from tests.web.doors import Doors


def test_the_chance_is_whole_and_for_a_version(doors: Doors) -> None:
    """Both sides' chances add up, as do those of single, double and triple."""
    visitor = doors.visitor("forecast-one")
    versions = set()
    for _ in range(6):
        doors.step("fast")
        told = visitor.get("/api/tables/fast/chance")
        versions.add(told["version"])
        assert told["table"] == "fast"
        if told["chance"] is None:
            continue
        house, challenger = told["chance"]["house"], told["chance"]["challenger"]
        assert house["win"] + challenger["win"] == pytest.approx(1, abs=2e-4)
        assert house["units"] == pytest.approx(-challenger["units"], abs=1e-3)
        for side in (house, challenger):
            parts = side["single"] + side["double"] + side["triple"]
            assert parts == pytest.approx(side["win"], abs=2e-4)
    assert versions and told["version"] <= visitor.get("/api/tables/fast")["version"]
    visitor.close()


def test_a_finished_game_is_reviewed_as_its_record_is(doors: Doors) -> None:
    """The same twice, and the same as anybody finds who has the record."""
    visitor = doors.visitor("forecast-two")
    visitor.join("fast")
    games = visitor.until(lambda: visitor.get("/api/games?limit=1")["games"])
    game = games[0]["game"]
    told = visitor.get(f"/api/games/{game}/review")
    assert told == visitor.get(f"/api/games/{game}/review")
    record = visitor.get(f"/api/games/{game}")["record"]
    expected = review_line(json.dumps(record), 64)
    assert {key: told[key] for key in expected} == expected
    assert told["decisions"] and told["game"] == game
    visitor.close()
