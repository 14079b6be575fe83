"""Accounts in memory: password hashes, suspensions, and the player signed in on each browser.

A browser is identified by a random key in its signed cookie; only the key's hash is stored here.
Sessions are stored here and not in cookies, so that an ended session stays ended for everyone with
a copy of the cookie, even after a restart. Changes are saved in a table next to the log (see
`casino.ledger.storage.schema`), never in the log, because auditors must not see them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Final, NamedTuple

from casino.errors import FileError, RefusalReason, Refused
from casino.ledger.storage.base import PeopleRows, StorageError

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
    """Keeps accounts and sessions in memory, and stores changes with `write`.

    `sign_in`, `sign_out` and `set_password` return the changed rows; they apply once stored.
    """

    def __init__(
        self, rows: Mapping[tuple[str, str], str], write: Callable[[PeopleRows], None]
    ) -> None:
        self._write = write
        self._rows: dict[tuple[str, str], str] = {}
        self._known_in: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._in_doubt: set[tuple[str, str]] = set()
        # Sessions are numbered in the order of their changes.
        numbers = {key: json.loads(row)[0] for key, row in rows.items() if key[0] == SESSION}
        self._changes = max(numbers.values(), default=0)
        self.apply({key: rows[key] for key in sorted(rows, key=lambda key: numbers.get(key, 0))})

    def password(self, name: str) -> str | None:
        """Return the hash of an account's password, or None if it has none."""
        return self._rows.get((PASSWORD, name))

    def recovery(self, name: str) -> str | None:
        """Return the hash of an account's recovery code, or None if it has none."""
        return self._rows.get((RECOVERY, name))

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
        return (SUSPENDED, name) in self._rows

    def sign_in(self, name: str, old: str, new: str, others: int = MAX_BROWSERS - 1) -> PeopleRows:
        """Sign a browser in under a new key, so that a cookie planted beforehand is worthless.

        Of the account's other browsers, only the newest `others` are still remembered.
        """
        browsers = {}
        keys = [key for key in self._known_in.get(name, ()) if key not in (old, new)]
        for key in keys[: max(0, len(keys) - others)]:
            player, known = self._browser(key)
            known = tuple(account for account in known if account != name)
            browsers[key] = BrowserSession(None if player == name else player, known)
        known = tuple(account for account in self._browser(old).known if account != name)
        browsers[old] = BrowserSession()
        browsers[new] = BrowserSession(name, (*known, name)[-MAX_BROWSERS:])
        return self._session_rows(browsers)

    def sign_out(self, old: str, new: str) -> PeopleRows:
        """Sign a browser out; its new key inherits the list of accounts it has signed in to."""
        signed_out = BrowserSession(None, self._browser(old).known)
        return self._session_rows({old: BrowserSession(), new: signed_out})

    def set_password(self, name: str, hashed: str, old: str, new: str) -> PeopleRows:
        """Change a password, sign all other browsers out, and sign this one in under a new key.

        The recovery code no longer works from then on.
        """
        sessions = self.sign_in(name, old, new, others=0)
        return {(PASSWORD, name): hashed, (RECOVERY, name): None, **sessions}

    def cookie_key(self, fresh: Callable[[], bytes]) -> bytes:
        """Return the key that signs cookies, stored so that sessions survive restarts."""
        key = COOKIE_KEY, ""
        if key not in self._rows:
            made = {key: fresh().hex()}
            self.store(made)
            self.apply(made)
        return bytes.fromhex(self._rows[key])

    def store(self, changes: PeopleRows) -> None:
        """Store changes durably, or refuse them; blocks, so call it in a thread."""
        try:
            self._write({**{key: self._rows.get(key) for key in self._in_doubt}, **changes})
        except (StorageError, FileError):
            # They may be stored all the same: the next attempt stores the present values again.
            self._in_doubt |= changes.keys()
            raise Refused(CANNOT_STORE) from None
        self._in_doubt.clear()

    def apply(self, changes: PeopleRows) -> dict[str, str | None]:
        """Apply stored changes; return the player of each changed browser, or None, by its key."""
        for key, row in changes.items():
            for name in self._known(key):
                del self._known_in[name][key[1]]
            if row is None:
                self._rows.pop(key, None)
            else:
                self._rows[key] = row
            for name in self._known(key):
                self._known_in[name][key[1]] = None
        keys = [key for kind, key in changes if kind == SESSION]
        for kind, name in changes:
            keys += self._known_in.get(name, ()) if kind == SUSPENDED else ()
        return {key: self.player_of(key) for key in keys}

    def _known(self, key: tuple[str, str]) -> tuple[str, ...]:
        return self._browser(key[1]).known if key[0] == SESSION else ()

    def _browser(self, key: str) -> BrowserSession:
        row = self._rows.get((SESSION, key))
        if row is None:
            return BrowserSession()
        _, player, known = json.loads(row)
        return BrowserSession(player, tuple(known))

    def _session_rows(self, browsers: Mapping[str, BrowserSession]) -> PeopleRows:
        rows = {}
        for key, browser in browsers.items():
            if key and browser != self._browser(key):
                self._changes += 1
                row = json.dumps([self._changes, *browser])
                rows[SESSION, key] = row if browser.known else None
        return rows


_MAX_CACHED: Final = 100_000


def hash_of_key(key: str) -> str:
    """Return the SHA-256 of a browser's session key; "" stays ""."""
    return sha256(key.encode()).hexdigest() if key else ""


class Browser(NamedTuple):
    """The browser behind a request: its hashed session key, a new hashed key, and its address."""

    key: str
    fresh: str
    address: str | None


class SessionCache:
    """Caches the player of each hashed session key; too many keys are all dropped."""

    def __init__(self, fetch: Callable[[list[str]], dict[str, str | None]]) -> None:
        self._fetch = fetch
        self._players: dict[str, str | None] = {}
        self._changes = 0

    def player_of(self, key: str) -> str | None:
        """Return the player who is signed in with a hashed key, or None."""
        if not key:
            return None
        return self._players[key] if key in self._players else self.players_of([key])[key]

    def players_of(self, keys: Iterable[str]) -> dict[str, str | None]:
        """Return the players of several hashed keys, fetched in one request."""
        before = self._changes
        asked = sorted(keys)
        players = self._fetch(asked) if asked else {}
        # If sessions changed during the request, its reply may be out of date.
        if self._changes == before:
            if len(self._players) > _MAX_CACHED:
                self._players.clear()
            self._players |= players
        return players

    def update(self, keys: Iterable[str]) -> None:
        """Drop the cached player of each key whose session has changed."""
        self._changes += 1
        for key in keys:
            self._players.pop(key, None)

    def clear(self) -> None:
        """Drop all cached players."""
        self.update(list(self._players))
