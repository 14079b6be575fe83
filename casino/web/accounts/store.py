"""Accounts in memory: password hashes, suspensions, and the player signed in at each browser.

A browser is identified by the random key in its signed cookie, of which only the hash is stored.
Sessions are stored here and not in cookies, so that an ended session stays ended for everyone with
a copy of the cookie, even after a restart. Changes are saved in tables beside the log (see
`casino.ledger.storage.schema`), never in the log, because auditors must not see them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from casino.errors import FileError, RefusalReason, Refused
from casino.ledger.storage.base import StorageError
from casino.ledger.storage.schema import PeopleRows

CANNOT_STORE: Final = RefusalReason(
    "cannot_store", "unavailable", "nothing can be stored now: try again later"
)

MAX_BROWSERS: Final = 16  # browsers remembered for an account, and accounts for a browser


class BrowserSession(NamedTuple):
    """A browser's player, if it is signed in, and the accounts it has been signed in to."""

    player: str | None = None
    known: tuple[str, ...] = ()


class AccountStore:
    """Keeps accounts and sessions in memory, and saves changes with `write`."""

    def __init__(self, rows: PeopleRows, write: Callable[[PeopleRows], None]) -> None:
        self._write = write
        self._browsers: dict[str, BrowserSession] = {}
        self._known_in: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._rows: PeopleRows = {}  # those of no session
        self._unsaved: PeopleRows = {}
        self._changes = 0  # sessions are numbered in the order of their changes
        for (table, key), row in sorted(rows.items(), key=lambda item: item[1].get("n", 0)):
            if table == "session":
                self._keep(key, BrowserSession(row["player"], tuple(json.loads(row["known"]))))
                self._changes = row["n"]
            else:
                self._rows[table, key] = row

    def password(self, name: str) -> str | None:
        """Return the hash of an account's password, or None if it has none."""
        password: str | None = self._person(name)["password"]
        return password

    def player_of(self, key: str) -> str | None:
        """Return a browser's player, or None if it is signed out or the player is suspended."""
        player = self._browser(key).player
        return None if player is None or self.is_suspended(player) else player

    def has_signed_in(self, key: str, name: str) -> bool:
        """Return True if a browser is, or was, signed in to an account."""
        return name in self._browser(key).known

    def has(self, name: str) -> bool:
        """Return True if an account has a password or a browser that was signed in."""
        return self.password(name) is not None or bool(self._known_in.get(name))

    def is_suspended(self, name: str) -> bool:
        """Return True if a player is suspended."""
        return bool(self._person(name)["suspended"])

    def suspend(self, name: str, *, is_suspended: bool) -> None:
        """Suspend or readmit a player, without forgetting their browsers."""
        self._put("person", self._person(name) | {"suspended": int(is_suspended)})

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
        self._put("person", self._person(name) | {"password": hashed})
        for digest in list(self._known_in.get(name, ())):
            if digest != old:
                self._forget(digest, name)
        self.sign_in(name, old, new)

    def unsaved_changes(self) -> dict[str, str | None]:
        """Return the player of each browser with unsaved changes, by hashed key."""
        keys = [key for table, key in self._unsaved if table == "session"]
        for table, name in self._unsaved:
            keys += self._known_in.get(name, ()) if table == "person" else ()
        return {key: self.player_of(key) for key in keys}

    def cookie_key(self, fresh: Callable[[], bytes]) -> bytes:
        """Return the key that signs cookies, stored so that sessions survive restarts."""
        if ("cookie_key", "cookies") not in self._rows:
            self._put("cookie_key", {"name": "cookies", "value": fresh()})
            self.save()
        key: bytes = self._rows["cookie_key", "cookies"]["value"]
        return key

    def save(self) -> None:
        """Store the changes durably; blocks, so call it in a thread."""
        rows, self._unsaved = self._unsaved, {}
        if not rows:
            return
        try:
            self._write(rows)
        except (StorageError, FileError):
            self._unsaved = rows | self._unsaved  # for the next attempt
            raise Refused(CANNOT_STORE) from None

    def _browser(self, key: str) -> BrowserSession:
        return self._browsers.get(key, BrowserSession())

    def _forget(self, digest: str, name: str) -> None:
        browser = self._browsers[digest]
        player = None if browser.player == name else browser.player
        known = tuple(account for account in browser.known if account != name)
        self._set(digest, BrowserSession(player, known))

    def _set(self, key: str, browser: BrowserSession) -> None:
        if not key or browser == self._browser(key):
            return
        self._keep(key, browser)
        self._changes += 1
        known = json.dumps(browser.known)
        row = {"key": key, "n": self._changes, "player": browser.player, "known": known}
        self._unsaved["session", key] = row if browser.known else None

    def _person(self, name: str) -> dict[str, Any]:
        row = self._rows.get(("person", name), {})
        return {"name": name, "password": None, "suspended": 0, **row}

    def _put(self, table: str, row: dict[str, Any]) -> None:
        self._rows[table, row["name"]] = self._unsaved[table, row["name"]] = row

    def _keep(self, key: str, browser: BrowserSession) -> None:
        for name in self._browsers.pop(key, BrowserSession()).known:
            del self._known_in[name][key]
        if browser.known:
            self._browsers[key] = browser
            for name in browser.known:
                self._known_in[name][key] = None
