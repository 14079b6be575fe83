"""Reading a project for the rules of tidiness: its modules, their trees, what they import."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Definition: TypeAlias = Function | ast.ClassDef

LEFT_OUT = {"build", "dist", "node_modules", "__pycache__"}


@dataclass(frozen=True)
class Source:
    """One Python file of a project, by its path and by its dotted name."""

    root: Path
    path: Path

    @property
    def name(self) -> str:
        """The name other modules import it by."""
        parts = self.path.relative_to(self.root).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def unit(self) -> str:
        """The room of the house it belongs to: `casino/ledger/accounts.py` is of `bank`."""
        return unit_of(self.name)

    @cached_property
    def text(self) -> str:
        """What the file says."""
        return self.path.read_text("utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        """What the file says, as a syntax tree."""
        return ast.parse(self.text, str(self.path))

    def at(self, node: ast.AST | None, what: str) -> str:
        """A finding, with the place it was found at."""
        line = getattr(node, "lineno", 1)
        return f"{self.path.relative_to(self.root)}:{line}: {what}"

    def imports(self) -> Iterator[tuple[ast.AST, str]]:
        """Every name imported anywhere in the file, also within functions, as a dotted name."""
        package = self.name if self.path.stem == "__init__" else self.name.rpartition(".")[0]
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from ((node, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = package.split(".")[: len(package.split(".")) - node.level + 1]
                source = ".".join([*(base if node.level else []), *filter(None, [node.module])])
                yield from ((node, f"{source}.{alias.name}") for alias in node.names)

    def definitions(self) -> Iterator[Definition]:
        """Its classes and functions, methods included, functions within functions not."""
        nodes: list[ast.AST] = [self.tree]
        while nodes:
            for node in ast.iter_child_nodes(nodes.pop()):
                if isinstance(node, Definition):
                    yield node
                if not isinstance(node, Function | ast.expr):
                    nodes.append(node)

    def functions(self) -> Iterator[Function]:
        """All its functions, also those within others."""
        return (node for node in ast.walk(self.tree) if isinstance(node, Function))


def unit_of(name: str) -> str:
    """The room a dotted name belongs to; the package itself counts as `casino`."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else "casino"


def sources(root: Path, *folders: str) -> list[Source]:
    """The Python files in some folders of a project."""
    paths = (path for folder in folders for path in sorted((root / folder).rglob("*.py")))
    return [Source(root, path) for path in paths if not LEFT_OUT & set(path.parts)]


def rooms(root: Path, *units: str) -> list[Source]:
    """The modules of some rooms of the house."""
    return [source for source in sources(root, "casino") if source.unit in units]


def files(root: Path) -> Iterator[Path]:
    """Every file a person wrote, whatever it holds: hidden folders but `.ci` are left out."""
    for path in sorted(root.iterdir()):
        if path.name in LEFT_OUT or path.name.endswith(".egg-info"):
            continue
        if path.is_file() and path.name != ".git":
            yield path
        elif path.is_dir() and (path.name == ".ci" or not path.name.startswith(".")):
            yield from files(path)
