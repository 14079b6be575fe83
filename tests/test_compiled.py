"""The wheel with the rules compiled by mypyc passes the tests of the rules."""

from __future__ import annotations

import shutil
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.test_package import GENERATED_FILES, ROOT, run

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
    run(sys.executable, "-m", *command, ".", within=checkout, CASINO_COMPILED="1")
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
    found = run(sys.executable, "-c", ask, within=compiled, PYTHONPATH=str(compiled)).stdout
    assert found.startswith(str(compiled)) and found.strip().endswith(".so")
    tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-profile=again"]
    run(sys.executable, *tests, "tests/ecarte", within=compiled, PYTHONPATH=str(compiled))
