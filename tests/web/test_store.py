"""The file of the people: what ended stays ended, a crash loses nothing that was answered for."""

from __future__ import annotations

import resource
import stat
from pathlib import Path

import pytest

from casino.errors import FileError, Refused
from casino.web.accounts.store import MAX_BROWSERS, AccountStore


def again(register: AccountStore) -> AccountStore:
    register.save()
    return AccountStore(register._file)


def test_a_session_outlives_a_restart_and_its_end_does_too(tmp_path: Path) -> None:
    """Signed in, it is somebody; signed out, neither the old key nor the new one is."""
    register = AccountStore(tmp_path / "people")
    register.sign_in("ann", "", "k1")
    register = again(register)
    assert register.player_of("k1") == "ann" and register.has("ann")
    register.sign_out("k1", "k2")
    register = again(register)
    assert register.player_of("k1") is register.player_of("k2") is None
    assert register.has_signed_in("k2", "ann") and not register.has_signed_in("k1", "ann")
    assert "k1" not in (tmp_path / "people").read_text()


def test_a_new_key_at_every_entering(tmp_path: Path) -> None:
    """A key planted in a browser before it enters is worth nothing afterwards."""
    register = AccountStore(tmp_path / "people")
    register.sign_in("ann", "planted", "fresh")
    assert register.player_of("planted") is None
    assert register.player_of("fresh") == "ann"


def test_a_browser_that_changes_its_player_is_still_known(tmp_path: Path) -> None:
    """Who enters under another name can come back to the first."""
    register = AccountStore(tmp_path / "people")
    register.sign_in("ann", "", "k1")
    register.sign_in("ben", "k1", "k2")
    register = again(register)
    assert register.player_of("k2") == "ben"
    assert register.has_signed_in("k2", "ann") and register.has_signed_in("k2", "ben")


def test_a_new_password_ends_the_other_sessions(tmp_path: Path) -> None:
    """All but the browser that set it, also those signed out; other people's are untouched."""
    register = AccountStore(tmp_path / "people")
    for key in ("k1", "k2", "k3"):
        register.sign_in("ann", "", key)
    register.sign_in("ben", "", "b1")
    register.sign_out("k3", "k4")
    register.set_password("ann", "hash", "k1", "k5")
    register = again(register)
    assert register.player_of("k5") == "ann"
    assert [register.has_signed_in(key, "ann") for key in ("k1", "k2", "k3", "k4")] == [False] * 4
    assert register.player_of("b1") == "ben"
    assert register.password("ann") == "hash"


def test_the_oldest_browsers_are_forgotten(tmp_path: Path) -> None:
    """One account is known in so many, and the newest is always among them."""
    register = AccountStore(tmp_path / "people")
    for number in range(MAX_BROWSERS + 3):
        register.sign_in("ann", "", f"k{number}")
    known = [n for n in range(MAX_BROWSERS + 3) if register.has_signed_in(f"k{n}", "ann")]
    assert known == list(range(3, MAX_BROWSERS + 3))


def test_a_torn_last_line_was_never_answered_for(tmp_path: Path) -> None:
    """After a crash in the middle of a line the rest is there, and the file grows on."""
    file = tmp_path / "people"
    register = AccountStore(file)
    register.sign_in("ann", "", "k1")
    register.save()
    with file.open("a") as torn:
        torn.write('{"key": "abc", "pla')
    register = AccountStore(file)
    assert register.player_of("k1") == "ann"
    register.sign_in("ben", "", "k2")
    assert again(register).player_of("k2") == "ben"


def test_the_file_holds_only_what_counts_and_is_the_owners_alone(tmp_path: Path) -> None:
    """A start writes it anew without what is over; its mode is 600."""
    file = tmp_path / "people"
    register = AccountStore(file)
    for number in range(50):
        register.sign_in("ann", f"k{number}", f"k{number + 1}")
    register.save()
    assert len(file.read_text().splitlines()) == 99
    again(register)
    assert len(file.read_text().splitlines()) == 1
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_nobody_who_leaves_writes_nothing(tmp_path: Path) -> None:
    """A stranger cannot fill the disk with sessions that he never had."""
    register = AccountStore(tmp_path / "people")
    for number in range(20):
        register.sign_out(f"k{number}", f"k{number + 1}")
        register.save()
    assert not (tmp_path / "people").exists()


@pytest.mark.parametrize(
    "line", ["nonsense", "{}", '{"key": 5}', '{"name": "ann"}', '{"key": "x", "player": null}']
)
def test_a_damaged_file_is_named(tmp_path: Path, line: str) -> None:
    """Nobody is let in by half a register."""
    (tmp_path / "people").write_text(line + "\n")
    with pytest.raises(FileError, match="people is damaged"):
        AccountStore(tmp_path / "people")


def test_what_cannot_be_written_is_refused_and_tried_again(tmp_path: Path) -> None:
    """A full disk is no fault of the asker; the next change writes both."""
    folder = tmp_path / "gone"
    register = AccountStore(folder / "people")
    register.sign_in("ann", "", "k1")
    with pytest.raises(Refused) as refused:
        register.save()
    assert refused.value.code == "unavailable"
    folder.mkdir()
    register.sign_in("ben", "", "k2")
    register = again(register)
    assert (register.player_of("k1"), register.player_of("k2")) == ("ann", "ben")


def test_a_line_that_was_written_by_half_is_followed_by_whole_ones(tmp_path: Path) -> None:
    """The disk is full after a few bytes; the next change does not join them."""
    file = tmp_path / "people"
    register = AccountStore(file)
    register.sign_in("ann", "", "k1")
    register.save()
    register.sign_in("ben", "", "k2")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size + 20, hard))
    try:
        with pytest.raises(Refused):
            register.save()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    register.sign_in("cy", "", "k3")
    register = again(register)
    assert [register.player_of(key) for key in ("k1", "k2", "k3")] == ["ann", "ben", "cy"]
