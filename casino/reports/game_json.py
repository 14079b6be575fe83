"""Finished games as JSON: a summary, or everything that can be verified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from msgspec import to_builtins

from casino.betting import BetOutcome
from casino.ecarte import record_json
from casino.events import game_record
from casino.events.game_record import FinishedGame
from casino.events.types import (
    SIDES,
    CutOpened,
    Entry,
    Event,
    GameOpened,
    GameOver,
    GameVoid,
    TermsSet,
)

Json: TypeAlias = dict[str, Any]


def summary(events: Iterable[Event], terms: Mapping[str, TermsSet]) -> Json:
    """Return the summary of a finished game: players, contributions, result, the table's host."""
    leaves = list(events)
    by_type: dict[type, Any] = {type(event): event for event in leaves}
    cuts = sum(isinstance(event, CutOpened) for event in leaves)
    opened: GameOpened = by_type[GameOpened]
    end = by_type.get(GameOver) or by_type[GameVoid]
    return _line(opened, cuts, end, terms[opened.table])


def _line(opened: GameOpened, cuts: int, end: GameOver | GameVoid, terms: TermsSet) -> Json:
    won, hosted = end if isinstance(end, GameOver) else None, terms.hosted
    return {
        "game": opened.game,
        "table": opened.table,
        "host": hosted.host if hosted is not None and hosted.audience == "public" else None,
        "at": end.at,
        "players": to_builtins(opened.players),
        "winner": won and won.winner,
        "stake": won.stake if won else 0,
        "score": won and to_builtins(won.score),
        "cuts": cuts,
        "void": end.reason if isinstance(end, GameVoid) else None,
    }


def full_game(events: Iterable[Event], game: FinishedGame) -> Json:
    """Return a finished game with its record, bets and payments.

    Values stated in the log are listed next to those computed from it, so that a reader can compare
    them. `paid` is the sum of the game's postings to each account, in cents.
    """
    settlement = game_record.settlement_of(game)
    return {
        **_line(game.opened, len(game.texts), game.end, game.terms),
        "record": record_json(game_record.record_of(game)),
        "opened": to_builtins(game.opened),
        "terms": to_builtins(game.terms),
        "seals": [{"player": sealed.player, "seal": sealed.seal} for sealed in game.seals],
        "bets": [
            {key: getattr(bet, key) for key in ("order", "player", "side", "unit_cents")}
            for bet in game.bets
        ],
        "book_locked": game.locked and to_builtins(game.locked),
        "betting_closed": _closed(game),
        "settled": settlement
        and {"bets": _rows(settlement.bets), "principals": _rows(settlement.principals)},
        "paid": _paid(events),
    }


def _closed(game: FinishedGame) -> Json | None:
    closing = game_record.closing_of(game)
    if closing is None:
        return None
    return {
        "withheld": [],
        **to_builtins(game.closed),
        "opened": sorted(game.texts),
        "returned": list(closing.returned),
        "stands": [
            [bet.order, bet.bettor, SIDES[bet.side], bet.unit_cents, matched_cents]
            for bet, matched_cents in closing.stands
        ],
    }


def _rows(outcomes: Iterable[BetOutcome]) -> list[list[int | str]]:
    return [
        [bet.order, bet.bettor, SIDES[bet.side], matched, held, gain, fee]
        for bet, matched, held, gain, fee in outcomes
    ]


def _paid(events: Iterable[Event]) -> Json:
    sums: Counter[str] = Counter()
    for event in events:
        if isinstance(event, Entry):
            for account, cents in event.postings:
                sums[account] += cents
    return {account: cents for account, cents in sorted(sums.items()) if cents}
