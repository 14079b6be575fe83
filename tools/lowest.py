"""Print the lowest versions that pyproject.toml allows, and the tools of the tests.

`make floors` installs them: each requirement of the core and of every extra, at its floor.
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
    requirements = chain(table["dependencies"], *table["optional-dependencies"].values())
    return (name for name in requirements if not name.startswith(OWN))


def floors(project: dict[str, Any]) -> list[str]:
    """Return every direct dependency, pinned to the lowest version allowed."""
    matches = filter(None, map(FLOOR.match, direct(project)))
    pins = (f"{pin['name']}{pin['extras'] or ''}=={pin['version']}" for pin in matches)
    return sorted(set(pins))


def tools(project: dict[str, Any]) -> list[str]:
    """Return what the tests need, at any version compatible with the floors."""
    groups = project["dependency-groups"]
    return [name for name in (*groups["build"], *groups["test"]) if isinstance(name, str)]


def main() -> None:
    """Print one requirement a line."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    print(*floors(project), *tools(project), sep="\n")


if __name__ == "__main__":
    main()
