"""Session keys of browsers, and a cache of the players who are signed in with them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Final, NamedTuple

_MOST: Final = 100_000


def hash_of_key(key: str) -> str:
    """Return the SHA-256 of a browser's session key; "" stays ""."""
    return sha256(key.encode()).hexdigest() if key else ""


class Browser(NamedTuple):
    """The browser that sends a request: its hashed session key, a new one, and its address."""

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
