"""PostgreSQL: a standby casino or a replica takes over, and no answer is lost."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from casino.audit import FileSource, audit
from casino.cli.common import INTERRUPTED
from casino.errors import FileError, InvariantError, Refused
from casino.ledger.ledger import Ledger, grant
from casino.ledger.side_files import CasinoFiles, read_note
from casino.ledger.storage.location import open_log
from casino.ledger.tlog.note import open_checkpoint
from tests.ledger.game_simulator import open_ledger, wait
from tests.ledger.grants import give, issue
from tests.ledger.postgres_server import needs_postgres
from tools.postgres_server import PostgresServer

pytestmark = needs_postgres


@pytest.fixture
def place(postgres: PostgresServer, tmp_path: Path) -> Any:
    return postgres.place(tmp_path / "casino.db")


def copy_location(place: Any, path: Path) -> Any:
    """Return the location as on another machine: same database, side files copied."""
    path.parent.mkdir()
    for file in place.path.parent.glob(f"{place.path.name}.*"):
        shutil.copy2(file, path.parent / file.name)
    return place._replace(path=path)


def test_standby_follows_checkpoints_and_takes_over(place: Any, tmp_path: Path) -> None:
    first = open_ledger(place)
    with pytest.raises(FileError, match="is in use"):
        open_ledger(copy_location(place, tmp_path / "refused" / "casino.db"))
    mine = copy_location(place, tmp_path / "other" / "casino.db")
    opened: list[Ledger] = []
    waiting = threading.Thread(target=lambda: opened.append(open_ledger(mine._replace(waits=True))))
    waiting.start()
    answer = wait(grant(first, "ann", 500, "a"))
    size = first.reader().size()
    while open_checkpoint(read_note(CasinoFiles(mine.path).checkpoint) or "", None).size < size:
        waiting.join(timeout=0.05)
    assert not opened
    first.close()
    waiting.join()
    assert wait(grant(opened[0], "ann", 500, "a")) == answer
    opened[0].close()


@pytest.mark.parametrize(
    ("how", "status"), [(("--port", "0"), 0), (("--headless", "--games", "1"), INTERRUPTED)]
)
def test_waiting_standby_stops_cleanly_on_sigterm(
    place: Any, tmp_path: Path, how: tuple[str, ...], status: int
) -> None:
    first = open_ledger(place)
    mine = copy_location(place, tmp_path / "other" / "casino.db")
    settings = tmp_path / "config.toml"
    settings.write_text(f'[bank]\nurl = "{place.url}"\ndb = "{mine.path}"\n', "utf-8")
    line = [sys.executable, "-m", "casino", "run", "--config", str(settings), *how]
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as second:
        assert second.stderr is not None
        assert any("waiting to take over" in said for said in second.stderr)
        second.terminate()
        try:
            assert second.wait(60) == status
        finally:
            second.kill()
    assert wait(grant(first, "ann", 500, "a"))["balance_cents"] == 500
    first.close()


def test_disconnected_casino_stops_after_standby_takes_over(
    postgres: PostgresServer, place: Any, tmp_path: Path
) -> None:
    first = open_ledger(place)
    wait(grant(first, "ann", 500, "a"))
    mine = copy_location(place, tmp_path / "other" / "casino.db")
    opened: list[Ledger] = []
    waiting = threading.Thread(target=lambda: opened.append(open_ledger(mine._replace(waits=True))))
    waiting.start()
    cut_off(postgres, place)
    waiting.join()
    wait(grant(opened[0], "ben", 500, "b"))
    with pytest.raises(Refused):
        wait(grant(first, "ann", 700, "c"))
    opened[0].close()
    while (fault := retry_grant(first)) is None:
        pass
    assert "another casino has written to it" in str(fault.__cause__ or fault)
    assert not first.can_take_bets
    first.close()
    assert open_log(place).balance("wallet/ann") == 500


def retry_grant(bank: Ledger) -> Exception | None:
    fault = grant(bank, "ann", 700, "c").exception(30)
    assert isinstance(fault, Refused | InvariantError), "the log of another house was written"
    is_for_now = isinstance(fault, Refused) and fault.reason == "cannot_write"
    return None if is_for_now else fault


def cut_off(postgres: PostgresServer, place: Any) -> None:
    name = place.url.split("/")[3].split("?")[0]
    sql = """
        SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database
        ON pg_database.oid = database WHERE locktype = 'advisory' AND granted AND datname = %s
    """
    with postgres.connect("postgres") as connection:
        assert connection.execute(sql, (name,)).fetchall() == [(True,)]


def wait_until_open(bank: Ledger) -> None:
    while not bank.can_take_bets:
        threading.Event().wait(0.05)


def test_ledger_survives_server_restart(postgres: PostgresServer, place: Any) -> None:
    bank = open_ledger(place)
    log = bank.reader()
    answer = wait(grant(bank, "ann", 500, "a"))
    postgres.kill()
    with pytest.raises(Refused) as refusal:
        wait(grant(bank, "ben", 500, "b"))
    assert refusal.value.code == "unavailable"
    assert str(postgres.folder) not in str(refusal.value)
    assert not bank.can_take_bets
    postgres.start()
    wait_until_open(bank)
    assert wait(grant(bank, "ann", 500, "a")) == answer
    assert wait(grant(bank, "ben", 500, "b"))["balance_cents"] == 500
    assert log.balance("wallet/ben") == 500
    bank.close()


SYNCHRONOUS = "SELECT application_name FROM pg_stat_replication WHERE sync_state = 'sync'"
CENTS = 500


@pytest.fixture
def primary() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


def wait_for_replicas(primary: PostgresServer) -> None:
    """Make the server acknowledge a write only after a replica has it."""
    with primary.connect("postgres") as connection:
        connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        connection.execute("SELECT pg_reload_conf()")
        while not connection.execute(SYNCHRONOUS).fetchall():
            threading.Event().wait(0.02)


def location_of_both(place: Any, *servers: PostgresServer) -> Any:
    base = place.url.partition("?")[0]
    return place._replace(url=f"{base}?host={','.join(str(one.folder) for one in servers)}")


def wait_until_replayed(primary: PostgresServer, replica: PostgresServer) -> None:
    with primary.connect("postgres") as one, replica.connect("postgres") as other:
        (written,) = one.execute("SELECT pg_current_wal_lsn()::text").fetchall()[0]
        asked = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
        while not other.execute(asked, [written]).fetchall()[0][0]:
            threading.Event().wait(0.02)


def test_failover_to_replica_loses_no_answer(primary: PostgresServer, tmp_path: Path) -> None:
    place = primary.place(tmp_path / "casino.db")
    with PostgresServer(primary) as replica:
        wait_for_replicas(primary)
        # Readers must use the primary too, although the replica is named first.
        both = location_of_both(place, replica, primary)
        bank = open_ledger(both)
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
            while (fault := give(bank, name, CENTS, f"for {name}").exception(60)) is not None:
                assert isinstance(fault, Refused) and fault.code == "unavailable"
                threading.Event().wait(0.05)
        assert {log.balance(f"wallet/{name}") for name in names} == {CENTS}
        bank.close()
        log.close()
        assert [str(one) for one in audit(FileSource(both), workers=1).findings] == []


def test_readers_use_the_primary(primary: PostgresServer, tmp_path: Path) -> None:
    place: Any = primary.place(tmp_path / "casino.db")
    with PostgresServer(primary) as replica:
        bank = open_ledger(location_of_both(place, replica, primary))
        with replica.connect("postgres") as connection:
            connection.execute("SELECT pg_wal_replay_pause()")
            wait(give(bank, "ann", CENTS, "a"))
            assert bank.reader().balance("wallet/ann") == CENTS
            log = open_log(location_of_both(place, replica))
            assert log.balance("wallet/ann") == 0
            log.close()
            connection.execute("SELECT pg_wal_replay_resume()")
        bank.close()
        wait_until_replayed(primary, replica)
        with pytest.raises(FileError, match="session is read-only"):
            open_ledger(location_of_both(place, replica))


def test_promoting_stale_replica_stops_the_ledger(primary: PostgresServer, tmp_path: Path) -> None:
    place = primary.place(tmp_path / "casino.db")
    with PostgresServer(primary) as replica:
        both = location_of_both(place, primary, replica)
        bank = open_ledger(both)
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
        assert open_log(location_of_both(place, replica)).balance("wallet/cy") == 0
