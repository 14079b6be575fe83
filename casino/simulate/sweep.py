"""Sweeps: a run for every combination of settings, all with the same seed unless it varies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any, Final

from casino.bots import get_bot
from casino.ecarte import SEATS, Laws, laws_json, parse_laws
from casino.errors import InputError
from casino.simulate.series import Run

_LAW: Final = "law."
Settings = Mapping[str, str]


def change_laws(laws: Laws, settings_given: Iterable[str]) -> Laws:
    """Return the laws after changes written as texts such as `target=7`."""
    return parse_laws(laws_json(laws) | law_changes(settings_given))


def law_changes(settings_given: Iterable[str]) -> dict[str, Any]:
    """Return the new values of laws by name, parsed from texts such as `target=7`."""
    changes: dict[str, Any] = {}
    for name, text in map(parse_pair, settings_given):
        if name in changes:
            raise InputError(f"law {name[:40]} is given twice: give it one value")
        changes[name] = _value(text)
    return changes


def parse_pair(text: str, example: str = "target=7") -> tuple[str, str]:
    """Split a text such as `target=7` into key and value. Raise `InputError` if one is missing."""
    key, equals, value = text.partition("=")
    if not (key and equals and value):
        raise InputError(f"{text[:40]!r}: write a name, =, and a value, such as {example}")
    return key, value


def sweep(run: Run, settings_given: Sequence[str]) -> Sequence[tuple[Settings, Run]]:
    """Return a sweep's runs, each with its settings. Raise `InputError` for invalid settings."""
    axes: dict[str, list[str]] = {}
    for text in settings_given:
        key, values = parse_pair(text, "law.target=5,7")
        if key in axes:
            raise InputError(f"sweep {key} is given twice: put all its values after one =")
        if key not in (*SEATS, "seed") and not key.startswith(_LAW):
            raise InputError(f"sweep {key}: must be house, challenger, seed or law.NAME")
        axes[key] = values.split(",")
        if len(set(axes[key])) < len(axes[key]):
            raise InputError(f"sweep {key}: {values} repeats a value: give each value once")
    combinations = [dict(zip(axes, chosen, strict=True)) for chosen in product(*axes.values())]
    return [(settings, _set(run, settings)) for settings in combinations]


def _set(run: Run, settings: Settings) -> Run:
    changes: dict[str, Any] = {}
    for key, value in settings.items():
        if key in SEATS:
            try:
                get_bot(value)
            except InputError as error:
                raise InputError(f"sweep {key}: {error}") from None
        if key == "seed" and not re.fullmatch(r"[0-9]{1,18}", value):
            raise InputError(f"sweep seed: {value[:40]} must be a whole number of up to 18 digits")
        if not key.startswith(_LAW):
            changes[key] = int(value) if key == "seed" else value
    laws = [f"{k.removeprefix(_LAW)}={v}" for k, v in settings.items() if k.startswith(_LAW)]
    return run._replace(laws=change_laws(run.laws, laws), **changes)


def _value(text: str) -> Any:
    # Packets such as 3-2 or [3, 2] are lists of numbers.
    if not re.fullmatch(r"\[?[0-9]{1,3}([-, ]+[0-9]{1,3})*\]?", text):
        return text
    first, *others = map(int, re.findall("[0-9]+", text))
    return [first, *others] if others else first
