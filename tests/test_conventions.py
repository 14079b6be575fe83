"""The rules of this project that no linter checks; `make lint` checks the others."""

from __future__ import annotations

import ast
import posixpath
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from click.testing import CliRunner

from casino.cli import MODULES, casino

ROOT = Path(__file__).parent.parent
MONEY = (
    "ecarte", "betting", "ledger", "audit", "monitor/monitor.py", "reports", "player_limits.py",
)  # fmt: skip
IMPORT = re.compile(
    r'^(?:import|export)\b(?:[^;"]*\bfrom)?\s*"([^"]+)";|\bimport\("([^"]+)"\)', re.MULTILINE
)
# Each rule that code, tests and pages cite by number (L15, G16, R5.2) is defined in docs.
PAGES = ("ledger-rules.md", "betting-rules.md")
CITATION = re.compile(r"(?<![\w.])(?:[LG]\d{1,2}|R\d(?:\.\d+)?)(?![\w+/=])")
CITING = ("casino/**/*.py", "tests/**/*.py", "tests/**/*.mjs", "static/js/**/*.js", "docs/*.md")
# As patterns, so that this file does not name them itself.
FOREIGN = (r"pypi\.org", r"docker\.io", r"files\.pythonhosted", r"npmjs\.", r"\.\./shared")


def modules(*names: str) -> Iterator[tuple[Path, ast.Module]]:
    for name in names:
        path = ROOT / "casino" / name
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            yield file.relative_to(ROOT), ast.parse(file.read_text("utf-8"))


def is_fractional(node: ast.AST) -> bool:
    match node:
        case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
            return True
        case ast.Constant(value=float()) | ast.Name(id="float") | ast.Attribute(attr="truediv"):
            return True
    return False


def test_money_and_rules_use_no_float_or_division() -> None:
    assert [
        f"{path}:{getattr(node, 'lineno', 0)}: {ast.unparse(node)[:40]}"
        for path, tree in modules(*MONEY)
        for node in ast.walk(tree)
        if is_fractional(node)
    ] == []


def test_verifier_imports_no_page_code() -> None:
    folder = ROOT / "static" / "js"
    for path in sorted(folder.rglob("*.js")):
        name = path.relative_to(folder).as_posix()
        for first, second in IMPORT.findall(path.read_text("utf-8")):
            if not (first or second).startswith("."):
                continue  # a package of npm
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), first or second))
            if name.startswith("verify/"):
                assert target.startswith("verify/"), name
            assert not target.startswith("pages/"), name


def test_files_name_no_registry_or_outside_folder() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    names = listed.stdout.split("\n")[:-1] if listed.returncode == 0 else []
    for name in names:
        path = ROOT / name
        text = path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""
        assert [one for one in FOREIGN if re.search(one, text)] == [], name


def test_every_setting_has_a_comment_above_it() -> None:
    lines = (ROOT / "config.toml").read_text("utf-8").splitlines()
    for above, line in zip(["", *lines], lines, strict=False):
        if re.match(r"\w+ *=|\[", line):
            assert above.startswith("# "), line


def test_every_command_has_an_example() -> None:
    for name in MODULES:
        text = CliRunner().invoke(casino, [name, "--help"]).stdout
        for wanted in ("Example", f"casino {name}", "--config", "--help"):
            assert wanted in text, name


def numbered_rules() -> list[str]:
    """Return the rules of the ledger and of betting, in the order of their pages."""
    pages = [(ROOT / "docs" / page).read_text("utf-8") for page in PAGES]
    return re.findall(r"^### ([LG]\d+)\. ", "\n".join(pages), re.MULTILINE)


def articles() -> list[str]:
    found = []
    for line in (ROOT / "docs" / "rules.md").read_text("utf-8").splitlines():
        if section := re.match(r"## (R\d) ", line):
            found.append(section[1])
        elif found and (article := re.match(r"(\d+)\. ", line)):
            found.append(f"{found[-1][:2]}.{article[1]}")
    return found


def test_rules_are_numbered_without_gaps() -> None:
    expected = [f"L{n}" for n in range(1, 26)] + [f"G{n}" for n in range(1, 20)]
    assert numbered_rules() == expected


def test_every_cited_rule_is_defined() -> None:
    defined = {*numbered_rules(), *articles()}
    unknown = {
        (number, str(path.relative_to(ROOT)))
        for pattern in CITING
        for path in ROOT.glob(pattern)
        for number in CITATION.findall(path.read_text("utf-8"))
        if number not in defined
    }
    assert unknown == set()
