"""The wheel with the rules compiled by mypyc passes the tests of the rules."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.test_package import GENERATED_FILES, ROOT

HEADERS = Path(sysconfig.get_path("include"), "Python.h")
NEEDED = ("casino", "requirements", "static", "templates", "tests", "tools")


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the unpacked compiled wheel and the tests."""
    if shutil.which("cc") is None or not HEADERS.is_file():
        pytest.skip("there is no C compiler here, or no Python.h: the rules are not compiled")
    checkout = tmp_path_factory.mktemp("compiled") / "checkout"
    ignored = shutil.ignore_patterns(*GENERATED_FILES)
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
def test_compiled_rules_pass_the_tests_of_the_rules(compiled: Path) -> None:
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
