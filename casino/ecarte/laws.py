"""The laws of a table: what the players may agree on before they sit down.

>>> Laws(play="ordinary").target
5
>>> parse_laws({"target": 6})
Traceback (most recent call last):
    ...
casino.errors.BadLaws: law target: 6 is not one of 5, 7, 11
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from casino.errors import BadLaws


class Laws(NamedTuple):
    """The laws in force in a game.

    A record or a live table takes only the values of `ALLOWED`. The library takes any
    `target` and any two `packets`, whose sum is the number of cards in a hand.
    """

    target: int = 5
    play: str = "strict"
    vole_unexchanged: int = 1
    packets: tuple[int, int] = (3, 2)
    deal: str = "alternate"
    first_dealer: str = "cut"
    enforcement: str = "strict"


ALLOWED: Final[Mapping[str, tuple[Any, ...]]] = {
    "target": (5, 7, 11),
    "play": ("strict", "ordinary"),
    "vole_unexchanged": (1, 2),
    "packets": ((3, 2), (2, 3)),
    "deal": ("alternate", "house"),
    "first_dealer": ("cut", "loser", "house", "challenger"),
    "enforcement": ("strict", "claims"),
}


def parse_laws(given: object) -> Laws:
    """The laws that a mapping of JSON values gives; a missing law has its default."""
    if not isinstance(given, Mapping):
        raise BadLaws("the laws must be an object of names and values")
    for name in given:
        if name not in ALLOWED:
            raise BadLaws(f"law {_plain(name)}: unknown, the laws are {', '.join(ALLOWED)}")
    return Laws(**{name: _value(name, given[name]) for name in given})


def laws_json(laws: Laws) -> dict[str, Any]:
    """The laws as JSON values, every one named."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in laws._asdict().items()
    }


def _value(name: str, given: object) -> Any:
    """One law's value, checked against the values that law allows."""
    value = tuple(given) if isinstance(given, list) else given
    for allowed in ALLOWED[name]:
        if value == allowed and _same_types(value, allowed):
            return allowed
    shown = ", ".join(str(list(v)) if isinstance(v, tuple) else str(v) for v in ALLOWED[name])
    raise BadLaws(f"law {name}: {_plain(given)} is not one of {shown}")


def _plain(given: object) -> str:
    """A value as an error shows it: on one line, and not too long."""
    shown = str(given)[:40]
    return shown if shown.isprintable() else ascii(shown)


def _same_types(value: object, allowed: object) -> bool:
    """Whether two equal values are of the same types (in Python `True == 1 == 1.0`)."""
    if isinstance(value, tuple) and isinstance(allowed, tuple):
        return all(type(one) is type(other) for one, other in zip(value, allowed, strict=True))
    return type(value) is type(allowed)
