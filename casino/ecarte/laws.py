"""The laws of a table: the variants of the rules that its players agree on.

>>> Laws(play="ordinary").target
5
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from casino.errors import LawsError, suggest


class Laws(NamedTuple):
    """The laws of a game.

    Records and live tables accept only the values in `ALLOWED`. The library accepts any `target`
    and any two `packets`; their sum is the size of a hand.
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


def parse_laws(values: object) -> Laws:
    """Parse laws from a mapping of JSON values, with defaults for missing ones."""
    if not isinstance(values, Mapping):
        raise LawsError("the laws must be an object of names and values")
    for name in values:
        if name not in ALLOWED:
            raise LawsError(f"law {_plain(name)} is unknown: {suggest(str(name), ALLOWED)}")
    return Laws(**{name: _parse_law(name, value) for name, value in values.items()})


def laws_json(laws: Laws) -> dict[str, Any]:
    """Return all laws as JSON values, including defaults."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in laws._asdict().items()
    }


def _parse_law(name: str, json_value: object) -> Any:
    value = tuple(json_value) if isinstance(json_value, list) else json_value
    for allowed in ALLOWED[name]:
        if repr(value) == repr(allowed):  # in Python `True == 1 == 1.0`
            return allowed
    values = ", ".join(repr(list(v) if isinstance(v, tuple) else v) for v in ALLOWED[name])
    raise LawsError(f"law {name}: {_plain(repr(json_value))} is not one of {values}")


def _plain(value: object) -> str:
    text = str(value)[:40]
    return text if text.isprintable() else ascii(text)
