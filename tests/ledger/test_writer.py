"""The single writer: answers after the commit, groups, refusals, ids, faults; its readers."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from casino.errors import FileError, InvariantError, RefusalReason, Refused
from casino.events.types import CutSealed
from casino.ledger import accounts, writer
from casino.ledger.entries import Entry, encode
from casino.ledger.ledger import Ledger, grant
from casino.ledger.log_reader import LogReader
from casino.ledger.side_files import write_private
from casino.ledger.storage.base import StorageError
from casino.ledger.storage.location import LogLocation, SqliteLocation, open_log
from casino.ledger.storage.store import SqlStore
from casino.ledger.tlog import merkle
from casino.ledger.tlog.note import open_checkpoint, sign_checkpoint
from casino.ledger.transaction import Answer, Transaction
from casino.ledger.writer import CHECKPOINT_EVERY_MS, NOT_REMEMBERED, WriterListener
from tests.audit.leaf_builders import entry
from tests.ledger.game_simulator import GameSimulator, SimulatedClock, open_ledger, wait
from tests.ledger.test_commands import Listener, granting, sealing
from tests.ledger.test_witnesses import PETER_SECRET


def count(place: LogLocation, table: str) -> int:
    """Return a table's number of rows as another process sees it."""
    with closing(place.open_queries()) as store:
        assert isinstance(store, LogReader)
        return store.number(f"SELECT count(*) FROM {table}")


def refusing(code: str):  # type: ignore[no-untyped-def]
    def work(tx: Transaction) -> Answer:
        tx.post(accounts.grant("ann", 5))
        tx.log(CutSealed(game="t1-000001", player="ann", seal="x"))
        tx.secrets.append(("t1-000001", "x", b"y"))
        raise Refused(RefusalReason("because", code, "refused with {n}", "R1.1"), n=code)

    return work


CODES = ["bad_request", "insufficient_chips", "rate_limited", "unavailable"]


def test_l5_refusals_leave_no_trace_and_lasting_ones_are_repeated(night: GameSimulator) -> None:
    place, bank, tables = night.bank.location, night.bank, ("leaf", "secret", "account")
    for code in CODES:
        before = [count(place, table) for table in tables]
        with pytest.raises(Refused) as refusal:
            wait(bank.submit(refusing(code), code, b"content"))
        assert refusal.value.code == code
        bound = code not in NOT_REMEMBERED
        assert [count(place, table) for table in tables] == [before[0] + bound, *before[1:]]
        assert [leaf.kind for leaf in open_log(place).leaves(before[0])] == ["answers"] * bound
        again = bank.submit(lambda _: {"done": 1}, code, b"content")
        if code in NOT_REMEMBERED:
            assert wait(again) == {"done": 1}
        else:
            with pytest.raises(Refused) as second:
                wait(again)
            assert second.value.json() == refusal.value.json()


def test_command_id_length_is_limited(night: GameSimulator) -> None:
    for name in ("", "x" * 129, "a\0"):
        with pytest.raises(Refused) as refusal:
            wait(night.bank.submit(lambda _: {}, name, b""))
        assert refusal.value.code == "bad_request"


def test_l10_refused_command_does_not_affect_its_group(night: GameSimulator) -> None:
    started, go = threading.Event(), threading.Event()

    def gate(_: Transaction) -> Answer:
        started.set()
        assert go.wait(60)
        return {}

    night.bank.submit(gate, "gate", b"")
    assert started.wait(60)
    futures: list[Future[Answer]] = []
    for number in range(20):
        work = refusing("over_limit") if number % 3 == 0 else granting(f"g{number}", number)
        futures.append(night.bank.submit(work, f"n{number}", b""))
    futures.append(night.bank.submit(granting("g1", 1), "n1", b""))
    go.set()
    for number, future in enumerate(futures[:20]):
        if number % 3 == 0:
            assert isinstance(future.exception(10), Refused)
        else:
            assert wait(future)["cents"] == number
    assert wait(futures[20]) == wait(futures[1])


def test_l10_bug_stops_writer_and_keeps_committed_commands(night: GameSimulator) -> None:
    place = night.bank.location

    def bug(_: Transaction) -> Answer:
        raise ZeroDivisionError

    wait(grant(night.bank, "zoe", 700, "z1"))
    stored = count(place, "command")
    with pytest.raises(ZeroDivisionError):
        wait(night.bank.submit(bug, "bug", b""))
    with pytest.raises(Refused) as refusal:
        wait(grant(night.bank, "zoe", 700, "z2"))
    assert refusal.value.code == "unavailable"
    assert not night.bank.can_take_bets
    assert count(place, "command") == stored > 0


def test_l7_checkpoints_at_start_end_each_game_and_each_minute(place: LogLocation) -> None:
    listener, clock = Listener(), SimulatedClock()
    bank = open_ledger(place, clock, listener)
    night = GameSimulator(bank, bettors=2)
    assert len(listener.notes) == 1
    night.play_game()
    wait(bank.submit(lambda _: {}))
    assert len(listener.notes) == 2
    clock.now_ms += CHECKPOINT_EVERY_MS
    wait(grant(bank, "late", 5, "late"))
    wait(bank.submit(lambda _: {}))
    assert len(listener.notes) == 3
    wait(grant(bank, "later", 5, "later"))
    assert len(listener.notes) == 3
    bank.close()
    assert len(listener.notes) == 4
    sizes = [open_checkpoint(note, bank.key.public).size for note in listener.notes]
    assert sizes == sorted(set(sizes))
    assert sizes[-1] == count(place, "leaf")
    assert bank.files.checkpoint.read_text() == listener.notes[-1]


def test_l12_low_disk_space_refuses_bets_but_not_grants(
    place: LogLocation, caplog: pytest.LogCaptureFixture
) -> None:
    free = [1000]
    bank = Ledger(place, SimulatedClock(), least_free_bytes=500)
    bank._free_bytes = lambda: free[0]
    bank.require_room()
    free[0] = 499
    with pytest.raises(Refused) as refusal:
        bank.require_room()
    assert refusal.value.code == "unavailable"
    assert wait(grant(bank, "ann", 5, "a"))["balance_cents"] == 5
    free[0] = 500
    bank.require_room()
    assert [line.rpartition(": ")[2] for line in caplog.messages] == [
        "bets are refused", "bets are taken again",
    ]  # fmt: skip
    bank.close()


def test_l12_writer_recovers_once_file_can_be_opened(
    place: LogLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults, sizes, broken = list[Exception](), list[int](), [False]
    listener = WriterListener()
    monkeypatch.setattr(listener, "on_fault", faults.append)
    monkeypatch.setattr(listener, "on_reopened", lambda log: sizes.append(log.size()))
    reopen_store = type(place).reopen_store

    def opener(_: LogLocation) -> SqlStore:
        if broken[0]:
            raise StorageError("simulated")
        return reopen_store(cast("Any", place))

    monkeypatch.setattr(type(place), "reopen_store", opener)
    bank = Ledger(place, SimulatedClock(), watch=listener)

    def fails(_: Transaction) -> Answer:
        broken[0] = True
        raise StorageError("disk I/O error")

    for name, work in (("io", fails), ("next", granting("ann", 5))):
        with pytest.raises(Refused) as refusal:
            wait(bank.submit(work, name, b""))
        assert refusal.value.code == "unavailable"
        assert not bank.can_take_bets
    broken[0] = False
    assert wait(bank.submit(granting("ann", 5), "next", b"")) == {"cents": 5}
    assert (len(faults), len(sizes)) == (2, 2)
    bank.close()
    with pytest.raises(Refused):
        wait(bank.submit(granting("ann", 5), "late", b""))


def overwrite_with_older_copy(file: Path) -> None:
    older = file.read_bytes()
    with closing(sqlite3.connect(file)) as other:
        assert other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() == (0, 0, 0)
    file.write_bytes(older)


FILE_CHANGES: dict[str, Callable[[Path], object]] = {
    "moved": lambda file: file.rename(file.with_name("moved.db")),
    "deleted": lambda file: file.unlink(),
    "replaced": lambda file: Path(shutil.copy(file, file.with_name("copy.db"))).replace(file),
    "overwritten": overwrite_with_older_copy,
    "without its WAL": lambda file: file.with_name("casino.db-wal").unlink(),
    "without its index": lambda file: file.with_name("casino.db-shm").unlink(),
    "with its WAL cut": lambda file: os.truncate(file.with_name("casino.db-wal"), 0),
}


@pytest.mark.parametrize("how", FILE_CHANGES)
def test_l12_moved_or_replaced_file_stops_bets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(writer, "_MAX_IDLE_SECONDS", 0.01)
    path, noticed, listener = tmp_path / "casino.db", threading.Event(), WriterListener()
    listener.on_fault = lambda _: noticed.set()  # type: ignore[assignment, method-assign]
    bank = open_ledger(path, SimulatedClock(), listener)
    wait(bank.submit(granting("ann", 5), "first", b""))
    FILE_CHANGES[how](path)
    assert noticed.wait(60)
    with pytest.raises(Refused, match="takes no bets at the moment: try again later") as refusal:
        wait(bank.submit(granting("ann", 5), "next", b""))
    assert (refusal.value.code, refusal.value.values) == ("unavailable", {})
    cause = str(refusal.value.__cause__)
    assert "start it again" in cause or "that are not" in cause
    assert not bank.can_take_bets
    bank.close()
    if how == "without its WAL":
        assert open_log(path).balance("wallet/ann") == 5


def test_l12_wal_checkpoint_by_another_program_is_no_fault(tmp_path: Path) -> None:
    bank = open_ledger(tmp_path / "casino.db")
    wait(bank.submit(granting("ann", 5), "first", b""))
    with closing(sqlite3.connect(tmp_path / "casino.db")) as other:
        assert other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() == (0, 0, 0)
    assert wait(bank.submit(granting("ann", 5), "next", b"")) == {"cents": 10}
    bank.close()


def test_l13_log_does_not_open_with_another_key(db_file: Path) -> None:
    db_file.with_name("casino.db.key").write_text(PETER_SECRET)
    with pytest.raises(FileError, match="belongs to the key"):
        open_ledger(db_file)


def test_l13_secrets_of_exchanges_are_kept_only_while_game_runs(night: GameSimulator) -> None:
    log, exchanged = night.bank.reader(), 0
    while not exchanged:
        game = night.play_game("open")
        exchanged = sum(b'"X??' in leaf.body for leaf in log.of_subject(game))
        assert len(log.secrets().get(game, {})) == exchanged
    over = night.play_game()
    assert any(b'"X??' in leaf.body for leaf in log.of_subject(over)) and over not in log.secrets()


def test_l20_leaf_times_never_decrease_when_clock_goes_back(tmp_path: Path) -> None:
    times = iter([50, 50, 70, 40, 60, 30, 69, 71, 80, 90, *[100] * 50])
    bank = Ledger(tmp_path / "casino.db", lambda: next(times))
    with bank.batch():
        futures = [bank.submit(sealing("g1", f"p{n}")) for n in range(3)]
    futures += [bank.submit(sealing("g1", f"q{n}")) for n in range(3)]
    for future in futures:
        wait(future)
    bank.close()
    log = open_log(tmp_path / "casino.db")
    at = [leaf.time for leaf in log.leaves()]
    assert at == sorted(at)
    assert len(set(at)) > 2
    log.close()


def test_l6_leaf_that_decodes_differently_is_refused() -> None:
    postings: Any = [["treasury", -5], ["wallet/ann", 5]]
    with pytest.raises(InvariantError, match="would be read as"):
        encode(Entry(at=1, entry=1, move="grant", postings=postings))


def test_leaves_are_found_by_entry_time_and_game(played: Path) -> None:
    log = open_log(played)
    leaves = list(log.leaves())
    entries = [leaf.n for leaf in leaves if leaf.kind == "entry"]
    for first in range(0, log.size(), 7):
        found = [leaf.n for leaf in log.entry_leaves(first)]
        assert found == [n for n in entries if n >= first]
    assert log.last_entry() == len(entries)
    times = [leaf.time for leaf in leaves]
    for at in {*times, times[0] - 1, times[-1] + 1, *(one + 1 for one in times[::5])}:
        due = next((n for n, one in enumerate(times) if one >= at), len(times))
        assert log.first_at(at) == due
    for game in ("t1-000001", "t1-000006", "t9-000001"):
        assert list(log.of_subject(game)) == [leaf for leaf in leaves if leaf.subject == game]
    log.close()


def test_l24_receipt_uses_cosigned_checkpoint_only_if_it_covers_leaf(tmp_path: Path) -> None:
    bank = open_ledger(tmp_path / "casino.db")
    leaf = wait(bank.submit(sealing("g1", ends=True)))["leaf"]
    wait(bank.submit(lambda _: {}))
    log = bank.reader()
    stored = log.checkpoint()
    assert stored is not None
    short = sign_checkpoint(bank.key, leaf, log.root(leaf))
    covers = sign_checkpoint(bank.key, leaf + 1, log.root(leaf + 1))
    plain = log.receipt(leaf)
    assert plain is not None
    assert log.receipt(leaf, short) == plain
    cosigned = log.receipt(leaf, covers)
    assert cosigned is not None
    assert cosigned.endswith(covers)
    log.close()
    bank.close()


def test_l11_group_counts_as_stored_only_if_its_bytes_match(tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    open_ledger(path).close()
    store = SqliteLocation(path).reopen_store()
    size = store.size()
    last = next(store.leaves(size - 1, 1)).body
    for leaves, is_held in (([last], True), ([b"{}}"], False), ([], False)):
        rows = SimpleNamespace(leaves=leaves, size=size)
        assert store.holds(cast("Any", rows)) == is_held
    longer = SimpleNamespace(leaves=[last], size=size + 1)
    assert not store.holds(cast("Any", longer))
    store.close()


def test_l15_replaced_file_and_its_folder_are_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced, real = list[str](), os.fsync

    def fsync(file: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(file).st_mode)
        synced.append("folder" if is_folder else "file")
        synced.append((tmp_path / "a").read_text() if (tmp_path / "a").exists() else "nothing")
        real(file)

    monkeypatch.setattr(os, "fsync", fsync)
    write_private(tmp_path / "a", "one")
    write_private(tmp_path / "a", "two")
    assert synced == ["file", "nothing", "folder", "one", "file", "one", "folder", "two"]
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["a"]


def test_entries_outside_games_are_found_by_each_wallet(place: LogLocation) -> None:
    bank = open_ledger(place)
    people = [f"wallet/p{number:03}" for number in range(200)]
    names = {"ann", 'b"\\é', "cas", *(name.removeprefix("wallet/") for name in people)}
    entries = [accounts.grant(name, 900) for name in (*sorted(names), "house")]
    for moves in (
        (("wallet/ann", 5), ("wallet/cas", -5)),
        (('wallet/b"\\é', 5), ("house/bank", -5)),
        (('wallet/b"\\é', 5), ("treasury", -5)),
        (("wallet/ann", 5), ("wallet/cas", -4), ("treasury", -1)),
        (*((name, 1) for name in people), ("treasury", -len(people))),
    ):
        entries.append(entry(0, "correct", *sorted(moves), corrects=1, reason="a mistake"))
    wait(bank.submit(lambda tx: {"numbers": [tx.post(entry) for entry in entries]}))
    bank.close()
    log = open_log(place)
    whole = [(leaf, leaf.owners) for leaf in log.leaves()]
    for player in (*sorted(names), "house", "nobody", "easury"):
        assert list(log.of_owner(player)) == [leaf for leaf, owners in whole if player in owners]
    assert log.owners() == sorted(names)
    log.close()


def test_l7_proofs_verify_at_any_size_of_a_multi_tile_log(place: LogLocation) -> None:
    bank = open_ledger(place)
    night = GameSimulator(bank, bettors=3)
    while (size := bank.reader().size()) <= 3 << merkle.TILE:
        night.play_game()
    bank.close()
    log = open_log(place)
    tree, roots, hashes = merkle.Frontier(), [merkle.Frontier().root()], []
    for leaf in log.leaves():
        hashes.append(merkle.leaf_hash(leaf.body))
        tree.extend([hashes[-1]])
        roots.append(tree.root())
    random = Random(7)
    for _ in range(300):
        size = random.randrange(1, log.size() + 1)
        n, old = random.randrange(size), random.randrange(size + 1)
        assert log.root(size) == roots[size]
        path_up = log.inclusion(n, size)
        assert merkle.verify_inclusion(hashes[n], n, size, path_up, roots[size])
        proof = log.consistency(old, size)
        assert merkle.verify_consistency(old, size, proof, roots[old], roots[size])
    with pytest.raises(FileError, match="lacks hashes of tile/"):
        log.root(log.size() + 1)
    log.close()
