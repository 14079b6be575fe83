"""The lobby's summary of a table."""

from __future__ import annotations

from typing import Final

from casino.ecarte import SEATS
from casino.table.public.state import Message, PublicGame, PublicTable

_SHORT_ROAD: Final = 20  # past games shown in the lobby


def summary(table: PublicTable) -> Message:
    """Return a table's summary for the lobby."""
    rules, running = table.rules, table.running
    message: Message = {
        "table": rules.name,
        "house": rules.house,
        "holder": table.holder,
        "queue": len(table.queue),
        "stake_cents": rules.stake_cents,
        "limits": rules.limits._asdict(),
        "road": list(table.road[-_SHORT_ROAD:]),
        "game": None,
    }
    if running is None:
        return message
    score = (0, 0) if running.deal is None else running.deal.score
    return {
        **message,
        "game": running.id,
        "challenger": running.opened.players.challenger,
        "phase": _phase(running),
        "score": dict(zip(SEATS, score, strict=True)),
        "deal": running.number,
        "bets": len(running.book.bets),
    }


def _phase(game: PublicGame) -> str:
    if game.closing is not None:
        return "playing"
    return "betting" if game.locked is None else "opening"
