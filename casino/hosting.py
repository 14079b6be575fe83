"""Hosted tables: who may open, change and close them, and when they close by themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from casino.config import Config
from casino.config_tables import TableOrder, changed_table, hosted_table
from casino.errors import RefusalReason, Refused
from casino.table.domain import commands
from casino.table.domain.state import NOT_HOSTED, TableState, refuse_closed
from casino.table.runtime.casino import Casino
from casino.table.runtime.simulated_bettors import STAR

SUCCESSOR_ID: Final = "after/{}"  # of the command that opens the table that replaces another
_MINUTE_MS: Final = 60_000

NO_HOSTS: Final = RefusalReason(
    "no_hosts", "unavailable", "only the casino opens tables here: choose one in the lobby"
)
HOST_NEEDS_PASSWORD: Final = RefusalReason(
    "host_needs_password", "unavailable", "a host needs a password: set one on the account page"
)
NOT_YOUR_TABLE: Final = RefusalReason(
    "not_your_table", "not_host", "{table} has another host: only they may change or close it"
)
TOO_MANY_GAMES: Final = RefusalReason(
    "too_many_games", "over_limit", "a host can order at most {most} games at a time: order fewer"
)
BOT_IS_A_PERSON: Final = RefusalReason(
    "bot_is_a_person", "name_taken", "a person here is called {bot}: choose another bot"
)
PEOPLE_PLAY: Final = RefusalReason(
    "people_play", "unavailable", "people play at {table}: only bots play without pauses"
)


class HostedTables:
    """Opens, changes and closes tables for their hosts, and any of them for the operator (None).

    `states` has the state of every table, and `submit` executes a command.
    """

    def __init__(
        self,
        config: Config,
        house: Casino,
        states: Mapping[str, TableState],
        submit: Callable[[commands.Command], dict[str, Any]],
        has_password: Callable[[str], bool],
        is_person: Callable[[str], bool],
    ) -> None:
        self._config, self._house, self._states, self._submit = config, house, states, submit
        self._has_password, self._is_person = has_password, is_person
        self._used_at: dict[str, int] = {}  # at the last check

    def open(self, player: str | None, table_id: str, order: TableOrder) -> dict[str, Any]:
        """Open a table, and return its name, with a link if it is private."""
        hosting = self._config.hosting
        if player is not None:
            if hosting.who == "nobody":
                raise Refused(NO_HOSTS)
            if hosting.who == "accounts" and not self._has_password(player):
                raise Refused(HOST_NEEDS_PASSWORD)
        if order.replaces:
            command = SUCCESSOR_ID.format(order.replaces)
            refuse_closed(state := self._hosted(player, order.replaces))
            rules = changed_table(self._config, state.newest_settings, order)
        else:
            # No player has an empty name, so an operator's id is never a player's.
            command = f"table/{player or ''}/{table_id}"
            rules = hosted_table(self._config, player, order)
        for bot in (rules.house, *rules.challengers):
            if bot and self._is_person(bot):
                raise Refused(BOT_IS_A_PERSON, bot=bot)
        # A table that closes gives its place to the one that replaces it.
        room = bool(order.replaces)
        most = hosting.tables_each + room, hosting.tables + room
        table: str = self._submit(commands.OpenTable(command, rules, *most))["table"]
        if order.replaces:
            self.close(player, order.replaces)
        is_private = rules.hosted is not None and rules.hosted.audience == "link"
        return {"table": table, "link": self._house.service.seeds.link(table) if is_private else ""}

    def change(self, player: str | None, table: str, order: TableOrder) -> dict[str, Any]:
        """Change a table, and return the number of the first game under the new settings."""
        rules = self._hosted(player, table).newest_settings
        self._submit(commands.SetTableSettings(table, changed_table(self._config, rules, order)))
        coming = self._house.service.durable_state(table).coming
        return {"table": table, "from_game": coming[-1][0] if coming else 0}

    def close(self, player: str | None, table: str) -> dict[str, Any]:
        """Close a table, and return the id of the game that will still be finished, or ""."""
        self._hosted(player, table)
        self._submit(commands.CloseTable(table, "operator" if player is None else "host"))
        running = self._house.service.durable_state(table).running
        return {"table": table, "running": "" if running is None else running.id}

    def close_idle(self, watchers: Callable[[str], int]) -> None:
        """Close tables that have been idle for too long; `watchers` counts who watches a table."""
        now, used_at = self._house.clock(), dict[str, int]()
        for name, state in list(self._states.items()):
            settings = state.newest_settings
            if settings.hosted is None or settings.is_closed:
                continue
            is_used = watchers(name) or _has_people(state) or self._house.ordered_games(name)
            used_at[name] = now if is_used else self._used_at.get(name, now)
            if now - used_at[name] >= self._config.hosting.idle_minutes * _MINUTE_MS:
                self._submit(commands.CloseTable(name, "idle"))
        self._used_at = used_at

    def order_games(self, player: str, table: str, games: int) -> dict[str, Any]:
        """Have bots play games without pauses, and return the games' numbers."""
        state = self._hosted(player, table)
        if games > self._config.hosting.games_ordered:
            raise Refused(TOO_MANY_GAMES, most=self._config.hosting.games_ordered)
        if not state.newest_settings.challenger:
            raise Refused(PEOPLE_PLAY, table=table)
        ordered = self._house.order_games(table, games)
        return {"first": ordered.start, "last": ordered.stop - 1}

    def _hosted(self, player: str | None, table: str) -> TableState:
        """Return the state of a table that the player hosts, or raise `Refused`."""
        if table not in self._states:
            raise Refused(commands.UNKNOWN_TABLE, table=table[:40])
        hosted = self._states[table].newest_settings.hosted
        if hosted is None:
            raise Refused(NOT_HOSTED, table=table)
        if player is not None and hosted.host != player:
            raise Refused(NOT_YOUR_TABLE, table=table)
        return self._states[table]


def _has_people(state: TableState) -> bool:
    bets = state.running.book.bets if state.running is not None else ()
    has_entry = state.poule is not None and state.poule.person
    return bool(
        state.holder or state.queue or has_entry or any(STAR not in bet.bettor for bet in bets)
    )
