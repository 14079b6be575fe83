"""Practice games over HTTP: kept by the browser, with hints, and not recorded by the casino."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from itertools import count, pairwise
from typing import Any

import pytest

from casino.bots import BOT_NAMES
from casino.ecarte import CHALLENGER, read_record, replay_steps, token
from casino.errors import Refused
from casino.web.services import practice
from tests.web.server import JsonObject, Server, Visitor

NUMBER = "0f" * 16
PATH = "/api/tables/open/practice"


@pytest.fixture(scope="module")
def guest(server: Server) -> Iterator[Visitor]:
    """A visitor who has not entered."""
    with closing(server.visitor()) as visitor:
        yield visitor


def post_practice(guest: Visitor, actions: list[str], **more: Any) -> JsonObject:
    return guest.post(PATH, {"number": NUMBER, "actions": actions, **more})


def play_first_actions(guest: Visitor, **more: Any) -> tuple[list[str], JsonObject]:
    """Play the first legal action to the end; return the actions and the last response."""
    actions: list[str] = []
    told = post_practice(guest, actions, **more)
    while not told["over"]:
        actions.append(told["yous"][-1]["legal"][0])
        told = post_practice(guest, actions, since=told["version"], **more)
    return actions, told


def test_a_guest_plays_a_whole_game_that_is_written_nowhere(guest: Visitor) -> None:
    version = guest.get("/api/tables/open")["version"]
    size = guest.get("/api/log?limit=1&after=0")["size"]
    actions, told = play_first_actions(guest)
    assert told["events"][-1]["type"] == "settled"
    whole = post_practice(guest, actions)
    assert whole["over"] and whole["events"][-1] == told["events"][-1]
    assert whole["snapshot"]["house"] == "regle"
    assert guest.post(f"{PATH}/hint", {"number": NUMBER, "actions": actions})["hint"] is None
    leaves = guest.get(f"/api/log?limit=1000&after={size - 1}")["leaves"]
    assert not any("practice" in str(leaf) for leaf in leaves)
    assert guest.get("/api/tables/open")["version"] == version
    assert not any("you" in one["players"].values() for one in guest.get("/api/games")["games"])


def test_a_game_is_rebuilt_without_the_cache(
    server: Server, guest: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions, _ = play_first_actions(guest)
    kept = post_practice(guest, actions)
    monkeypatch.setattr(practice, "KEPT", 0)
    assert post_practice(guest, []) != kept
    assert post_practice(guest, actions) == kept


def test_practice_continues_a_finished_game_from_any_step(server: Server, guest: Visitor) -> None:
    server.play("fast")
    game = guest.get("/api/games?limit=1")["games"][0]["game"]
    record = read_record(json.dumps(guest.get(f"/api/games/{game}")["record"]))
    assert record.players and record.result
    moves: list[tuple[int, str]] = []
    steps = list(replay_steps(record))
    for (_, _, before), (_, action, _) in pairwise(steps):
        if action is not None:
            moves.append((before.actor(action), token(action)))
    path, house = "/api/tables/fast/practice", record.players["house"]
    for step in (0, 1, len(moves) // 2, len(moves) - 1):
        begun = {"number": NUMBER, "house": house, "game": game, "step": step}
        mine = [name for seat, name in moves[step:] if seat == CHALLENGER]
        first = guest.post(path, {**begun, "actions": []})
        assert first["over"] or mine[0] in first["yous"][-1]["legal"]
        told = guest.post(path, {**begun, "actions": mine})
        assert told["over"] and told["events"][-2]["score"] == record.result["score"]


@pytest.mark.parametrize("house", BOT_NAMES)
def test_every_bot_can_be_played_against(guest: Visitor, house: str) -> None:
    told = post_practice(guest, [], house=house)
    assert told["snapshot"]["bots"]["house"] == house
    assert told["yous"][-1]["legal"]


def test_a_hint_values_each_choice(guest: Visitor) -> None:
    numbers = (f"{number:032x}" for number in count())
    told = ((one, guest.post(PATH, {"number": one, "actions": []})) for one in numbers)
    # The cards depend on the casino's secret: find a game in which the person speaks first.
    legal = ((one, said["yous"][-1]["legal"]) for one, said in told)
    number, choices = next((one, found) for one, found in legal if "P" in found)
    hint = guest.post(f"{PATH}/hint", {"number": number, "actions": []})["hint"]
    assert hint["best"] in choices
    assert set(hint["options"]) <= set(choices)
    assert max(hint["options"].values()) == hint["options"][hint["best"]]
    assert all(0 <= chance <= 1 for chance in hint["options"].values())


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"house": "nobody"}, "unknown_bot"),
        ({"actions": ["W"]}, "not_your_turn"),
        ({"actions": ["??"]}, "illegal_action"),
        ({"actions": ["P"] * 601}, "bad_request"),
        ({"number": "12"}, "bad_request"),
        ({"game": "open-000001"}, "unknown_game"),
    ],
)
def test_invalid_requests_are_refused(guest: Visitor, wrong: JsonObject, code: str) -> None:
    before = post_practice(guest, [])
    with pytest.raises(Refused) as refusal:
        guest.post(PATH, {"number": NUMBER, "actions": [], **wrong})
    assert refusal.value.code == code
    assert post_practice(guest, []) == before
