"""Looking around in the casino's file with SQL: the views say what the statement and audit say."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
import pytest

from casino.audit import FileSource, audit
from casino.ledger.accounts import spending_account
from casino.ledger.ledger import open_log
from casino.ledger.storage import schema, sqlite
from casino.ledger.storage.schema import VIEWS, create_views, rows
from casino.reports.statement import statement

METADATA = Path(__file__).parents[2] / "docs" / "metadata.yml"
PLAYERS = ("ann", *(f"t1.p{number}" for number in range(6)))


@pytest.fixture(scope="module")
def looked(played: Path) -> Iterator[sqlite3.Connection]:
    """A plain connection to the file of a night."""
    with closing(sqlite3.connect(f"file:{played}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        yield connection


def all_of(looked: sqlite3.Connection, query: str) -> list[dict[str, Any]]:
    return [dict(row) for row in looked.execute(query)]


def test_balances_are_those_stored_and_audited(played: Path, looked: sqlite3.Connection) -> None:
    """Summed from the leaves, to the cent what the casino keeps; the audit finds both right."""
    said = {row["account"]: row["cents"] for row in all_of(looked, "SELECT * FROM balances")}
    log = open_log(played)
    assert said == log.balances()
    log.close()
    assert audit(FileSource(played), workers=1).is_clean
    assert sum(said.values()) == 0
    for player in PLAYERS:
        assert said[spending_account(player)] == statement(played, player).balance_cents


def test_bets_are_those_of_the_statements(played: Path, looked: sqlite3.Connection) -> None:
    """Game, order, side and unit of every bet of everybody."""
    for player in PLAYERS:
        query = "SELECT * FROM bets WHERE player = ? ORDER BY leaf"
        bets = [dict(row) for row in looked.execute(query, (player,))]
        assert [(bet["game"], bet["order"], bet["side"], bet["unit_cents"]) for bet in bets] == [
            tuple(line[:4]) for line in statement(played, player).bets
        ]
    assert all_of(looked, "SELECT count(*) AS n FROM bets")[0]["n"] > 20


def test_outcomes_are_what_the_statements_say_was_won_and_lost(
    played: Path, looked: sqlite3.Connection
) -> None:
    """For every person and game, less the commission; a void game moves nothing."""
    seen = 0
    for player in PLAYERS[1:]:
        due: Counter[str] = Counter()
        for line in statement(played, player).bets:
            if line.result != "open":
                due[line.game] += (line.gain_cents or 0) - (line.commission_cents or 0)
        query = "SELECT game, cents FROM outcomes WHERE player = ?"
        assert dict(map(tuple, looked.execute(query, (player,)))) == due
        seen += len(due)
    assert seen > 10
    sums = all_of(looked, "SELECT game, sum(cents) AS cents FROM outcomes GROUP BY game")
    assert {row["cents"] for row in sums} == {0}
    assert len(sums) == 5


def test_games_are_told_from_their_beginning_to_their_end(
    played: Path, looked: sqlite3.Connection
) -> None:
    """Won, void and running ones, as their leaves say it."""
    log = open_log(played)
    leaves = [orjson.loads(leaf.body) for leaf in log.leaves()]
    log.close()
    found = {row["game"]: row for row in all_of(looked, "SELECT * FROM games")}
    opened = [leaf for leaf in leaves if leaf["type"] == "game_opened"]
    assert list(found) == [leaf["game"] for leaf in opened]
    for leaf in opened:
        row = found[leaf["game"]]
        assert (row["table"], row["opened_ms"]) == (leaf["table"], leaf["at"])
        assert (row["house"], row["challenger"]) == ("novice", "ann")
        mine = [one for one in leaves if one.get("game") == leaf["game"]]
        over = {one["type"]: one for one in mine}
        end = over.get("game_over") or over.get("game_void") or {}
        assert (row["ended_ms"], row["winner"]) == (end.get("at"), end.get("winner"))
        assert (row["stake"], row["void"]) == (end.get("stake"), end.get("reason"))
        score = end.get("score", {})
        assert row["house_points"] == score.get("house")
        assert row["challenger_points"] == score.get("challenger")
        assert row["matched_cents"] == over["betting_closed"]["matched_cents"]


def test_a_name_and_a_reason_of_any_letters_stay_what_they_are(tmp_path: Path) -> None:
    """What looks like JSON or SQL within a text is a text."""
    connection = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    sqlite.make_tables(connection)
    name = "o'Hara \"},{[😀"
    leaf = {"at": 5, "game": "g", "order": 1, "player": name, "side": "house", "type": "bet"}
    body = orjson.dumps({**leaf, "unit_cents": 7}).decode()
    connection.execute("INSERT INTO leaf VALUES (0, ?)", (body,))
    (row,) = connection.execute("SELECT player, unit_cents FROM bets").fetchall()
    assert row == (name, 7)
    connection.close()


def test_sqlite_utils_makes_what_the_audit_expects() -> None:
    """The guards compare the file with these texts, and do not load the library for it."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    for statement_ in schema.sqlite_statements():
        connection.execute(statement_)
    create_views(connection)
    query = "SELECT type, name, sql FROM sqlite_master WHERE type = 'view'"
    assert set(connection.execute(query)) == rows()
    connection.close()


def test_the_command_of_sqlite_utils_looks_at_them(played: Path) -> None:
    """As docs/books.md shows."""
    query = "SELECT account, cents FROM balances ORDER BY account LIMIT 1"
    line = [sys.executable, "-m", "sqlite_utils", "query", str(played), query]
    said = subprocess.run(line, capture_output=True, text=True, check=True, timeout=60).stdout
    assert orjson.loads(said)[0]["account"].startswith("escrow/")


def test_the_metadata_names_views_and_columns_that_are_there(looked: sqlite3.Connection) -> None:
    """Every view is described, and every query that is offered runs."""
    text = METADATA.read_text("utf-8")
    tables = re.findall(r"^      (\w+):$", text.partition("    queries:")[0], re.MULTILINE)
    assert set(tables) == set(VIEWS)
    for table, part in zip(
        tables, re.split(r"^      \w+:$", text, flags=re.MULTILINE)[1:], strict=False
    ):
        columns = {row["name"] for row in looked.execute(f"PRAGMA table_info({table})")}
        named = re.findall(r"^          (\w+):", part.partition("    queries:")[0], re.MULTILINE)
        named += re.findall(r"sort_desc: (\w+)", part)
        assert set(named) <= columns, table
    queries = re.findall(r"sql: (.+)", text)
    assert len(queries) == 2
    for query in queries:
        assert all_of(looked, query)
