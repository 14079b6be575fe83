"""The Socket.IO connections of this process."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from casino.web.websocket.connection import WebSocketConnection


@dataclass(slots=True, eq=False)
class Connection:
    """A Socket.IO connection with its session, player and socket.

    `admitted` names the private tables whose links the browser has opened.
    """

    key: str  # hashed
    player: str | None
    socket: WebSocketConnection
    address: str
    too_many: int = 0
    admitted: frozenset[str] = frozenset()


class ConnectionRegistry:
    """Registry of all connections, with a room for each table and for each player.

    It calls `set_present` with each player who connects, or whose last connection has ended.
    """

    def __init__(self, set_present: Callable[[str, bool], None]) -> None:
        self.by_id: dict[str, Connection] = {}  # by Socket.IO's session id
        self._set_present = set_present
        # In order of arrival; those at a table, with whether they count as watching it.
        self._rooms: defaultdict[str, dict[Connection, bool]] = defaultdict(dict)
        self._of_player: defaultdict[str, dict[Connection, None]] = defaultdict(dict)
        self._of_address: Counter[str] = Counter()
        self.reported: Mapping[str, int] = {}  # watchers of each table in all processes

    def __len__(self) -> int:
        return len(self.by_id)

    def add(self, sid: str, connection: Connection) -> None:
        """Add a connection that watches no table yet."""
        self.by_id[sid] = connection
        self._of_address[connection.address] += 1
        self._add_player(connection)

    def remove(self, sid: str) -> None:
        """Remove a connection that has ended, if it is known."""
        connection = self.by_id.pop(sid, None)
        if connection is None:
            return
        self._of_address[connection.address] -= 1
        if not self._of_address[connection.address]:
            del self._of_address[connection.address]
        for table in list(self._rooms):
            self.leave(connection, table)
        self._remove_player(connection)

    def join(self, connection: Connection, table: str, *, preview: bool = False) -> None:
        """Let a connection watch a table, or see it in the lobby."""
        self._rooms[table][connection] = not preview

    def leave(self, connection: Connection, table: str) -> None:
        """Stop a connection from watching a table or its preview."""
        self._rooms[table].pop(connection, None)

    def close_room(self, table: str) -> None:
        """Stop all connections from watching a table that is over."""
        self._rooms.pop(table, None)

    def count_of_address(self, address: str) -> int:
        """Return the number of connections from an address."""
        return self._of_address[address]

    def players(self) -> set[str]:
        """Return the players who are connected to this process."""
        return set(self._of_player)

    def player_keys(self) -> set[str]:
        """Return the hashed session keys of the connections with a signed-in player."""
        return {each.key for each in self.by_id.values() if each.player is not None}

    def sockets(self) -> list[WebSocketConnection]:
        """Return the sockets of all connections."""
        return [connection.socket for connection in self.by_id.values()]

    def sockets_at(self, table: str) -> list[WebSocketConnection]:
        """Return the sockets of all connections that watch a table or its preview."""
        return [connection.socket for connection in self._rooms[table]]

    def sockets_of(self, table: str, player: str) -> list[WebSocketConnection]:
        """Return the sockets of all tabs in which a player watches a table."""
        tabs, room = self._of_player.get(player, ()), self._rooms[table]
        return [connection.socket for connection in tabs if connection in room]

    def own_watchers(self, table: str) -> int:
        """Return how many connections in this process watch a table."""
        return sum(self._rooms[table].values())

    def watchers(self, table: str) -> int:
        """Return how many connections watch a table in all processes, as last reported."""
        return max(self.own_watchers(table), self.reported.get(table, 0))

    def update_sessions(self, players: Mapping[str, str | None], moved: Mapping[str, str]) -> None:
        """Update connections whose session has a new key, and close those whose session ended.

        The page of a closed connection reconnects with its new cookie. `moved` maps old keys to
        new ones.
        """
        for connection in list(self.by_id.values()):
            player = connection.player
            if connection.key in moved:
                connection.key = moved[connection.key]
                self._set_player(connection, players[connection.key])
            elif player is not None and player != players.get(connection.key, player):
                self._set_player(connection, None)
                connection.socket.close()

    def _set_player(self, connection: Connection, player: str | None) -> None:
        if player != connection.player:
            self._remove_player(connection)
            connection.player = player
            self._add_player(connection)

    def _add_player(self, connection: Connection) -> None:
        if connection.player is not None:
            self._of_player[connection.player][connection] = None
            self._set_present(connection.player, True)

    def _remove_player(self, connection: Connection) -> None:
        player = connection.player
        if player is not None:
            del self._of_player[player][connection]
            if not self._of_player[player]:
                del self._of_player[player]
                self._set_present(player, False)
