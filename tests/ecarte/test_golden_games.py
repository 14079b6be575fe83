"""Whole games played through as texts to read; `make golden` writes them anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from casino.ecarte import read_record, replay
from tests.ecarte.playthrough import playthrough
from tests.naive.replay import replay as naive_replay

GOLDEN = Path(__file__).parent.parent / "golden"
GAMES = (GOLDEN / "games.egr.jsonl").read_text("utf-8").splitlines()
NAMES = [json.loads(line)["game"] for line in GAMES]


@pytest.mark.parametrize("line", GAMES, ids=NAMES)
def test_a_golden_game_plays_as_written(line: str, golden: Callable[[str, str], None]) -> None:
    golden(f"games/{json.loads(line)['game']}.txt", playthrough(line))


@pytest.mark.parametrize("line", GAMES, ids=NAMES)
def test_a_golden_game_is_what_the_naive_rules_say(line: str) -> None:
    found, expected = replay(read_record(line)), naive_replay(json.loads(line))
    assert expected["ok"]
    assert [{"house": house, "challenger": challenger} for house, challenger in found.points] == [
        deal["points"] for deal in expected["deals"]
    ]
