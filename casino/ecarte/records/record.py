"""EGR 1, the record of a game: reads it, trusting nothing, and writes it, one JSON object a line.

A record holds the packs and what the players said and played; `replay` derives the rest. Reading
checks every type and value and names what is wrong; unknown keys are kept and written back.

>>> read_record('{"egr": 1, "laws": {}, "first_dealer": "house", "deals": []}').laws.target
5
>>> read_record('{"egr": 2}')
Traceback (most recent call last):
    ...
casino.errors.BadRecord: egr is 2, but this program reads version 1
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from casino.ecarte import rules
from casino.ecarte.actions import token
from casino.ecarte.cards import PACK, Card, format_cards, parse_record_cards
from casino.ecarte.laws import Laws, laws_json, parse_laws
from casino.ecarte.rules import CHALLENGER, HOUSE, Seat
from casino.ecarte.state import Deal
from casino.errors import BadCards, BadLaws, BadRecord

SEATS: Final = rules.SEATS
MAX_LINE_BYTES: Final = 1 << 20
"""The longest line a reader takes, in bytes; a whole game needs a few thousand."""

_NO_KEYS: Final[Mapping[str, Any]] = {}


class DealRecord(NamedTuple):
    """One deal of a record: who dealt, the pack in dealing order, the tokens as one text."""

    dealer: Seat
    deck: tuple[Card, ...]
    actions: str
    others: Mapping[str, Any] = _NO_KEYS


class Record(NamedTuple):
    """A game record; `others` holds the keys this version does not know."""

    laws: Laws
    first_dealer: Seat
    deals: tuple[DealRecord, ...]
    game: str | None = None
    players: Mapping[str, Any] | None = None
    result: Mapping[str, Any] | None = None
    fairness: Mapping[str, Any] | None = None
    others: Mapping[str, Any] = _NO_KEYS


def deal_record(deal: Deal) -> DealRecord:
    """The record of a deal up to now."""
    return DealRecord(deal.dealer, deal.deck, " ".join(map(token, deal.history)))


def read_record(line: str | bytes) -> Record:
    """The record on a line; anything wrong with it is a `BadRecord` error that names the place."""
    if not isinstance(line, str | bytes):
        raise BadRecord("bad_record", f"a record is one line of text, not {line!r:.40}")
    value = _parse(line)
    if not isinstance(value, dict):
        raise BadRecord("bad_record", "a record is a JSON object, {…}, on one line")
    version = value.get("egr")
    if type(version) is not int or version != 1:
        shown = "missing" if version is None else _short(version)
        raise BadRecord("bad_record", f"egr is {shown}, but this program reads version 1")
    deals = _need(value, "deals", list, "a list")
    return Record(
        laws=_laws(value),
        first_dealer=_seat(value, "first_dealer"),
        deals=tuple(_deal(number, given) for number, given in enumerate(deals, 1)),
        game=_optional(value, "game", str, "a text"),
        players=_players(value),
        result=_optional(value, "result", dict, "an object"),
        fairness=_optional(value, "fairness", dict, "an object"),
        others=_others(value, _KEYS),
    )


def write_record(record: Record) -> str:
    """The record as one line of JSON, without the line's end."""
    return json.dumps(record_json(record), ensure_ascii=False)


def record_json(record: Record) -> dict[str, Any]:
    """The record as JSON values."""
    value: dict[str, Any] = {"egr": 1}
    if record.game is not None:
        value["game"] = record.game
    value["laws"] = laws_json(record.laws)
    if record.players is not None:
        value["players"] = record.players
    value["first_dealer"] = SEATS[record.first_dealer]
    value["deals"] = [_deal_json(deal) for deal in record.deals]
    if record.result is not None:
        value["result"] = record.result
    if record.fairness is not None:
        value["fairness"] = record.fairness
    value.update(record.others)
    return value


_KEYS: Final = ("egr", "game", "laws", "players", "first_dealer", "deals", "result", "fairness")
_DEAL_KEYS: Final = ("dealer", "deck", "actions")

_MAX_NESTING: Final = 300
_NESTED: Final = "objects or lists are nested too deeply"


def _deal_json(deal: DealRecord) -> dict[str, Any]:
    """A deal as JSON values."""
    known = {"dealer": SEATS[deal.dealer], "deck": format_cards(deal.deck), "actions": deal.actions}
    return {**known, **deal.others}


def _parse(line: str | bytes) -> object:
    """The JSON value on a line, read strictly: no duplicate key, no NaN, no broken text."""
    if len(line) > MAX_LINE_BYTES:
        raise BadRecord("bad_json", f"the line is longer than {MAX_LINE_BYTES} bytes")
    try:
        text = (line if isinstance(line, bytes) else line.encode()).decode().rstrip()
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_finite
        )
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        raise BadRecord("bad_json", f"byte {error.start + 1} is not UTF-8") from None
    except UnicodeEncodeError:
        raise BadRecord("bad_json", "a text holds half a letter, such as \\ud800") from None
    except RecursionError:
        raise BadRecord("bad_json", _NESTED) from None
    except json.JSONDecodeError as error:
        text = f"no JSON at column {error.colno}: {error.msg} (a record stands on one line)"
        raise BadRecord("bad_json", text) from None
    except ValueError:
        raise BadRecord("bad_json", "a number has too many digits") from None
    if text.count("[") + text.count("{") > _MAX_NESTING and _is_nested_deeply(value):
        raise BadRecord("bad_json", _NESTED)
    return value


def _is_nested_deeply(value: object) -> bool:
    """Whether objects and lists are nested deeper than any record needs.

    How deep `json` can go differs between versions of Python.
    """
    level = [value]
    for _ in range(_MAX_NESTING + 1):
        boxes = [one for one in level if isinstance(one, dict | list)]
        level = [
            inner for box in boxes for inner in (box.values() if isinstance(box, dict) else box)
        ]
    return bool(boxes)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object without duplicate keys."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadRecord("bad_json", f"the key {_short(twice)} stands twice in one object")
    return found


def _finite(digits: str) -> Any:
    """A number with a point or an exponent; one that is too large would be written as Infinity."""
    number = json.loads(digits)
    try:
        json.dumps(number, allow_nan=False)
    except ValueError:
        raise BadRecord("bad_json", f"{digits[:40]} is too great a number") from None
    return number


def _no_constant(name: str) -> None:
    """Refuse NaN and Infinity, which JSON does not know."""
    raise BadRecord("bad_json", f"{name} is no JSON number")


def _laws(value: dict[str, Any]) -> Laws:
    """The laws of a record."""
    try:
        return parse_laws(_need(value, "laws", dict, "an object"))
    except BadLaws as error:
        raise BadRecord("bad_laws", str(error)) from None


def _players(value: dict[str, Any]) -> Mapping[str, Any] | None:
    """Who sat where, if the record says so."""
    players: Mapping[str, Any] | None = _optional(value, "players", dict, "an object")
    for seat in SEATS:
        if players is not None and not isinstance(players.get(seat, ""), str):
            raise BadRecord("bad_record", f"players.{seat} must be a text")
    return players


def _deal(number: int, given: object) -> DealRecord:
    """One deal of a record; `number` counts from 1."""
    place = f"deals[{number}]"
    if not isinstance(given, dict):
        raise BadRecord("bad_record", f"{place} must be an object")
    return DealRecord(
        dealer=_seat(given, "dealer", f"{place}."),
        deck=_deck(_need(given, "deck", str, "a text", f"{place}."), place),
        actions=_need(given, "actions", str, "a text", f"{place}."),
        others=_others(given, _DEAL_KEYS),
    )


def _deck(names: str, place: str) -> tuple[Card, ...]:
    """The pack of a deal: all 32 cards, each once."""
    if len(names) != 2 * len(PACK):
        text = f"{place}.deck has {len(names)} characters, but 32 cards make 64"
        raise BadRecord("bad_deck", text)
    try:
        return parse_record_cards(names)
    except BadCards as error:
        raise BadRecord("bad_deck", f"{place}.deck: {error}") from None


def _seat(value: Mapping[str, Any], key: str, place: str = "") -> Seat:
    """A seat named in a record."""
    name = _need(value, key, str, "a text", place)
    if name not in SEATS:
        text = f"{place}{key} is {_short(name)}, but must be house or challenger"
        raise BadRecord("bad_record", text)
    return HOUSE if name == "house" else CHALLENGER


def _need(value: Mapping[str, Any], key: str, kind: type, said: str, place: str = "") -> Any:
    """A key that must be there, of the type it must have."""
    if key not in value:
        raise BadRecord("bad_record", f"{place}{key} is missing")
    if type(value[key]) is not kind:
        raise BadRecord("bad_record", f"{place}{key} must be {said}")
    return value[key]


def _optional(value: Mapping[str, Any], key: str, kind: type, said: str) -> Any:
    """A key that may be missing, of the type it must have if it is there."""
    return _need(value, key, kind, said) if key in value else None


def _others(value: Mapping[str, Any], known: Sequence[str]) -> Mapping[str, Any]:
    """The keys this version does not know, in their order."""
    others = {key: value[key] for key in value if key not in known}
    return others or _NO_KEYS


def _short(value: object) -> str:
    """A value as JSON, cut so that an error stays one short sentence."""
    shown = json.dumps(value)
    return shown if len(shown) <= 40 else shown[:40] + "…"
