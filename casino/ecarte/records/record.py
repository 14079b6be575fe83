"""Game records (EGR 1): one JSON object per line, and their replay.

A record holds the packs and the actions; `replay` derives everything else and verifies the recorded
result. The reader checks every type and value, and its errors name the fault. Unknown keys are
preserved when the record is written again.

>>> read_record('{"egr": 1, "laws": {}, "first_dealer": "house", "deals": []}').laws.target
5
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from math import isinf
from typing import Any, Final, NamedTuple

from casino.ecarte.actions import DEALING, Action, parse_token, token
from casino.ecarte.cards import PACK, Card, format_cards, parse_record_cards
from casino.ecarte.deal import Deal, apply, is_dealing_action, turn_up
from casino.ecarte.game import (
    Game,
    after_deal,
    begin_deal,
    first_dealers,
    is_over,
    new_game,
    stake,
    winner,
)
from casino.ecarte.laws import Laws, laws_json, parse_laws
from casino.ecarte.rules import CHALLENGER, HOUSE, SEATS, Seat
from casino.ecarte.validation import check_type
from casino.errors import CardsError, IllegalAction, LawsError, RecordError

MAX_LINE_BYTES: Final = 1 << 20  # a whole game needs a few thousand bytes
_NO_KEYS: Final[Mapping[str, Any]] = {}


class DealRecord(NamedTuple):
    """One deal in a record: the dealer, the pack in dealing order, the tokens as one text."""

    dealer: Seat
    deck: tuple[Card, ...]
    actions: str
    others: Mapping[str, Any] = _NO_KEYS


class Record(NamedTuple):
    """A game record; `others` holds the keys that this version does not recognise."""

    laws: Laws
    first_dealer: Seat
    deals: tuple[DealRecord, ...]
    game: str | None = None
    players: Mapping[str, Any] | None = None
    result: Mapping[str, Any] | None = None
    fairness: Mapping[str, Any] | None = None
    others: Mapping[str, Any] = _NO_KEYS


def deal_record(deal: Deal) -> DealRecord:
    """Return the record of a deal, finished or not."""
    return DealRecord(deal.dealer, deal.deck, " ".join(map(token, deal.history)))


def read_record(line: str | bytes) -> Record:
    """Parse a record. Raise `RecordError`, which locates the fault, if it is invalid."""
    if not isinstance(line, str | bytes):
        raise RecordError("bad_record", f"a record is one line of text, not {line!r:.40}")
    value = _parse(line)
    if not isinstance(value, dict):
        raise RecordError("bad_record", "a record is a JSON object, {…}, on one line")
    version = value.get("egr")
    if type(version) is not int or version != 1:
        shown = "missing" if version is None else _short(version)
        raise RecordError("bad_record", f"egr is {shown}, but this program reads version 1")
    deals = _need(value, "deals", list, "a list")
    return Record(
        laws=_laws(value),
        first_dealer=_seat(value, "first_dealer"),
        deals=tuple(_deal(number, value) for number, value in enumerate(deals, 1)),
        game=_optional(value, "game", str, "a text"),
        players=_players(value),
        result=_optional(value, "result", dict, "an object"),
        fairness=_optional(value, "fairness", dict, "an object"),
        others=_others(value, _KEYS),
    )


def write_record(record: Record) -> str:
    """Return a record as one line of JSON, without a newline."""
    return json.dumps(record_json(record), ensure_ascii=False)


def record_json(record: Record) -> dict[str, Any]:
    """Return a record as JSON values."""
    deals = [
        {
            "dealer": SEATS[deal.dealer],
            "deck": format_cards(deal.deck),
            "actions": deal.actions,
            **deal.others,
        }
        for deal in record.deals
    ]
    value = {
        "egr": 1,
        "game": record.game,
        "laws": laws_json(record.laws),
        "players": record.players,
        "first_dealer": SEATS[record.first_dealer],
        "deals": deals,
        "result": record.result,
        "fairness": record.fairness,
    }
    return {key: item for key, item in value.items() if item is not None} | dict(record.others)


_KEYS: Final = ("egr", "game", "laws", "players", "first_dealer", "deals", "result", "fairness")
_DEAL_KEYS: Final = ("dealer", "deck", "actions")
_MAX_NESTING: Final = 300
_NESTED: Final = "objects or lists are nested too deeply"


def _parse(line: str | bytes) -> object:
    """Parse strict JSON: no duplicate keys, no NaN, no lone surrogates."""
    if len(line) > MAX_LINE_BYTES:
        raise RecordError("bad_json", f"the line is longer than {MAX_LINE_BYTES} bytes")
    try:
        text = (line if isinstance(line, bytes) else line.encode()).decode().rstrip()
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_finite
        )
        # An escaped lone surrogate is valid JSON, but could not be written back as UTF-8.
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        raise RecordError("bad_json", f"byte {error.start + 1} is not UTF-8") from None
    except UnicodeEncodeError:
        raise RecordError("bad_json", "a text has a lone surrogate, such as \\ud800") from None
    except RecursionError:
        raise RecordError("bad_json", _NESTED) from None
    except json.JSONDecodeError as error:
        text = f"no JSON at column {error.colno}: {error.msg} (a record is one line)"
        raise RecordError("bad_json", text) from None
    except ValueError:
        raise RecordError("bad_json", "a number has too many digits") from None
    if text.count("[") + text.count("{") > _MAX_NESTING and _depth(text) > _MAX_NESTING:
        raise RecordError("bad_json", _NESTED)
    return value


def _depth(text: str) -> int:
    """Return how deeply objects and lists are nested.

    The depth that `json` itself accepts differs between Python versions.
    """
    brackets = re.findall(r"[][{}]", re.sub(r'"(?:[^"\\]|\\.)*"', "", text))
    return max(accumulate(1 if bracket in "[{" else -1 for bracket in brackets))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise RecordError("bad_json", f"the key {_short(repeated)} is repeated in one object")
    return value


def _finite(digits: str) -> Any:
    """Parse a float; reject one so large that it would be written back as Infinity."""
    number = json.loads(digits)
    if isinf(number):
        raise RecordError("bad_json", f"the number {digits[:40]} is too large")
    return number


def _no_constant(name: str) -> None:
    raise RecordError("bad_json", f"{name} is not a JSON number")


def _laws(value: dict[str, Any]) -> Laws:
    try:
        return parse_laws(_need(value, "laws", dict, "an object"))
    except LawsError as error:
        raise RecordError("bad_laws", str(error)) from None


def _players(value: dict[str, Any]) -> Mapping[str, Any] | None:
    players: Mapping[str, Any] | None = _optional(value, "players", dict, "an object")
    for seat in SEATS:
        if players is not None and not isinstance(players.get(seat, ""), str):
            raise RecordError("bad_record", f"players.{seat} must be a text")
    return players


def _deal(number: int, value: object) -> DealRecord:
    path = f"deal {number}"
    if not isinstance(value, dict):
        raise RecordError("bad_record", f"{path} must be an object")
    return DealRecord(
        dealer=_seat(value, "dealer", f"{path}, "),
        deck=_deck(_need(value, "deck", str, "a text", f"{path}, "), path),
        actions=_need(value, "actions", str, "a text", f"{path}, "),
        others=_others(value, _DEAL_KEYS),
    )


def _deck(names: str, path: str) -> tuple[Card, ...]:
    if len(names) != 2 * len(PACK):
        text = f"{path}, deck has {len(names)} characters, but 32 cards make 64"
        raise RecordError("bad_deck", text)
    try:
        return parse_record_cards(names)
    except CardsError as error:
        raise RecordError("bad_deck", f"{path}, deck: {error}") from None


def _seat(value: Mapping[str, Any], key: str, path: str = "") -> Seat:
    name = _need(value, key, str, "a text", path)
    if name not in SEATS:
        text = f"{path}{key} is {_short(name)}, but must be house or challenger"
        raise RecordError("bad_record", text)
    return HOUSE if name == "house" else CHALLENGER


def _need(value: Mapping[str, Any], key: str, kind: type, kind_name: str, path: str = "") -> Any:
    if key not in value:
        raise RecordError("bad_record", f"{path}{key} is missing")
    if type(value[key]) is not kind:
        raise RecordError("bad_record", f"{path}{key} must be {kind_name}")
    return value[key]


def _optional(value: Mapping[str, Any], key: str, kind: type, kind_name: str) -> Any:
    return _need(value, key, kind, kind_name) if key in value else None


def _others(value: Mapping[str, Any], known: Sequence[str]) -> Mapping[str, Any]:
    return {key: value[key] for key in value if key not in known}


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:40] + "…"


class Step(NamedTuple):
    """One step of a replay. `action` is None when hands are dealt or the turn-up is shown."""

    number: int
    action: Action | None
    deal: Deal


class ReplayResult(NamedTuple):
    """The result of a replay: each deal's final state and points, and the resulting game."""

    deals: tuple[Deal, ...]
    points: tuple[tuple[int, int], ...]
    game: Game
    winner: int | None
    stake: int | None


def replay(record: Record) -> ReplayResult:
    """Replay a whole record. Raise `RecordError` at the first error."""
    check_type(Record, record, "the record")
    deals = tuple({step.number: step.deal for step in replay_steps(record)}.values())
    game = _begin(record)
    for deal in deals:
        game = after_deal(game, deal) if is_over(deal) else game._replace(score=deal.score)
    _check_result(record, game)
    points = tuple(
        (deal.score[0] - deal.score_before[0], deal.score[1] - deal.score_before[1])
        for deal in deals
    )
    return ReplayResult(deals, points, game, winner(game), stake(game))


def replay_steps(record: Record) -> Iterator[Step]:
    """Yield each step of a game. Raise `RecordError` at the first error."""
    game = _begin(record)
    for number, entry in enumerate(record.deals, 1):
        deal = _dealt(game, number, entry)
        yield Step(number, None, deal)
        for index, text in enumerate(entry.actions.split(" ") if entry.actions else (), 1):
            try:
                action = parse_token(text)
                if deal.phase == DEALING and not is_dealing_action(action):
                    deal = turn_up(deal)
                    yield Step(number, None, deal)
                deal = apply(deal, action)
            except CardsError as error:
                raise RecordError("illegal_action", str(error), number, index, text) from None
            except IllegalAction as error:
                raise RecordError("illegal_action", error.message, number, index, text) from error
            yield Step(number, action, deal)
        if deal.phase == DEALING:
            deal = turn_up(deal)
            yield Step(number, None, deal)
        if is_over(deal):
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
    return {"deals": deals, **result_json(replayed.game)}


def result_json(game: Game) -> dict[str, Any]:
    """Return a game's result as JSON values, in the form used in records."""
    won = winner(game)
    return {
        "score": _by_seat(game.score),
        "winner": None if won is None else SEATS[won],
        "stake": stake(game),
    }


def _begin(record: Record) -> Game:
    """Return the game before its first deal. Raise `RecordError` if the wrong seat deals (R2.1)."""
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


def _check_result(record: Record, game: Game) -> None:
    stated = record.result or {}
    for key, actual in result_json(game).items():
        if key in stated and not _same(stated[key], actual):
            text = f"result.{key} differs from the replay, which gives {_in_words(actual)}"
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
