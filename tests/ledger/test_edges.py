"""The edges of the bank, each to the byte, the millisecond and the last of a group."""

from __future__ import annotations

import os
import stat
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from casino.errors import FileError, InvariantError, Refused
from casino.events.types import CutSealed
from casino.ledger import accounts
from casino.ledger.entries import LONGEST, Entry, LogOpened, encode
from casino.ledger.ledger import Ledger, grant, open_log
from casino.ledger.restore import restore
from casino.ledger.side_files import CasinoFiles, write_private
from casino.ledger.storage.backup import backup
from casino.ledger.storage.location import SqliteLocation
from casino.ledger.tlog.note import sign_checkpoint
from casino.ledger.transaction import Answer, Transaction, answers_hash
from casino.ledger.writer import CHECKPOINT_EVERY_MS, WriterListener
from tests.ledger.night import SimulatedClock, open_bank
from tests.ledger.sealing import wait


def sealed(bank: Ledger, game: str, player: str, *, ends: bool = False) -> Future[Answer]:
    def work(tx: Transaction) -> Answer:
        leaf = tx.log(CutSealed(game=game, player=player, seal="x"))
        if ends:
            tx.end_subject(game)
        return {"leaf": leaf}

    return bank.submit(work)


# --- groups ------------------------------------------------------------------------------------


def test_an_error_of_a_listener_takes_no_answer_back(tmp_path: Path) -> None:
    """What was told stands; the writer stops, says so, and leaves nobody waiting."""

    class Broken(WriterListener):
        is_broken = False

        def on_signed(self, note: str, publish: bool) -> None:
            if self.is_broken:
                raise ZeroDivisionError

    watch = Broken()
    bank = Ledger(tmp_path / "casino.db", SimulatedClock(), watch=watch)
    wait(sealed(bank, "g1", "ann"))
    watch.is_broken = True
    answer = sealed(bank, "g1", "ann", ends=True)
    assert wait(answer)["leaf"] > 0
    later = sealed(bank, "g2", "ann").exception(10)
    assert isinstance(later, Refused | ZeroDivisionError)
    assert wait(answer)["leaf"] > 0
    bank.close()


def test_l21_answers_are_bound_in_the_order_of_their_ids(tmp_path: Path) -> None:
    bank = open_bank(tmp_path / "casino.db")
    with bank.batch():
        futures = [grant(bank, "ann", n, name) for n, name in enumerate(("b", "c", "a"), 1)]
    for future in futures:
        wait(future)
    log = bank.reader()
    answers = [one for _, one in log.store.answers()]
    assert [one.id for one in answers] == ["a", "b", "c"]
    (bound,) = [leaf for leaf in log.leaves() if leaf.kind == "answers"]
    assert answers_hash(answers).encode() in bound.body
    assert answers_hash(answers[::-1]) != answers_hash(answers)
    log.close()
    bank.close()


def test_l20_time_stands_still_while_the_clock_is_behind(tmp_path: Path) -> None:
    """Within a group and from one to the next; it goes on once the clock has caught up."""
    times = iter([50, 50, 70, 40, 60, 30, 69, 71, 80, 90, *[100] * 50])
    bank = Ledger(tmp_path / "casino.db", lambda: next(times))
    with bank.batch():
        futures = [sealed(bank, "g1", f"p{n}") for n in range(3)]
    futures += [sealed(bank, "g1", f"q{n}") for n in range(3)]
    for future in futures:
        wait(future)
    bank.close()
    log = open_log(tmp_path / "casino.db")
    at = [leaf.time for leaf in log.leaves()]
    assert at == sorted(at)
    assert len(set(at)) > 2
    log.close()


def test_l7_the_minute_counts_from_the_last_checkpoint_and_not_from_the_last_leaf(
    tmp_path: Path,
) -> None:
    """Somebody who is active all the time does not put the next checkpoint off for ever."""
    clock = SimulatedClock(step_ms=0)
    bank = open_bank(tmp_path / "casino.db", clock)
    log = bank.reader()
    found = []
    for number in range(6):
        clock.now_ms += CHECKPOINT_EVERY_MS // 2 + 1
        wait(grant(bank, "ann", 5, f"a{number}"))
        found.append(len(list(log.checkpoints())))
    assert found[-1] - found[0] >= 2
    assert found[-1] < 6
    log.close()
    bank.close()


def test_l7_asking_twice_for_the_same_is_one_checkpoint(tmp_path: Path) -> None:
    bank = open_bank(tmp_path / "casino.db")

    def asking(tx: Transaction) -> Answer:
        tx.request_checkpoint()
        return {}

    before = len(list(bank.reader().checkpoints()))
    with bank.batch():
        futures = [bank.submit(asking), grant(bank, "ann", 5, "a"), bank.submit(asking)]
    for future in futures:
        wait(future)
    log = bank.reader()
    assert [one.size for one in log.checkpoints()][before:] == [log.size()]
    log.close()
    bank.close()


# --- entries and leaves ------------------------------------------------------------------------


@pytest.mark.parametrize("cents", [1.0, "5", None, 2**53, -(2**53)])
def test_l1_only_whole_cents_within_bounds_move(cents: Any) -> None:
    with pytest.raises((InvariantError, TypeError)):
        accounts.grant("ann", cents)


def test_l23_a_leaf_may_be_as_long_as_a_tile_can_say_and_no_longer() -> None:
    short = len(encode(LogOpened(at=5, key="", name="n", version=1)))
    longest = LogOpened(at=5, key="k" * (LONGEST - short), name="n", version=1)
    assert len(encode(longest)) == LONGEST
    with pytest.raises(InvariantError, match="65536 bytes"):
        encode(LogOpened(at=5, key="k" * (LONGEST - short + 1), name="n", version=1))


def test_l6_a_leaf_that_would_be_read_as_another_is_not_written() -> None:
    """A list where there is a tuple: whoever read it back would have something else."""
    postings: Any = [["treasury", -5], ["wallet/ann", 5]]
    with pytest.raises(InvariantError, match="would be read as"):
        encode(Entry(at=1, entry=1, move="grant", postings=postings))


# --- looking up --------------------------------------------------------------------------------


def test_entries_and_times_are_found_from_any_place_on(played: Path) -> None:
    log = open_log(played)
    leaves = list(log.leaves())
    entries = [leaf.n for leaf in leaves if leaf.kind == "entry"]
    for first in range(0, log.size(), 7):
        found = [leaf.n for leaf in log.entry_leaves(first)]
        assert found == [n for n in entries if n >= first]
    times = [leaf.time for leaf in leaves]
    for at in {*times, times[0] - 1, times[-1] + 1, *(one + 1 for one in times[::5])}:
        due = next((n for n, one in enumerate(times) if one >= at), len(times))
        assert log.first_at(at) == due
    log.close()


def test_the_newest_grant_of_a_reason_is_the_one_that_counts(tmp_path: Path) -> None:
    clock = SimulatedClock()
    bank = open_bank(tmp_path / "casino.db", clock)
    entries = [wait(grant(bank, "ann", 100, f"a{n}", "again"))["entry"] for n in range(3)]
    wait(grant(bank, "ann", 5, "other", "another reason"))
    log = bank.reader()
    has_cents, entry, at = log.funds_and_last_grant("ann", "again")
    assert (has_cents, entry) == (305, entries[-1])
    (newest,) = log.store.entry(entries[-1])
    assert at == newest.time
    assert log.funds_and_last_grant("ann", "never") == (305, 0, 0)
    log.close()
    bank.close()


def test_l24_a_cosigned_checkpoint_is_used_only_if_it_covers_the_leaf(tmp_path: Path) -> None:
    bank = open_bank(tmp_path / "casino.db")
    leaf = wait(sealed(bank, "g1", "ann", ends=True))["leaf"]
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


def test_l11_a_group_is_held_to_be_stored_by_its_very_bytes(tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    open_bank(path).close()
    store = SqliteLocation(path).reopen_store()
    size = store.size()
    last = next(store.leaves(size - 1, 1)).body
    for leaves, is_held in (([last], True), ([b"{}}"], False), ([], False)):
        rows = SimpleNamespace(leaves=leaves, size=size)
        assert store.holds(cast("Any", rows)) == is_held
    longer = SimpleNamespace(leaves=[last], size=size + 1)
    assert not store.holds(cast("Any", longer))
    store.close()


# --- keys and files ----------------------------------------------------------------------------


def test_l14_a_log_that_lacks_a_single_leaf_is_not_continued(tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    open_bank(path).close()
    log, key = open_log(path), CasinoFiles(path).load_key()
    size = log.size()
    log.close()
    kept = CasinoFiles(path).checkpoint.read_text()
    CasinoFiles(path).checkpoint.write_text(sign_checkpoint(key, size + 1, bytes(32)))
    with pytest.raises(FileError, match="1 are lost"):
        open_bank(path)
    CasinoFiles(path).checkpoint.write_text(kept)
    open_bank(path).close()


def test_l22_a_new_log_follows_the_newest_of_what_was_published(tmp_path: Path) -> None:
    path, copy = tmp_path / "casino.db", tmp_path / "copy.db"
    bank = open_bank(path)
    wait(grant(bank, "ann", 5, "a"))
    bank.close()
    backup(path, copy, with_keys=True)
    notes = []
    for name in ("b", "c"):
        bank = open_bank(path)
        wait(grant(bank, "ann", 5, name))
        bank.close()
        notes.append(CasinoFiles(path).checkpoint.read_text())
    for number, published in enumerate((notes, notes[::-1])):
        fresh = tmp_path / str(number)
        fresh.mkdir()
        found = restore(copy, fresh / "casino.db", SimulatedClock(2 * 10**12), published)
        assert found.after is not None
        assert f"\n{found.after.size}\n" in notes[1]


def test_l15_a_file_that_is_replaced_is_synced_and_so_is_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First the new file, then, once it has the name, the folder."""
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


def test_what_is_of_a_casino_is_told_from_what_is_not(tmp_path: Path) -> None:
    """Its lock is nobody's to move, nor what was moved aside before, nor a file of like name."""
    names = ["casino.db", "casino.db.key", "casino.db-wal", "casino.db.lock", "casino.db2",
             "casino.db.key.aside-1", "casino.dbx.key", "other.db"]  # fmt: skip
    for name in names:
        (tmp_path / name).write_text("x")
    found = CasinoFiles(tmp_path / "casino.db").existing()
    assert [one.name for one in found] == ["casino.db", "casino.db-wal", "casino.db.key"]
