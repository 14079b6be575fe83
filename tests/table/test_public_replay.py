"""Replay of a finished game: its messages again, with both hands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from casino.ecarte import cards
from casino.ledger.log_reader import LogReader
from casino.table.domain.commands import VoidGame
from casino.table.public.replay import replay_messages
from casino.table.public.state import Message
from tests.table.casino_harness import CasinoHarness, plan
from tests.table.naive_client import Client

ENDED = ("t1-000001", "t1-000002", "t1-000003")
"""The second game is void in the middle of a deal; a fourth is running."""


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LogReader]:
    folder = tmp_path_factory.mktemp("replay")
    harness = CasinoHarness(folder / "casino.db", [plan(spectators=3, slip_permille=300)])
    running = None
    while harness.state.number < 4 or running is None or running.deal is None:
        harness.advance()
        running = harness.state.running
        if running is not None and running.deal is not None and running.id == ENDED[1]:
            harness.house.service.submit(VoidGame("t1", running.id, "a fault")).result()
    reader = harness.house.service.ledger.reader()
    yield reader
    harness.house.close()


def replayed(log: LogReader, game: str) -> Message | None:
    return replay_messages(log.of_subject(game), log.of_kinds(("terms",)))


@pytest.fixture(scope="module")
def games(log: LogReader) -> dict[str, Message]:
    replays = {game: replayed(log, game) for game in ENDED}
    return {game: replay for game, replay in replays.items() if replay is not None}


def plain(value: Any) -> Any:
    return orjson.loads(orjson.dumps(value))


def test_client_without_rules_follows_replay_to_the_end(games: dict[str, Message]) -> None:
    assert games.keys() == set(ENDED)
    for name, replay in games.items():
        client = Client(replay["snapshot"])
        for step in plain(replay["steps"]):
            client.hear(step["message"])
            assert "?" not in step["message"].get("action", "")
        assert client.known["road"][-1]["game"] == name
        assert replay["steps"][0]["message"]["type"] == "game_opened"


def test_replayed_hands_match_cards_played(games: dict[str, Message]) -> None:
    played = 0
    for replay in games.values():
        before: set[int] = set()
        for step in replay["steps"]:
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


def test_unfinished_game_has_no_replay(log: LogReader) -> None:
    assert replayed(log, "t1-000004") is None
