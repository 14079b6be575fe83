"""The account store: ended sessions stay ended, and a crash loses no confirmed change."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from casino.errors import Refused
from casino.ledger.backup import backup
from casino.ledger.ledger import Ledger, grant
from casino.ledger.storage.base import StorageError
from casino.ledger.storage.location import LogLocation, SqliteLocation
from casino.ledger.storage.schema import PeopleRows
from casino.web.accounts.store import MAX_BROWSERS, AccountStore
from tests.ledger.conftest import STORES
from tests.ledger.game_simulator import SimulatedClock

Reopen = Callable[[AccountStore], AccountStore]


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


@pytest.fixture
def reopen(place: LogLocation) -> Reopen:
    def save(register: AccountStore) -> AccountStore:
        register.save()
        return load_accounts(place)

    return save


def test_sessions_and_sign_outs_survive_a_restart(register: AccountStore, reopen: Reopen) -> None:
    register.sign_in("ann", "", "k1")
    register = reopen(register)
    assert register.player_of("k1") == "ann" and register.has("ann")
    register.sign_out("k1", "k2")
    register = reopen(register)
    assert register.player_of("k1") is register.player_of("k2") is None
    assert register.has_signed_in("k2", "ann") and not register.has_signed_in("k1", "ann")


def test_signing_in_replaces_the_session_key(register: AccountStore) -> None:
    """A key planted in a browser before it signs in is void afterwards."""
    register.sign_in("ann", "planted", "fresh")
    assert register.player_of("planted") is None
    assert register.player_of("fresh") == "ann"


def test_a_browser_is_remembered_for_each_of_its_players(
    register: AccountStore, reopen: Reopen
) -> None:
    register.sign_in("ann", "", "k1")
    register.sign_in("ben", "k1", "k2")
    register = reopen(register)
    assert register.player_of("k2") == "ben"
    assert register.has_signed_in("k2", "ann") and register.has_signed_in("k2", "ben")


def test_a_new_password_ends_the_other_sessions(register: AccountStore, reopen: Reopen) -> None:
    for key in ("k1", "k2", "k3"):
        register.sign_in("ann", "", key)
    register.sign_in("ben", "", "b1")
    register.sign_out("k3", "k4")
    register.set_password("ann", "hash", "k1", "k5")
    register = reopen(register)
    assert register.player_of("k5") == "ann"
    assert [register.has_signed_in(key, "ann") for key in ("k1", "k2", "k3", "k4")] == [False] * 4
    assert register.player_of("b1") == "ben"
    assert register.password("ann") == "hash"


def test_the_oldest_browsers_are_forgotten(register: AccountStore) -> None:
    for number in range(MAX_BROWSERS + 3):
        register.sign_in("ann", "", f"k{number}")
    known = [n for n in range(MAX_BROWSERS + 3) if register.has_signed_in(f"k{n}", "ann")]
    assert known == list(range(3, MAX_BROWSERS + 3))


def test_browser_order_and_suspensions_survive_a_restart(
    register: AccountStore, reopen: Reopen
) -> None:
    for number in range(MAX_BROWSERS):
        register.sign_in("ann", "", f"k{number}")
    register.suspend("ann", is_suspended=True)
    register = reopen(register)
    assert register.is_suspended("ann") and register.player_of("k9") is None
    register.suspend("ann", is_suspended=False)
    register = reopen(register)
    register.sign_in("ann", "", "new")
    known = [n for n in range(MAX_BROWSERS) if register.has_signed_in(f"k{n}", "ann")]
    assert known == list(range(1, MAX_BROWSERS))
    assert register.player_of("k9") == "ann"


def test_ended_sessions_leave_no_rows(register: AccountStore, place: LogLocation) -> None:
    """A client cannot fill the disk by signing out again and again."""
    for number in range(50):
        register.sign_in("ann", f"k{number}", f"k{number + 1}")
        register.sign_out(f"s{number}", f"s{number + 1}")
        register.save()
    with closing(place.open_queries()) as store:
        assert set(store.people()) == {("session", "k50")}


def test_the_cookie_key_survives_a_restart(register: AccountStore, reopen: Reopen) -> None:
    assert register.cookie_key(lambda: b"x" * 32) == b"x" * 32
    assert reopen(register).cookie_key(lambda: b"y" * 32) == b"x" * 32


def test_a_backup_without_keys_has_no_account_data(
    register: AccountStore, place: LogLocation
) -> None:
    register.sign_in("ann", "", "session-of-ann")
    register.set_password("ann", "$argon2id$hash", "session-of-ann", "session-of-ann")
    register.cookie_key(lambda: b"the key of cookies")
    register.save()
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
    register.sign_in("ann", "", "k1")
    register.save()
    faults.append(StorageError("full"))
    register.set_password("ann", "hash", "k1", "k2")
    with pytest.raises(Refused) as refused:
        register.save()
    assert refused.value.code == "unavailable"
    register.sign_in("ben", "", "k3")
    register.save()
    for accounts in (register, load_accounts(place)):
        assert [accounts.player_of(key) for key in ("k1", "k2", "k3")] == ["ann", None, "ben"]
        assert accounts.password("ann") is None


def test_saving_waits_for_the_ledger_writer(tmp_path: Path) -> None:
    file = SqliteLocation(tmp_path / "casino.db")
    ledger = Ledger(file, SimulatedClock())
    register = load_accounts(file)
    for number in range(20):
        register.sign_in("ann", "", f"k{number}")
        done = grant(ledger, "ann", 1, f"g{number}")
        register.save()
        done.result()
    assert load_accounts(file).player_of("k19") == "ann"
    ledger.close()
    file.path.rename(tmp_path / "moved.db")
    register.sign_in("ann", "", "k20")
    with pytest.raises(Refused):
        register.save()
    assert not file.path.exists()
