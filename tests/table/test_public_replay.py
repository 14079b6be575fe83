"""A finished game is told again in the messages it was told in, with the hands as they lay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from casino.ecarte import cards
from casino.events.codec import decode
from casino.events.types import GameOver, GameVoid
from casino.ledger.ledger import open_log
from casino.table.public.replay import replay_messages
from casino.table.public.state import Message
from tests.table.following import Client
from tests.table.wild import WildNight

STEPS = 900


def retold_games(path: Path) -> dict[str, Message]:
    log = open_log(path)
    try:
        ends = [str(leaf.subject) for leaf in log.of_kinds(("game_over", "game_void"))]
        found = {
            name: replay_messages(log.of_subject(name), log.of_kinds(("terms",))) for name in ends
        }
    finally:
        log.close()
    return {name: told for name, told in found.items() if told is not None}


@pytest.fixture(scope="module", params=range(4))
def wild(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> WildNight:
    night = WildNight(request.param, tmp_path_factory.mktemp("wild"))
    for _ in range(STEPS):
        night.step()
    night.finish()
    night.evening.house.close()
    return night


def plain(told: Any) -> Any:
    return orjson.loads(orjson.dumps(told))


def test_a_client_without_rules_follows_a_game_to_its_end(wild: WildNight) -> None:
    games = retold_games(wild.evening.path)
    assert len(games) >= 3
    for name, told in games.items():
        client = Client(told["snapshot"])
        for step in plain(told["steps"]):
            client.hear(step["message"])
            assert "?" not in step["message"].get("action", "")
        assert client.known["road"][-1]["game"] == name
        assert told["steps"][0]["message"]["type"] == "game_opened"


def test_both_hands_are_those_of_the_deal(wild: WildNight) -> None:
    played = 0
    for told in retold_games(wild.evening.path).values():
        before: set[int] = set()
        for step in told["steps"]:
            house, challenger = (
                set(cards(step["hands"].get(s, ""))) for s in ("house", "challenger")
            )
            assert not house & challenger
            message = step["message"]
            if message["type"] == "action" and len(message["action"]) == 2:
                (card,) = cards(message["action"])
                assert card in before - house - challenger
                played += 1
            before = house | challenger
    assert played > 50


def test_an_unfinished_game_is_not_told_again(tmp_path: Path) -> None:
    night = WildNight(1, tmp_path)
    while night.evening.state.running is None or night.evening.state.running.deal is None:
        night.step()
    running = night.evening.state.running
    night.evening.house.close()
    assert running.id not in retold_games(night.evening.path)
    log = open_log(night.evening.path)
    try:
        assert replay_messages(log.of_subject(running.id), log.of_kinds(("terms",))) is None
    finally:
        log.close()


def test_every_end_in_the_log_is_told_again(wild: WildNight) -> None:
    log = open_log(wild.evening.path)
    try:
        ended = [decode(leaf.body) for leaf in log.leaves()]
    finally:
        log.close()
    names = {event.game for event in ended if isinstance(event, (GameOver, GameVoid))}
    assert names == retold_games(wild.evening.path).keys()
