"""Whole games played through as texts to read; `make golden` writes them anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from casino.ecarte import CHALLENGER, Step, laws_json, read_record, replay, replay_steps, token
from casino.ecarte.laws import ALLOWED
from tests.ecarte.playthrough import PHASES, playthrough
from tests.naive.replay import replay as naive_replay

GOLDEN = Path(__file__).parent.parent / "golden"
GAMES = (GOLDEN / "games.egr.jsonl").read_text("utf-8").splitlines()
NAMES = [json.loads(line)["game"] for line in GAMES]
RECORDS = [read_record(line) for line in GAMES]


@pytest.fixture(scope="module")
def course() -> list[Step]:
    return [step for record in RECORDS for step in replay_steps(record)]


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


def test_every_phase_occurs_in_some_golden_game(course: list[Step]) -> None:
    assert {PHASES[step.deal.phase] for step in course} == set(PHASES)


def test_every_kind_of_action_occurs_in_some_golden_game(course: list[Step]) -> None:
    said = {token(step.action) for step in course if step.action is not None}
    kinds = {one if len(one) == 1 else one[0] if len(one) % 2 else "card" for one in said}
    assert kinds == {*"PSARKCNOWVELX", "card"}
    assert "X" in said and any(len(one) > 1 for one in said if one[0] == "X")


@pytest.mark.parametrize("law", ALLOWED)
def test_every_value_of_a_law_occurs_in_some_golden_game(law: str) -> None:
    written = [laws_json(record.laws)[law] for record in RECORDS]
    for value in ALLOWED[law]:
        assert (list(value) if isinstance(value, tuple) else value) in written


def test_games_are_won_and_left_unfinished() -> None:
    assert {replay(record).winner for record in RECORDS} == {0, CHALLENGER, None}


def test_the_golden_files_are_those_of_the_games() -> None:
    texts = sorted(GOLDEN.glob("games/*.txt"))
    assert [path.stem for path in texts] == sorted(NAMES)
    assert sum(path.stat().st_size for path in texts) < 300_000
    assert max(len(line) for path in texts for line in path.read_text("utf-8").splitlines()) < 1500
