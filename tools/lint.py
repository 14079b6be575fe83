"""Run every linter side by side, check the banned words and print the project's weight.

`make lint` calls it. It ends with 1 if a tool finds something or a figure is over its ceiling.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
NODE_BIN = ROOT / "node_modules" / ".bin"

# Not ".": the tutorial has the reader save a bot in the checkout.
SOURCES = ["casino", "tests", "tools", "bench", "docs", "setup.py"]
TOOLS: dict[str, list[object]] = {
    "ruff check": [BIN / "ruff", "check", *SOURCES],
    "ruff format": [BIN / "ruff", "format", "--check", *SOURCES],
    "mypy": [sys.executable, "-m", "mypy"],
    "import-linter": [BIN / "lint-imports", "--no-logo"],
    "deptry": [BIN / "deptry", "casino"],
    "vulture": [BIN / "vulture"],
    "biome": [NODE_BIN / "biome", "check", "--error-on-warnings", "."],
    "tsc": [NODE_BIN / "tsc", "--project", "."],
}

BANNED_NAMES = re.compile(r"\b(MOST|GREATEST|LONGEST|LEAST)(_\w+)?\b")
BANNED_VARIABLES = frozenset(
    ["one", "found", "told", "said", "what", "given", "some", "due", "place"]
)
BANNED_WORDS = re.compile(
    r"\b(so (many|long|often)|whoever|somebody|nobody|anew|for ever|lately)\b", re.IGNORECASE
)

PROGRAM, SCRIPTS, TESTS, DOCS = "casino", "static/js", "tests", "docs"
MAX_FILE_LINES = 800


class Figure(NamedTuple):
    """One figure of the project's weight and its ceiling."""

    name: str
    today: float
    ceiling: float


def files(folder: str, *suffixes: str) -> list[Path]:
    """Return the files that people write in *folder*."""
    paths = (ROOT / folder).rglob("*")
    return sorted(path for path in paths if path.suffix in suffixes and "built" not in path.parts)


def lines(folder: str, *suffixes: str) -> int:
    """Count the lines of the files in *folder*."""
    return sum(len(path.read_text("utf-8").splitlines()) for path in files(folder, *suffixes))


def words(*paths: Path) -> int:
    """Count the words of some files."""
    return sum(len(path.read_text("utf-8").split()) for path in paths)


def own_imports(path: Path) -> set[str]:
    """Return the modules of the program that a module imports."""
    imported = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                module = ROOT / name.replace(".", "/")
                is_module = module.is_dir() or module.with_suffix(".py").is_file()
                imported.add(name if is_module else node.module)
    return {name for name in imported if name.partition(".")[0] == PROGRAM}


def banned(pattern: re.Pattern[str], *folders: str) -> Iterator[str]:
    """Yield where a banned name or word occurs."""
    for folder in folders:
        for path in files(folder, ".py", ".js"):
            for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
                if match := pattern.search(line):
                    yield f"{path.relative_to(ROOT)}:{number}: {match[0]}"


def banned_variables() -> Iterator[str]:
    """Yield where a variable has a name that says nothing; fields may be wire names."""
    for path in files(PROGRAM, ".py"):
        tree = ast.parse(path.read_text("utf-8"))
        fields = {node.target for node in ast.walk(tree) if isinstance(node, ast.AnnAssign)}
        for node in ast.walk(tree):
            name = node.arg if isinstance(node, ast.arg) else ""
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                name = node.id if node not in fields else ""
            if isinstance(node, ast.arg | ast.Name) and name in BANNED_VARIABLES:
                yield f"{path.relative_to(ROOT)}:{node.lineno}: {name}"


def banned_names() -> list[str]:
    """Return where a banned name occurs."""
    return [*banned(BANNED_NAMES, PROGRAM, SCRIPTS, TESTS), *banned_variables()]


def modules_of(folder: Path) -> int:
    """Count the modules that lie in one folder."""
    return len([path for path in folder.glob("*.py") if path.name != "__init__.py"])


def figures() -> list[Figure]:
    """Return what is counted, with its ceilings; a ceiling may be lowered, and is no goal."""
    modules = [path for path in files(PROGRAM, ".py") if path.name != "__init__.py"]
    folders = {path.parent for path in modules} - {ROOT / PROGRAM}
    script_folders = {path.parent for path in files(SCRIPTS, ".js")}
    imports = sum(len(own_imports(path)) for path in modules) / len(modules)
    longest = max(
        len(path.read_text("utf-8").splitlines())
        for folder in (PROGRAM, SCRIPTS, TESTS, "templates", "bench", "tools")
        for path in files(folder, ".py", ".js", ".html")
    )
    settings = tomllib.loads((ROOT / "config.toml").read_text("utf-8"))
    return [
        Figure("lines of program", lines(PROGRAM, ".py"), 41_090),
        Figure("lines of scripts", lines(SCRIPTS, ".js", ".ts"), 10_312),
        Figure("lines of tests", lines(TESTS, ".py", ".js", ".mjs"), 42_955),
        Figure("lines of the longest file", longest, MAX_FILE_LINES),
        Figure("modules in a folder", max(map(modules_of, folders)), 15),
        Figure("scripts in a folder", max(len([*at.glob("*.js")]) for at in script_folders), 15),
        Figure("own imports a module", round(imports, 2), 5.66),
        Figure("words of README", words(ROOT / "README.md"), 900),
        Figure("words of docs", words(*files(DOCS, ".md")), 14_979),
        Figure("settings", sum(map(len, settings.values())), 70),
        Figure("banned names", len(banned_names()), 0),
        Figure("banned words", len([*banned(BANNED_WORDS, PROGRAM, SCRIPTS)]), 7),
    ]


def run(name: str, command: list[object]) -> tuple[str, int, str]:
    """Run one tool."""
    if not shutil.which(str(command[0])):
        return name, 0, f"skipped: {command[0]} is not installed"
    line = [str(part) for part in command]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    return name, done.returncode, done.stdout + done.stderr


def main() -> int:
    """Run everything and print what it found."""
    failed = False
    with ThreadPoolExecutor(2) as pool:
        slowest_first = sorted(TOOLS, key=lambda name: name != "mypy")
        for name, code, output in pool.map(lambda name: run(name, TOOLS[name]), slowest_first):
            print(f"{name:28} {'failed' if code else output if 'skipped' in output[:8] else 'ok'}")
            if code:
                print(output)
            failed |= code != 0
    for figure in figures():
        over = figure.today > figure.ceiling
        print(f"{figure.name:28} {figure.today:>9,} of {figure.ceiling:,}{' TOO MUCH' * over}")
        failed |= over
    if "--banned" in sys.argv:
        print(*banned_names(), sep="\n")
        print(*banned(BANNED_WORDS, PROGRAM, SCRIPTS), sep="\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
