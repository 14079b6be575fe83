"""The database's own checks: rights of each role, and settings it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from casino.audit import FileSource, audit
from casino.errors import FileError, InputError, InvariantError
from casino.ledger.ledger import Ledger, grant
from casino.ledger.storage.location import location_at
from tests.audit.test_tampering import errors
from tests.ledger.game_simulator import SimulatedClock, open_ledger, play_games, wait
from tests.ledger.postgres_server import needs_postgres
from tools.postgres_server import HOUSE, OWNER, STRANGER, PostgresServer

pytestmark = needs_postgres

SPOILT = [
    "UPDATE casino.leaf SET body = '{}}'",
    "DELETE FROM casino.leaf",
    "TRUNCATE casino.leaf CASCADE",
    "DELETE FROM casino.checkpoint",
    "UPDATE casino.command SET answer = '{}'",
]


@pytest.mark.parametrize("role", [OWNER, HOUSE, STRANGER])
def test_l9_no_role_can_change_append_only_tables(
    postgres: PostgresServer, tmp_path: Path, role: str
) -> None:
    import psycopg

    name = postgres.database()
    bank = Ledger(location_at(tmp_path / "c.db", postgres.url(name, HOUSE)), SimulatedClock())
    wait(grant(bank, "ann", 500, "a"))
    if role == STRANGER:
        # Even with read access.
        with postgres.connect(name) as connection:
            connection.execute("GRANT USAGE ON SCHEMA casino TO stranger")
            connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA casino TO stranger")
    size = bank.reader().size()
    with postgres.connect(name, role) as connection:
        for statement in SPOILT:
            with pytest.raises(psycopg.Error, match="denied|is never changed"):
                connection.execute(statement)
    assert bank.reader().size() == size
    bank.close()


@pytest.mark.parametrize("role", [HOUSE, STRANGER])
def test_l9_roles_have_minimal_rights(postgres: PostgresServer, role: str) -> None:
    import psycopg

    name = postgres.database()
    tries = [
        "UPDATE casino.about SET value = 'x'",
        "DELETE FROM casino.node",
        "ALTER TABLE casino.leaf DISABLE TRIGGER ALL",
        "SET session_replication_role = replica",
        "CREATE TABLE casino.more (n int)",
    ]
    with postgres.connect(name, role) as connection:
        for statement in tries:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)
    if role == STRANGER:
        with pytest.raises(FileError, match="casino prepare"):
            location_at(Path("c.db"), postgres.url(name, role)).open_queries()


@pytest.fixture
def played_database(postgres: PostgresServer, tmp_path: Path) -> tuple[str, Any]:
    name = postgres.database()
    place = location_at(tmp_path / "casino.db", postgres.url(name, HOUSE))
    play_games(place, games=1, bettors=3)
    return name, place


def test_audit_of_database_reports_tampering(
    postgres: PostgresServer, played_database: tuple[str, Any]
) -> None:
    name, place = played_database
    for workers in (1, 2):
        assert errors(audit(FileSource(place), workers=workers)) == []
    with postgres.connect(name) as connection:
        connection.execute("ALTER TABLE casino.command DISABLE TRIGGER command_stays")
        connection.execute("DROP TRIGGER leaf_stays ON casino.leaf")
        connection.execute(
            "UPDATE casino.account SET balance = balance + 1 WHERE name = 'wallet/ann'"
        )
        connection.execute("UPDATE casino.leaf SET body = '{ }' WHERE n = 7")
        connection.execute("CREATE FUNCTION casino.more() RETURNS int LANGUAGE sql AS 'SELECT 1'")
    said = "\n".join(str(one) for one in audit(FileSource(place), workers=1).findings)
    for part in (
        "trigger command_stays",
        "trigger leaf_stays",
        "function more",
        "wallet/ann holds",
    ):
        assert part in said
    with pytest.raises((FileError, InvariantError), match="not those that"):
        open_ledger(place)


def test_leaf_lookups_use_indexes(played_database: tuple[str, Any]) -> None:
    _, place = played_database
    store = place.open_queries()
    for plan in ("seqscan", "bitmapscan"):
        store.number(f"SELECT length(set_config('enable_{plan}', 'off', false))")
    for name in ("kind", "owner"):
        sql = f"EXPLAIN SELECT body FROM leaf WHERE {name} = ? ORDER BY n"
        assert f"leaf_{name}" in str(list(store.rows(sql, ("terms",))))
    store.close()


def test_cursor_lookups_use_indexes(postgres: PostgresServer) -> None:
    name = postgres.database()
    with postgres.connect(name) as connection:
        connection.execute(
            "INSERT INTO casino.leaf (n, body, owner)"
            " SELECT n, '[0]', 'ann' || n / 80 FROM generate_series(0, 7999) n"
        )
        connection.execute("ANALYZE casino.leaf")
    store = location_at(Path("c.db"), postgres.url(name, HOUSE)).open_queries()
    sql = "SELECT n, body FROM leaf WHERE owner = 'ann7' ORDER BY n"
    plan = list(store.rows(f"EXPLAIN DECLARE of_ann CURSOR WITH HOLD FOR {sql}"))
    assert "leaf_owner" in str(plan)
    store.close()


def test_unprepared_database_is_refused(postgres: PostgresServer, tmp_path: Path) -> None:
    where = tmp_path / "c.db"
    with pytest.raises(FileError, match="casino prepare"):
        Ledger(location_at(where, postgres.url("postgres", HOUSE)), SimulatedClock())
    name = postgres.database()
    with postgres.connect(name) as connection:
        connection.execute(
            "CREATE OR REPLACE FUNCTION casino.format() RETURNS int LANGUAGE sql AS 'SELECT 99'"
        )
    with pytest.raises(FileError, match="format is 99"):
        Ledger(location_at(where, postgres.url(name, HOUSE)), SimulatedClock())
    with pytest.raises(InputError, match="not the address of a database"):
        location_at(where, "postgresql://a@b/c?nonsense=1")
    unreachable = location_at(where, f"postgresql://me:geheim@/x?host={tmp_path}")
    with pytest.raises(FileError, match="start the server") as refused:
        unreachable.open_queries()
    assert "geheim" not in str(refused.value) and unreachable.size_bytes() == 0
    assert not list(tmp_path.iterdir())


def test_server_without_synchronous_commit_is_refused(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    place = postgres.place(tmp_path / "c.db")
    with postgres.connect("postgres") as connection:
        connection.execute("ALTER ROLE house SET synchronous_commit = off")
        try:
            with pytest.raises(FileError, match="turn both on"):
                open_ledger(place)
        finally:
            connection.execute("ALTER ROLE house RESET synchronous_commit")
    open_ledger(place).close()
