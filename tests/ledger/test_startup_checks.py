"""What was really done to a casino's file between two runs: each is refused (L14)."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from casino.errors import CasinoError, FileError
from casino.ledger import accounts
from casino.ledger.entries import RunStarted
from casino.ledger.ledger import Ledger, grant, open_log
from casino.ledger.side_files import CasinoFiles
from casino.ledger.storage.location import SqliteLocation
from casino.ledger.storage.sqlite import SqliteStore
from casino.ledger.tlog.note import open_checkpoint
from casino.ledger.transaction import Answer, Transaction
from casino.ledger.writer import WriterListener
from tests.audit.test_tampering import audited, errors, without_guards
from tests.ledger.issues import REFILL, give, issue
from tests.ledger.night import SimulatedClock, open_bank
from tests.ledger.sealing import wait

Deed = Callable[[Path], object]


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """The files of a casino as a kill leaves them: much of the log is in the WAL only."""
    live = tmp_path / "live" / "casino.db"
    live.parent.mkdir()
    bank = open_bank(live)
    issue(bank)
    wait(give(bank, "ann", 500, "a"))
    bank.close()
    bank = open_bank(live)
    for number in range(20):
        wait(give(bank, "ann", 500, f"b{number}"))
    wait(bank.submit(ask_checkpoint))
    wait(bank.submit(lambda _: {}))
    folder = tmp_path / "killed"
    shutil.copytree(live.parent, folder)
    bank.close()
    return folder / "casino.db"


def ask_checkpoint(tx: Transaction) -> Answer:
    tx.post(accounts.grant("ben", 5, REFILL))
    tx.request_checkpoint()
    return {}


def contents(path: Path) -> dict[str, bytes]:
    """Every file beside a casino's file, and that one; the WAL's index is any reader's to make."""
    kept = (one for one in path.parent.iterdir() if not one.name.endswith("-shm"))
    return {one.name: one.read_bytes() for one in kept}


def lose_journal(path: Path) -> None:
    path.with_name("casino.db-wal").unlink()


def empty(path: Path) -> None:
    lose_journal(path)
    path.write_bytes(b"")


def append_unsigned(path: Path) -> None:
    def append(connection: sqlite3.Connection) -> None:
        (size,) = connection.execute("SELECT count(*) FROM leaf").fetchone()
        for number in (size, size + 1):
            connection.execute("INSERT INTO leaf VALUES (?, '{} ')", (number,))

    without_guards(path, append)


DEEDS: dict[str, tuple[Deed, str]] = {
    "the WAL deleted": (lose_journal, "are lost"),
    "the file emptied": (empty, "is empty"),
    "the file removed": (lambda path: path.unlink(), "is not there"),
    "the checkpoint removed": (lambda path: CasinoFiles(path).checkpoint.unlink(), "is missing"),
    "the key removed": (lambda path: CasinoFiles(path).key.unlink(), "key is missing"),
    "leaves appended": (append_unsigned, "only"),
}


@pytest.mark.parametrize("name", DEEDS)
def test_l14_a_file_that_is_not_what_was_promised_is_refused_and_left_alone(
    killed: Path, name: str
) -> None:
    """The sentence says both sizes and what to do, the exit status is 2, no file has changed."""
    deed, said = DEEDS[name]
    deed(killed)
    before = contents(killed)
    with pytest.raises(FileError, match=said) as refused:
        open_bank(killed)
    assert refused.value.exit_status == 2
    assert contents(killed) == before
    if name != "the key removed":
        assert "casino run --new" in str(refused.value)


def test_l14_after_a_plain_kill_the_log_goes_on(killed: Path) -> None:
    bank = open_bank(killed)
    assert wait(give(bank, "ann", 500, "b19"))["balance_cents"] == 21 * 500
    bank.close()
    assert errors(audited(killed)) == []


def test_l14_an_old_copy_put_back_is_refused(tmp_path: Path) -> None:
    """The checkpoint beside the file signs more than the copy has."""
    path, old = tmp_path / "casino.db", tmp_path / "old.db"
    bank = open_bank(path)
    issue(bank)
    wait(give(bank, "ann", 500, "a"))
    bank.close()
    shutil.copy(path, old)
    bank = open_bank(path)
    wait(give(bank, "ann", 500, "b"))
    bank.close()
    shutil.copy(old, path)
    with pytest.raises(FileError, match=r"has \d+ leaves, but casino.db.checkpoint signs \d+"):
        open_bank(path)


def test_l14_a_log_of_another_key_is_refused(tmp_path: Path) -> None:
    """A whole casino under another key does not take the place of the one promised."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        open_bank(tmp_path / name / "casino.db").close()
    path = tmp_path / "one" / "casino.db"
    shutil.copy(tmp_path / "two" / "casino.db", path)
    with pytest.raises(FileError, match="not of this log"):
        open_bank(path)


def test_l14_a_new_log_moves_aside_what_is_there(killed: Path) -> None:
    before = {f"{name}.aside-1": data for name, data in contents(killed).items()}
    old_key = CasinoFiles(killed).load_key().public
    CasinoFiles(killed).move_aside()
    moved = {name: data for name, data in contents(killed).items() if "-shm" not in name}
    assert moved == before
    bank = open_bank(killed)
    assert bank.key.public.raw != old_key.raw
    assert bank.key.name != old_key.name
    bank.close()


def test_l22_everything_a_casino_makes_is_its_owners_alone(tmp_path: Path) -> None:
    """Mode 600 for all files, while it runs and after; the WAL is empty at a clean stop."""
    path = tmp_path / "casino.db"
    bank = open_bank(path)
    issue(bank)
    wait(give(bank, "ann", 500, "a"))
    for _ in range(2):
        modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()}
        assert set(modes.values()) == {0o600}, modes
        bank.close()
    journal = path.with_name("casino.db-wal")
    assert not journal.exists() or journal.stat().st_size == 0


def test_l15_every_leaf_is_under_a_signature_after_every_commit(tmp_path: Path) -> None:
    """The newest signature covers the last leaf, whether it was published or not."""
    bank: Ledger = open_bank(tmp_path / "casino.db")
    for number in range(10):
        wait(grant(bank, "ann", 5, f"g{number}"))
        log = open_log(bank.path)
        newest = log.store.signed_head()
        assert newest is not None
        assert newest.size == log.size()
        beside = CasinoFiles(bank.path).checkpoint_note()
        assert beside is not None
        assert open_checkpoint(beside, bank.key.public).size == log.size()
        log.close()
    bank.close()


def test_l15_the_signature_is_beside_the_file_before_anybody_is_told(tmp_path: Path) -> None:
    """COMMIT, then the checkpoint kept beside the file, and only then events and answers."""
    path, told = tmp_path / "casino.db", list[tuple[str, int]]()

    class Listener(WriterListener):
        def on_committed(self) -> None:
            told.append(("committed", beside()))

        def on_signed(self, note: str, publish: bool) -> None:
            told.append(("signed", beside()))

    def beside() -> int:
        note = CasinoFiles(path).checkpoint_note()
        return 0 if note is None else open_checkpoint(note, None).size

    bank = open_bank(path, watch=Listener())
    for number in range(5):
        # Only when this is answered is all told of what came before.
        wait(bank.submit(lambda _: {}))
        told.clear()
        future = grant(bank, "ann", 5, f"g{number}")
        future.add_done_callback(lambda _: told.append(("answered", beside())))
        wait(future)
        wait(bank.submit(lambda _: {}))
        log = open_log(path)
        assert [what for what, _ in told] == ["committed", "answered", "signed"]
        assert {size for _, size in told} == {log.size()}
        log.close()
    bank.close()


def test_l16_a_log_handed_on_to_another_key_goes_on_under_it(tmp_path: Path) -> None:
    """The old key's signatures stay good, the new key's follow, and the old key signs no more."""
    path = tmp_path / "casino.db"
    bank = open_bank(path)
    issue(bank)
    wait(give(bank, "ann", 500, "a"))
    old = bank.key
    bank.close()
    open_bank(path).rotate_key()
    bank = open_bank(path)
    assert bank.key.public != old.public
    wait(give(bank, "ann", 500, "b"))
    bank.close()
    assert errors(audited(path)) == []
    CasinoFiles(path).key.write_text(old.text())
    with pytest.raises(
        FileError, match="belongs to the key .*: put that key back as casino.db.key"
    ):
        open_bank(path)


def test_an_opened_log_has_a_checkpoint_of_its_present_key(tmp_path: Path) -> None:
    """Of a new log and of one whose key was rotated; any other start publishes none."""

    def published(bank: Ledger) -> list[int]:
        log = bank.reader()
        sizes = [checkpoint.size for checkpoint in log.checkpoints()]
        newest = log.checkpoint()
        log.close()
        assert newest is not None
        assert open_checkpoint(newest.note, bank.key.public).size == sizes[-1]
        return sizes

    path = tmp_path / "casino.db"
    bank = open_bank(path)
    assert published(bank) == [2]
    bank.rotate_key()
    bank = open_bank(path)
    assert published(bank) == [2, 3, 4]
    bank.close()
    bank = open_bank(path)
    assert published(bank) == [2, 3, 4, 5]
    bank.close()


def test_l13_balances_that_do_not_add_up_are_refused_with_a_way_out(tmp_path: Path) -> None:
    """Whoever reads it at night is told what was changed, and what to do now."""
    path = tmp_path / "casino.db"
    bank = open_bank(path)
    grant(bank, "ann", 500, "a")
    bank.close()
    change = "UPDATE account SET balance = 900 WHERE name = 'wallet/ann'"
    without_guards(path, lambda connection: connection.execute(change))
    said = "wallet/ann holds 900 cents, its entries make 500: .*; put the newest copy .* back, or"
    with pytest.raises(CasinoError, match=said):
        open_bank(path)


def test_a_journal_that_is_not_the_casinos_is_named(tmp_path: Path) -> None:
    """Laid beside the file it would have old pages put back: whoever starts is told to move it."""
    path = tmp_path / "casino.db"
    open_bank(path).close()
    before = path.read_bytes()
    journal = path.with_name("casino.db-journal")
    journal.write_bytes(bytes.fromhex("d9d505f920a163d7") + bytes(600))
    for attempt in (lambda: open_bank(path), lambda: audited(path)):
        with pytest.raises(
            FileError, match="casino.db-journal, which no casino makes: move it away"
        ):
            attempt()
    assert path.read_bytes() == before
    journal.unlink()
    open_bank(path).close()


def test_a_link_is_no_way_to_a_second_writer(tmp_path: Path) -> None:
    """Who has the file open keeps others out by the file itself, whatever they call it."""
    path, link = tmp_path / "casino.db", tmp_path / "there" / "other.db"
    open_bank(path).close()
    link.parent.mkdir()
    link.symlink_to(path)
    ask = (
        "import pathlib, casino.ledger.storage.location as p; "
        f"p.SqliteLocation(pathlib.Path({str(link)!r}))"
    )
    with SqliteLocation(path).lock():
        told = subprocess.run(
            [sys.executable, "-c", f"{ask}.lock().__enter__()"], capture_output=True, text=True
        )
    assert told.returncode == 1
    assert "other.db is open already: stop the casino that writes it" in told.stderr


def test_l13_a_damaged_page_of_the_balances_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    bank = open_bank(path)
    for number in range(400):
        grant(bank, f"p{number}", 500, f"g{number}")
    bank.close()
    connection = sqlite3.connect(path)
    (root,) = connection.execute(
        "SELECT rootpage FROM sqlite_master WHERE name = 'account'"
    ).fetchone()
    connection.close()
    with path.open("r+b") as file:
        file.seek((root - 1) * 4096 + 8)
        file.write(bytes(4_088))
    with pytest.raises(CasinoError, match="damaged|malformed"):
        open_bank(path)


def test_l13_the_start_reads_no_more_of_a_longer_log(tmp_path: Path) -> None:
    """In steps of SQLite's machine: of ten times the leaves it reads the entries alone."""

    def steps(number: int) -> int:
        path = tmp_path / f"{number}.db"
        bank = open_bank(path)

        def work(tx: Transaction) -> Answer:
            for _ in range(number):
                tx.log(RunStarted())
            return {}

        wait(bank.submit(work))
        bank.close()
        counted = 0

        def count() -> int:
            nonlocal counted
            counted += 1
            return 0

        def counting() -> SqliteStore:
            store = SqliteLocation(path).reopen_store()
            store.connection.set_progress_handler(count, 10)
            return store

        Ledger(path, SimulatedClock(), open_store=counting).close()
        return counted

    assert steps(20_000) < 1.5 * steps(2_000)
