"""A casino restored from a copy: continued if nothing promised is lost, else a new log (L22)."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from casino.cli import main
from casino.errors import FileError
from casino.ledger.ledger import open_log
from casino.ledger.restore import restore
from casino.ledger.side_files import CasinoFiles
from casino.ledger.storage.backup import backup
from casino.ledger.storage.location import SqliteLocation
from tests.audit.test_tampering import audited, errors
from tests.cli.test_run import night
from tests.ledger.issues import give
from tests.ledger.night import Night, SimulatedClock, open_bank
from tests.ledger.sealing import wait

LATER = SimulatedClock(2_000_000_000_000)


class Place:
    """A casino with chips, a game that is running, and a copy of it made with its keys."""

    def __init__(self, folder: Path) -> None:
        self.path, self.copy = folder / "casino.db", folder / "copies" / "copy.db"
        self.copy.parent.mkdir()
        bank = open_bank(self.path)
        self.night = Night(bank, bettors=2)
        self.night.play_game()
        self.night.play_game("open")
        bank.close()
        backup(self.path, self.copy, with_keys=True)

    def play_on(self) -> None:
        bank = open_bank(self.path)
        wait(give(bank, "zoe", 700, "z"))
        bank.close()

    def lose_file(self) -> None:
        self.path.unlink()

    def lose_all(self) -> None:
        for one in CasinoFiles(self.path).existing():
            one.unlink()

    def first_leaf(self) -> dict[str, object]:
        log = open_log(self.path)
        leaf: dict[str, object] = orjson.loads(next(log.leaves(0, 1)).body)
        log.close()
        return leaf

    def chips(self, path: Path) -> dict[str, int]:
        log, found = open_log(path), dict[str, int]()
        for account, cents in log.balances().items():
            owner = account.rpartition("/")[2]
            if account.startswith(("wallet/", "escrow/")) and owner != "house":
                found[owner] = found.get(owner, 0) + cents
        log.close()
        return found


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_l22_a_copy_that_holds_all_that_was_published_goes_on(place: Place) -> None:
    """Under its own key, with no secret of the running game, and no seed that was used before."""
    old = CasinoFiles(place.path).load_key().public
    CasinoFiles(place.path).master.write_text("0" * 64)
    place.lose_file()
    done = restore(place.copy, place.path, LATER, [])
    assert done.after is None
    assert not CasinoFiles(place.path).master.exists()
    log = open_log(place.path)
    assert log.store.all_secrets() == {}
    log.close()
    bank = open_bank(place.path, LATER)
    assert bank.key.public == old
    wait(give(bank, "zoe", 5, "z"))
    bank.close()
    assert [line for line in errors(audited(place.path)) if "seed" not in line] == []


def test_l22_a_copy_goes_on_by_a_checkpoint_somebody_has_kept(place: Place) -> None:
    """Everything is lost but the copy, its key and a checkpoint kept elsewhere."""
    note = CasinoFiles(place.path).checkpoint_note()
    assert note is not None
    place.lose_all()
    assert restore(place.copy, place.path, LATER, [note]).after is None
    open_bank(place.path, LATER).close()


def test_l22_an_older_copy_begins_a_new_log_that_says_what_is_lost(place: Place) -> None:
    """Another key and name; the first leaf has the old origin, size and root; chips are kept."""
    place.play_on()
    promised = CasinoFiles(place.path).load_key().public
    log = open_log(place.path)
    size, root = log.size(), log.root(log.size())
    log.close()
    place.lose_file()
    done = restore(place.copy, place.path, LATER, [])
    assert done.after is not None
    assert place.first_leaf()["after"] == {
        "kept": done.leaves, "origin": promised.name, "root": root.hex(), "size": size,
    }  # fmt: skip
    assert done.leaves < size
    key = CasinoFiles(place.path).load_key().public
    assert key.raw != promised.raw
    assert key.name != promised.name
    assert {one.name for one in done.moved} >= {"casino.db.key.aside-1", "casino.db.pub.aside-1"}
    assert place.chips(place.path) == place.chips(place.copy)
    assert errors(audited(place.path)) == []


def test_l22_without_any_checkpoint_a_copy_begins_a_new_log(place: Place) -> None:
    place.lose_all()
    done = restore(place.copy, place.path, LATER, [])
    assert done.after is not None
    assert done.after.kept == done.after.size == done.leaves
    assert errors(audited(place.path)) == []


def test_l22_people_enter_their_accounts_after_everything_was_lost(place: Place) -> None:
    """A copy made with the keys has what tells who they are, also where a new log begins."""
    rows = {("person", "ann"): {"name": "ann", "password": "hash", "suspended": 0}}
    SqliteLocation(place.path).save_people(rows)
    other = place.copy.with_name("other.db")
    backup(place.path, other, with_keys=True)
    note = CasinoFiles(place.path).checkpoint_note()
    for known in ([note or ""], []):
        place.lose_all()
        assert (restore(other, place.path, LATER, known).after is None) == bool(known)
        log = open_log(place.path)
        assert log.store.people() == rows
        log.close()


def test_l22_nothing_is_overwritten(place: Place) -> None:
    before = place.path.read_bytes()
    with pytest.raises(FileError, match="is there already"):
        restore(place.copy, place.path, LATER, [])
    assert place.path.read_bytes() == before
    place.lose_file()
    journal = place.path.with_name("casino.db-wal")
    journal.write_bytes(b"x")
    with pytest.raises(FileError, match="wal is there already"):
        restore(place.copy, place.path, LATER, [])
    assert journal.read_bytes() == b"x"


def test_l22_a_copy_without_its_key_cannot_go_on(place: Place) -> None:
    place.lose_file()
    CasinoFiles(place.path).key.unlink()
    CasinoFiles(place.copy).key.unlink()
    with pytest.raises(FileError, match="only be continued with its key"):
        restore(place.copy, place.path, LATER, [])
    assert not place.path.exists()


def test_l22_a_checkpoint_of_another_log_is_refused(place: Place, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    open_bank(other).close()
    note = CasinoFiles(other).checkpoint_note()
    assert note is not None
    place.lose_all()
    with pytest.raises(FileError, match="not of copy.db"):
        restore(place.copy, place.path, LATER, [note])


def test_l22_a_restore_that_was_killed_can_be_done_again(place: Place) -> None:
    place.lose_file()
    place.path.with_name("casino.db.restored").write_bytes(b"half a copy")
    assert restore(place.copy, place.path, LATER, []).after is None
    assert not place.path.with_name("casino.db.restored").exists()
    open_bank(place.path, LATER).close()


def test_l22_the_command_restores_and_the_casino_runs_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Backup, loss, restore, another night: the audit is clean; a spoiled copy is not taken."""
    _, database = night(tmp_path, "--games", "2")
    copy = tmp_path / "copy.db"
    assert main(["backup", "--db", str(database), str(copy)]) == 0
    assert main(["restore", "--db", str(database), str(copy)]) == 2
    assert "is there already" in capsys.readouterr().err
    database.unlink()
    assert main(["restore", "--db", str(database), str(copy)]) == 0
    assert "the log goes on" in capsys.readouterr().out
    assert night(tmp_path, "--games", "1")[0] == 0
    assert main(["audit", "--db", str(database)]) == 0
    database.unlink()
    assert main(["restore", "--db", str(database), str(copy)]) == 0
    said = capsys.readouterr()
    assert "a new log begins; of the" in said.out
    assert "moved aside" in said.err
    assert night(tmp_path, "--games", "1")[0] == 0
    assert main(["audit", "--db", str(database)]) == 0


def test_l22_a_spoiled_copy_is_not_restored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The audit's findings are printed, the exit status is 1, nothing is made."""
    _, database = night(tmp_path, "--games", "1")
    copy, other = tmp_path / "copy.db", tmp_path / "other.db"
    assert main(["backup", "--db", str(database), str(copy)]) == 0
    CasinoFiles(copy).checkpoint.write_text(
        CasinoFiles(copy).checkpoint.read_text()[:-9] + "AAAAAAA=\n"
    )
    assert main(["restore", "--db", str(other), str(copy)]) in (1, 2)
    assert not other.exists()
    missing = ["restore", "--db", str(other), "--known", str(tmp_path / "none"), str(copy)]
    assert main(missing) in (1, 2)
