"""Account statements, checked against the leaves and the stored balances."""

from __future__ import annotations

import csv
from collections import Counter
from contextlib import closing
from dataclasses import astuple
from pathlib import Path

import pytest

from casino.errors import Refused
from casino.ledger.accounts import spending_account
from casino.ledger.storage.location import open_log
from casino.reports.export import export
from casino.reports.statement import statement
from tests.table.casino_harness import leaves_of

ALL_ACCOUNTS = ("house", "ann", *(f"t1.p{number}" for number in range(6)))


def unrevealed_texts(ledger_path: Path) -> set[tuple[str, str]]:
    """Return the games with unrevealed texts, with the names of their bettors."""
    sealed = [leaf for leaf in leaves_of(ledger_path, "bet", "cut") if "seal" in leaf]
    found = set()
    for closed in leaves_of(ledger_path, "betting_closed"):
        game = closed["game"]
        names = [leaf["player"] for leaf in sealed if leaf["game"] == game]
        found |= {(game, names[number - 1]) for number in closed.get("withheld", [])}
    return found


def balances_of(ledger_path: Path) -> dict[str, int]:
    with closing(open_log(ledger_path)) as log:
        return log.balances()


@pytest.mark.parametrize("player", ALL_ACCOUNTS)
def test_balance_its_changes_and_escrow_match_the_stored_ones(played: Path, player: str) -> None:
    told, by_entry = statement(played, player), dict[str, dict[str, str]]()
    for row in csv.DictReader(export(played, "csv")):
        if row["account"] == f"escrow/{row['game']}/{player}":
            by_entry.setdefault(row["entry"], {**row, "cents": "0"})
        elif row["account"] == spending_account(player):
            by_entry[row["entry"]] = row
    rows = list(by_entry.values())
    columns = ("entry", "at_ms", "move", "game", "cents")
    assert [tuple(map(str, astuple(change)[:5])) for change in told.changes] == [
        tuple(row[column] for column in columns) for row in rows
    ]
    sums = [sum(int(row["cents"]) for row in rows[: at + 1]) for at in range(len(rows))]
    assert [change.balance_cents for change in told.changes] == sums
    stored = balances_of(played)
    escrows = {name for name in stored if name.startswith("escrow/")}
    assert told.balance_cents == stored[spending_account(player)]
    assert told.changes[0].cents == 100_000_000
    assert (
        told.changes[-1].held_cents
        == told.escrow_cents
        == sum(stored[name] for name in escrows if name.split("/")[2] == player)
    )


@pytest.mark.parametrize("player", ALL_ACCOUNTS[2:])
def test_every_bet_is_listed_with_its_result(played: Path, player: str) -> None:
    over = {leaf["game"]: leaf for leaf in leaves_of(played, "game_over")}
    void = {leaf["game"] for leaf in leaves_of(played, "game_void")}
    bets = [leaf for leaf in leaves_of(played, "bet") if leaf["player"] == player]
    told = statement(played, player).bets
    shut = unrevealed_texts(played)
    assert [astuple(line)[:4] for line in told] == [
        (bet["game"], bet["order"], bet["side"], bet["unit_cents"]) for bet in bets
    ]
    moved: Counter[str] = Counter()
    for line in told:
        if (end := over.get(line.game)) is not None:
            won, matched = line.side == end["winner"], line.matched_cents
            assert matched is not None and 0 <= matched <= line.unit_cents
            gain = end["stake"] * matched * (1 if won else -1)
            fee = gain * 5 // 100 if won else 0
            assert (line.gain_cents, line.commission_cents) == (gain, fee)
            nothing = "returned" if (line.game, player) in shut else "unmatched"
            assert line.result == ("won" if gain > 0 else "lost" if gain < 0 else nothing)
            moved[line.game] += gain - fee
        else:
            assert astuple(line)[4:] == (None, None, None, "void" if line.game in void else "open")
    for entry in leaves_of(played, "entry"):
        if entry.get("game") in over:
            moved[entry["game"]] -= dict(entry["postings"]).get(spending_account(player), 0)
    assert not any(moved.values())
    assert {"open", "void"} < {line.result for line in told}


def test_an_unknown_account_is_refused(played: Path) -> None:
    for name in ("nobody", "t1.p", "t1.p0/", ""):
        with pytest.raises(Refused, match="has no account in .*casino.db: check the name") as found:
            statement(played, name)
        assert (found.value.code, found.value.reason) == ("not_entered", "no_account")
