"""What is documented: commands, settings and make's targets, each where a person looks for it.

Each rule takes the root of a project and returns its findings, one line each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

KEY = re.compile(r"(\w+) *=")
TARGET = re.compile(r"^([a-z][a-z-]*):(?!=)", re.MULTILINE)


def targets_are_in_the_readme(root: Path) -> list[str]:
    """Every target of the Makefile is explained in the README as `make TARGET`."""
    readme = (root / "README.md").read_text("utf-8")
    return [
        f"README.md: says nothing about make {target}"
        for target in TARGET.findall((root / "Makefile").read_text("utf-8"))
        if not re.search(rf"\bmake {target}\b", readme)
    ]


def settings_are_commented(root: Path) -> list[str]:
    """Every key and every table of config.toml has a comment in the line above it."""
    lines = (root / "config.toml").read_text("utf-8").splitlines()
    return [
        f"config.toml:{number}: no comment above {line}"
        for number, line in enumerate(lines, 1)
        if (KEY.match(line) or line.startswith("["))
        and not (number > 1 and lines[number - 2].startswith("# "))
    ]


def commands_are_in_the_readme(names: Iterable[str], readme: str) -> list[str]:
    """Every command is shown in the README as `casino COMMAND`."""
    return [
        f"README.md: says nothing about casino {name}"
        for name in names
        if not re.search(rf"\bcasino {name}\b", readme)
    ]


def commands_explain_themselves(helps: Mapping[str, str]) -> list[str]:
    """The help of every command has an example and names the options that all commands have."""
    return [
        f"casino {name} --help: does not say {wanted}"
        for name, text in helps.items()
        for wanted in ("Example", f"casino {name}", "--config", "--help")
        if wanted not in text
    ]
