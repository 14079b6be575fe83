"""A person's account, held against the leaves and the stored balances by plain sums."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from casino.errors import Refused
from casino.ledger.accounts import spending_account
from casino.ledger.ledger import open_log
from casino.reports.export import export
from casino.reports.statement import Statement, statement

EVERYBODY = ("house", "ann", *(f"t1.p{number}" for number in range(6)))


def leaves_of(night: Path, *kinds: str) -> list[dict[str, Any]]:
    """The leaves of some kinds in their order, read as plain JSON."""
    lines = (json.loads(line) for line in export(night, "jsonl"))
    leaves = (json.loads(line["leaf"]) for line in lines if "leaf" in line)
    return [leaf for leaf in leaves if leaf["type"] in kinds]


def texts_shut(night: Path) -> set[tuple[str, str]]:
    """The games in which texts stayed shut, with the names of those who had sealed them."""
    sealed = [leaf for leaf in leaves_of(night, "bet", "cut") if "seal" in leaf]
    found = set()
    for closing in leaves_of(night, "betting_closed"):
        game = closing["game"]
        names = [leaf["player"] for leaf in sealed if leaf["game"] == game]
        found |= {(game, names[number - 1]) for number in closing.get("withheld", [])}
    return found


def balances_of(night: Path) -> dict[str, int]:
    log = open_log(night)
    try:
        return log.balances()
    finally:
        log.close()


@pytest.mark.parametrize("player", EVERYBODY)
def test_every_change_of_the_balance_is_listed(played: Path, player: str) -> None:
    told = statement(played, player)
    rows = [
        row
        for row in csv.DictReader(export(played, "csv"))
        if row["account"] == spending_account(player)
    ]
    fields = ("entry", "at_ms", "move", "game", "cents")
    assert [tuple(map(str, change[:5])) for change in told.changes] == [
        tuple(row[field] for field in fields) for row in rows
    ]
    sums = [sum(int(row["cents"]) for row in rows[: at + 1]) for at in range(len(rows))]
    assert [change.balance_cents for change in told.changes] == sums


@pytest.mark.parametrize("player", EVERYBODY)
def test_balance_and_escrow_are_those_stored(played: Path, player: str) -> None:
    told, stored = statement(played, player), balances_of(played)
    escrows = {name for name in stored if name.startswith("escrow/")}
    assert told.balance_cents == stored[spending_account(player)]
    assert told.escrow_cents == sum(
        stored[name] for name in escrows if name.split("/")[2] == player
    )


@pytest.mark.parametrize("player", EVERYBODY[2:])
def test_every_bet_is_listed_with_what_it_came_to(played: Path, player: str) -> None:
    over = {leaf["game"]: leaf for leaf in leaves_of(played, "game_over")}
    void = {leaf["game"] for leaf in leaves_of(played, "game_void")}
    bets = [leaf for leaf in leaves_of(played, "bet") if leaf["player"] == player]
    told = statement(played, player).bets
    shut = texts_shut(played)
    assert [tuple(line[:4]) for line in told] == [
        (bet["game"], bet["order"], bet["side"], bet["unit_cents"]) for bet in bets
    ]
    moved: Counter[str] = Counter()
    for line in told:
        if (end := over.get(line.game)) is not None:
            won, matched = line.side == end["winner"], line.matched_cents
            assert matched is not None and 0 <= matched <= line.unit_cents
            gain = end["stake"] * matched * (1 if won else -1)
            fee = gain * 5 // 100 if won else 0
            assert line[5:7] == (gain, fee)
            nothing = "returned" if (line.game, player) in shut else "unmatched"
            assert line.result == ("won" if gain > 0 else "lost" if gain < 0 else nothing)
            moved[line.game] += gain - fee
        else:
            assert line[4:] == (None, None, None, "void" if line.game in void else "open")
    for entry in leaves_of(played, "entry"):
        if entry.get("game") in over:
            moved[entry["game"]] -= dict(entry["postings"]).get(spending_account(player), 0)
    assert not any(moved.values())
    assert {"open", "void"} < {line.result for line in told}


def test_a_bet_beside_a_text_left_shut_is_returned_not_unmatched(played: Path) -> None:
    settled = {leaf["game"] for leaf in leaves_of(played, "game_over")}
    shut = {(game, name) for game, name in texts_shut(played) if name != "ann" and game in settled}
    assert shut
    for game, name in shut:
        told = [line for line in statement(played, name).bets if line.game == game]
        assert {(line.result, line.matched_cents) for line in told} == {("returned", 0)}


def test_who_has_no_account_is_told_so(played: Path) -> None:
    for name in ("nobody", "t1.p", "t1.p0/", ""):
        with pytest.raises(Refused, match="has no account in .*casino.db: check the name") as found:
            statement(played, name)
        assert (found.value.code, found.value.reason) == ("not_entered", "no_account")


def test_a_statement_as_json_has_names_for_every_value(played: Path) -> None:
    told = statement(played, "t1.p3")
    value = json.loads(json.dumps(told.json()))
    assert list(value) == list(Statement._fields)
    assert value["changes"][-1]["held_cents"] == told.escrow_cents > 0
    assert value["changes"][0]["balance_cents"] == value["changes"][0]["cents"] == 100_000_000
    assert [bet["result"] for bet in value["bets"]] == [bet.result for bet in told.bets]
    assert value["bets"][-1]["gain_cents"] is None
