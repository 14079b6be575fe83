"""Replay a record: deal each pack, apply each token, and verify the stated result.

>>> from casino.ecarte import HOUSE, PACK, DealRecord, Laws
>>> replay(Record(Laws(), HOUSE, (DealRecord(HOUSE, PACK, "S KS P"),)))
Traceback (most recent call last):
    ...
casino.errors.RecordError: it is too late to propose: play the cards as they are
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from casino.ecarte.actions import Action, parse_token
from casino.ecarte.deal import Deal, apply, is_dealing_action, turn_up
from casino.ecarte.game import Game, after_deal, begin_deal, first_dealers, new_game, stake, winner
from casino.ecarte.phase import ANNULLED, DEALING, OVER
from casino.ecarte.records.record import SEATS, DealRecord, Record
from casino.ecarte.validation import check_type
from casino.errors import CardsError, IllegalAction, RecordError


class Step(NamedTuple):
    """One step of a replay. `action` is None when hands are dealt or the turn-up is shown."""

    number: int
    action: Action | None
    deal: Deal


class ReplayResult(NamedTuple):
    """The result of a replay: the final state and points of each deal, and the game."""

    deals: tuple[Deal, ...]
    points: tuple[tuple[int, int], ...]
    game: Game
    winner: int | None
    stake: int | None


def replay(record: Record) -> ReplayResult:
    """Replay a whole record. Raise `RecordError` at its first error."""
    deals: list[Deal] = []
    points: list[tuple[int, int]] = []
    check_type(Record, record, "the record")
    game = _begin(record)
    before = game.score
    for number, _, deal in replay_steps(record):
        if number > len(deals):
            before = deal.score
            deals.append(deal)
            points.append((0, 0))
        deals[-1] = deal
        points[-1] = (deal.score[0] - before[0], deal.score[1] - before[1])
    for deal in deals:
        if deal.phase in (OVER, ANNULLED):
            game = after_deal(game, deal)
        else:
            game = game._replace(score=deal.score)
    replayed = ReplayResult(tuple(deals), tuple(points), game, winner(game), stake(game))
    _check_result(record, replayed)
    return replayed


def replay_steps(record: Record) -> Iterator[Step]:
    """Yield the successive states of a game."""
    game = _begin(record)
    for number, entry in enumerate(record.deals, 1):
        deal = _dealt(game, number, entry)
        yield Step(number, None, deal)
        for index, token in enumerate(entry.actions.split(" ") if entry.actions else (), 1):
            try:
                action = parse_token(token)
                if deal.phase == DEALING and not is_dealing_action(action):
                    deal = turn_up(deal)
                    yield Step(number, None, deal)
                deal = apply(deal, action)
            except CardsError as error:
                raise RecordError("illegal_action", str(error), number, index, token) from None
            except IllegalAction as error:
                raise RecordError("illegal_action", error.message, number, index, token) from error
            yield Step(number, action, deal)
        if deal.phase == DEALING:
            deal = turn_up(deal)
            yield Step(number, None, deal)
        if deal.phase in (OVER, ANNULLED):
            game = after_deal(game, deal)
        elif number < len(record.deals):
            text = f"deal {number} is unfinished, but deal {number + 1} follows"
            raise RecordError("unfinished_deal", text)


def outcome_json(replayed: ReplayResult) -> dict[str, Any]:
    """Return the points and tricks of each deal, and the game's result, as JSON values."""
    deals = [
        {"points": _by_seat(points), "tricks": _by_seat(deal.tricks)}
        for deal, points in zip(replayed.deals, replayed.points, strict=True)
    ]
    return {"deals": deals, **result_json(replayed)}


def result_json(replayed: ReplayResult) -> dict[str, Any]:
    """Return a game's result as JSON values, in the form that records state it."""
    return {
        "score": _by_seat(replayed.game.score),
        "winner": None if replayed.winner is None else SEATS[replayed.winner],
        "stake": replayed.stake,
    }


def _begin(record: Record) -> Game:
    """Return the game before its first deal, if the laws allow its dealer (R2.1, R2.2)."""
    if record.first_dealer not in first_dealers(record.laws):
        text = f"first_dealer is {SEATS[record.first_dealer]}, but by the laws the other deals"
        raise RecordError("wrong_dealer", text)
    return new_game(record.laws, record.first_dealer)


def _dealt(game: Game, number: int, entry: DealRecord) -> Deal:
    """Deal the hands of a deal. Raise `RecordError` if another seat must deal (R2.2)."""
    if game.over:
        raise RecordError("extra_deal", f"the game was over before deal {number}")
    if entry.dealer != game.dealer:
        text = f"deal {number} is dealt by {SEATS[entry.dealer]}, but {SEATS[game.dealer]} must"
        raise RecordError("wrong_dealer", text)
    return begin_deal(game, entry.deck)


def _check_result(record: Record, replayed: ReplayResult) -> None:
    stated = record.result or {}
    for key, actual in result_json(replayed).items():
        if key in stated and not _same(stated[key], actual):
            text = f"result.{key} is not what the replay gives: {_in_words(actual)}"
            raise RecordError("wrong_result", text)


def _same(stated: object, actual: object) -> bool:
    """Return True if JSON values are equal and of the same types (in Python `True == 1 == 1.0`)."""
    if isinstance(stated, dict) and isinstance(actual, dict):
        return all(seat in stated and _same(stated[seat], actual[seat]) for seat in actual)
    return type(stated) is type(actual) and stated == actual


def _in_words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{seat} {points}" for seat, points in value.items())
    return "none yet" if value is None else str(value)


def _by_seat(pair: tuple[int, int]) -> dict[str, int]:
    return {SEATS[0]: pair[0], SEATS[1]: pair[1]}
