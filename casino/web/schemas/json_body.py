"""Strict JSON parser for request bodies.

It refuses encodings other than UTF-8, unpaired surrogates, NaN, repeated keys, numbers with
thousands of digits, and deep nesting.
"""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

from casino.errors import RefusalReason, Refused

NO_OBJECT: Final = RefusalReason(
    "no_object", "bad_request", "send a JSON object in UTF-8, each of its keys once"
)


def parse_object(sent: bytes) -> dict[str, Any]:
    """Return the JSON object in a request body; raise `Refused` if it is anything else.

    >>> parse_object(b'{"name": "ann"}')
    {'name': 'ann'}
    >>> parse_object(b'{"value": 5.0}')
    {'value': 5}
    >>> parse_object(b'{"name": "ann", "name": "ben"}')
    Traceback (most recent call last):
        ...
    casino.errors.Refused: send a JSON object in UTF-8, each of its keys once
    """
    try:
        msgspec.json.decode(sent)  # rejects invalid Unicode, invalid numbers and deep nesting
        value = json.loads(sent, object_pairs_hook=_without_repeats, parse_float=_number)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Refused(NO_OBJECT)
    return value


def _number(text: str) -> int | float:
    number = float(text)  # 5.0 is the integer 5, as in JSON Schema
    return int(number) if number.is_integer() else number


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError
    return values
