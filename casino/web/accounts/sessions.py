"""Cache of the players of browsers, as the backend knows them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any, Final

_MOST: Final = 100_000


def hash_of_key(key: str) -> str:
    """Return the hash of a browser's key; "" if there is none."""
    return sha256(key.encode()).hexdigest() if key else ""


class SessionCache:
    """The players of browsers, by the hash of the browser's key."""

    def __init__(self, ask: Callable[..., Any]) -> None:
        self._ask = ask
        self._players: OrderedDict[str, str | None] = OrderedDict()
        self._changes = 0

    def player_of(self, key: str) -> str | None:
        """Return the player of a browser."""
        if not key:
            return None
        if key not in self._players:
            return self._fetch(key)
        self._players.move_to_end(key)
        return self._players[key]

    def players_of(self, keys: Iterable[str]) -> dict[str, str | None]:
        """Return the players of many browsers by one request."""
        before = self._changes
        asked = sorted(keys)
        players: dict[str, str | None] = self._ask("whose_each", asked) if asked else {}
        for key, player in players.items():
            self._keep(key, player, before)
        return players

    def update(self, keys: Iterable[str]) -> None:
        """Update the players of some browsers."""
        self._changes += 1
        for key in keys:
            self._players.pop(key, None)

    def clear(self) -> None:
        """Ask again for every browser."""
        self.update(list(self._players))

    def _fetch(self, key: str) -> str | None:
        """Ask the backend; cache the answer unless something changed meanwhile."""
        before = self._changes
        player: str | None = self._ask("whose", key)
        self._keep(key, player, before)
        return player

    def _keep(self, key: str, player: str | None, before: int) -> None:
        if self._changes == before:
            self._players[key] = player
            if len(self._players) > _MOST:
                self._players.popitem(last=False)
