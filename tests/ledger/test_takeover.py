"""One house at a time: a second one waits, takes over, and takes over nothing that is less."""

from __future__ import annotations

import multiprocessing
import shutil
import subprocess
import sys
import threading
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from casino.audit import FileSource, audit
from casino.errors import FileError, InvariantError, Refused
from casino.ledger.ledger import Ledger, grant, open_log
from casino.ledger.side_files import CasinoFiles
from casino.ledger.tlog.note import open_checkpoint
from tests.ledger.load import serve
from tests.ledger.night import SimulatedClock, open_bank
from tests.ledger.postgres_server import HOUSE, NEEDS, PostgresServer
from tests.ledger.sealing import wait

pytestmark = NEEDS

CONTEXT = multiprocessing.get_context("spawn")


def house(place: Any, answered: list[int], pipe: Connection) -> None:
    serve(Ledger(place.as_standby(), SimulatedClock()), answered, pipe)


def copy_beside(place: Any, path: Path) -> Any:
    """The place as another machine has it: the same database, the files beside it copied."""
    path.parent.mkdir()
    for file in place.path.parent.glob(f"{place.path.name}.*"):
        shutil.copy2(file, path.parent / file.name)
    return place._replace(path=path)


def take(pipe: Connection, answered: list[int], enough: int | None) -> None:
    try:
        while enough is None or enough > 0:
            number, turn, balance, _ = pipe.recv()
            assert turn == answered[number]
            assert balance == 10**9 - (turn + 1) * (turn + 2) // 2
            answered[number] += 1
            enough = None if enough is None else enough - 1
    except EOFError:
        return


def test_a_house_that_is_killed_is_taken_over_again_and_again(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    """With -9 under load: no answer is lost, none given twice, and the audit finds nothing."""
    place: Any = postgres.place(tmp_path / "casino.db")
    open_bank(place).close()
    answered, houses = [0] * 8, []
    for number in range(4):
        mine = copy_beside(place, tmp_path / f"machine{number}" / "casino.db")
        ours, theirs = CONTEXT.Pipe(duplex=False)
        houses.append((mine, ours, theirs))
    for mine, ours, theirs in houses:
        process = CONTEXT.Process(target=house, args=(mine, answered, theirs))
        process.start()
        theirs.close()
        take(ours, answered, 40)
        process.kill()
        take(ours, answered, None)
        process.join()
    log = open_log(place)
    for number, count in enumerate(answered):
        done = 10**9 - log.balance(f"wallet/p{number}")
        # The last command may have been done without an answer.
        assert done in {n * (n + 1) // 2 for n in (count, count + 1)}
    log.close()
    findings = audit(FileSource(place), workers=1).findings
    assert [str(one) for one in findings if one.check not in ("escrow", "games")] == []


def test_a_house_that_waits_keeps_up_and_goes_on_at_once(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    """Its checkpoint follows the log; when the first one ends it serves the same people."""
    place: Any = postgres.place(tmp_path / "casino.db")
    first = open_bank(place)
    with pytest.raises(FileError, match="open already"):
        open_bank(copy_beside(place, tmp_path / "refused" / "casino.db"))
    mine = copy_beside(place, tmp_path / "other" / "casino.db")
    opened: list[Ledger] = []
    waiting = threading.Thread(target=lambda: opened.append(open_bank(mine.as_standby())))
    waiting.start()
    answer = wait(grant(first, "ann", 500, "a"))
    size = first.reader().size()
    while open_checkpoint(CasinoFiles(mine.path).checkpoint_note() or "", None).size < size:
        waiting.join(timeout=0.05)
    assert not opened
    first.close()
    waiting.join()
    assert wait(grant(opened[0], "ann", 500, "a")) == answer
    opened[0].close()


@pytest.mark.parametrize("how", [(), ("--headless", "--games", "1")])
def test_a_house_that_is_told_to_stop_while_it_waits_ends_in_good_order(
    postgres: PostgresServer, tmp_path: Path, how: tuple[str, ...]
) -> None:
    """SIGTERM ends it at once, as a container's first process too, and it leaves the log alone."""
    place: Any = postgres.place(tmp_path / "casino.db")
    first = open_bank(place)
    mine = copy_beside(place, tmp_path / "other" / "casino.db")
    settings = tmp_path / "config.toml"
    settings.write_text(f'[bank]\nurl = "{place.url}"\ndb = "{mine.path}"\n', "utf-8")
    line = [sys.executable, "-m", "casino", "run", "--config", str(settings), *how]
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as second:
        assert second.stderr is not None
        assert any("waiting to take over" in said for said in second.stderr)
        second.terminate()
        try:
            assert second.wait(60) == 0
        finally:
            second.kill()
    assert wait(grant(first, "ann", 500, "a"))["balance_cents"] == 500
    first.close()


def test_a_house_that_was_cut_off_stops_once_another_has_gone_on(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    """It can write nothing without the lock, and what it finds then is not what it left."""
    place: Any = postgres.place(tmp_path / "casino.db")
    first = open_bank(place)
    wait(grant(first, "ann", 500, "a"))
    mine = copy_beside(place, tmp_path / "other" / "casino.db")
    opened: list[Ledger] = []
    waiting = threading.Thread(target=lambda: opened.append(open_bank(mine.as_standby())))
    waiting.start()
    cut_off(postgres, place)
    waiting.join()
    wait(grant(opened[0], "ben", 500, "b"))
    with pytest.raises(Refused):
        wait(grant(first, "ann", 700, "c"))
    opened[0].close()
    while (fault := asked_again(first)) is None:
        pass
    assert "another house has gone on" in str(fault)
    assert not first.can_take_bets
    first.close()
    assert open_log(place).balance("wallet/ann") == 500


def asked_again(bank: Ledger) -> Exception | None:
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


def test_a_database_that_came_back_older_is_refused(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    """As after a change to a replica that had not heard of everything (L14)."""
    place: Any = postgres.place(tmp_path / "casino.db")
    name = place.url.split("/")[3].split("?")[0]
    bank = open_bank(place)
    wait(grant(bank, "ann", 500, "a"))
    bank.close()
    with postgres.connect("postgres") as connection:
        connection.execute(f"CREATE DATABASE {name}_old TEMPLATE {name}")
    bank = open_bank(place)
    wait(grant(bank, "ben", 500, "b"))
    bank.close()
    old = place._replace(url=postgres.url(f"{name}_old", HOUSE))
    with pytest.raises(FileError, match="are lost.*bring back the server"):
        open_bank(old)


def until_open(bank: Ledger) -> None:
    while not bank.can_take_bets:
        threading.Event().wait(0.05)


def test_a_bank_outlives_its_server(postgres: PostgresServer, tmp_path: Path) -> None:
    """Killed with -9 and started again: readers and writer go on by themselves, nothing is lost."""
    place = postgres.place(tmp_path / "casino.db")
    bank = open_bank(place)
    log = bank.reader()
    answer = wait(grant(bank, "ann", 500, "a"))
    postgres.kill()
    with pytest.raises(Refused) as refusal:
        wait(grant(bank, "ben", 500, "b"))
    assert refusal.value.code == "unavailable"
    assert str(postgres.folder) not in str(refusal.value)
    assert not bank.can_take_bets
    postgres.start()
    until_open(bank)
    assert wait(grant(bank, "ann", 500, "a")) == answer
    assert wait(grant(bank, "ben", 500, "b"))["balance_cents"] == 500
    assert log.balance("wallet/ben") == 500
    bank.close()
