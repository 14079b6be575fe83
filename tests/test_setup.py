"""The dependencies and their locks, the check of the Python version, and make when set up."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tools.lowest import direct

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
ASKED = sorted(set(direct(PROJECT)))
LOCKS = ("run", "extras", "test", "bench")
PIN = re.compile(
    r"^([a-z0-9.-]+)(?:\[[a-z,]+\])?==(\S+?)(?: ; (.+?))? \\\n"
    r"((?:    --hash=sha256:[0-9a-f]{64}.*\n)+)"
)


def pins(lock: str) -> set[tuple[str, str, str]]:
    text = (ROOT / "requirements" / f"{lock}.txt").read_text("utf-8")
    found = re.findall(PIN.pattern, text, re.MULTILINE)
    assert len(found) == len(re.findall(r"^\S+==", text, re.MULTILINE)), "a pin without a hash"
    return {(name, version, condition) for name, version, condition, _ in found}


def names(requirements: list[str]) -> set[str]:
    found = {re.split(r"[<>=\[]", one)[0] for one in requirements}
    return found - {"ecarte-casino"}


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_pin_by_hash_and_contain_no_urls(lock: str) -> None:
    assert pins(lock)
    text = (ROOT / "requirements" / f"{lock}.txt").read_text("utf-8")
    assert not re.search(r"://|^-", text, re.MULTILINE)


def test_locks_contain_every_dependency() -> None:
    core = PROJECT["project"]["dependencies"]
    extras = [*chain.from_iterable(PROJECT["project"]["optional-dependencies"].values())]
    groups = {
        name: [one for one in group if isinstance(one, str)]
        for name, group in PROJECT["dependency-groups"].items()
    }
    locks = {lock: {name for name, _, _ in pins(lock)} for lock in LOCKS}
    assert names(core + groups["build"]) <= locks["run"]
    assert names(core + extras + groups["build"]) <= locks["extras"]
    assert names(core + extras + groups["test"]) <= locks["test"]
    assert names(core + extras + groups["bench"]) <= locks["bench"]
    for smaller, larger in (("run", "extras"), ("extras", "test"), ("extras", "bench")):
        always = {(name, version) for name, version, condition in pins(larger) if not condition}
        assert {pin for pin in pins(smaller) if pin[:2] not in always} <= pins(larger)


def limits(requirement: str) -> dict[str, Version]:
    return {one.operator: Version(one.version) for one in Requirement(requirement).specifier}


def test_every_dependency_has_a_floor_that_the_locks_satisfy() -> None:
    locked = [pin for lock in LOCKS for pin in pins(lock)]
    for asked in ASKED:
        wanted = Requirement(asked)
        found = {version for name, version, _ in locked if name == wanted.name}
        assert {">="} <= set(limits(asked)) <= {">=", "<"}, asked
        assert found and all(map(wanted.specifier.contains, found)), asked


def test_dependencies_used_by_private_api_are_capped() -> None:
    capped = {Requirement(asked).name for asked in ASKED if "<" in limits(asked)}
    assert capped == {"gevent", "numba", "python-engineio", "python-socketio"}


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    """Return a copy of what make reads, with a .venv that looks complete."""
    for name in ("Makefile", "pyproject.toml", "package-lock.json"):
        shutil.copy2(ROOT / name, tmp_path / name)
    for name in ("requirements", "tools"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for stamps in (
        ".venv/ready-run",
        ".venv/ready-test",
        ".venv-bench/ready",
        ".venv-floors/ready",
    ):
        for path in (tmp_path / stamps, (tmp_path / stamps).parent / "bin" / "python"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    return tmp_path


@pytest.mark.parametrize("target", ["run", "test", "coverage", "bench", "dist", "floors", "golden"])
def test_a_second_start_installs_nothing(prepared: Path, target: str) -> None:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    make = ["make", "-n", target]
    commands = subprocess.check_output(make, cwd=prepared, env=environ, text=True).splitlines()
    assert len(commands) == 1 + (target == "run") or target == "dist"
    assert not any(word in line for line in commands for word in ("pip", "venv "))


def test_make_refuses_another_python_than_the_venv_has(prepared: Path) -> None:
    line = ["make", "-n", "test", "PYTHON=python9.9"]
    tried = subprocess.run(line, cwd=prepared, capture_output=True, text=True, check=False)
    assert tried.returncode == 2
    assert ".venv has another Python than python9.9: run make clean first" in tried.stderr


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("sys.version_info = (3, 8, 18)", "Python 3.11 or newer is needed and this is 3.8"),
        ("sys.modules['ensurepip'] = None", "this Python lacks the module ensurepip"),
        ("sys.modules['venv'] = None", "this Python lacks the module venv"),
    ],
)
def test_unsuitable_python_is_refused_in_one_line(change: str, message: str) -> None:
    program = f"import runpy, sys; {change}; runpy.run_path('tools/check_python.py')"
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert result.stderr.startswith(f"casino: {message}")
    assert result.stderr.count("\n") == 1
    assert "make PYTHON=" in result.stderr
