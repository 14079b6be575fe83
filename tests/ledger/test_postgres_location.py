"""The database's own guards: who may do what, and what no group may be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from casino.audit import FileSource, audit
from casino.errors import FileError, InputError, InvariantError
from casino.ledger.ledger import Ledger, grant
from casino.ledger.storage.base import StorageError, StorageRefusal
from casino.ledger.storage.fsck import check_counts, run_check
from casino.ledger.storage.location import location_at
from casino.ledger.transaction import CommandRow, Rows, SignedHead
from tests.ledger.night import Night, SimulatedClock, open_bank
from tests.ledger.postgres_server import HOUSE, NEEDS, OWNER, STRANGER, PostgresServer
from tests.ledger.sealing import wait

pytestmark = NEEDS

SPOILT = [
    "UPDATE casino.leaf SET body = '{}}'",
    "DELETE FROM casino.leaf",
    "TRUNCATE casino.leaf CASCADE",
    "DELETE FROM casino.checkpoint",
    "UPDATE casino.command SET answer = '{}'",
]


@pytest.mark.parametrize("role", [OWNER, HOUSE, STRANGER])
def test_l9_nobody_changes_what_only_grows(
    postgres: PostgresServer, tmp_path: Path, role: str
) -> None:
    """Not a stranger, not the house's role, and not the owner, whom triggers stop."""
    import psycopg

    name = postgres.database()
    bank = Ledger(location_at(tmp_path / "c.db", postgres.url(name, HOUSE)), SimulatedClock())
    wait(grant(bank, "ann", 500, "a"))
    if role == STRANGER:
        # Even one who was let in to read.
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
def test_l9_a_role_has_no_more_rights_than_it_needs(postgres: PostgresServer, role: str) -> None:
    """No trigger is switched off, no table is made, and a stranger may not even read."""
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


GOOD = Rows(
    first=0,
    leaves=[b'{"a":1}', b'{"a":2}'],
    nodes=[],
    balances={"treasury": -50, "wallet/ann": 50, "wallet/ben": 0},
    commands=[CommandRow("a", bytes(16), 0, 1, b"{}"), CommandRow("b", bytes(16), None, 1, b"{}")],
    begun=["t1"],
    ended=[],
    secrets=[("t1", "x", b"y"), ("t1", None, None)],
    checkpoints=[(1, "one"), (2, "two")],
    newest=SignedHead(2, "two"),
)
WRONG: list[tuple[str, dict[str, Any]]] = [
    ("check constraint", {"leaves": [b'{"a":1}', b"{}"]}),
    ("check constraint", {"balances": {"wallet/ann": -50}}),
    ("foreign key", {"first": 1}),
    ("duplicate key", {"checkpoints": [(1, "one"), (1, "two")]}),
    ("duplicate key", {"commands": [*GOOD.commands, *GOOD.commands]}),
    ("duplicate key", {"begun": ["t1", "t1"]}),
    ("invalid input syntax for type json", {"leaves": [b'{"a":1}', b"{2}"]}),
]


def quiet(_: object = None) -> None:
    """Nobody is told."""


@pytest.mark.parametrize(("said", "changed"), WRONG)
def test_l4_l9_the_database_refuses_what_no_group_may_be(
    postgres: PostgresServer, tmp_path: Path, said: str, changed: dict[str, Any]
) -> None:
    """Each with its reason; nothing of it is stored, and the sound group then is."""
    store = postgres.place(tmp_path / "c.db").reopen_store()
    with pytest.raises(StorageRefusal, match=said):
        store.append(GOOD._replace(**changed), quiet, quiet)
    assert store.size() == 0
    store.append(GOOD, quiet, quiet)
    assert (store.size(), store.balances()) == (2, {"treasury": -50, "wallet/ann": 50})
    assert store.holds(GOOD)
    store.append(
        GOOD._replace(
            first=2,
            balances={"treasury": -30, "wallet/ann": 0, "x": 30},
            commands=[],
            begun=[],
            ended=["t1"],
            checkpoints=[],
            newest=SignedHead(4, "n"),
        ),
        quiet,
        quiet,
    )
    assert store.balances() == {"treasury": -30, "x": 30}
    assert store.signed_head() == (4, "n")
    assert store.open_subjects() == frozenset()
    store.close()


def test_no_two_write_at_a_time(postgres: PostgresServer, tmp_path: Path) -> None:
    """Who has not the lock can append nothing while another one has it."""
    place = postgres.place(tmp_path / "c.db")
    first = place.reopen_store()
    with pytest.raises(StorageError, match="another house"):
        place.reopen_store()
    first.append(GOOD, quiet, quiet)
    first.close()


@pytest.fixture
def night_place(postgres: PostgresServer, tmp_path: Path) -> tuple[str, Any]:
    name = postgres.database()
    place = location_at(tmp_path / "casino.db", postgres.url(name, HOUSE))
    bank = open_bank(place)
    night = Night(bank, bettors=3)
    for end in ("over", "void", "open"):
        night.play_game(end)
    bank.close()
    return name, place


def test_an_audit_of_a_database_is_clean_or_says_what_is_wrong(
    postgres: PostgresServer, night_place: tuple[str, Any]
) -> None:
    """Guards that were taken away, and rows that their owner spoilt behind them."""
    name, place = night_place
    for workers in (1, 2):
        findings = audit(FileSource(place), workers=workers).findings
        assert [str(one) for one in findings if one.severity == "error"] == []
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
        open_bank(place)


def test_leaves_are_looked_up_by_the_indexes(night_place: tuple[str, Any]) -> None:
    _, place = night_place
    store = place.open_queries()
    for plan in ("seqscan", "bitmapscan"):
        store.number(f"SELECT length(set_config('enable_{plan}', 'off', false))")
    for name, field in store.dialect.fields._asdict().items():
        sql = f"EXPLAIN SELECT body FROM leaf WHERE {field} = ? ORDER BY n"
        assert f"leaf_{name}" in str(list(store.rows(sql, (1 if name == "entry" else "terms",))))
    store.close()


@pytest.mark.parametrize(
    ("spoilt", "said"),
    [
        ("DELETE FROM casino.leaf WHERE n = 0", "leaf has"),
        (
            "INSERT INTO casino.node VALUES (8, 900, decode(repeat('00', 32), 'hex'))",
            "nodes are stored",
        ),
        ("INSERT INTO casino.checkpoint VALUES (99999, 'x')", "leaves were signed"),
    ],
)
def test_each_count_that_is_wrong_is_said(
    postgres: PostgresServer, night_place: tuple[str, Any], spoilt: str, said: str
) -> None:
    name, place = night_place
    assert run_check(place.open_queries, check_counts) == []
    with postgres.connect(name) as connection:
        connection.execute(f"ALTER TABLE {spoilt.split()[2]} DISABLE TRIGGER USER")
        connection.execute(spoilt)
    assert any(said in one.text for one in run_check(place.open_queries, check_counts))


def test_a_database_that_was_not_prepared_is_refused(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    """With what to do; so are one of another format, one that is no address, one that is away."""
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
    with pytest.raises(InputError, match="no address of a database"):
        location_at(where, "postgresql://a@b/c?nonsense=1")
    with pytest.raises(FileError, match="start the server") as refused:
        location_at(where, f"postgresql://me:geheim@/x?host={tmp_path}").open_queries()
    assert "geheim" not in str(refused.value)
    assert not list(tmp_path.iterdir())


def test_a_server_that_would_lose_what_it_acknowledged_is_refused(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    place = postgres.place(tmp_path / "c.db")
    with postgres.connect("postgres") as connection:
        connection.execute("ALTER ROLE house SET synchronous_commit = off")
        try:
            with pytest.raises(FileError, match="set both to on"):
                open_bank(place)
        finally:
            connection.execute("ALTER ROLE house RESET synchronous_commit")
    open_bank(place).close()
