"""The SQL views of the casino's file agree with the statement."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
import pytest

from casino.ledger.storage import sqlite
from casino.ledger.storage.schema import VIEWS
from casino.reports.statement import statement
from tests.reports.test_statement import balances_of
from tests.table.casino_harness import log_of

METADATA = Path(__file__).parents[2] / "docs" / "metadata.yml"


@pytest.fixture(scope="module")
def views(played: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"file:{played}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        yield connection


def all_of(views: sqlite3.Connection, query: str) -> list[dict[str, Any]]:
    return [dict(row) for row in views.execute(query)]


def test_balances_match_the_ledger(played: Path, views: sqlite3.Connection) -> None:
    said = {row["account"]: row["cents"] for row in all_of(views, "SELECT * FROM balances")}
    assert said == balances_of(played)
    assert sum(said.values()) == 0


def test_outcomes_match_the_statements(played: Path, views: sqlite3.Connection) -> None:
    seen = 0
    for player in [f"t1.p{number}" for number in range(6)]:
        due: Counter[str] = Counter()
        for line in statement(played, player).bets:
            if line.result != "open":
                due[line.game] += (line.gain_cents or 0) - (line.commission_cents or 0)
        query = "SELECT game, cents FROM outcomes WHERE player = ?"
        assert dict(map(tuple, views.execute(query, (player,)))) == due
        seen += len(due)
    assert seen > 10
    sums = all_of(views, "SELECT game, sum(cents) AS cents FROM outcomes GROUP BY game")
    assert {row["cents"] for row in sums} == {0}
    assert len(sums) == 5


def test_games_view_matches_the_log(played: Path, views: sqlite3.Connection) -> None:
    leaves = list(map(orjson.loads, log_of(played)))
    found = {row["game"]: row for row in all_of(views, "SELECT * FROM games")}
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


def test_unusual_names_are_preserved(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    sqlite.make_tables(connection)
    name = "o'Hara \"},{[😀"
    leaf = {"at": 5, "game": "g", "order": 1, "player": name, "side": "house", "type": "bet"}
    body = orjson.dumps({**leaf, "unit_cents": 7}).decode()
    connection.execute("INSERT INTO leaf (n, body) VALUES (0, ?)", (body,))
    (row,) = connection.execute("SELECT player, unit_cents FROM bets").fetchall()
    assert row == (name, 7)
    connection.close()


def test_metadata_names_existing_views_and_columns(views: sqlite3.Connection) -> None:
    text = METADATA.read_text("utf-8")
    tables = re.findall(r"^      (\w+):$", text.partition("    queries:")[0], re.MULTILINE)
    assert set(tables) == set(VIEWS)
    for table, part in zip(
        tables, re.split(r"^      \w+:$", text, flags=re.MULTILINE)[1:], strict=False
    ):
        columns = {row["name"] for row in views.execute(f"PRAGMA table_info({table})")}
        named = re.findall(r"^          (\w+):", part.partition("    queries:")[0], re.MULTILINE)
        named += re.findall(r"sort_desc: (\w+)", part)
        assert set(named) <= columns, table
    queries = re.findall(r"sql: (.+)", text)
    assert len(queries) == 2
    for query in queries:
        assert all_of(views, query)
