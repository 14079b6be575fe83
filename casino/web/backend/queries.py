"""Queries on the log: finished games and their statistics, leaves, checkpoints, receipts."""

from __future__ import annotations

import base64
import gzip
import threading
from collections.abc import Iterator
from itertools import islice
from typing import Final

import msgspec

from casino.errors import RefusalReason, Refused
from casino.events import game_record
from casino.events.types import Event, PouleOver, PouleVoid, decode
from casino.hosting import SUCCESSOR_ID
from casino.ledger.log_reader import LogReader
from casino.ledger.storage.base import StoredLeaf
from casino.ledger.tlog import encode_bundle, parse_tile
from casino.reports import house_statement
from casino.reports.game_json import full_game, summary
from casino.reports.house_statement import HouseStatement
from casino.reports.leaderboard import COUNTED, LeaderboardBuilder
from casino.table.domain.commands import bet_command_id
from casino.table.domain.poule import poule_id
from casino.table.domain.state import game_id
from casino.table.domain.table_base import game_number
from casino.table.public.feed import replay
from casino.table.public.state import Message
from casino.table.runtime.recovery import GAME_ENDS, last_game_number, load_newest_terms

MAX_GAMES: Final = 100
MAX_LEAVES: Final = 1_000
# Games counted per request; until a long log is counted, responses have `more` set.
AT_ONCE: Final = 1_000

NO_GAME: Final = RefusalReason(
    "no_game", "unknown_game", "{game} is not a finished game here: see the list of games"
)
NO_PLAYER: Final = RefusalReason(
    "no_player", "unknown_player", "no one called {player} has finished a game or a bet here yet"
)
NOTHING_SIGNED: Final = RefusalReason(
    "nothing_signed", "unavailable", "nothing is signed yet: try again in a minute"
)
NO_RECEIPT: Final = RefusalReason(
    "no_receipt",
    "unknown_bet",
    "{player} has no signed bet {bet}: check its id, or try again in a minute",
)


def finished_games(
    log: LogReader, before: str | None, limit: int, table: str | None = None
) -> Message:
    """Summarise the newest games, or those before game `before`, newest first."""
    if table is not None:
        ends = _ends_at(log, table, before)
    else:
        number = log.size() if before is None else _end_of(log, before).n
        ends = log.of_kinds(GAME_ENDS, before=number, limit=limit)
    games = [str(leaf.subject) for leaf in islice(ends, limit)]
    # All at once: with 1,000 tables, the list takes 20 ms, but 180 if each one is looked up.
    terms = load_newest_terms(log)
    events = ((decode(leaf.body) for leaf in log.of_subject(game)) for game in games)
    return {"games": [summary(leaves, terms) for leaves in events]}


def finished_game(log: LogReader, name: str) -> Message:
    """Return a finished game with its record, book and payments; refuse an unknown game."""
    return full_game(*_finished(log, name))


def game_replay(log: LogReader, name: str) -> Message:
    """Return a finished game's messages, with exchanged cards shown; refuse an unknown game."""
    return replay(*_finished(log, name))


def lock_proof(log: LogReader, game: str) -> str:
    """Return the receipt of the leaf that locked a game's book, or "" if there is none yet."""
    locked = (leaf.n for leaf in log.of_subject(game) if leaf.kind == "book_locked")
    return next(map(log.receipt, locked), None) or ""


def leaves(log: LogReader, after: int, limit: int) -> Message:
    """Return up to `limit` leaves after leaf `after`, in base64, and the size of the log."""
    rows = [
        {"n": leaf.n, "leaf": base64.b64encode(leaf.body).decode("ascii")}
        for leaf in log.leaves(after + 1, limit)
    ]
    return {"size": log.size(), "leaves": rows}


def checkpoint(log: LogReader) -> Message:
    """Return the newest checkpoint and the receipts for all key rotations."""
    newest = log.checkpoint()
    if newest is None:
        raise Refused(NOTHING_SIGNED)
    proofs = [log.receipt(leaf.n) for leaf in log.of_kinds(("key_rotated",))]
    return {"size": newest.size, "checkpoint": newest.note, "handed_on": list(filter(None, proofs))}


def receipt(log: LogReader, player: str, bet: str, cosigned: str | None) -> Message:
    """Return the receipt for a player's bet, cosigned if checkpoint `cosigned` covers the bet."""
    command = bet_command_id(player, bet)
    reply = log.stored_replies([command]).get(command)
    number = None if reply is None else reply.leaf
    text = None if number is None else log.receipt(number, cosigned)
    if text is None:
        raise Refused(NO_RECEIPT, player=player[:40], bet=bet[:64])
    return {"bet": bet, "receipt": text}


def tile(log: LogReader, name: str, packed: bool) -> bytes | None:
    """Return a tile of the log (leaves gzipped if `packed`), or None if it is not signed."""
    asked = parse_tile(name)
    if asked.end > log.published_size():
        return None
    if asked.level is not None:
        return b"".join(log.tile(asked))
    data = encode_bundle(leaf.body for leaf in log.leaves(asked.first, asked.width))
    return gzip.compress(data, 1) if packed else data


def successor(log: LogReader, table: str) -> str:
    """Return the name of the table that replaces a hosted one, or ""."""
    command = SUCCESSOR_ID.format(table)
    reply = log.stored_replies([command]).get(command)
    return "" if reply is None else msgspec.json.decode(reply.answer).get("table", "")


def _finished(log: LogReader, name: str) -> tuple[list[Event], game_record.FinishedGame]:
    events = [decode(leaf.body) for leaf in log.of_subject(name)]
    terms = (decode(leaf.body) for leaf in log.of_table(name.rpartition("-")[0], "terms"))
    game = game_record.finished_game(events, terms) if events else None
    if game is None:
        raise Refused(NO_GAME, game=name[:60])
    return events, game


def _end_of(log: LogReader, name: str) -> StoredLeaf:
    for leaf in log.of_subject(name, GAME_ENDS):
        return leaf
    raise Refused(NO_GAME, game=name[:60])


def _ends_at(log: LogReader, table: str, before: str | None) -> Iterator[StoredLeaf]:
    # Look games up by number, so that no other table's games are read.
    newest = last_game_number(log, table)
    if before is not None:
        if _end_of(log, before).subject != game_id(table, game_number(before)):
            raise Refused(NO_GAME, game=before[:60])
        newest = game_number(before) - 1
    for number in range(newest, 0, -1):
        yield from log.of_subject(game_id(table, number), GAME_ENDS)


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
