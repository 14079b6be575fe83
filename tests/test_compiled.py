"""The wheel in which mypyc has compiled the rules: they say the same, card by card."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.test_package import NOT_WRITTEN_BY_HAND, ROOT, run

HEADERS = Path(sysconfig.get_path("include"), "Python.h")
NEEDED = ("casino", "requirements", "static", "templates", "tests", "tools")
QUESTIONS = """
from casino.analysis.numba_support import compiled
from casino.ecarte.cards import card, card_set, cards
from casino.ecarte.rules import legal_replies

@compiled
def in_machine_code(hand, led, strict):
    return legal_replies(hand, led, 1, strict)

for held in ("7S KS 8H", "7S 8H QD", "9D QD AC"):
    for strict in (True, False):
        question = card_set(cards(held)), card("JS"), strict
        print(in_machine_code(*question) == legal_replies(question[0], question[1], 1, strict))
"""


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the compiled wheel holds, and the tests beside it."""
    if shutil.which("cc") is None or not HEADERS.is_file():
        pytest.skip("there is no C compiler here, or no Python.h: the rules are not compiled")
    checkout = tmp_path_factory.mktemp("compiled") / "checkout"
    ignored = shutil.ignore_patterns(*NOT_WRITTEN_BY_HAND)
    for name in NEEDED:
        shutil.copytree(ROOT / name, checkout / name, ignore=ignored)
    for path in ROOT.glob("*.*"):
        if path.is_file() and path.suffix != ".db":
            shutil.copy(path, checkout)
    shutil.copy(ROOT / "LICENSE", checkout)
    command = ("pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", "..")
    environ = {**os.environ, "CASINO_COMPILED": "1"}
    built = subprocess.run(
        [sys.executable, "-m", *command, "."],
        cwd=checkout, env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = checkout.parent.glob("*.whl")
    folder = checkout.parent / "installed"
    zipfile.ZipFile(wheel).extractall(folder)
    shutil.copytree(checkout / "tests", folder / "tests")
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def test_the_wheel_is_for_this_platform_and_keeps_the_sources(compiled: Path) -> None:
    (wheel,) = compiled.parent.glob("*.whl")
    assert sysconfig.get_platform().replace("-", "_").replace(".", "_") in wheel.name
    found = {path.name.partition(".")[0] for path in (compiled / "casino/ecarte").glob("*.so")}
    assert {"rules", "cards", "deal"} <= found
    assert not {"validation", "game", "view", "actions"} & found
    assert all((compiled / "casino/ecarte" / f"{name}.py").is_file() for name in found)


@pytest.mark.slow
def test_what_the_rules_are_asked_the_compiled_ones_answer(compiled: Path) -> None:
    ask = "import casino.ecarte.deal as deal; print(deal.__file__)"
    environ = {**os.environ, "PYTHONPATH": str(compiled)}
    tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-profile=again"]
    for command in (["-c", ask], [*tests, "tests/ecarte"]):
        said = subprocess.run(
            [sys.executable, *command],
            cwd=compiled, env=environ, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert said.returncode == 0, said.stdout + said.stderr
        if "-c" in command:
            assert said.stdout.startswith(str(compiled)) and said.stdout.strip().endswith(".so")


def test_simulation_has_the_same_rules_from_their_source(compiled: Path) -> None:
    environ = {**os.environ, "PYTHONPATH": str(compiled), "NUMBA_CACHE_DIR": str(compiled)}
    script = compiled / "questions.py"
    script.write_text(QUESTIONS, "utf-8")
    said = subprocess.run(
        [sys.executable, str(script)], env=environ, capture_output=True, text=True, check=False
    )
    assert said.stdout.split() == ["True"] * 6, said.stderr


def test_without_mypy_the_compiled_build_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "mypyc.py").write_text("raise ImportError('no mypyc here')", "utf-8")
    environ = {**os.environ, "CASINO_COMPILED": "1", "PYTHONPATH": str(tmp_path)}
    said = subprocess.run(
        [sys.executable, "setup.py", "--version"],
        cwd=ROOT, env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert said.returncode != 0
    assert "CASINO_COMPILED needs mypy: install it, or build without" in said.stderr


def test_a_build_compiles_nothing_unless_it_is_asked_to() -> None:
    assert run(sys.executable, "setup.py", "--quiet", "--version", within=ROOT).returncode == 0
