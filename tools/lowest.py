"""Print the lowest versions that pyproject.toml allows, and the tools of the tests.

`make floors` installs them: what the core and every extra ask for, each at its very floor.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
OWN: Final = "ecarte-casino"
FLOOR: Final = re.compile(r"(?P<name>[a-z0-9-]+)(?P<extras>\[[a-z0-9,-]+\])?>=(?P<version>[0-9.]+)")


def direct(project: dict[str, Any]) -> Iterator[str]:
    """Yield the requirements of the core and every extra."""
    table = project["project"]
    asked = chain(table["dependencies"], *table["optional-dependencies"].values())
    return (one for one in asked if not one.startswith(OWN))


def floors(project: dict[str, Any]) -> list[str]:
    """Every direct dependency at the lowest version that is allowed."""
    found = (FLOOR.match(one) for one in direct(project))
    pins = (f"{one['name']}{one['extras'] or ''}=={one['version']}" for one in found if one)
    return sorted(set(pins))


def tools(project: dict[str, Any]) -> list[str]:
    """Yield what the tests need, at any version compatible with the floors."""
    groups = project["dependency-groups"]
    return [one for one in (*groups["build"], *groups["test"]) if isinstance(one, str)]


def main() -> None:
    """Print one requirement a line."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    print(*floors(project), *tools(project), sep="\n")


if __name__ == "__main__":
    main()
