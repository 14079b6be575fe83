"""Leaderboards, statistics and player pages over HTTP, without amounts of chips."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from casino.errors import Refused
from casino.ledger.accounts import COMMISSION, HOUSE_BANK
from casino.ledger.storage.location import open_log
from casino.simulate.statistics import sure_win_rate
from casino.web.backend import queries
from casino.web.backend.queries import Leaderboard, TableResults
from tests.table.casino_harness import CHIPS, CasinoHarness, plan
from tests.web.server import Visit, Visitor

GAMES = 12


@pytest.fixture(scope="module")
def ledger_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A casino's file after some games with simulated spectators."""
    path = tmp_path_factory.mktemp("ledger_path") / "casino.db"
    harness = CasinoHarness(path, [plan(spectators=3, challenger="novice")], seed=3)
    while harness.house.finished < GAMES:
        harness.advance()
    harness.house.close()
    return path


def test_table_results_agree_with_all_games_and_the_ledger(
    ledger_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, results = open_log(ledger_path), TableResults("t1")
    at_once = Leaderboard().statistics(log)
    monkeypatch.setattr(queries, "AT_ONCE", 5)
    answers = [results.statistics(log) for _ in range(3)]
    assert [(one["games"], one["more"]) for one in answers] == [(5, True), (10, True), (12, False)]
    statement = answers[-1].pop("statement")
    every = Leaderboard()
    counted = [every.statistics(log) for _ in range(3)]
    assert [(one["games"], one["more"]) for one in counted] == [(5, True), (10, True), (12, False)]
    assert answers[-1] == counted[-1] == at_once
    assert sum(at_once["stakes"]) == sum(one["games"] for one in at_once["scores"]) == GAMES
    assert at_once["course"][-1] == [GAMES, sum(one["won"] for one in at_once["pairs"])]
    house_cents, commission_cents = statement["house_cents"], statement["commission_cents"]
    assert house_cents == log.balance(HOUSE_BANK) - CHIPS.bank_cents
    assert commission_cents == log.balance(COMMISSION) > 0
    others_cents = statement["challengers_cents"] + statement["bettors_cents"]
    assert house_cents + commission_cents + others_cents == 0
    assert statement["bets"] == 3 * GAMES
    assert TableResults("none").statistics(log)["games"] == 0
    log.close()


def test_ranking_prefers_many_games_to_a_lucky_one() -> None:
    order = sorted([(1, 0), (60, 40), (0, 3), (9, 1)], key=lambda tally: sure_win_rate(*tally))
    assert order == [(0, 3), (1, 0), (60, 40), (9, 1)]
    assert sure_win_rate(0, 0) == 0


def test_player_pages_show_results_but_no_amounts(visit: Visit) -> None:
    backer = visit("backer")
    backer.join("fast")
    game = backer.bet("fast", "backed")["bet"]["game"]
    backer.wait_for("settled", game=game)
    told = backer.until(lambda: public_page(visit(), backer.name))
    (last,) = (one for one in told["last"] if one["game"] == game)
    seen = backer.get(f"/api/games/{game}")
    assert (last["did"], last["side"], last["winner"]) == ("backed", "house", seen["winner"])
    assert told["backed"]["won"] == (seen["winner"] == "house")
    assert not re.search("cents|balance", json.dumps(told))
    assert backer.name in {one["player"] for one in backer.get("/api/leaders")["backers"]}
    assert "cents" not in json.dumps(backer.get("/api/leaders"))


def public_page(visitor: Visitor, name: str | None) -> Any:
    """Return a player's public page, or None until their games are counted."""
    try:
        return visitor.get(f"/api/players/{name}")
    except Refused:
        return None


@pytest.mark.parametrize("name", ["nobody-at-all", "%3Cb%3E", "Ines*"])
def test_an_unknown_player_is_refused(visit: Visit, name: str) -> None:
    with pytest.raises(Refused) as refusal:
        visit().get(f"/api/players/{name}")
    assert (refusal.value.code, refusal.value.reason) == ("unknown_player", "no_player")
