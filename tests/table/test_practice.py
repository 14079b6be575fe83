"""Practice games: the same rules, no money, no log, reproducible from the seed."""

from __future__ import annotations

import json
import random

import pytest

from casino.ecarte import CHALLENGER, HOUSE, cards_in, format_card
from casino.table.domain.settings import TableSettings
from casino.table.domain.state import current_deal
from casino.table.practice import PracticeGame
from casino.table.public.state import Message
from tests.web.card_leaks import card_names_in

SEEDS = [bytes([n]) * 32 for n in range(6)]


def started(seed: bytes = SEEDS[0], house: str = "regle") -> PracticeGame:
    return PracticeGame(TableSettings("salon", house=house, stake_cents=5_000), seed)


def finished(seed: bytes, chance: random.Random, house: str = "regle") -> PracticeGame:
    game = started(seed, house)
    while not game.is_over:
        seen = game.view()
        assert seen is not None
        game.act(chance.choice(seen[1]))
    return game


@pytest.mark.parametrize("seed", SEEDS)
def test_practice_game_ends_without_moving_chips(seed: bytes) -> None:
    game = finished(seed, random.Random(seed[0]))
    events = game.messages_since(None)["events"]
    kinds = [event["type"] for event in events]
    assert kinds[-2:] == ["game_over", "settled"]
    assert 5 in events[-2]["score"].values()
    assert events[-1]["bets"] == []
    assert {one["gain_cents"] for one in events[-1]["principals"]} == {0}
    assert game.view() is None
    assert game.messages_since(None)["over"] is True


def test_practice_game_replays_from_seed_and_actions() -> None:
    played = finished(SEEDS[1], random.Random(3), "expert")
    again = started(SEEDS[1], "expert")
    for action in played.done:
        again.act(action)
    assert json.dumps(again.messages_since(None)) == json.dumps(played.messages_since(None))
    first, other = (started(seed).messages_since(None)["yous"] for seed in SEEDS[:2])
    assert first != other


def test_incremental_messages_equal_full_history() -> None:
    game, chance = started(), random.Random(9)
    heard: list[Message] = list(game.messages_since(None)["events"])
    views: list[Message] = list(game.messages_since(None)["yous"])
    while not game.is_over:
        version = game.messages_since(None)["version"]
        seen = game.view()
        assert seen is not None
        game.act(chance.choice(seen[1]))
        told = game.messages_since(version)
        assert "snapshot" not in told
        heard += told["events"]
        views += told["yous"]
    whole = game.messages_since(None)
    assert heard == whole["events"]
    assert views == whole["yous"]
    versions = [event["version"] for event in heard]
    first = whole["snapshot"]["version"]
    assert versions == list(range(first + 1, first + 1 + len(versions)))


@pytest.mark.parametrize("seed", SEEDS)
def test_bot_hand_is_not_sent(seed: bytes) -> None:
    game = started(seed)
    deal = current_deal(game.state)
    told = game.messages_since(None)
    hidden = set(map(format_card, cards_in(deal.hands[HOUSE])))
    own = set(map(format_card, cards_in(deal.hands[CHALLENGER])))
    named = set(card_names_in(told["events"])) | set(card_names_in(told["yous"]))
    assert len(hidden) == 5 and hidden.isdisjoint(named)
    assert own <= named
    assert all("seconds" not in you for you in told["yous"]), "there is no clock"
