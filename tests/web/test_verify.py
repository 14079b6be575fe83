"""The browser's verifier finds what the casino's own code finds, in good and bad games."""

from __future__ import annotations

import copy
import random
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from casino.betting import BettingRules
from casino.ecarte import Laws
from casino.errors import Refused
from casino.fairness import commitment_to, make_contribution
from casino.ledger.storage.location import open_log
from casino.table.domain.commands import OpenCut, PlaceBet
from casino.web.backend import queries
from tests.naive.corrupt import corrupt
from tests.naive.generate import random_record
from tests.naive.replay import replay
from tests.table.casino_harness import CasinoHarness, plan
from tests.web.server import JsonObject
from tests.web.test_scripts import node_lines

GAMES = 6
"""Games per configuration."""

PEOPLE = ("ann", "ben", "cyrille")

CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "usual": {},
    "old": {
        "gallery": BettingRules(matching="last_in_first_out", commission_base="gross"),
        "laws": Laws(target=7, play="ordinary", vole_unexchanged=2, packets=(2, 3)),
        "slip_permille": 300,
    },
    "single": {
        "gallery": BettingRules(gallery_stakes="single", commission_bp=333),
        "laws": Laws(deal="house", enforcement="claims"),
        "house_cover_cents": 0,
    },
    "paid": {
        "gallery": BettingRules(principal_commission_bp=250),
        "laws": Laws(first_dealer="loser"),
        "house_cover_cents": 700,
    },
}

Game = tuple[JsonObject, JsonObject]
"""What /api/games/ID says of a game, and its replay."""


def test_r8_games_under_every_law_replay_identically() -> None:
    rng = random.Random(20)
    records = [random_record(rng) for _ in range(150)]
    expected = [replay(record) for record in records]
    for found, wanted in zip(node_lines("replay.mjs", given=records), expected, strict=True):
        assert found == wanted


def test_corrupt_games_are_refused_at_the_corrupt_deal() -> None:
    rng = random.Random(21)
    spoilt: list[tuple[JsonObject, int | None]] = []
    while len(spoilt) < 100:
        bad, (deal, token) = corrupt(random_record(rng), rng)
        if token is not None:
            spoilt.append((bad, deal))
    found = node_lines("replay.mjs", given=[bad for bad, _ in spoilt])
    assert [(one["ok"], one["deal"]) for one in found] == [(False, deal) for _, deal in spoilt]


def text_of(player: str) -> str:
    """Return the text that a player seals in every game."""
    return make_contribution("à la coupe ♠", sha256(player.encode()).digest()[:16])


def play_games(path: Path, rules: JsonObject) -> list[Game]:
    harness = CasinoHarness(path, [plan(spectators=9, **rules)], seed=7)
    service = harness.house.service
    for player in PEOPLE:
        harness.chips(player)
    while harness.house.finished < GAMES:
        harness.advance()
        running = harness.state.running
        if running is None or running.closing is not None:
            continue
        if running.locked is None and not running.seals:
            for number, player in enumerate(PEOPLE):
                seal = commitment_to(running.id, player, text_of(player))
                bet = PlaceBet("t1", running.id, f"{running.id}.{player}", player, 1, 300, seal)
                service.submit(replace(bet, side=number % 2)).result()
        elif running.locked is not None:
            silent = harness.state.number % 3 == 0
            for player in PEOPLE[silent:]:
                service.submit(OpenCut("t1", running.id, player, text_of(player))).result()
    harness.house.close()
    with closing(open_log(path)) as log:
        names = [str(line["game"]) for line in queries.finished_games(log, None, GAMES)["games"]]
        return [
            (queries.finished_game(log, name), queries.game_replay(log, name)) for name in names
        ]


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> list[Game]:
    """The games of each configuration, the usual ones first."""
    folder = tmp_path_factory.mktemp("games")
    configurations = CONFIGURATIONS.items()
    return [game for name, rules in configurations for game in play_games(folder / name, rules)]


@pytest.fixture
def usual(games: list[Game]) -> list[JsonObject]:
    return [game for game, _ in games[:GAMES]]


def test_verification_works_without_web_crypto(usual: list[JsonObject]) -> None:
    spoilt = copy.deepcopy(usual[0])
    spoilt["record"]["fairness"]["server_seed"] = "00" * 32
    given = [*usual[:5], spoilt]
    bare = "data:text/javascript,Object.defineProperty(globalThis,'crypto',{value:{}})"
    found = node_lines("--import", bare, "whole.mjs", given=given)
    assert found == node_lines("whole.mjs", given=given)
    assert [one["wrong"] for one in found[:-1]] == [[]] * 5
    assert "commitment" in found[-1]["wrong"]


def test_every_game_can_be_stepped_through_to_its_end(games: list[Game]) -> None:
    found = node_lines("steps.mjs", given=[replay for _, replay in games])
    for (game, _), end in zip(games, found, strict=True):
        record = game["record"]
        assert end["deal"] == len(record["deals"])
        assert end["said"] == " ".join(deal["actions"] for deal in record["deals"]).split()
        assert (end["phase"], end["score"]) == ("over", record["result"]["score"])


def test_every_game_passes_all_checks(games: list[Game]) -> None:
    assert len(games) == GAMES * len(CONFIGURATIONS)
    for found in node_lines("whole.mjs", given=[game for game, _ in games]):
        assert found["wrong"] == []
        whole = {
            *("commitment", "chain", "seals", "cut", "deck"),
            *("play", "result", "matching", "settlement", "balance"),
        }
        assert set(found["checked"]) >= whole


def other_card(game: JsonObject) -> None:
    deal = game["record"]["deals"][0]
    deal["actions"] = re.sub(r"\b..\b", deal["deck"][-2:], deal["actions"], count=1)


def token_gone(game: JsonObject) -> None:
    deal = game["record"]["deals"][0]
    deal["actions"] = deal["actions"].partition(" ")[2]


def cards_swapped(game: JsonObject) -> None:
    deck = game["record"]["deals"][0]["deck"]
    game["record"]["deals"][0]["deck"] = deck[:60] + deck[62:] + deck[60:62]


def one_more(*path: str | int) -> Callable[[JsonObject], None]:
    """Return a change that adds a cent to an amount."""

    def change(game: Any) -> None:
        for step in path[:-1]:
            game = game[step]
        game[path[-1]] += 1

    return change


def entered_more(game: JsonObject) -> None:
    game["paid"]["house/bank"] = game["paid"].get("house/bank", 0) + 1


SPOILT: list[tuple[Callable[[JsonObject], Any], str]] = [
    (other_card, "play"),
    (token_gone, "play"),
    (cards_swapped, "deck"),
    (lambda game: game["record"]["fairness"].update(server_seed="00" * 32), "commitment"),
    (lambda game: game["record"]["fairness"].update(commitment="00" * 32), "commitment"),
    (lambda game: game["opened"].update(commitment="00" * 32), "commitment"),
    (lambda game: game["record"]["fairness"].update(cut="00" * 32), "cut"),
    (lambda game: game["record"]["fairness"]["cuts"].pop(), "cut"),
    (lambda game: game["record"]["fairness"]["cuts"].append(["dee", "0" * 32]), "cut"),
    (lambda game: game["record"]["fairness"]["cuts"].reverse(), "cut"),
    (lambda game: game["record"]["fairness"]["withheld"].append("ben"), "seals"),
    (lambda game: game["seals"][-1].update(seal="0" * 64), "seals"),
    (lambda game: game["seals"][-1].update(player="mallory"), "seals"),
    (lambda game: game["opened"].update(number=99), "chain"),
    (lambda game: game["record"]["result"].update(stake=4), "result"),
    (lambda game: game["record"]["result"]["score"].update(house=9), "result"),
    (one_more("bets", 0, "unit_cents"), "matching"),
    (lambda game: game["bets"].pop(), "matching"),
    (one_more("betting_closed", "stands", 0, 4), "matching"),
    (one_more("settled", "bets", 0, 5), "settlement"),
    (one_more("settled", "bets", -1, 6), "settlement"),
    (one_more("settled", "principals", 0, 5), "settlement"),
    (lambda game: game["terms"].update(stake_cents=1), "settlement"),
    (lambda game: game["terms"].update(stake_cents=1), "balance"),
    (entered_more, "balance"),
    # Chips paid to a person who has not played.
    (lambda game: game["paid"].update({"wallet/mallory": 100}), "balance"),
]


def test_forged_games_are_detected(usual: list[JsonObject]) -> None:
    games = [game for game in usual if len(game["bets"]) > 2][:5]
    forged = [copy.deepcopy(game) for _ in SPOILT for game in games]
    wanted = [number for number in range(len(SPOILT)) for _ in games]
    assert games
    for number, game in zip(wanted, forged, strict=True):
        SPOILT[number][0](game)
    for number, found in zip(wanted, node_lines("whole.mjs", given=forged), strict=True):
        assert SPOILT[number][1] in found["wrong"], number


def receipts(path: Path) -> tuple[list[str], str]:
    """Return the receipts of some bets, and the key that signed them."""
    harness = CasinoHarness(path, [plan(spectators=9)], seed=8)
    while harness.house.finished < 5:
        harness.advance()
    key = harness.house.service.ledger.key.public.text()
    harness.house.close()
    with closing(sqlite3.connect(path)) as file:
        bets = [row[0] for row in file.execute("SELECT id FROM command WHERE id LIKE 'bet/%'")]
    found = []
    with closing(open_log(path)) as log:
        for command in bets:
            _, player, bet = command.split("/")
            with suppress(Refused):
                found.append(str(queries.receipt(log, player, bet, None)["receipt"]))
    return found, key
