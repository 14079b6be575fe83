"""Leaderboards, player records and statistics, updated from the log on request."""

from __future__ import annotations

import threading
from typing import Final

from casino.errors import RefusalReason, Refused
from casino.events.types import PouleOver, PouleVoid, decode
from casino.ledger.log_reader import LogReader
from casino.reports import house_statement
from casino.reports.house_statement import HouseStatement
from casino.reports.leaderboard import COUNTED, LeaderboardBuilder
from casino.table.domain.poule import poule_id
from casino.table.domain.state import game_id
from casino.table.public.state import Message
from casino.table.runtime.recovery import GAME_ENDS, last_game_number

# Games counted per request; until a long log is counted, responses have `more` set.
AT_ONCE: Final = 1_000

NO_PLAYER: Final = RefusalReason(
    "no_player", "unknown_player", "no one called {player} has finished a game or a bet here yet"
)


class Leaderboard:
    """Cached statistics of finished games, which each request brings up to date."""

    kinds: tuple[str, ...] = COUNTED

    def __init__(self) -> None:
        self._counted = LeaderboardBuilder()
        self._counters = [self._counted.add]
        self._seen = -1
        self._more = True
        self._one_at_a_time = threading.Lock()  # requests run in the threads of a pool

    def leaders(self, log: LogReader) -> Message:
        """Return the leaderboards of challengers and of bettors."""
        with self._one_at_a_time:
            counts = self._read_on(log)
            challengers, backers = counts.leaders_json("played"), counts.leaders_json("backed")
            return {**self._progress(), "challengers": challengers, "backers": backers}

    def statistics(self, log: LogReader) -> Message:
        """Return statistics of all games counted so far."""
        with self._one_at_a_time:
            return {**self._read_on(log).statistics_json(), **self._progress()}

    def player(self, log: LogReader, name: str) -> Message:
        """Return a player's public record; raise `Refused` if there is none."""
        with self._one_at_a_time:
            player = self._read_on(log).players.get(name)
            if player is None:
                raise Refused(NO_PLAYER, player=name[:40])
            return {**self._progress(), "player": name, **player.json()}

    def _progress(self) -> Message:
        return {"games": self._counted.games, "more": self._more}

    def _read_on(self, log: LogReader) -> LeaderboardBuilder:
        games = self._unread(log)
        for position, game in games:
            leaves = log.of_subject(game)
            events = [decode(leaf.body) for leaf in leaves if leaf.kind in self.kinds]
            for count in self._counters:
                count(events)
            self._seen = position  # so that an error in the next game does not count this one twice
        self._more = len(games) == AT_ONCE
        return self._counted

    def _unread(self, log: LogReader) -> list[tuple[int, str]]:
        """Return games that are not counted yet, each with its position in the log."""
        ends = log.of_kinds(GAME_ENDS, self._seen, limit=AT_ONCE)
        return [(end.n, str(end.subject)) for end in ends]


class TableResults(Leaderboard):
    """Cached statistics of one table, with the statement of its house."""

    kinds = tuple({*COUNTED, *house_statement.COUNTED})

    def __init__(self, table: str) -> None:
        super().__init__()
        self._table, self._seen = table, 0  # positions are game numbers
        self._statement = HouseStatement()
        self._counters.append(self._statement.add)
        self._next_poule = 1  # a poule has the number of its first game

    def statistics(self, log: LogReader) -> Message:
        """Return statistics of the table's games counted so far."""
        return {**super().statistics(log), "statement": dict(vars(self._statement))}

    def _read_on(self, log: LogReader) -> LeaderboardBuilder:
        counts = super()._read_on(log)
        while self._next_poule <= self._seen:
            leaves = log.of_subject(poule_id(self._table, self._next_poule))
            events = [decode(leaf.body) for leaf in leaves]
            if events and not any(isinstance(event, PouleOver | PouleVoid) for event in events):
                break
            self._statement.add(events)
            self._next_poule += 1
        return counts

    def _unread(self, log: LogReader) -> list[tuple[int, str]]:
        last = min(last_game_number(log, self._table), self._seen + AT_ONCE)
        games = [(n, game_id(self._table, n)) for n in range(self._seen + 1, last + 1)]
        # Only the newest game may still be running.
        if games and not list(log.of_subject(games[-1][1], GAME_ENDS)):
            games.pop()
        return games
