"""How long a file and a function may be, that each says what it is for, and what none may name.

Each rule takes the root of a project and returns its findings, one line each.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.tidy.source import Definition, Function, files, sources

FILE_LINES, FUNCTION_LINES = 400, 60
FOLDERS = ("casino", "templates", "static", "tests", "bench")
PAGES = {".py", ".js", ".css", ".html"}

# As patterns, so that this file does not name them itself.
FOREIGN = (r"pypi\.org", r"docker\.io", r"files\.pythonhosted", r"npmjs\.", r"\.\./shared")


def files_are_short(root: Path) -> list[str]:
    """No file of the program, the tests or the benchmarks is longer than 400 lines."""
    found = []
    for folder in FOLDERS:
        for path in files(root / folder) if (root / folder).is_dir() else ():
            if path.suffix in PAGES and "lib" not in path.parts:
                lines = len(path.read_text("utf-8").splitlines())
                if lines > FILE_LINES:
                    found.append(f"{path.relative_to(root)}:1: {lines} lines, split it")
    return found


def functions_are_short(root: Path) -> list[str]:
    """No function is longer than 60 lines."""
    return [
        source.at(node, f"{node.name} has {lines} lines, split it")
        for source in sources(root, *FOLDERS)
        for node in source.functions()
        if (lines := (node.end_lineno or 0) - node.lineno + 1) > FUNCTION_LINES
    ]


def everything_says_what_it_is_for(root: Path) -> list[str]:
    """Every module, class and function has a docstring; magic methods are known by their names."""
    found = []
    for source in sources(root, *FOLDERS):
        if source.tree.body and not ast.get_docstring(source.tree):
            found.append(source.at(None, "the module has no docstring"))
        found += [
            source.at(node, f"{node.name} has no docstring")
            for node in source.definitions()
            if not ast.get_docstring(node) and not _known_by_its_name(node)
        ]
    return found


def _known_by_its_name(node: Definition) -> bool:
    """Whether a definition needs no words: a magic method, or one more signature of an overload."""
    if not isinstance(node, Function):
        return False
    overload = any(ast.unparse(one).endswith("overload") for one in node.decorator_list)
    return overload or (node.name.startswith("__") and node.name.endswith("__"))


def as_much_test_as_program(root: Path) -> list[str]:
    """The tests have at least as many lines as the program."""
    program, tests = (
        sum(len(source.text.splitlines()) for source in sources(root, folder))
        for folder in ("casino", "tests")
    )
    return [f"tests: {tests} lines for a program of {program}"] if tests < program else []


def as_much_test_in_every_room(root: Path) -> list[str]:
    """The tests of a room have at least as many lines as the room."""
    found = []
    for room in sorted(path.name for path in (root / "casino").glob("*/")):
        program, tests = (
            sum(len(source.text.splitlines()) for source in sources(root, f"{folder}/{room}"))
            for folder in ("casino", "tests")
        )
        if tests < program:
            found.append(f"tests/{room}: {tests} lines for a room of {program}")
    return found


def nothing_names_another_place(root: Path) -> list[str]:
    """No file names a registry's address or a folder beside the project."""
    found = []
    for path in files(root):
        text = path.read_bytes().decode("utf-8", "replace")
        found += [
            f"{path.relative_to(root)}: names {one}" for one in FOREIGN if re.search(one, text)
        ]
    return found
