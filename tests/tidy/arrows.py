"""Who may import whom, and what is said in which room only: the picture of the house as rules.

Each rule takes the root of a project and returns its findings, one line each.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

from tests.tidy.source import Source, rooms, sources, unit_of

EVERYTHING = "*"
MAY_IMPORT = {
    "casino": "",
    "__main__": "cli",
    "chips": "",
    "errors": "chips",
    "ecarte": "errors",
    "fairness": "ecarte errors",
    "gallery": "ecarte errors",
    "analysis": "ecarte errors",
    "players": "ecarte analysis errors",
    "expert": "ecarte players analysis errors",
    "simulate": "ecarte players analysis expert errors",
    "adapters": "ecarte simulate players errors",
    "bank": "errors",
    "limits": "errors",
    "events": "ecarte fairness gallery bank errors",
    "audit": "events limits ecarte fairness gallery bank errors",
    "books": "events ecarte gallery bank chips errors",
    "table": "events limits ecarte fairness gallery bank players errors",
    "config": "ecarte gallery players errors",
    "web": "table events bank books config chips expert errors",
    "cli": EVERYTHING,
}

# What web may see of three rooms: nothing that decides, changes a table, or writes.
WEB_SEES = {
    "table": "board clerk commands grouping house limits practice private_view public_table resume"
    " retelling spectators standing state witnesses",
    "bank": "bank eventlog ledger notes places store tiles transaction",
    "expert": "advice chart live review",
}

CHANCE = ("random", "secrets", "os.urandom", "uuid", "numpy.random")
CLOCK = ("time", "datetime")
SQL_LIBRARIES = ("sqlite3", "sqlite_utils", "apsw")
SQL = re.compile(
    r"\b(SELECT\s.+\sFROM|INSERT\s+(OR\s+\w+\s+)?INTO|REPLACE\s+INTO|UPDATE\s.+\sSET|DELETE\s+FROM"
    r"|(CREATE|DROP|ALTER)\s+(TABLE|INDEX|VIEW|TRIGGER)|PRAGMA|BEGIN\s+IMMEDIATE)\b",
    re.DOTALL,
)
TRUE_NAMES = {"np": "numpy"}


def only_drawn_arrows(root: Path) -> list[str]:
    """A room imports the rooms the table names and no other."""
    return [
        source.at(node, f"{source.unit} may not import {name}")
        for source in sources(root, "casino")
        for node, name in source.imports()
        if name.partition(".")[0] == "casino" and not _may_import(source, unit_of(name))
    ]


def _may_import(source: Source, unit: str) -> bool:
    """Whether the table lets a module import a room."""
    allowed = MAY_IMPORT.get(source.unit)
    if allowed is None or unit == source.unit:
        return allowed is not None
    return allowed == EVERYTHING or unit in allowed.split()


def web_sees_the_public_part(root: Path) -> list[str]:
    """Web imports those modules of the table and the bank that are named for it."""
    return [
        source.at(node, f"web may not import {name}")
        for source in rooms(root, "web")
        for node, name in source.imports()
        if unit_of(name) in WEB_SEES
        and not {*WEB_SEES[unit_of(name)].split()} & {*name.split(".")[2:3]}
    ]


def only_known_rooms(root: Path) -> list[str]:
    """Every module of the package belongs to a room of the table."""
    return [
        source.at(None, f"{source.unit} is no room of the table of imports")
        for source in sources(root, "casino")
        if source.unit not in MAY_IMPORT
    ]


def no_import_cycles(root: Path) -> list[str]:
    """No module imports itself through others."""
    modules = {source.name: source for source in sources(root, "casino")}
    arrows = {
        name: {_module(target, modules) for _, target in source.imports()} - {None, name}
        for name, source in modules.items()
    }
    while leaves := [name for name, targets in arrows.items() if not targets & set(arrows)]:
        for name in leaves:
            del arrows[name]
    # What is left stands in a cycle or leads into one; it is enough to name those modules.
    return [modules[name].at(None, f"{name} stands in a cycle of imports") for name in arrows]


def _module(name: str, modules: dict[str, Source]) -> str | None:
    """The module of the project that an imported name is, or is found in."""
    return next((n for n in (name, name.rpartition(".")[0]) if n in modules), None)


def rules_need_the_standard_library_alone(root: Path) -> list[str]:
    """The room of the rules imports nothing that does not come with Python."""
    return [
        source.at(node, f"ecarte may not import {name}: it is not of the standard library")
        for source in rooms(root, "ecarte", "errors")
        for node, name in source.imports()
        if name.split(".")[0] not in sys.stdlib_module_names | {"casino"}
    ]


def rules_load_the_standard_library_alone(root: Path) -> list[str]:
    """Importing the rules in a fresh interpreter loads only them and the standard library."""
    program = (
        "import sys; before = set(sys.modules); import casino.ecarte; "
        "print('\\n'.join(sorted(set(sys.modules) - before)))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True
    ).stdout.split()
    return [
        f"casino/ecarte: importing it loads {name}"
        for name in loaded
        if name.split(".")[0] not in sys.stdlib_module_names
        and not re.fullmatch(r"casino(\.chips|\.errors|\.ecarte(\..+)?)?", name)
    ]


def only_the_bank_says_sql(root: Path) -> list[str]:
    """SQL and the libraries that speak it are found in the bank alone."""
    findings = []
    for source in sources(root, "casino"):
        if source.unit == "bank":
            continue
        findings += _imported(source, SQL_LIBRARIES)
        findings += [
            source.at(node, f"{source.unit} may not say SQL: {node.value[:40]!r}")
            for node in ast.walk(source.tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and SQL.search(node.value)
        ]
    return findings


def chance_is_an_argument(root: Path) -> list[str]:
    """Only the rooms that draw at random know of randomness; it is passed to all others."""
    return [
        finding
        for source in sources(root, "casino")
        if source.unit not in {"fairness", "players", "simulate"}
        and source.name != "casino.table.runtime.table_runner"
        for finding in _imported(source, CHANCE)
    ]


def time_is_an_argument(root: Path) -> list[str]:
    """Only those that pace, stamp or show know the clock; it is passed to all others."""
    return [
        finding
        for source in sources(root, "casino")
        if source.unit not in {"web", "cli"}
        and source.name not in {"casino.table.runtime.table_runner", "casino.table.runtime.service"}
        for finding in _imported(source, CLOCK)
    ]


def _imported(source: Source, forbidden: tuple[str, ...]) -> list[str]:
    """Where a module imports one of some names, or reaches it through a module it imported."""
    names = list(source.imports())
    names += [
        (node, ast.unparse(node))
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute)
        if node.attr in {one.rpartition(".")[2] for one in forbidden if "." in one}
    ]
    findings = []
    for node, name in names:
        first, dot, rest = name.partition(".")
        full = TRUE_NAMES.get(first, first) + dot + rest
        if any(full == one or full.startswith(f"{one}.") for one in forbidden):
            findings.append(source.at(node, f"{source.unit} may not use {full}"))
    return findings


def whole_numbers_alone(root: Path) -> list[str]:
    """The rules, the bets and the money know neither `float` nor `/`."""
    return [
        source.at(node, f"{source.unit} may hold no float and no /: {ast.unparse(node)[:40]}")
        for source in rooms(root, "ecarte", "gallery", "bank", "limits", "audit", "books")
        for node in ast.walk(source.tree)
        if _is_fractional(node)
    ]


def _is_fractional(node: ast.AST) -> bool:
    """Whether a piece of a program divides, is a float or names the type."""
    match node:
        case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
            return True
        case ast.Constant(value=float()) | ast.Name(id="float") | ast.Attribute(attr="truediv"):
            return True
    return False
