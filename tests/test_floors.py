"""What pyproject.toml says of its dependencies: all that is imported, floors, and a few caps."""

from __future__ import annotations

import ast
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.test_setup import LOCKS, ROOT, pins
from tools.lowest import direct, floors, tools

PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
ASKED: Final = sorted(set(direct(PROJECT)))

PINNED_BY_ANOTHER: Final = {"pydantic-core": "pydantic", "llvmlite": "numba"}
"""What a dependency brings along at one very version, so that its own limits hold for it."""

PRIVATE_PARTS: Final = {
    "gevent": ("casino/web/websocket/connection.py", "._sock.send("),
    "numba": ("casino/analysis/numba_support.py", "from numba.core import"),
    "python-engineio": ("casino/web/app.py", "engine._async"),
    "python-socketio": ("casino/client/client.py", "def _handle_eio_disconnect("),
}
"""Packages whose next version may break the casino without a word, and where one sees why."""


def limits(requirement: str) -> dict[str, Version]:
    return {one.operator: Version(one.version) for one in Requirement(requirement).specifier}


def test_every_dependency_has_a_floor_and_the_locks_keep_to_it() -> None:
    locked = [pin for lock in LOCKS for pin in pins(lock)]
    for asked in ASKED:
        wanted = Requirement(asked)
        found = {version for name, version, _ in locked if name == wanted.name}
        assert {">="} <= set(limits(asked)) <= {">=", "<"}, asked
        assert found and all(map(wanted.specifier.contains, found)), asked


def test_a_package_is_asked_for_in_one_way() -> None:
    names = [Requirement(asked).name for asked in ASKED]
    assert len(names) == len(set(names))


def test_what_uses_private_parts_is_capped() -> None:
    capped = {Requirement(asked).name for asked in ASKED if "<" in limits(asked)}
    assert capped == set(PRIVATE_PARTS)


def test_private_parts_are_used_where_it_is_said() -> None:
    for path, text in PRIVATE_PARTS.values():
        assert text in (ROOT / path).read_text("utf-8")


def test_what_is_imported_is_asked_for() -> None:
    given = packages_distributions()
    asked = {Requirement(one).name for one in ASKED}
    found = {
        canonicalize_name(name)
        for package in imported(ROOT / "casino") - set(sys.stdlib_module_names) - {"casino"}
        for name in given.get(package, [package])
    }
    assert {PINNED_BY_ANOTHER.get(name, name) for name in found} <= asked


def imported(folder: Path) -> set[str]:
    found = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return found


def test_a_floor_becomes_a_version() -> None:
    project = {
        "project": {
            "dependencies": ["click>=8.4", "python-engineio>=4.12,<4.16"],
            "optional-dependencies": {
                "simulate": ["numpy>=2.3.2"],
                "postgres": ["psycopg[binary]>=3.2.10"],
                "dask": ["ecarte-casino[simulate]", "numpy>=2.3.2"],
            },
        },
        "dependency-groups": {
            "build": ["setuptools>=77"],
            "test": [{"include-group": "build"}, "pytest>=8.3"],
        },
    }
    assert floors(project) == [
        "click==8.4", "numpy==2.3.2", "psycopg[binary]==3.2.10", "python-engineio==4.12",
    ]  # fmt: skip
    assert tools(project) == ["setuptools>=77", "pytest>=8.3"]


def test_no_dependency_is_left_out() -> None:
    assert len(floors(PROJECT)) == len(ASKED)
