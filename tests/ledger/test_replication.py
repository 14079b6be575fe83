"""PostgreSQL's own replication: with a second server the loss of a machine loses no answer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from casino.audit import FileSource, audit
from casino.errors import FileError, InvariantError, Refused
from casino.ledger.ledger import Ledger, open_log
from tests.ledger.issues import give, issue
from tests.ledger.night import open_bank
from tests.ledger.postgres_server import NEEDS, PostgresServer
from tests.ledger.sealing import wait

pytestmark = NEEDS

SYNCHRONOUS = "SELECT application_name FROM pg_stat_replication WHERE sync_state = 'sync'"
CENTS = 500


@pytest.fixture
def primary() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


def wait_for_replicas(primary: PostgresServer) -> None:
    """From now on the server answers nobody before a replica has what he wrote."""
    with primary.connect("postgres") as connection:
        connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        connection.execute("SELECT pg_reload_conf()")
        while not connection.execute(SYNCHRONOUS).fetchall():
            threading.Event().wait(0.02)


def of_both(place: Any, *servers: PostgresServer) -> Any:
    base = place.url.partition("?")[0]
    return place._replace(url=f"{base}?host={','.join(str(one.folder) for one in servers)}")


def until_replayed(primary: PostgresServer, replica: PostgresServer) -> None:
    with primary.connect("postgres") as one, replica.connect("postgres") as other:
        (written,) = one.execute("SELECT pg_current_wal_lsn()::text").fetchall()[0]
        asked = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
        while not other.execute(asked, [written]).fetchall()[0][0]:
            threading.Event().wait(0.02)


def until_answered(bank: Ledger, name: str) -> None:
    while (fault := give(bank, name, CENTS, f"for {name}").exception(60)) is not None:
        assert isinstance(fault, Refused) and fault.code == "unavailable"
        threading.Event().wait(0.05)


def test_a_lost_server_loses_no_answer(primary: PostgresServer, tmp_path: Path) -> None:
    """Killed under load; its replica is promoted, and the bank goes on there by itself."""
    place = primary.place(tmp_path / "casino.db")
    with PostgresServer(primary) as replica:
        wait_for_replicas(primary)
        # Readers too must look at the server that is written, though the replica is named first.
        both = of_both(place, replica, primary)
        bank = open_bank(both)
        issue(bank)
        names = [f"p{number:03}" for number in range(200)]
        asked: dict[str, Future[Any]] = {}
        for name in names:
            asked[name] = give(bank, name, CENTS, f"for {name}")
            if len(asked) == 100:
                wait(asked[names[20]])
                primary.kill()
        replica.promote()
        answered = [name for name, future in asked.items() if future.exception(60) is None]
        assert len(answered) >= 21
        log = open_log(both)
        assert {log.balance(f"wallet/{name}") for name in answered} == {CENTS}
        for name in names:
            until_answered(bank, name)
        assert {log.balance(f"wallet/{name}") for name in names} == {CENTS}
        bank.close()
        log.close()
        assert [str(one) for one in audit(FileSource(both), workers=1).findings] == []


def test_readers_look_at_the_server_that_is_written(
    primary: PostgresServer, tmp_path: Path
) -> None:
    """Whatever the order of the names; a replica alone can be read, and nobody writes there."""
    place: Any = primary.place(tmp_path / "casino.db")
    with PostgresServer(primary) as replica:
        bank = open_bank(of_both(place, replica, primary))
        with replica.connect("postgres") as connection:
            connection.execute("SELECT pg_wal_replay_pause()")
            wait(give(bank, "ann", CENTS, "a"))
            assert bank.reader().balance("wallet/ann") == CENTS
            log = open_log(of_both(place, replica))
            assert log.balance("wallet/ann") == 0
            log.close()
            connection.execute("SELECT pg_wal_replay_resume()")
        bank.close()
        until_replayed(primary, replica)
        with pytest.raises(FileError, match="session is read-only"):
            open_bank(of_both(place, replica))


def test_a_replica_that_had_not_heard_of_everything_ends_the_house(
    primary: PostgresServer, tmp_path: Path
) -> None:
    """Without waiting for it an answer can be lost: then the house stops, and signs nothing."""
    place = primary.place(tmp_path / "casino.db")
    with PostgresServer(primary) as replica:
        both = of_both(place, primary, replica)
        bank = open_bank(both)
        wait(give(bank, "ann", CENTS, "a"))
        replica.stop()
        wait(give(bank, "ben", CENTS, "b"))
        primary.kill()
        replica.start()
        replica.promote()
        while isinstance(fault := give(bank, "cy", CENTS, "c").exception(60), Refused):
            threading.Event().wait(0.05)
        assert isinstance(fault, InvariantError)
        assert not bank.can_take_bets
        bank.close()
        assert open_log(of_both(place, replica)).balance("wallet/cy") == 0
