"""The habits of this project as tests; each rule must also see a fault planted for it.

A rule takes the root of a project and returns its findings. It is held against this project,
where it must find nothing, and against a small project that breaks it, where it must.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from click.testing import CliRunner

from casino.cli import COMMANDS, casino
from tests.tidy import arrows, documents, names, scripts, shape

Rule: TypeAlias = Callable[[Path], list[str]]

ROOT = Path(__file__).parent.parent

PLANTED: dict[Rule, list[dict[str, str]]] = {
    arrows.only_drawn_arrows: [
        {"casino/ecarte/deal.py": "from casino.ledger import ledger"},
        {"casino/audit/pipeline.py": "def late():\n    import casino.bots.rule_bot"},
        {"casino/web/app.py": "from casino import gallery"},
        {"casino/gallery.py": "from . import config"},
        {"casino/table/domain/decide.py": "from ..web import pages"},
    ],
    arrows.web_sees_the_public_part: [
        {"casino/web/sockets/handlers.py": "from casino.table.domain.decide import decide"},
        {"casino/web/routes/api.py": "from casino.ledger import writer"},
        {"casino/web/app.py": "import casino.table"},
    ],
    arrows.only_known_rooms: [{"casino/utils.py": "pass"}],
    arrows.no_import_cycles: [
        {"casino/a.py": "import casino.b", "casino/b.py": "from casino import a"},
        {
            "casino/ecarte/a.py": "from casino.ecarte.b import x",
            "casino/ecarte/b.py": "def f():\n    from casino.ecarte import c",
            "casino/ecarte/c.py": "from .a import x",
        },
    ],
    arrows.rules_need_the_standard_library_alone: [{"casino/ecarte/rules.py": "import numba"}],
    arrows.rules_load_the_standard_library_alone: [
        {
            "casino/__init__.py": "",
            "casino/ecarte/__init__.py": "import casino.helper",
            "casino/helper.py": "",
        },
    ],
    arrows.only_the_bank_says_sql: [
        {"casino/table/runtime/service.py": "import sqlite3"},
        {"casino/web/routes/pages.py": "rows = query('SELECT name FROM account')"},
        {"casino/cli/verify/audit.py": "say(f'DELETE FROM {name}')"},
    ],
    arrows.chance_is_an_argument: [
        {"casino/ecarte/deal.py": "from random import shuffle"},
        {"casino/table/domain/decide.py": "import secrets"},
        {"casino/ledger/accounts.py": "import os\nid = os.urandom(8)"},
        {"casino/analysis/odds.py": "import numpy as np\nnp.random.default_rng()"},
    ],
    arrows.time_is_an_argument: [
        {"casino/ledger/log_reader.py": "import time"},
        {"casino/table/domain/state.py": "from datetime import datetime"},
    ],
    arrows.whole_numbers_alone: [
        {"casino/ecarte/game.py": "half = points / 2"},
        {"casino/gallery.py": "stake /= 2"},
        {"casino/ledger/accounts.py": "rate = 0.02"},
        {"casino/audit/checks/ledger.py": "def f(x: float): pass"},
    ],
    names.classes_have_names_of_their_own: [
        {"casino/ledger/a.py": "class Seal: pass", "casino/table/b.py": "class Seal(str): pass"},
        {
            "casino/events/a.py": "class Seal: pass\nclass _Own: pass\nclass Bet: pass",
            "casino/web/schemas/responses.py": "class Bet: pass",
            "casino/web/b.py": "class _Own: pass\nSeal: TypeAlias = str",
        },
    ],
    shape.files_are_short: [
        {"casino/long.py": "x = 1\n" * 401},
        {"static/js/long.js": ";\n" * 401},
    ],
    shape.functions_are_short: [{"bench/long.py": "def f():\n" + "    x = 1\n" * 60}],
    shape.everything_says_what_it_is_for: [
        {"casino/a.py": "x = 1"},
        {"tests/test_a.py": '"""A."""\ndef test_a(): pass'},
        {"casino/b.py": '"""B."""\nclass B:\n    """B."""\n    def b(self): pass'},
        {"bench/c.py": '"""C."""\nif True:\n    class C: pass'},
    ],
    shape.as_much_test_as_program: [{"casino/a.py": "x = 1\n", "tests/test_a.py": ""}],
    shape.as_much_test_in_every_room: [
        {"casino/ecarte/a.py": "x = 1\ny = 2\n", "tests/ecarte/test_a.py": "x = 1\n"},
        {"casino/betting/deep/a.py": "x = 1\n", "tests/test_a.py": "x = 1\n"},
    ],
    shape.nothing_names_another_place: [
        {name: "see " + place.replace("\\", "")}
        for name, place in zip(
            ["README.md", "deploy/a.yml", ".ci/run", "requirements/run.txt", "tests/deep/a.py"],
            shape.FOREIGN,
            strict=True,
        )
    ],
    scripts.lines_are_short: [{"static/js/a.js": "x;" * 56}],
    scripts.only_drawn_arrows: [
        {"static/js/a.js": 'import { b } from "./verify/b.js";'},
        {"static/js/verify/a.js": 'export {\n  b,\n} from "../b.js";'},
        {"static/js/verify/a.js": 'import "../pages/b.js";'},
        {"static/js/b.js": 'const a = await import("./pages/a.js");'},
        {"static/js/verify/a.js": 'import { io } from "../../lib/socket.io.js";'},
    ],
    scripts.no_import_cycles: [
        {"static/js/a.js": 'import "./b.js";', "static/js/b.js": 'await import("./a.js");'}
    ],
    documents.targets_are_in_the_readme: [
        {"Makefile": ".PHONY: run fly\nBIN := x\nfly: run\n\tfly\n", "README.md": "make run"}
    ],
    documents.settings_are_commented: [
        {"config.toml": "# The table.\n[table]\nhouse = 1\n"},
        {"config.toml": "[table]\n# who sits there\nhouse = 1\n"},
    ],
}
TOOLS = ROOT / "node_modules" / ".bin"
SCRIPT_TOOLS = [("biome", "check", "--error-on-warnings", "."), ("tsc", "--project", ".")]
CASES = [(rule, tree) for rule, trees in PLANTED.items() for tree in trees]


def plant(root: Path, tree: dict[str, str]) -> Path:
    """Write a small project."""
    for name, text in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


def called(*command: str, within: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """What a tool of this Python says."""
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=within, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("rule", PLANTED, ids=lambda rule: rule.__name__)
def test_the_project_keeps_the_rule(rule: Rule) -> None:
    """The rule finds nothing in this project."""
    assert rule(ROOT) == []


@pytest.mark.parametrize(("rule", "tree"), CASES, ids=lambda one: getattr(one, "__name__", ""))
def test_the_rule_sees_a_planted_fault(rule: Rule, tree: dict[str, str], tmp_path: Path) -> None:
    """The rule finds exactly one fault, or one for each module of a cycle, where one is planted."""
    cycles = (arrows.no_import_cycles, scripts.no_import_cycles)
    expected = len(tree) if rule in cycles else 1
    assert len(rule(plant(tmp_path, tree))) == expected


def test_every_room_of_the_table_is_drawn_downwards() -> None:
    """The table of imports itself has no cycle: its rooms can be put in an order."""
    left = {unit: set(may.split()) for unit, may in arrows.MAY_IMPORT.items() if may != "*"}
    while ready := [unit for unit, may in left.items() if not may & set(left)]:
        for unit in ready:
            del left[unit]
    assert not left


def test_every_command_has_an_example() -> None:
    """`--help` of every command shows an example and the options that all commands have."""
    helps = {name: CliRunner().invoke(casino, [name, "--help"]).stdout for name in COMMANDS}
    assert documents.commands_explain_themselves(helps) == []


def test_every_command_is_in_the_readme() -> None:
    """The README shows every command."""
    readme = (ROOT / "README.md").read_text("utf-8")
    assert documents.commands_are_in_the_readme(COMMANDS, readme) == []


def test_a_command_without_example_or_readme_is_seen() -> None:
    """The rules about commands see one that is explained nowhere."""
    assert len(documents.commands_explain_themselves({"fly": "Usage: casino fly --help"})) == 2
    assert len(documents.commands_are_in_the_readme(["fly"], "casino flyer")) == 1


@pytest.mark.parametrize(
    "tool", [("ruff", "check"), ("ruff", "format", "--check"), ("mypy",)], ids=" ".join
)
def test_the_tool_is_content(tool: tuple[str, ...]) -> None:
    """Ruff and mypy, set as pyproject.toml says, find nothing."""
    result = called(*tool)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        (("ruff", "check"), '"""A."""\n\nimport os\n'),
        (("ruff", "format", "--check"), '"""A."""\nx=1\n'),
        (("mypy",), '"""A."""\n\n\ndef f(x):\n    """F."""\n    return x\n'),
    ],
    ids=["ruff check", "ruff format --check", "mypy"],
)
def test_the_tool_sees_a_planted_fault(tool: tuple[str, ...], text: str, tmp_path: Path) -> None:
    """The same tools with the same settings refuse a file with a fault."""
    settings = (ROOT / "pyproject.toml").read_text("utf-8")
    folders = dict.fromkeys(("tests/b.py", "bench/c.py", "requirements/d.py"), "")
    plant(tmp_path, {"casino/a.py": text, "pyproject.toml": settings, **folders})
    result = called(*tool, within=tmp_path)
    assert result.returncode == 1
    assert "a.py" in result.stdout + result.stderr


def tool(name: str, *arguments: str, within: Path) -> subprocess.CompletedProcess[str]:
    """What a checker of the scripts says about a folder."""
    program = TOOLS / name
    if shutil.which("node") is None or not program.exists():
        pytest.skip(f"node or {name} is not installed: apt-get install nodejs, then make test")
    line = [str(program), *arguments]
    return subprocess.run(line, cwd=within, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("line", SCRIPT_TOOLS, ids=" ".join)
def test_the_tool_of_the_scripts_is_content(line: tuple[str, ...]) -> None:
    """Biome and tsc, set as their files say, find nothing to say about the scripts."""
    result = tool(*line, within=ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (SCRIPT_TOOLS[0], "const a = 1\n"),
        (SCRIPT_TOOLS[0], "let a = 1;\nexport { a };\n"),
        (SCRIPT_TOOLS[0], "export function f() {\n" + '  console.log("");\n' * 61 + "}\n"),
        (SCRIPT_TOOLS[1], "/** @type {number} */\nexport const a = String(1);\n"),
        (SCRIPT_TOOLS[1], "export const f = (a) => a;\n"),
    ],
)
def test_the_tool_of_the_scripts_sees_a_planted_fault(
    line: tuple[str, ...], text: str, tmp_path: Path
) -> None:
    """The same tools with the same settings refuse a script with a fault."""
    settings = {name: (ROOT / name).read_text("utf-8") for name in ("biome.json", "tsconfig.json")}
    plant(tmp_path, {"static/js/a.js": text, **settings})
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    result = tool(*line, within=tmp_path)
    assert result.returncode != 0
    assert "a.js" in result.stdout + result.stderr
