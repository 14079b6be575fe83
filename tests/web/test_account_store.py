"""The account store: ended sessions stay ended, and a crash loses no confirmed change."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from casino.errors import Refused
from casino.ledger.backup import backup
from casino.ledger.ledger import Ledger, grant
from casino.ledger.storage.base import PeopleRows, StorageError
from casino.ledger.storage.location import LogLocation, SqliteLocation
from casino.web.accounts.store import MAX_BROWSERS, SUSPENDED, AccountStore
from tests.ledger.conftest import STORES
from tests.ledger.game_simulator import SimulatedClock


def load_accounts(place: LogLocation) -> AccountStore:
    with closing(place.open_queries()) as store:
        return AccountStore(store.people(), place.save_people)


@pytest.fixture(params=STORES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> LogLocation:
    path = tmp_path / "casino.db"
    made: LogLocation = SqliteLocation(path)
    if request.param == "database":
        made = request.getfixturevalue("postgres").place(path)
    Ledger(made, SimulatedClock()).close()
    return made


@pytest.fixture
def register(place: LogLocation) -> AccountStore:
    return load_accounts(place)


def save(register: AccountStore, changes: PeopleRows) -> None:
    register.store(changes)
    register.apply(changes)


def test_sessions_and_sign_outs_survive_a_restart(
    register: AccountStore, place: LogLocation
) -> None:
    save(register, register.sign_in("ann", "planted", "k1"))
    register = load_accounts(place)
    assert register.player_of("k1") == "ann" and register.has("ann")
    assert register.player_of("planted") is None, "a key from before the sign-in is void"
    save(register, register.sign_out("k1", "k2"))
    register = load_accounts(place)
    assert register.player_of("k1") is register.player_of("k2") is None
    assert register.has_signed_in("k2", "ann") and not register.has_signed_in("k1", "ann")


def test_a_browser_is_remembered_for_each_of_its_players(
    register: AccountStore, place: LogLocation
) -> None:
    save(register, register.sign_in("ann", "", "k1"))
    save(register, register.sign_in("ben", "k1", "k2"))
    register = load_accounts(place)
    assert register.player_of("k2") == "ben"
    assert register.has_signed_in("k2", "ann") and register.has_signed_in("k2", "ben")


def test_a_new_password_ends_the_other_sessions(register: AccountStore, place: LogLocation) -> None:
    for key in ("k1", "k2", "k3"):
        save(register, register.sign_in("ann", "", key))
    save(register, register.sign_in("ben", "", "b1"))
    save(register, register.sign_out("k3", "k4"))
    save(register, register.set_password("ann", "hash", "k1", "k5"))
    register = load_accounts(place)
    assert register.player_of("k5") == "ann"
    assert [register.has_signed_in(key, "ann") for key in ("k1", "k2", "k3", "k4")] == [False] * 4
    assert register.player_of("b1") == "ben"
    assert register.password("ann") == "hash"


def test_the_oldest_browsers_are_forgotten(register: AccountStore) -> None:
    for number in range(MAX_BROWSERS + 3):
        save(register, register.sign_in("ann", "", f"k{number}"))
    known = [n for n in range(MAX_BROWSERS + 3) if register.has_signed_in(f"k{n}", "ann")]
    assert known == list(range(3, MAX_BROWSERS + 3))


def test_browser_order_and_suspensions_survive_a_restart(
    register: AccountStore, place: LogLocation
) -> None:
    for number in range(MAX_BROWSERS):
        save(register, register.sign_in("ann", "", f"k{number}"))
    save(register, {(SUSPENDED, "ann"): "yes"})
    register = load_accounts(place)
    assert register.is_suspended("ann") and register.player_of("k9") is None
    save(register, {(SUSPENDED, "ann"): None})
    register = load_accounts(place)
    save(register, register.sign_in("ann", "", "new"))
    known = [n for n in range(MAX_BROWSERS) if register.has_signed_in(f"k{n}", "ann")]
    assert known == list(range(1, MAX_BROWSERS))
    assert register.player_of("k9") == "ann"


def test_ended_sessions_leave_no_rows(register: AccountStore, place: LogLocation) -> None:
    """A client cannot fill the disk by signing out again and again."""
    for number in range(50):
        save(register, register.sign_in("ann", f"k{number}", f"k{number + 1}"))
        save(register, register.sign_out(f"s{number}", f"s{number + 1}"))
    with closing(place.open_queries()) as store:
        assert set(store.people()) == {("session", "k50")}


def test_the_cookie_key_survives_a_restart(register: AccountStore, place: LogLocation) -> None:
    assert register.cookie_key(lambda: b"x" * 32) == b"x" * 32
    assert load_accounts(place).cookie_key(lambda: b"y" * 32) == b"x" * 32


def test_a_backup_without_keys_has_no_account_data(
    register: AccountStore, place: LogLocation
) -> None:
    save(register, register.sign_in("ann", "", "session-of-ann"))
    key = "session-of-ann"
    save(register, register.set_password("ann", "$argon2id$hash", key, key))
    register.cookie_key(lambda: b"the key of cookies")
    for with_keys in (False, True):
        out = place.path.with_name(f"{with_keys}.db")
        backup(place, out, with_keys=with_keys)
        for text in (b"argon2id", b"session-of-ann", b"the key of cookies".hex().encode()):
            assert (text in out.read_bytes()) == with_keys
        assert (load_accounts(SqliteLocation(out)).password("ann") is not None) == with_keys


@pytest.mark.parametrize("in_doubt", [False, True])
def test_changes_that_cannot_be_stored_are_undone(place: LogLocation, in_doubt: bool) -> None:
    faults: list[StorageError] = []

    def write(rows: PeopleRows) -> None:
        if in_doubt or not faults:
            place.save_people(rows)
        if faults:
            raise faults.pop()

    register = AccountStore({}, write)
    save(register, register.sign_in("ann", "", "k1"))
    faults.append(StorageError("full"))
    with pytest.raises(Refused) as refused:
        save(register, register.set_password("ann", "hash", "k1", "k2"))
    assert refused.value.code == "unavailable"
    save(register, register.sign_in("ben", "", "k3"))
    for accounts in (register, load_accounts(place)):
        assert [accounts.player_of(key) for key in ("k1", "k2", "k3")] == ["ann", None, "ben"]
        assert accounts.password("ann") is None


def test_saving_waits_for_the_ledger_writer(tmp_path: Path) -> None:
    file = SqliteLocation(tmp_path / "casino.db")
    ledger = Ledger(file, SimulatedClock())
    register = load_accounts(file)
    for number in range(20):
        done = grant(ledger, "ann", 1, f"g{number}")
        save(register, register.sign_in("ann", "", f"k{number}"))
        done.result()
    assert load_accounts(file).player_of("k19") == "ann"
    ledger.close()
    file.path.rename(tmp_path / "moved.db")
    with pytest.raises(Refused):
        save(register, register.sign_in("ann", "", "k20"))
    assert not file.path.exists()
