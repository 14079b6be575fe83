"""The account file: password hashes, and the player each browser is signed in as.

A browser is known by the random key in its signed cookie; only its hash is stored. What a browser
may do is stored here, not in its cookie: a session that has ended stays ended, also after a restart
and for anyone with a copy of the cookie. The file is beside the casino's, not in it, because
auditors of the log must not get passwords and sessions. It grows by a line for each change and is
rewritten at startup; later lines win.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

from casino.errors import FileError, RefusalReason, Refused

CANNOT_STORE: Final = RefusalReason(
    "cannot_store", "unavailable", "nothing can be stored now: try again later"
)

RegisterLine = dict[str, Any]

MAX_BROWSERS: Final = 16  # browsers remembered for an account; the oldest are forgotten


# The fields a line must have, by its first.
_FIELDS: Final = {"password": ("name",), "suspended": ("is",), "key": ("player", "known")}


class BrowserSession(NamedTuple):
    """A browser: its player, and the accounts it has been signed in to."""

    player: str | None = None
    known: tuple[str, ...] = ()


class AccountStore:
    """The accounts in the file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._passwords: dict[str, str] = {}
        self._browsers: dict[str, BrowserSession] = {}
        self._known_in: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._suspended: set[str] = set()
        self._unwritten: list[RegisterLine] = []
        for line in _lines(file):
            self._read(line)
        if file.exists():
            self._rewrite()

    def password(self, name: str) -> str | None:
        """Return the hash of an account's password, if it has one."""
        return self._passwords.get(name)

    def player_of(self, key: str) -> str | None:
        """Return the player of a browser; None while that player is suspended."""
        player = self._browser(key).player
        return None if player in self._suspended else player

    def has_signed_in(self, key: str, name: str) -> bool:
        """Return True if a browser is, or was, signed in to an account."""
        return name in self._browser(key).known

    def has(self, name: str) -> bool:
        """Return True if an account is known here."""
        return name in self._passwords or name in self._known_in

    def is_suspended(self, name: str) -> bool:
        """Return True if a player is suspended."""
        return name in self._suspended

    def suspend(self, name: str, *, is_suspended: bool) -> None:
        """Suspend a player, or readmit them; their browsers are remembered."""
        self._note({"suspended": name, "is": is_suspended})

    def sign_in(self, name: str, old: str, new: str) -> None:
        """Sign a browser in under a new key; the old key becomes invalid.

        The key changes so that a cookie planted in the browser beforehand is worthless.
        """
        known = [account for account in self._browser(old).known if account != name]
        self._set(old, BrowserSession())
        self._set(new, BrowserSession(name, (*known, name)[-MAX_BROWSERS:]))
        for digest in list(self._known_in.get(name, ()))[:-MAX_BROWSERS]:
            self._forget(digest, name)

    def sign_out(self, old: str, new: str) -> None:
        """Sign a browser out; under its new key it is still known to its accounts."""
        known = self._browser(old).known
        self._set(old, BrowserSession())
        self._set(new, BrowserSession(None, known))

    def set_password(self, name: str, hashed: str, old: str, new: str) -> None:
        """Change a password: all other browsers are signed out, and this one gets a new key."""
        self._note({"name": name, "password": hashed})
        for digest in list(self._known_in.get(name, ())):
            if digest != old:
                self._forget(digest, name)
        self.sign_in(name, old, new)

    def unsaved_changes(self) -> dict[str, str | None]:
        """Return the players of browsers that changed and are not saved yet."""
        keys = [line["key"] for line in self._unwritten if "key" in line]
        for line in self._unwritten:
            keys += self._known_in.get(line.get("suspended", ""), ())
        return {key: self.player_of(key) for key in keys}

    def save(self) -> None:
        """Save the changes durably; for a thread outside the event loop."""
        lines, self._unwritten = self._unwritten, []
        if not lines:
            return
        try:
            _write(self._file, os.O_APPEND, lines)
        except OSError:
            self._unwritten = lines + self._unwritten
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

    def _rewrite(self) -> None:
        new = self._file.with_name(self._file.name + ".new")
        lines: list[RegisterLine] = [{"name": n, "password": p} for n, p in self._passwords.items()]
        lines += [{"suspended": name, "is": True} for name in sorted(self._suspended)]
        lines += [{"key": d, **browser._asdict()} for d, browser in self._browsers.items()]
        _write(new, os.O_TRUNC, lines)
        new.replace(self._file)


def _write(file: Path, how: int, lines: Iterable[RegisterLine]) -> None:
    """Write lines to a file that only its owner can read, and sync it."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | how, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        opened.write("".join(json.dumps(line) + "\n" for line in lines))
        opened.flush()
        os.fsync(opened.fileno())


def _lines(file: Path) -> list[RegisterLine]:
    """Yield the file's lines; a last one cut off by a crash was never acknowledged."""
    if not file.exists():
        return []
    try:
        whole, _, _ = file.read_text("utf-8").rpartition("\n")
        lines = [json.loads(line) for line in whole.splitlines()]
        for line in lines:
            for field in next(need for mark, need in _FIELDS.items() if mark in line):
                _ = line[field]
            _ = tuple(line.get("known", ()))
    except (ValueError, KeyError, TypeError, StopIteration):
        raise FileError(f"{file} is damaged: restore it, or take it away") from None
    return lines
