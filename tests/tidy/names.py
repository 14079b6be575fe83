"""One name, one meaning: no two modules of the program give a class the same public name.

Each rule takes the root of a project and returns its findings, one line each.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.tidy.source import Source, sources

WRITTEN_FORMS = {
    "casino.config": "a table of settings is named for what it sets",
    "casino.web.schemas.responses": "an answer is named for what it writes down",
    "casino.web.routes.chart": "an answer is named for what it writes down",
    "casino.web.schemas.responses_stats": "an answer is named for what it writes down",
    "casino.web.ipc.protocol": "what goes to another process is named for what it carries",
    "casino.web.schemas.requests": "what a browser asks is named for the command it becomes",
}
"""Modules that say what is written down, in which a name may stand again, and why."""

SAME_THING = {
    "Wish": "the audit reads limits for itself: it may import nothing of the table",
    "Progress": "the same function in the audit and the bank, neither of which needs the other",
}
"""Names that several modules define with one meaning, and why none takes it from another."""


def classes_have_names_of_their_own(root: Path) -> list[str]:
    """No two modules define a class or a named type of the same public name."""
    first: dict[str, str] = {}
    found = []
    for source in sources(root, "casino"):
        if source.name in WRITTEN_FORMS:
            continue
        for node, name in _classes(source):
            if name in SAME_THING:
                continue
            if name in first:
                found.append(source.at(node, f"{name} is a name of {first[name]}, find another"))
            first.setdefault(name, source.name)
    return found


def _classes(source: Source) -> Iterator[tuple[ast.stmt, str]]:
    """The public classes and named types of a module."""
    for node in source.tree.body:
        if isinstance(node, ast.ClassDef):
            name = node.name
        elif isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
            name = ast.unparse(node.target)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript):
            name = ast.unparse(node.targets[0])
        else:
            continue
        if name.isidentifier() and not name.isupper() and not name.startswith("_"):
            yield node, name
