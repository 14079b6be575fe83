"""Queries of the log: finished games, leaves, checkpoints, receipts."""

from __future__ import annotations

import base64
from itertools import islice
from typing import Final

from casino.errors import RefusalReason, Refused
from casino.events.codec import decode
from casino.ledger.log_reader import LogReader
from casino.ledger.storage.base import StoredLeaf
from casino.reports.game_json import full_game, summary
from casino.table.domain.commands import bet_command_id
from casino.table.public.replay import replay_messages
from casino.table.public.state import Message

MAX_GAMES: Final = 100
MAX_LEAVES: Final = 1_000
_ENDS: Final = ("game_over", "game_void")

NO_GAME: Final = RefusalReason(
    "no_game", "unknown_game", "{game} is not a finished game here: look at the list of games"
)
NOTHING_SIGNED: Final = RefusalReason(
    "nothing_signed", "unavailable", "nothing is signed yet: ask again in a minute"
)
NO_RECEIPT: Final = RefusalReason(
    "no_receipt",
    "unknown_bet",
    "there is no signed bet {bet} of {player}: check its id, or ask again in a minute",
)


def finished_games(
    log: LogReader, after: str | None, before: str | None, limit: int, table: str | None = None
) -> list[Message]:
    """Return summaries of games after `after`, oldest first, or of the newest before `before`."""
    most = limit if table is None else -1
    if after is not None:
        ends = log.of_kinds(_ENDS, _end_of(log, after).n, limit=most)
    else:
        number = log.size() if before is None else _end_of(log, before).n
        ends = log.of_kinds(_ENDS, before=number, limit=most)
    of_table = (leaf for leaf in ends if table in (None, str(leaf.subject).rpartition("-")[0]))
    return [_line(log, leaf) for leaf in list(islice(of_table, limit))]


def finished_game(log: LogReader, name: str) -> Message:
    """Return a finished game with its record, book and payments; refuse an unknown game."""
    terms = [decode(leaf.body) for leaf in log.of_kinds(("terms",))]
    game_json = full_game([decode(leaf.body) for leaf in log.of_subject(name)], terms)
    if game_json is None:
        raise Refused(NO_GAME, game=name[:60])
    return game_json


def game_replay(log: LogReader, name: str) -> Message:
    """Return a finished game's messages, each with the hands after it; refuse an unknown game."""
    replayed = replay_messages(log.of_subject(name), log.of_kinds(("terms",)))
    if replayed is None:
        raise Refused(NO_GAME, game=name[:60])
    return replayed


def lock_proof(log: LogReader, game: str) -> str:
    """Return the receipt of the leaf that locked a game's book, or "" if there is none yet."""
    locked = (leaf.n for leaf in log.of_subject(game) if leaf.kind == "book_locked")
    number = next(locked, None)
    return "" if number is None else log.receipt(number) or ""


def leaves(log: LogReader, after: int, limit: int) -> Message:
    """Return the leaves after leaf `after`, in base64, and the size of the log."""
    rows = [
        {"n": leaf.n, "leaf": base64.b64encode(leaf.body).decode("ascii")}
        for leaf in log.leaves(after + 1, limit)
    ]
    return {"size": log.size(), "leaves": rows}


def checkpoint(log: LogReader) -> Message:
    """Return the newest checkpoint and the receipts of all key rotations."""
    newest = log.checkpoint()
    if newest is None:
        raise Refused(NOTHING_SIGNED)
    proofs = [log.receipt(leaf.n) for leaf in log.of_kinds(("key_rotated",))]
    return {"size": newest.size, "checkpoint": newest.note, "handed_on": list(filter(None, proofs))}


def receipt(log: LogReader, player: str, bet: str, cosigned: str | None) -> Message:
    """Return the receipt of a player's bet, cosigned if the cosigned checkpoint covers it."""
    text = log.receipt_of(bet_command_id(player, bet), cosigned)
    if text is None:
        raise Refused(NO_RECEIPT, player=player[:40], bet=bet[:64])
    return {"bet": bet, "receipt": text}


def _end_of(log: LogReader, name: str) -> StoredLeaf:
    for leaf in log.of_subject(name):
        if leaf.kind in _ENDS:
            return leaf
    raise Refused(NO_GAME, game=name[:60])


def _line(log: LogReader, ended: StoredLeaf) -> Message:
    return summary(decode(leaf.body) for leaf in log.of_subject(str(ended.subject)))
