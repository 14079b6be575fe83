"""The leaves of the log: what was recorded, as the exact bytes that are hashed.

A leaf is canonical JSON: keys sorted, no spaces, UTF-8, and nothing in it but texts, whole
numbers that every language can hold, lists and objects. docs/log.md names every type.

>>> encode({"type": "bet", "at": 5, "unit_cents": 1000})
b'{"at":5,"type":"bet","unit_cents":1000}'
>>> decode(b'{"at": 5}')
Traceback (most recent call last):
    ...
casino.errors.BadFile: the leaf is not canonical JSON: keys sorted, no spaces
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

import orjson

from casino.errors import BadFile, InvariantBroken

Leaf: TypeAlias = dict[str, Any]

GREATEST: Final = 2**53 - 1
"""The greatest whole number that JSON readers of every language keep exactly."""


def encode(leaf: Mapping[str, Any]) -> bytes:
    """The bytes of a leaf; a value that has no place in one is a fault of the program."""
    _check(leaf)
    try:
        return orjson.dumps(leaf, option=orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER)
    except orjson.JSONEncodeError as error:
        raise InvariantBroken(f"no leaf can hold this: {error}") from None


def decode(body: bytes) -> Leaf:
    """The leaf that some bytes hold; bytes that `encode` would not have written are refused."""
    try:
        leaf = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BadFile(f"the leaf is no JSON: {error}") from None
    if not isinstance(leaf, dict):
        raise BadFile("the leaf is no JSON object")
    if orjson.dumps(leaf, option=orjson.OPT_SORT_KEYS) != body:
        raise BadFile("the leaf is not canonical JSON: keys sorted, no spaces")
    return leaf


def _check(value: object) -> None:
    """Only texts, whole numbers, lists and objects may stand in a leaf."""
    parts: Iterable[object]
    if type(value) is list or type(value) is tuple:
        parts = value
    elif isinstance(value, dict):
        parts = value.values()
    else:
        raise InvariantBroken(f"a {type(value).__name__} cannot stand in a leaf")
    for part in parts:
        kind = type(part)
        if kind is not str and kind is not int:
            _check(part)
