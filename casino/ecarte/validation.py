"""Checks on the arguments that callers pass to the library.

The rules rely on these checks: seats exist, packs have no duplicates, and laws are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from casino.ecarte.cards import PACK, Card, format_cards, parse_record_cards
from casino.ecarte.laws import ALLOWED, Laws
from casino.ecarte.rules import CHALLENGER, HOUSE, Seat
from casino.errors import CardsError, InputError, LawsError, PositionError

_ALL_CARDS: Final = bytes(PACK)


def check_type(kind: type, value: object, name: str) -> None:
    """Raise `InputError` unless *value* is an instance of *kind*."""
    if not isinstance(value, kind):
        raise InputError(f"{name} must be a {kind.__name__}, not {_short_repr(value)}")


def check_seat(seat: Seat, name: str) -> None:
    """Raise `InputError` unless `seat` is a seat; `True` is refused, although it equals 1."""
    if type(seat) is not int or seat not in (HOUSE, CHALLENGER):
        raise InputError(f"{name} must be HOUSE (0) or CHALLENGER (1), not {seat!r}")


def check_laws(laws: Laws) -> None:
    """Raise `LawsError` unless *laws* are `Laws` with valid values."""
    if not isinstance(laws, Laws):
        raise LawsError(f"the laws must be Laws, such as Laws(target=7), not {_short_repr(laws)}")
    _check_values(laws)


@lru_cache(maxsize=64)
def _check_values(laws: Laws) -> None:
    for name, value in laws._asdict().items():
        if not is_valid_law(name, value):
            raise LawsError(f"law {name}: {value!r} is not a value it can take")


def is_valid_law(name: str, value: Any) -> bool:
    """Return True for a value in `ALLOWED`, a positive target, or a pair of packet sizes."""
    if name == "target":
        return type(value) is int and value > 0
    if name == "packets":
        pair = type(value) is tuple and len(value) == 2
        return pair and all(type(number) is int and number >= 0 for number in value)
    return value in ALLOWED[name]


def validate_deck(deck: Sequence[Card], laws: Laws) -> tuple[Card, ...]:
    """Return the deck as a tuple. Raise `CardsError` if it is invalid or too small for a deal."""
    try:
        packed = bytes(deck)
    except (TypeError, ValueError):
        raise CardsError(
            f"a pack is a sequence of ints from 0 to 31, not {_short_repr(deck)}"
        ) from None
    # Fast path: if 32 bytes include every card of the pack, each card occurs exactly once.
    if len(packed) != len(_ALL_CARDS) or _ALL_CARDS.translate(None, packed):
        if others := packed.translate(None, _ALL_CARDS):
            raise CardsError(f"{others[0]} is not a card: cards are ints from 0 to 31")
        parse_record_cards(format_cards(packed))  # raises an error for a repeated card
    first, second = laws.packets
    if len(packed) <= 2 * (first + second):
        raise CardsError(f"{len(packed)} cards are too few for both hands and a turn-up")
    return tuple(packed)


def check_score(score: object, target: int) -> None:
    """Raise `PositionError` for a score at which no deal can begin."""
    if (
        not isinstance(score, tuple | list)
        or len(score) != 2
        or not all(type(points) is int and points >= 0 for points in score)
    ):
        raise PositionError(f"the score must be two numbers, the house's first, not {score!r}")
    house, challenger = score
    if house >= target or challenger >= target:
        raise PositionError(f"the game is over at {house}-{challenger}")


def _short_repr(value: object) -> str:
    if isinstance(value, tuple) and type(value) is not tuple:
        return f"a {type(value).__name__}"
    text = repr(value)
    return text if len(text) <= 40 else text[:40] + "…"
