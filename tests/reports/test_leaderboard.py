"""Leaderboards, compared with counts made by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from casino.events import types
from casino.events.game_record import finished_game
from casino.events.types import decode
from casino.ledger.storage.location import open_log
from casino.reports.game_json import full_game
from casino.reports.leaderboard import COUNTED, LeaderboardBuilder, ResultTally, is_person
from tests.audit.leaf_builders import bet, opened


def game(
    name: str,
    winner: str | None,
    challenger: str = "ann",
    bot: bool = False,
    sides: Mapping[str, Any] = MappingProxyType({}),
) -> list[Any]:
    bets = [
        replace(bet(player, game=name), order=order, side=side)
        for order, (player, side) in enumerate(sides.items(), 1)
    ]
    begun = [opened(1, challenger=challenger, is_bot=bot, game=name), *bets]
    if winner is None:
        return [*begun, types.GameVoid(at=7, game=name, reason="operator")]
    house = 5 if winner == "house" else 2
    score = types.Score(house=house, challenger=7 - house)
    seat = types.SIDES[winner != "house"]
    over = types.GameOver(at=7, game=name, score=score, server_seed="", stake=2, winner=seat)
    return [*begun, over]


def count_games(*games: list[Any]) -> LeaderboardBuilder:
    standings = LeaderboardBuilder()
    for one in games:
        standings.add(one)
    return standings


def test_players_are_counted_against_the_bots_they_played() -> None:
    found = count_games(game("a", "challenger"), game("b", "house"), game("c", "challenger"))
    ann = found.players["ann"]
    assert (ann.played.won, ann.played.lost, ann.played.games) == (2, 1, 3)
    assert {bot: (tally.won, tally.lost) for bot, tally in ann.against.items()} == {"regle": (2, 1)}
    assert ann.stakes == Counter({2: 2})
    assert (bytes(found.winners), found.games) == (b"\x00\x01\x00", 3)
    assert found.scores == Counter({(2, 5): 2, (5, 2): 1})
    assert found.pairs == {("regle", None): ResultTally(1, 2)}


def test_two_bots_count_as_a_pair_not_as_players() -> None:
    found = count_games(
        game("a", "house", "novice", bot=True), game("b", "house", "novice", bot=True)
    )
    assert found.pairs == {("regle", "novice"): ResultTally(2, 0)}
    assert found.players == {}


def test_a_player_with_a_remote_bot_counts_as_a_bot() -> None:
    begun, over = game("b", "house", "First")
    assert isinstance(begun, types.GameOpened)
    found = count_games(game("a", "house"), [replace(begun, played_by="remote_bot"), over])
    assert {name: player.is_bot for name, player in found.players.items()} == {
        "ann": False,
        "First": True,
    }


def test_backers_are_counted_by_the_side_they_bet_on() -> None:
    sides = {"ben": "house", "cy": "challenger", "Ines*": "house"}
    found = count_games(
        game("a", "house", sides=sides), game("b", "challenger", sides={"ben": "house"})
    )
    backed = {name: (one.backed.won, one.backed.lost) for name, one in found.players.items()}
    assert backed == {"ann": (0, 0), "ben": (1, 1), "cy": (0, 1)}
    assert [(one.game, one.did, one.side, one.winner) for one in found.players["ben"].last] == [
        ("a", "backed", "house", "house"),
        ("b", "backed", "house", "challenger"),
    ]


def test_void_games_are_not_counted() -> None:
    found = count_games(game("a", None, sides={"ben": "house"}))
    assert (found.games, found.void, sum(found.stakes.values())) == (0, 1, 0)
    assert found.players["ann"].played.games == found.players["ben"].backed.games == 0
    assert [one.winner for one in found.players["ben"].last] == [None]


def test_counts_match_the_recorded_games(played: Path) -> None:
    log = open_log(played)
    terms = [decode(leaf.body) for leaf in log.of_kinds(("terms",))]
    standings, right, games = LeaderboardBuilder(), Counter[str](), 0
    for end in list(log.of_kinds(("game_over", "game_void"))):
        leaves = list(log.of_subject(str(end.subject)))
        standings.add([decode(leaf.body) for leaf in leaves if leaf.kind in COUNTED])
        events = [decode(leaf.body) for leaf in leaves]
        finished = finished_game(events, terms)
        assert finished is not None
        told = full_game(events, finished)
        games += told["winner"] is not None
        right.update({bet["player"] for bet in told["bets"] if bet["side"] == told["winner"]})
    log.close()
    assert standings.games == games > 0
    assert {name: one.backed.won for name, one in standings.players.items() if one.backed.won} == {
        name: number for name, number in right.items() if is_person(name)
    }
