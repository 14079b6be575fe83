"""Queries on the log: finished games, leaves, checkpoints, receipts."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Final

import msgspec

from casino.errors import RefusalReason, Refused
from casino.events import game_record
from casino.events.types import Event, TermsSet, decode
from casino.hosting import SUCCESSOR_ID
from casino.ledger.log_reader import LogReader
from casino.ledger.storage.base import StoredLeaf
from casino.ledger.tlog import encode_bundle, parse_tile
from casino.reports.game_json import full_game, summary
from casino.table.domain.commands import bet_command_id
from casino.table.domain.state import game_id
from casino.table.domain.table_base import game_number
from casino.table.public.replay import replay
from casino.table.public.state import Message
from casino.table.runtime.recovery import GAME_ENDS, last_game_number

MAX_GAMES: Final = 100
MAX_LEAVES: Final = 1_000

NO_GAME: Final = RefusalReason(
    "no_game", "unknown_game", "{game} is not a finished game here: see the list of games"
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

    @cache
    def first_terms(table: str) -> TermsSet:  # later ones have the same host
        return msgspec.json.decode(next(log.of_table(table, "terms")).body, type=TermsSet)

    events = ((decode(leaf.body) for leaf in log.of_subject(game)) for game in games)
    return {"games": [summary(leaves, first_terms) for leaves in events]}


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
