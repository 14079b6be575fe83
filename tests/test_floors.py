"""Dependencies in pyproject.toml have floors, and caps where a private API is used."""

from __future__ import annotations

import tomllib
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.version import Version

from tests.test_setup import LOCKS, ROOT, pins
from tools.lowest import direct

PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
ASKED: Final = sorted(set(direct(PROJECT)))


def limits(requirement: str) -> dict[str, Version]:
    return {one.operator: Version(one.version) for one in Requirement(requirement).specifier}


def test_every_dependency_has_a_floor_that_the_locks_satisfy() -> None:
    locked = [pin for lock in LOCKS for pin in pins(lock)]
    for asked in ASKED:
        wanted = Requirement(asked)
        found = {version for name, version, _ in locked if name == wanted.name}
        assert {">="} <= set(limits(asked)) <= {">=", "<"}, asked
        assert found and all(map(wanted.specifier.contains, found)), asked


def test_dependencies_used_by_private_api_are_capped() -> None:
    capped = {Requirement(asked).name for asked in ASKED if "<" in limits(asked)}
    assert capped == {"gevent", "numba", "python-engineio", "python-socketio"}
