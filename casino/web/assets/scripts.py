"""Minifier for scripts and style sheets, and the import graph of the scripts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

PAGE_SCRIPT: Final = re.compile(r"\bjs/pages/(\w+)\.js")  # the group is the page's name

IMPORT: Final = re.compile(r'^(?:import|export)\b(?:[^;"]*\bfrom)?\s*"([^"]+)";', re.MULTILINE)
ASKED: Final = re.compile(r'\bimport\("([^"]+)"\)')
# A comment or empty line, indentation, or an inline type.
_DOCUMENTATION: Final = re.compile(
    r"^[ \t]*(?:/\*\*(?:(?!\*/).)*\*/\n|//[^\n]*\n|\n|)|/\*\* @type [^\n]*?\*/ ?",
    re.MULTILINE | re.DOTALL,
)

# A string, template or regular expression; or operators with spaces around them.
_SPACED: Final = re.compile(
    r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"""
    r"""|/(?![ *])(?:\\.|\[(?:\\.|[^]\\\n])*]|[^/\\\n[])+/)"""
    r"""|[ ]?([=(){}\[\],;:?<>!&|]+)[ ]?"""
)

# A string, a comment, a separator with spaces, or redundant spaces.
_STYLE: Final = re.compile(
    r"""("[^"]*"|'[^']*')|/\*.*?\*/\s*|(?:\s*;)*\s*([{}])\s*|\s*([;,])\s*|(?<=:)\s+|\s+(?=\s)""",
    re.DOTALL,
)


def minify(source: str) -> str:
    """Strip comments and redundant spaces from a script, which halves its size."""
    return _SPACED.sub(lambda match: match[1] or match[2], _DOCUMENTATION.sub("", source))


def minify_css(source: str) -> str:
    """Strip comments and redundant spaces from a style sheet."""
    return _STYLE.sub(lambda match: match[1] or match[2] or match[3] or "", source.strip())


def read_scripts(directory: Path) -> Scripts:
    """Read and minify all scripts in a directory and its subdirectories."""
    paths = directory.rglob("*.js")
    names = {path.relative_to(directory).as_posix(): path for path in paths}
    return Scripts({name: minify(path.read_text("utf-8")) for name, path in names.items()})


class Scripts:
    """Minified scripts by name, such as `js/pages/table.js`, and their imports."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self.at_once = cache(self._at_once)

    @property
    def pages(self) -> dict[str, str]:
        """The name of each page's entry script, by page."""
        return {match[1]: match[0] for match in map(PAGE_SCRIPT.fullmatch, self._sources) if match}

    def source(self, name: str) -> str:
        """Return the minified text of a script."""
        return self._sources[name]

    def in_import_order(self, name: str) -> list[str]:
        """Return a script and everything it statically imports, each after its own imports."""
        order: dict[str, None] = {}

        def add(script: str) -> None:
            for needed in sorted(self._named(script, IMPORT) - order.keys()):
                add(needed)
            order[script] = None

        add(name)
        return list(order)

    def _at_once(self, name: str) -> list[str]:
        return sorted(self.in_import_order(name)[:-1])

    def dynamic_imports(self, name: str) -> set[str]:
        """Return the scripts that a script or its imports, at any depth, import dynamically."""
        asked: set[str] = set()
        waiting = [name]
        while waiting:
            first = waiting.pop()
            for script in (first, *self.at_once(first)):
                imported = self._named(script, ASKED) - asked
                asked |= imported
                waiting += imported
        return asked

    def _named(self, name: str, how: re.Pattern[str]) -> set[str]:
        folder = posixpath.dirname(name)
        targets = how.findall(self._sources[name])
        return {posixpath.normpath(posixpath.join(folder, target)) for target in targets}
