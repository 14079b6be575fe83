"""L14, L15, L22: a file that was changed between two runs is refused, or restored from a copy."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import orjson
import pytest

from casino.cli import main
from casino.errors import CasinoError, FileError
from casino.ledger import accounts
from casino.ledger.backup import backup, restore
from casino.ledger.ledger import Ledger, grant
from casino.ledger.side_files import CasinoFiles, read_note
from casino.ledger.storage.location import SqliteLocation, open_log
from casino.ledger.tlog.note import SigningKey, open_checkpoint
from casino.ledger.transaction import Answer, Transaction
from casino.ledger.writer import WriterListener
from tests.audit.test_tampering import audited, errors, sql, without_guards
from tests.cli.test_run import run_headless
from tests.ledger.game_simulator import SimulatedClock, open_ledger, play_games, wait
from tests.ledger.grants import REFILL, give, issue
from tests.reports.test_statement import balances_of
from tests.table.casino_harness import log_of

Damage = Callable[[Path], object]


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """Return a casino's files as a kill leaves them: much of the log only in the WAL."""
    live = tmp_path / "live" / "casino.db"
    live.parent.mkdir()
    bank = open_ledger(live)
    issue(bank)
    wait(give(bank, "ann", 500, "a"))
    bank.close()
    bank = open_ledger(live)
    for number in range(140):  # more than a tile of leaves
        wait(give(bank, "ann", 500, f"b{number}"))
    wait(bank.submit(ask_checkpoint))
    wait(bank.submit(lambda _: {}))
    folder = tmp_path / "killed"
    shutil.copytree(live.parent, folder)
    bank.close()
    return folder / "casino.db"


def ask_checkpoint(tx: Transaction) -> Answer:
    tx.post(accounts.grant("ben", 5, REFILL))
    tx.wants_checkpoint = True
    return {}


def contents(path: Path) -> dict[str, bytes]:
    """Return a casino's files by name, except the WAL index, which any reader may create."""
    kept = (one for one in path.parent.iterdir() if not one.name.endswith("-shm"))
    return {one.name: one.read_bytes() for one in kept}


APPEND = "INSERT INTO leaf (n, body) SELECT n + 2, '{} ' FROM leaf ORDER BY n DESC LIMIT 2"
CHANGE = "UPDATE leaf SET body = '{  }' WHERE n = (SELECT max(n) FROM leaf)"
FORGE = "UPDATE node SET hash = zeroblob(32) WHERE place = 0"
DAMAGE_CASES: dict[str, tuple[Damage, str]] = {
    "the WAL deleted": (lambda path: path.with_name("casino.db-wal").unlink(), "are lost"),
    "the checkpoint removed": (lambda path: CasinoFiles(path).checkpoint.unlink(), "is missing"),
    "the key removed": (lambda path: CasinoFiles(path).key.unlink(), "key is missing"),
    "leaves appended": (lambda path: without_guards(path, sql(APPEND)), "only"),
    "the last leaf changed": (lambda path: without_guards(path, sql(CHANGE)), "not those that"),
    "a node changed": (lambda path: without_guards(path, sql(FORGE)), "not those that"),
}


@pytest.mark.parametrize("name", DAMAGE_CASES)
def test_l14_altered_file_is_refused_and_left_unchanged(killed: Path, name: str) -> None:
    deed, said = DAMAGE_CASES[name]
    deed(killed)
    before = contents(killed)
    with pytest.raises(FileError, match=said) as refused:
        open_ledger(killed)
    assert refused.value.exit_status == 2
    assert contents(killed) == before
    if name != "the key removed":
        assert "casino run --new" in str(refused.value)


def test_public_key_of_another_log_is_refused_until_it_is_moved_away(tmp_path: Path) -> None:
    path, other = tmp_path / "casino.db", tmp_path / "other.db"
    for file in (path, other):
        open_ledger(file).close()
    pub = CasinoFiles(path).pub
    own = pub.read_bytes()
    pub.write_bytes(CasinoFiles(other).pub.read_bytes())
    with pytest.raises(FileError, match=r"db\.pub is the key of another log: move it away"):
        open_ledger(path)
    copy = tmp_path / "copy.db"
    with pytest.raises(FileError, match="move it away"):
        backup(path, copy, with_keys=False)
    assert not copy.exists()
    pub.unlink()
    open_ledger(path).close()
    assert pub.read_bytes() == own


def test_l15_checkpoint_file_is_written_before_answers_are_sent(tmp_path: Path) -> None:
    path, told = tmp_path / "casino.db", list[tuple[str, int]]()

    class Listener(WriterListener):
        def on_committed(self) -> None:
            told.append(("committed", beside()))

        def on_signed(self, note: str) -> None:
            told.append(("signed", beside()))

    def beside() -> int:
        note = read_note(CasinoFiles(path).checkpoint)
        return 0 if note is None else open_checkpoint(note, None).size

    bank = open_ledger(path, watch=Listener())
    for number in range(5):
        # Once this is answered, all earlier events have been published.
        wait(bank.submit(lambda _: {}))
        told.clear()
        # A grant is signed too, but that signature is not published.
        is_grant, name = number % 2, f"g{number}"
        future = grant(bank, "ann", 5, name) if is_grant else bank.submit(ask_checkpoint, name)
        future.add_done_callback(lambda _: told.append(("answered", beside())))
        wait(future)
        wait(bank.submit(lambda _: {}))
        log = open_log(path)
        events = ["committed", "answered"] + ["signed"] * (not is_grant)
        assert [what for what, _ in told] == events
        assert {size for _, size in told} == {log.size()}
        log.close()
    bank.close()


def test_opened_log_has_checkpoint_by_current_key(tmp_path: Path) -> None:
    def published(bank: Ledger) -> list[int]:
        log = bank.reader()
        sizes = [checkpoint.size for checkpoint in log.checkpoints()]
        newest = log.checkpoint()
        log.close()
        assert newest is not None
        assert open_checkpoint(newest.note, bank.key.public).size == sizes[-1]
        return sizes

    path = tmp_path / "casino.db"
    bank = open_ledger(path)
    assert published(bank) == [2]
    bank.rotate_key()
    bank = open_ledger(path)
    assert published(bank) == [2, 3, 4]
    bank.close()
    bank = open_ledger(path)
    assert published(bank) == [2, 3, 4, 5]
    bank.close()


def test_l16_interrupted_rotation_is_settled_at_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "casino.db"
    bank, files = open_ledger(path), CasinoFiles(path)
    old = bank.key.public
    bank.close()
    # The new key was saved, but its leaf was not.
    files.next_key.write_text(SigningKey.generate(old.name).text())
    bank = open_ledger(path)
    assert bank.key.public == old and not files.next_key.exists()

    def crash(_: CasinoFiles) -> None:
        raise OSError("the machine is gone")

    with monkeypatch.context() as patch:
        patch.setattr(CasinoFiles, "adopt_next_key", crash)
        with pytest.raises(OSError, match="gone"):
            bank.rotate_key()
    assert files.load_key().public == old
    bank = open_ledger(path)
    assert bank.key.public == files.load_key().public != old
    bank.close()
    assert errors(audited(path)) == [] and not files.next_key.exists()


def test_l13_wrong_balances_are_refused_with_advice(tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    bank = open_ledger(path)
    grant(bank, "ann", 500, "a")
    bank.close()
    without_guards(path, sql("UPDATE account SET balance = 900 WHERE name = 'wallet/ann'"))
    said = "wallet/ann holds 900 cents, but its entries make 500: .*; restore a backup with casino"
    with pytest.raises(CasinoError, match=said):
        open_ledger(path)


def test_foreign_journal_is_not_applied(tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    open_ledger(path).close()
    before = path.read_bytes()
    journal = path.with_name("casino.db-journal")
    journal.write_bytes(bytes.fromhex("d9d505f920a163d7") + bytes(600))
    for attempt in (lambda: open_ledger(path), lambda: audited(path)):
        with pytest.raises(FileError, match="cannot be read as the casino's .*; give another file"):
            attempt()
    assert path.read_bytes() == before
    journal.unlink()
    open_ledger(path).close()


def test_symlink_does_not_allow_a_second_writer(tmp_path: Path) -> None:
    path, link = tmp_path / "casino.db", tmp_path / "there" / "other.db"
    open_ledger(path).close()
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
    assert "other.db is in use: stop the casino that uses it" in told.stderr


LATER = SimulatedClock(2_000_000_000_000)


class Place(NamedTuple):
    """A casino with chips and a running game, and a backup made with its keys."""

    path: Path
    copy: Path

    def lose_all(self) -> None:
        for one in CasinoFiles(self.path).existing():
            one.unlink()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path / "casino.db", tmp_path / "copies" / "copy.db")
    place.copy.parent.mkdir()
    play_games(place.path, games=1, bettors=2)
    backup(*place, with_keys=True)
    return place


def players_chips(path: Path) -> Counter[str]:
    found = Counter[str]()
    for account, cents in balances_of(path).items():
        owner = account.rpartition("/")[2]
        if account.startswith(("wallet/", "escrow/")) and owner != "house":
            found[owner] += cents
    return found


def test_l22_complete_backup_continues_the_log(place: Place) -> None:
    old = CasinoFiles(place.path).load_key().public
    CasinoFiles(place.path).master.write_text("0" * 64)
    place.path.unlink()
    done = restore(place.copy, place.path, LATER, [])
    assert done.after is None
    assert CasinoFiles(place.path).master.read_text() == "new\n"
    log = open_log(place.path)
    assert log.secrets() == {}
    log.close()
    bank = open_ledger(place.path, LATER)
    assert bank.key.public == old
    wait(give(bank, "zoe", 5, "z"))
    bank.close()
    assert [line for line in errors(audited(place.path)) if "seed" not in line] == []


def test_l22_older_backup_starts_new_log_naming_lost_leaves(place: Place) -> None:
    bank = open_ledger(place.path)
    wait(give(bank, "zoe", 700, "z"))
    bank.close()
    promised = CasinoFiles(place.path).load_key().public
    log = open_log(place.path)
    size, root = log.size(), log.root(log.size())
    log.close()
    place.path.unlink()
    done = restore(place.copy, place.path, LATER, [])
    assert done.after is not None
    assert orjson.loads(log_of(place.path)[0])["after"] == {
        "kept": done.leaves, "origin": promised.name, "root": root.hex(), "size": size,
    }  # fmt: skip
    assert done.leaves < size
    key = CasinoFiles(place.path).load_key().public
    assert key.raw != promised.raw
    assert key.name != promised.name
    assert {one.name for one in done.moved} >= {"casino.db.key.aside-1", "casino.db.pub.aside-1"}
    assert players_chips(place.path) == players_chips(place.copy)
    assert errors(audited(place.path)) == []


def test_l22_backup_with_keys_restores_accounts(place: Place) -> None:
    rows = {("password", "ann"): "hash"}
    SqliteLocation(place.path).save_people(rows)
    other = place.copy.with_name("other.db")
    backup(place.path, other, with_keys=True)
    note = read_note(CasinoFiles(place.path).checkpoint)
    for known in ([note or ""], []):
        place.lose_all()
        assert (restore(other, place.path, LATER, known).after is None) == bool(known)
        log = open_log(place.path)
        assert log.people() == rows
        log.close()


def test_l22_restore_overwrites_nothing(place: Place) -> None:
    before = place.path.read_bytes()
    with pytest.raises(FileError, match="already exists"):
        restore(place.copy, place.path, LATER, [])
    assert place.path.read_bytes() == before
    place.path.unlink()
    journal = place.path.with_name("casino.db-wal")
    journal.write_bytes(b"x")
    with pytest.raises(FileError, match="wal already exists"):
        restore(place.copy, place.path, LATER, [])
    assert journal.read_bytes() == b"x"


def test_l22_backup_without_key_is_refused(place: Place) -> None:
    place.path.unlink()
    CasinoFiles(place.path).key.unlink()
    CasinoFiles(place.copy).key.unlink()
    with pytest.raises(FileError, match="only be continued with its key"):
        restore(place.copy, place.path, LATER, [])
    assert not place.path.exists()


def test_l22_checkpoint_of_another_log_is_refused(place: Place, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    open_ledger(other).close()
    note = read_note(CasinoFiles(other).checkpoint)
    assert note is not None
    place.lose_all()
    with pytest.raises(FileError, match="is of another log than copy.db .*: restore a copy of"):
        restore(place.copy, place.path, LATER, [note])


def test_l22_restore_command_lets_casino_continue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, database = run_headless(tmp_path, "--games", "2")
    copy = tmp_path / "copy.db"
    assert main(["backup", "--db", str(database), str(copy)]) == 0
    assert capsys.readouterr().out.endswith(f"\nCLEAN: {copy}\n")
    assert main(["restore", "--db", str(database), str(copy)]) == 2
    assert "already exists" in capsys.readouterr().err
    database.unlink()
    assert main(["restore", "--db", str(database), str(copy)]) == 0
    assert "the log continues" in capsys.readouterr().out
    assert run_headless(tmp_path, "--games", "1")[0] == 0
    assert main(["audit", "--db", str(database)]) == 0
    database.unlink()
    CasinoFiles(database).checkpoint.unlink()
    assert main(["restore", "--db", str(database), str(copy)]) == 0
    said = capsys.readouterr()
    assert "a new log begins. It names the old one, " in said.out
    assert "There is no " in said.err and "moved aside" in said.err
    assert run_headless(tmp_path, "--games", "1")[0] == 0
    assert main(["audit", "--db", str(database)]) == 0
