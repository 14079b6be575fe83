"""The browser's scripts: who may import whom, how long a line may be.

Each rule takes the root of a project and returns its findings, one line each. What a formatter
and a checker of types see is left to them.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

LINE_LENGTH = 110
IMPORT = re.compile(
    r'^(?:import|export)\b(?:[^;"]*\bfrom)?\s*"([^"]+)";|\bimport\("([^"]+)"\)', re.MULTILINE
)
SENTENCE = re.compile(r'[\w:"]*\s*"[^"]*"[,;)]*')


def modules(root: Path) -> dict[str, str]:
    """The text of every script of the pages, by its path below static/js."""
    folder = root / "static" / "js"
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in sorted(folder.rglob("*.js"))
    }


def imports(name: str, text: str) -> Iterator[str]:
    """The modules that a script imports, by their paths below static/js; comments do not count."""
    for found in IMPORT.findall(re.sub(r"/\*.*?\*/|^\s*//.*$", "", text, flags=re.S | re.M)):
        target = found[0] or found[1]
        yield posixpath.normpath(posixpath.join(posixpath.dirname(name), target))


def room_of(name: str) -> str:
    """The room of a script: `verify`, `pages` (each the entry of one page), `lib`, or `page`."""
    return {"verify": "verify", "pages": "pages", "..": "lib"}.get(name.partition("/")[0], "page")


def only_drawn_arrows(root: Path) -> list[str]:
    """The verifier and what draws the pages share no code: only a page's entry may use both."""
    may = {"verify": {"verify"}, "page": {"page", "lib"}, "pages": {"page", "verify", "lib"}}
    return [
        f"static/js/{name}: {room_of(name)} may not import {target}"
        for name, text in modules(root).items()
        for target in imports(name, text)
        if room_of(target) not in may[room_of(name)]
    ]


def no_import_cycles(root: Path) -> list[str]:
    """No script imports itself through others."""
    arrows = {name: set(imports(name, text)) for name, text in modules(root).items()}
    while leaves := [name for name, targets in arrows.items() if not targets & set(arrows)]:
        for name in leaves:
            del arrows[name]
    return [f"static/js/{name}: stands in a cycle of imports" for name in arrows]


def lines_are_short(root: Path) -> list[str]:
    """No line of a script is longer than 110, unless it holds one sentence and nothing else."""
    folders = (root / "static" / "js", root / "tests" / "web" / "scripts")
    return [
        f"{path.relative_to(root)}:{number}: {len(line)} characters, break it"
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".js", ".mjs", ".ts")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if len(line) > LINE_LENGTH and not SENTENCE.fullmatch(line.strip())
    ]
