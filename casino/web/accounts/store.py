"""Accounts in memory: password hashes, suspensions, and the player signed in on each browser.

A browser is identified by a random key in its signed cookie; only the key's hash is stored here.
Sessions are stored here and not in cookies, so that an ended session stays ended for everyone with
a copy of the cookie, even after a restart. Changes are saved in a table next to the log (see
`casino.ledger.storage.schema`), never in the log, because auditors must not see them.
"""

from __future__ import annotations

import json
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from hashlib import sha256
from typing import Final, NamedTuple

from casino.errors import FileError, RefusalReason, Refused
from casino.ledger.storage.base import StorageError
from casino.ledger.storage.schema import PeopleRows

CANNOT_STORE: Final = RefusalReason(
    "cannot_store", "unavailable", "nothing can be stored now: try again later"
)

# Kinds of values; that of a session is its number, player and known accounts, as JSON.
PASSWORD, SESSION, SUSPENDED, COOKIE_KEY = "password", "session", "suspended", "cookie_key"
RECOVERY: Final = "recovery"

MAX_BROWSERS: Final = 16  # browsers remembered per account, and accounts remembered per browser


class BrowserSession(NamedTuple):
    """A browser's player, if it is signed in, and the accounts it has been signed in to."""

    player: str | None = None
    known: tuple[str, ...] = ()


class AccountStore:
    """Keeps accounts and sessions in memory, and saves changes with `write`."""

    def __init__(
        self, rows: Mapping[tuple[str, str], str], write: Callable[[PeopleRows], None]
    ) -> None:
        self._write = write
        self._browsers: dict[str, BrowserSession] = {}
        self._known_in: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._values: dict[tuple[str, str], str | None]
        self._values = {key: value for key, value in rows.items() if key[0] != SESSION}
        self._unsaved: dict[tuple[str, str], str | None] = {}
        self._undo: dict[tuple[str, str], Callable[[], None]] = {}
        self._changes = 0  # sessions are numbered in the order of their changes
        sessions = [(*json.loads(row), key) for (kind, key), row in rows.items() if kind == SESSION]
        for self._changes, player, known, key in sorted(sessions):
            self._keep(key, BrowserSession(player, tuple(known)))

    def password(self, name: str) -> str | None:
        """Return the hash of an account's password, or None if it has none."""
        return self._values.get((PASSWORD, name))

    def recovery(self, name: str) -> str | None:
        """Return the hash of an account's recovery code, or None if it has none."""
        return self._values.get((RECOVERY, name))

    def set_recovery(self, name: str, hashed: str) -> None:
        """Set the recovery code of an account without a password."""
        self._put(RECOVERY, name, hashed)

    def player_of(self, key: str) -> str | None:
        """Return a browser's player, or None if it is signed out or the player is suspended."""
        player = self._browser(key).player
        return None if player is None or self.is_suspended(player) else player

    def has_signed_in(self, key: str, name: str) -> bool:
        """Return True if a browser is, or was, signed in to an account."""
        return name in self._browser(key).known

    def has(self, name: str) -> bool:
        """Return True if an account has a password or a browser that has signed in to it."""
        return self.password(name) is not None or bool(self._known_in.get(name))

    def is_suspended(self, name: str) -> bool:
        """Return True if a player is suspended."""
        return self._values.get((SUSPENDED, name)) is not None

    def suspend(self, name: str, *, is_suspended: bool) -> None:
        """Suspend or readmit a player, without forgetting their browsers."""
        self._put(SUSPENDED, name, "yes" if is_suspended else None)

    def sign_in(self, name: str, old: str, new: str) -> None:
        """Sign a browser in under a new key, so that a cookie planted beforehand is worthless."""
        known = [account for account in self._browser(old).known if account != name]
        self._set(old, BrowserSession())
        self._set(new, BrowserSession(name, (*known, name)[-MAX_BROWSERS:]))
        for digest in list(self._known_in.get(name, ()))[:-MAX_BROWSERS]:
            self._forget(digest, name)

    def sign_out(self, old: str, new: str) -> None:
        """Sign a browser out; its new key inherits the list of accounts it has signed in to."""
        known = self._browser(old).known
        self._set(old, BrowserSession())
        self._set(new, BrowserSession(None, known))

    def set_password(self, name: str, hashed: str, old: str, new: str) -> None:
        """Change a password, sign all other browsers out, and sign this one in under a new key.

        The recovery code no longer works from then on.
        """
        self._put(PASSWORD, name, hashed)
        if self.recovery(name) is not None:
            self._put(RECOVERY, name, None)
        for digest in list(self._known_in.get(name, ())):
            if digest != old:
                self._forget(digest, name)
        self.sign_in(name, old, new)

    def unsaved_changes(self) -> dict[str, str | None]:
        """Return the player, or None, of each browser with unsaved changes, by hashed key."""
        keys = [key for kind, key in self._unsaved if kind == SESSION]
        for kind, name in self._unsaved:
            keys += self._known_in.get(name, ()) if kind == SUSPENDED else ()
        return {key: self.player_of(key) for key in keys}

    def cookie_key(self, fresh: Callable[[], bytes]) -> bytes:
        """Return the key that signs cookies, stored so that sessions survive restarts."""
        key = self._values.get((COOKIE_KEY, ""))
        if key is None:
            key = fresh().hex()
            self._put(COOKIE_KEY, "", key)
            self.save()
        return bytes.fromhex(key)

    def save(self) -> None:
        """Store the changes durably, or undo and refuse them; blocks, so call it in a thread."""
        rows, self._unsaved = self._unsaved, {}
        undo, self._undo = self._undo, {}
        if not rows:
            return
        try:
            self._write(rows)
        except (StorageError, FileError):
            # They may be stored all the same: the next attempt stores the old values again.
            self._unsaved = rows
            for restore in undo.values():
                restore()
            self._undo = {}
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
        self._undo.setdefault((SESSION, key), partial(self._set, key, self._browser(key)))
        self._keep(key, browser)
        self._changes += 1
        row = json.dumps([self._changes, *browser])
        self._unsaved[SESSION, key] = row if browser.known else None

    def _put(self, kind: str, name: str, value: str | None) -> None:
        before = self._values.get((kind, name))
        self._undo.setdefault((kind, name), partial(self._put, kind, name, before))
        self._values[kind, name] = self._unsaved[kind, name] = value

    def _keep(self, key: str, browser: BrowserSession) -> None:
        for name in self._browsers.pop(key, BrowserSession()).known:
            del self._known_in[name][key]
        if browser.known:
            self._browsers[key] = browser
            for name in browser.known:
                self._known_in[name][key] = None


_MOST: Final = 100_000


def hash_of_key(key: str) -> str:
    """Return the SHA-256 of a browser's session key; "" stays ""."""
    return sha256(key.encode()).hexdigest() if key else ""


class Browser(NamedTuple):
    """The browser behind a request: its hashed session key, a new hashed key, and its address."""

    key: str
    fresh: str
    address: str | None


class SessionCache:
    """Caches the player of each hashed session key; the least recently used keys are dropped."""

    def __init__(self, fetch: Callable[[list[str]], dict[str, str | None]]) -> None:
        self._fetch = fetch
        self._players: OrderedDict[str, str | None] = OrderedDict()
        self._changes = 0

    def player_of(self, key: str) -> str | None:
        """Return the player who is signed in with a hashed key, or None."""
        if not key:
            return None
        if key not in self._players:
            return self.players_of([key])[key]
        self._players.move_to_end(key)
        return self._players[key]

    def players_of(self, keys: Iterable[str]) -> dict[str, str | None]:
        """Return the players of several hashed keys, fetched in one request."""
        before = self._changes
        asked = sorted(keys)
        players = self._fetch(asked) if asked else {}
        # If sessions changed during the request, its reply may be out of date.
        if self._changes == before:
            self._players |= players
            while len(self._players) > _MOST:
                self._players.popitem(last=False)
        return players

    def update(self, keys: Iterable[str]) -> None:
        """Drop the cached player of each key whose session has changed."""
        self._changes += 1
        for key in keys:
            self._players.pop(key, None)

    def clear(self) -> None:
        """Drop all cached players."""
        self.update(list(self._players))
