"""Leaderboards, player records and statistics, updated from the log on request."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import asdict
from itertools import accumulate
from math import sqrt
from typing import Final

from casino.errors import RefusalReason, Refused
from casino.events.types import PouleOver, PouleVoid, decode
from casino.ledger.log_reader import LogReader
from casino.reports import house_statement
from casino.reports.house_statement import HouseStatement
from casino.reports.leaderboard import COUNTED, LeaderboardBuilder, Part, PlayerRecord, ResultTally
from casino.table.domain.poule import poule_id
from casino.table.domain.state import game_id
from casino.table.public.state import Message
from casino.table.runtime.recovery import GAME_ENDS, last_game_number

# Games counted per request; until a long log is counted, responses have `more` set.
AT_ONCE: Final = 1_000

MAX_LEADERS: Final = 100
POINTS: Final = 120  # of the curve of games that the house won

_CERTAIN: Final = 1.96

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
            players = self._read_on(log).players
            boards = {
                "challengers": _ranked(players, "played"),
                "backers": _ranked(players, "backed"),
            }
            return {**self._progress(), **boards}

    def statistics(self, log: LogReader) -> Message:
        """Return statistics of all games counted so far."""
        with self._one_at_a_time:
            counts = self._read_on(log)
            pairs = list(counts.pairs.items())
            pairs.sort(key=lambda pair: (pair[0][1] is None, -pair[1].games))
            return {
                **self._progress(),
                "void": counts.void,
                "pairs": [
                    {"house": house, "challenger": challenger, **asdict(tally)}
                    for (house, challenger), tally in pairs
                ],
                "scores": [
                    {"house": house, "challenger": challenger, "games": games}
                    for (house, challenger), games in sorted(counts.scores.items())
                ],
                "stakes": [counts.stakes[stake] for stake in (1, 2, 3)],
                "course": _course(counts.winners),
            }

    def player(self, log: LogReader, name: str) -> Message:
        """Return a player's public record; raise `Refused` if there is none."""
        with self._one_at_a_time:
            counts = self._read_on(log)
            player = counts.players.get(name)
            if player is None:
                raise Refused(NO_PLAYER, player=name[:40])
            against = sorted(player.against.items(), key=lambda pair: -pair[1].games)
            return {
                **self._progress(),
                "player": name,
                "played": asdict(player.played),
                "backed": asdict(player.backed),
                "against": [{"bot": bot, **asdict(tally)} for bot, tally in against],
                "stakes": [player.stakes[stake] for stake in (1, 2, 3)],
                "last": [game._asdict() for game in reversed(player.last)],
            }

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


def win_rate_lower_bound(tally: ResultTally) -> float:
    """Return a lower confidence bound of the win rate (Wilson, one-sided 97.5 %)."""
    games = tally.games
    if not games:
        return 0.0
    share, square = tally.won / games, _CERTAIN * _CERTAIN
    spread = _CERTAIN * sqrt(share * (1 - share) / games + square / (4 * games * games))
    return (share + square / (2 * games) - spread) / (1 + square / games)


def _ranked(players: Mapping[str, PlayerRecord], part: Part) -> list[Message]:
    tallies = {name: getattr(player, part) for name, player in players.items()}
    ranked = [(name, tally) for name, tally in tallies.items() if tally.games]
    ranked.sort(key=lambda entry: (-win_rate_lower_bound(entry[1]), entry[1].lost, entry[0]))
    return [
        {"player": name, **asdict(tally), "is_bot": players[name].is_bot}
        for name, tally in ranked[:MAX_LEADERS]
    ]


def _course(winners: bytes | bytearray) -> list[list[int]]:
    games, won = len(winners), [0, *accumulate(winners)]
    ends = sorted({games * point // POINTS for point in range(1, POINTS + 1)} - {0})
    return [[end, won[end]] for end in ends]
