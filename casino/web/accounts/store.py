"""Account file, which stores password hashes and the player signed in at each browser.

A browser is identified by the random key in its signed cookie, of which only the hash is stored.
Sessions are stored here and not in cookies, so that an ended session stays ended for everyone with
a copy of the cookie, even after a restart. The file is separate from the log, because auditors must
not see passwords and sessions. Each change appends a line, later lines override earlier ones, and
the file is compacted at startup.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

from casino.errors import FileError, RefusalReason, Refused
from casino.ledger.side_files import write_private

CANNOT_STORE: Final = RefusalReason(
    "cannot_store", "unavailable", "nothing can be stored now: try again later"
)

RegisterLine = dict[str, Any]

MAX_BROWSERS: Final = 16  # browsers remembered for an account, and accounts for a browser


# The other fields that a line must have, by the field that identifies its kind.
_FIELDS: Final = {"password": ("name",), "suspended": ("is",), "key": ("player", "known")}


class BrowserSession(NamedTuple):
    """A browser's player, if it is signed in, and the accounts it has been signed in to."""

    player: str | None = None
    known: tuple[str, ...] = ()


class AccountStore:
    """Keeps accounts and sessions in memory, and saves changes to the file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._passwords: dict[str, str] = {}
        self._browsers: dict[str, BrowserSession] = {}
        self._known_in: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._suspended: set[str] = set()
        self._unwritten: list[RegisterLine] = []
        self._size = 0
        for line in _lines(file):
            self._read(line)
        if file.exists():
            self._rewrite()

    def password(self, name: str) -> str | None:
        """Return the hash of an account's password, or None if it has none."""
        return self._passwords.get(name)

    def player_of(self, key: str) -> str | None:
        """Return a browser's player, or None if it is signed out or the player is suspended."""
        player = self._browser(key).player
        return None if player in self._suspended else player

    def has_signed_in(self, key: str, name: str) -> bool:
        """Return True if a browser is, or was, signed in to an account."""
        return name in self._browser(key).known

    def has(self, name: str) -> bool:
        """Return True if an account has a password or a browser that was signed in."""
        return name in self._passwords or name in self._known_in

    def is_suspended(self, name: str) -> bool:
        """Return True if a player is suspended."""
        return name in self._suspended

    def suspend(self, name: str, *, is_suspended: bool) -> None:
        """Suspend or readmit a player, without forgetting their browsers."""
        self._note({"suspended": name, "is": is_suspended})

    def sign_in(self, name: str, old: str, new: str) -> None:
        """Sign a browser in under a new key, so that a cookie planted beforehand is worthless."""
        known = [account for account in self._browser(old).known if account != name]
        self._set(old, BrowserSession())
        self._set(new, BrowserSession(name, (*known, name)[-MAX_BROWSERS:]))
        for digest in list(self._known_in.get(name, ()))[:-MAX_BROWSERS]:
            self._forget(digest, name)

    def sign_out(self, old: str, new: str) -> None:
        """Sign a browser out; its new key inherits the accounts that it was signed in to."""
        known = self._browser(old).known
        self._set(old, BrowserSession())
        self._set(new, BrowserSession(None, known))

    def set_password(self, name: str, hashed: str, old: str, new: str) -> None:
        """Change a password, sign all other browsers out, and sign this one in under a new key."""
        self._note({"name": name, "password": hashed})
        for digest in list(self._known_in.get(name, ())):
            if digest != old:
                self._forget(digest, name)
        self.sign_in(name, old, new)

    def unsaved_changes(self) -> dict[str, str | None]:
        """Return the player of each browser with unsaved changes, by hashed key."""
        keys = [line["key"] for line in self._unwritten if "key" in line]
        for line in self._unwritten:
            keys += self._known_in.get(line.get("suspended", ""), ())
        return {key: self.player_of(key) for key in keys}

    def save(self) -> None:
        """Append the changes to the file and sync it; blocks, so call it in a thread."""
        lines, self._unwritten = self._unwritten, []
        if not lines:
            return
        try:
            self._append(_encode(lines))
        except OSError:
            self._unwritten = lines + self._unwritten  # for the next attempt
            raise Refused(CANNOT_STORE) from None

    def _browser(self, key: str) -> BrowserSession:
        return self._browsers.get(key, BrowserSession())

    def _forget(self, digest: str, name: str) -> None:
        browser = self._browsers[digest]
        player = None if browser.player == name else browser.player
        known = [account for account in browser.known if account != name]
        self._note({"key": digest, "player": player, "known": known})

    def _set(self, key: str, browser: BrowserSession) -> None:
        if key and browser != self._browser(key):
            self._note({"key": key, "player": browser.player, "known": browser.known})

    def _note(self, line: RegisterLine) -> None:
        self._read(line)
        self._unwritten.append(line)

    def _read(self, line: RegisterLine) -> None:
        if "password" in line:
            self._passwords[line["name"]] = line["password"]
            return
        if "suspended" in line:
            change = self._suspended.add if line["is"] else self._suspended.discard
            change(line["suspended"])
            return
        digest = line["key"]
        for name in self._browsers.pop(digest, BrowserSession()).known:
            del self._known_in[name][digest]
            if not self._known_in[name]:
                del self._known_in[name]
        if line["known"]:
            self._browsers[digest] = BrowserSession(line["player"], tuple(line["known"]))
            for name in line["known"]:
                self._known_in[name][digest] = None

    def _append(self, data: bytes) -> None:
        with os.fdopen(os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as opened:
            # Cut off the partial line of a write that failed, as on a full disk.
            opened.truncate(min(self._size, opened.seek(0, os.SEEK_END)))
            start = opened.seek(0, os.SEEK_END)
            opened.write(data)
            opened.flush()
            os.fsync(opened.fileno())
        self._size = start + len(data)

    def _rewrite(self) -> None:
        lines: list[RegisterLine] = [{"name": n, "password": p} for n, p in self._passwords.items()]
        lines += [{"suspended": name, "is": True} for name in sorted(self._suspended)]
        lines += [{"key": d, **browser._asdict()} for d, browser in self._browsers.items()]
        data = _encode(lines)
        write_private(self._file, data)
        self._size = len(data)


def _encode(lines: Iterable[RegisterLine]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def _lines(file: Path) -> list[RegisterLine]:
    if not file.exists():
        return []
    try:
        # A last line without a newline was cut off by a crash, before it was acknowledged.
        whole, _, _ = file.read_text("utf-8").rpartition("\n")
        lines = [json.loads(line) for line in whole.splitlines()]
        for line in lines:
            for field in next(need for mark, need in _FIELDS.items() if mark in line):
                _ = line[field]
            _ = tuple(line.get("known", ()))
    except (ValueError, KeyError, TypeError, StopIteration):
        raise FileError(f"{file} is damaged: restore it, or take it away") from None
    return lines
