"""The casino's interface for pages and sockets.

`LocalBackend` implements it in the tables' process. In a worker, `remote_backend` sends each call
over Redis: the signatures below are also the schema of those requests, which msgspec writes as
JSON. Callers authenticate the player, and a method returns private data only about the player that
it is called for. Every method may raise `Refused`.

The messages that the backend publishes to all web processes contain no hidden card, seed or key;
`SessionsChanged` contains hashes of session keys. Private views are not published: the process that
holds a player's socket requests them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from msgspec import Struct

from casino.config_tables import TableOrder
from casino.errors import Refused
from casino.table.domain.commands import UNKNOWN_TABLE, PlayerCommand
from casino.table.public.feed import EventBatch, TableFeed, TableTransfer
from casino.table.public.state import Message
from casino.web.accounts.store import Browser


class TableFeeds(dict[str, TableFeed]):
    """The feeds of all tables, by name; looking up an unknown table raises `Refused`."""

    def __missing__(self, table: str) -> TableFeed:
        raise Refused(UNKNOWN_TABLE, table=table[:40])

    @property
    def taking(self) -> bool:
        """Whether bets are taken, as far as it has been published."""
        return all(feed.taking for feed in self.values())


class Backend(Protocol):
    """The methods that pages and sockets may call."""

    def submit(self, command: PlayerCommand) -> Message:
        """Execute a command and return its result once it is durable."""

    # Players and their sessions.

    def enter(
        self, name: str, password: str | None, browser: Browser, code: str
    ) -> tuple[str, str, bool]:
        """Sign a browser in, creating the account if needed.

        Return the name, the session key, and whether `code`, which is hashed, is the account's
        recovery code.
        """

    def sign_out(self, browser: Browser) -> None:
        """Sign a browser out and replace its hashed session key with a new one."""

    def change_password(self, browser: Browser, old: str | None, new: str) -> str:
        """Set the signed-in player's password, end their other sessions, and return their name."""

    def has_password(self, name: str) -> bool:
        """Return True if an account has a password."""

    def players_of(self, keys: Sequence[str]) -> dict[str, str | None]:
        """Return the player who is signed in with each hashed session key, or None."""

    def balances(self, players: Sequence[str]) -> dict[str, int]:
        """Return the wallet balances of several players, in cents."""

    def account(self, player: str) -> Message:
        """Return a player's balance, limits and open bets."""

    def statement(self, player: str) -> Message:
        """Return a player's account statement."""

    def refill(self, player: str) -> Message:
        """Refill a player's wallet, or refuse if they have enough chips."""

    # Tables.

    def private_views(self, wanted: Sequence[tuple[str, str]]) -> list[Message]:
        """Return one private view for each (table, player) pair in `wanted`."""

    def say(self, table: str, player: str, phrase: str) -> None:
        """Publish a chat phrase to everyone who watches the table."""

    def give_more_time(self, table: str, player: str) -> float | None:
        """Extend a player's turn; return the seconds left, or None if no countdown is running."""

    # Hosted tables.

    def open_table(self, player: str, table_id: str, order: TableOrder) -> Message:
        """Open a table for a host and return its name, with a link if it is private."""

    def change_table(self, player: str, table: str, order: TableOrder) -> Message:
        """Change a host's table; return the number of the first game under the new settings."""

    def successor(self, table: str) -> str:
        """Return the name of the table that replaces a hosted one, or ""."""

    def close_table(self, player: str, table: str) -> Message:
        """Close a host's table; return the id of the game that will still be finished, or ""."""

    def order_games(self, player: str, table: str, games: int) -> Message:
        """Have bots play games at a host's table without pauses; return the games' numbers."""

    def table_link(self, table: str) -> str:
        """Return the token in the link to a private table."""

    # Finished games, statistics and the log.

    def leaders(self) -> Message:
        """Return the leaderboards of challengers and of bettors."""

    def statistics(self, table: str | None) -> Message:
        """Return statistics on all finished games, or on one table's games with its statement."""

    def player_record(self, name: str) -> Message:
        """Return a player's public record."""

    def games(self, before: str | None, limit: int, table: str | None) -> Message:
        """Return finished games, newest first: the last ones, or those before a game."""

    def game(self, name: str) -> Message:
        """Return a finished game with everything needed to verify it."""

    def replay(self, name: str) -> Message:
        """Return the messages of a finished game, with both hands after each."""

    def leaves(self, after: int, limit: int) -> Message:
        """Return up to `limit` leaves of the log that follow leaf number `after`."""

    def checkpoint(self) -> Message:
        """Return the newest checkpoint and the signing key."""

    def receipt(self, player: str, bet: str) -> Message:
        """Return the receipt for a player's bet."""

    def published_checkpoint(self) -> str | None:
        """Return the newest checkpoint as a note, cosigned if possible; None if there is none."""

    def tile(self, name: str, packed: bool) -> bytes | None:
        """Return a tile of the log (leaves gzipped if `packed`), or None if it is not signed."""


class CheckpointSigned(Struct, frozen=True, tag="signed", tag_field="kind"):
    """A new checkpoint of the log, as a signed note."""

    note: str


class BettingStatus(Struct, frozen=True, tag="taking", tag_field="kind"):
    """Whether the casino takes bets; published on each change."""

    taking: bool


class TableReset(Struct, frozen=True, tag="read_again", tag_field="kind"):
    """A new table, or one that was reloaded; every client of that needs a new snapshot."""

    table: str
    standing: TableTransfer


class TableClosed(Struct, frozen=True, tag="table_closed", tag_field="kind"):
    """A closed table, the one that replaces it, or "", and whether its last game is over."""

    table: str
    successor: str = ""
    is_over: bool = True


class SessionsChanged(Struct, frozen=True, tag="sessions", tag_field="kind"):
    """Changed sessions: the player for each hashed key, and the new key for each replaced key."""

    players: dict[str, str | None]
    moved: dict[str, str]


class Announcement(Struct, frozen=True, tag="announced", tag_field="kind"):
    """A message from the operator to everyone with a page open."""

    text: str


class ChatMessage(Struct, frozen=True, tag="said", tag_field="kind"):
    """A chat phrase, for everyone who watches the table."""

    table: str
    player: str
    phrase: str


class BackendAlive(Struct, frozen=True, tag="alive", tag_field="kind"):
    """The backend's heartbeat, with the number of watchers at each table in all workers."""

    watching: dict[str, int]


Bulletin: TypeAlias = (
    EventBatch
    | CheckpointSigned
    | BettingStatus
    | TableReset
    | TableClosed
    | SessionsChanged
    | Announcement
    | ChatMessage
    | BackendAlive
)
