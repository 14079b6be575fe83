"""What `make pythons` tries: it finds the interpreters, and a warning is a failure."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pythons import MAX_BYTES, found, installed, quietly, told


def program(path: Path, script: str) -> Path:
    """A program that a shell runs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o700)
    return path


def test_the_first_python_that_works_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One on PATH comes first; one that fails, or is of another version, is passed over."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    first = program(tmp_path / "bin" / "python3.11", "echo 3.11")
    program(tmp_path / "bin" / "python3.12", "echo 3.12; exit 1")
    program(tmp_path / "bin" / "python3.13", "echo 3.12")
    program(tmp_path / "pyenv/versions/3.11.9/bin/python", "echo 3.11")
    kept = program(tmp_path / "pyenv/versions/3.12.1/bin/python", "echo 3.12")
    assert found() == {"3.11": str(first), "3.12": str(kept)}


@pytest.mark.parametrize("script", ["echo a ResourceWarning >&2", "exit 1"], ids=["warns", "fails"])
def test_a_command_must_succeed_and_be_quiet(tmp_path: Path, script: str) -> None:
    """A warning is as bad as an error; what a command says otherwise is its own affair."""
    quietly(program(tmp_path / "good", "echo done; echo a note >&2"), within=tmp_path)
    with pytest.raises(AssertionError):
        quietly(program(tmp_path / "bad", script), within=tmp_path)


def test_an_environment_is_weighed_without_its_tools(tmp_path: Path) -> None:
    """Packages, lone modules and bytecode count; pip does not, nor what builds packages."""
    packages = tmp_path / "lib" / "python3.12" / "site-packages"
    counted = ("casino/table/play.py", "casino/table/__pycache__/play.pyc", "one.py")
    tools = ("pip/main.py", "pip-24.0.dist-info/RECORD", "setuptools/x.py", "pkg_resources/x.py")
    for name in (*counted, *tools):
        (packages / name).parent.mkdir(parents=True, exist_ok=True)
        (packages / name).write_bytes(bytes(100))
    assert installed(tmp_path) == 100 * len(counted)


def test_readme_says_how_much_is_installed() -> None:
    """It is what `make pythons` compares with, and no more than the casino may take."""
    least, most = told()
    assert 0 < least <= most <= MAX_BYTES
