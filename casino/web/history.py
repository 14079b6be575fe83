"""What the log says to visitors: finished games, leaves, checkpoints, receipts."""

from __future__ import annotations

import base64
from typing import Any, Final

import orjson

from casino.bank.eventlog import EventLog
from casino.bank.store import StoredLeaf
from casino.errors import Reason, Refused
from casino.table.commands import bet_command
from casino.table.public_table import Message
from casino.table.retelling import retold

MOST_GAMES: Final = 100
MOST_LEAVES: Final = 1_000
_ENDS: Final = ("game_over", "game_void")

NO_GAME: Final = Reason(
    "no_game", "unknown_game", "{game} is not a finished game here: look at the list of games"
)
NOTHING_SIGNED: Final = Reason(
    "nothing_signed", "unavailable", "nothing is signed yet: ask again in a minute"
)
NO_RECEIPT: Final = Reason(
    "no_receipt",
    "unknown_bet",
    "there is no signed bet {bet} of {player}: check its id, or ask again in a minute",
)


def games(log: EventLog, after: str | None, before: str | None, limit: int) -> list[Message]:
    """Finished games: those after one, or, the newest first, those before one or the newest."""
    if after is not None:
        return [_line(leaf) for leaf in log.of_kinds(_ENDS, _end_of(log, after).n, limit=limit)]
    number = log.size() if before is None else _end_of(log, before).n
    return [_line(leaf) for leaf in log.of_kinds(_ENDS, before=number, limit=limit)]


def game(log: EventLog, name: str) -> Message:
    """A finished game: its record with the fairness, its book, what everybody came to."""
    leaves = {leaf.kind: _said(leaf) for leaf in log.of_subject(name)}
    ended = leaves.get("game_over") or leaves.get("game_void")
    if ended is None:
        raise Refused(NO_GAME, game=name[:60])
    told: Message = {
        **_summary(name, ended),
        "record": ended["record"],
        "opened": _public(leaves["game_opened"]),
        "seals": [
            {"player": said["player"], "seal": said["seal"]}
            for said in map(_said, log.of_subject(name))
            if said["type"] in ("bet", "cut") and "seal" in said
        ],
        "bets": [
            {key: said[key] for key in ("order", "player", "side", "unit_cents")}
            for said in map(_said, log.of_subject(name))
            if said["type"] == "bet"
        ],
    }
    for key in ("book_locked", "betting_closed", "settled"):
        told[key] = _public(leaves[key]) if key in leaves else None
    return told


def steps(log: EventLog, name: str) -> Message:
    """A finished game, told again."""
    told = retold(log.of_subject(name), log.of_kinds(("terms",)))
    if told is None:
        raise Refused(NO_GAME, game=name[:60])
    return told


def lock_proof(log: EventLog, game: str) -> str:
    """The proof that a game's book is locked in the signed log; nothing if it is not."""
    locked = (leaf.n for leaf in log.of_subject(game) if leaf.kind == "book_locked")
    number = next(locked, None)
    return "" if number is None else log.receipt(number) or ""


def road(log: EventLog, table: str, most: int) -> list[Message]:
    """The last games of a table, the oldest first."""
    found: list[Message] = []
    before = log.size()
    while len(found) < most:
        ends = list(log.of_kinds(_ENDS, before=before, limit=4 * most))
        found += [_line(leaf) for leaf in ends if str(leaf.subject).startswith(f"{table}-")]
        if len(ends) < 4 * most:
            break
        before = ends[-1].n
    marks = [{key: line[key] for key in ("game", "winner", "stake")} for line in found[:most]]
    return marks[::-1]


def leaves(log: EventLog, after: int, limit: int) -> Message:
    """Leaves as they were hashed, in base64, behind a number."""
    found = [
        {"n": leaf.n, "leaf": base64.b64encode(leaf.body).decode("ascii")}
        for leaf in log.leaves(after + 1, limit)
    ]
    return {"size": log.size(), "leaves": found}


def checkpoint(log: EventLog) -> Message:
    """The newest checkpoint."""
    newest = log.checkpoint()
    if newest is None:
        raise Refused(NOTHING_SIGNED)
    return {"size": newest.size, "checkpoint": newest.note}


def receipt(log: EventLog, player: str, bet: str, cosigned: str | None) -> Message:
    """The receipt of a player's bet, with cosignatures where they cover it."""
    text = log.receipt_of(bet_command(player, bet), cosigned)
    if text is None:
        raise Refused(NO_RECEIPT, player=player[:40], bet=bet[:64])
    return {"bet": bet, "receipt": text}


def _end_of(log: EventLog, name: str) -> StoredLeaf:
    """The leaf that ends a game."""
    for leaf in log.of_subject(name):
        if leaf.kind in _ENDS:
            return leaf
    raise Refused(NO_GAME, game=name[:60])


def _line(leaf: StoredLeaf) -> Message:
    """A game in one line."""
    return _summary(str(leaf.subject), _said(leaf))


def _summary(name: str, ended: Message) -> Message:
    """Who won a game, and how high; nobody one that is void."""
    record = ended["record"]
    result: Any = record.get("result") or {}
    return {
        "game": name,
        "table": name.rpartition("-")[0],
        "at": ended["at"],
        "players": record.get("players", {}),
        "winner": result.get("winner"),
        "stake": result.get("stake", 0),
        "score": result.get("score"),
        "cuts": len(record["fairness"]["cuts"]),
        "void": ended.get("reason"),
    }


def _public(said: Message) -> Message:
    """What a leaf says."""
    return said


def _said(leaf: StoredLeaf) -> Message:
    """What a leaf says."""
    said: Message = orjson.loads(leaf.body)
    return said
