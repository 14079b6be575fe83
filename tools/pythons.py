"""Try the wheel on every Python of this machine: `make pythons`.

Each Python gets an empty environment with only the locked packages of the core. There the casino
must play, be audited, replay its games and serve its pages without a warning, and take the size
that docs/install.md gives. This needs a package index and takes a minute for each Python, so
`make test` leaves it out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Final

from tests.test_package import ROOT, opened, run, serves_everything

VERSIONS: Final = ("3.11", "3.12", "3.13", "3.14")
"""As in pyproject.toml."""

MAX_BYTES: Final = 80_000_000
TOLERANCE_BYTES: Final = 1_000_000  # machines differ a little from docs/install.md
TOOLS: Final = {"pip", "setuptools", "pkg_resources", "_distutils_hack"}  # not counted


def find_pythons() -> dict[str, str]:
    """Return the first working interpreter of each version on PATH or of pyenv."""
    roots = [os.environ.get("PYENV_ROOT"), Path.home() / ".pyenv"]
    folders = [Path(root) / "versions" for root in roots if root]
    pythons = {}
    for version in VERSIONS:
        named = which(f"python{version}")
        kept = [str(path) for at in folders for path in sorted(at.glob(f"{version}.*/bin/python"))]
        works = (path for path in filter(None, (named, *kept)) if _is_version(path, version))
        if (python := next(works, None)) is not None:
            pythons[version] = python
    return pythons


def _is_version(program: str, version: str) -> bool:
    code = "import sys, ensurepip, venv; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([program, "-c", code], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() == version


def try_wheel(python: str, wheel: Path, folder: Path) -> int:
    """Install the wheel into an empty environment and use it; return its size there."""
    environment = folder / "environment"
    run(python, "-m", "venv", environment)
    pip = (environment / "bin" / "python", "-m", "pip", "install", "--quiet")
    run(*pip, "--require-hashes", "--requirement", ROOT / "requirements" / "run.txt")
    run(*pip, "--no-index", "--no-deps", wheel)
    size = installed_bytes(environment)
    assert size <= MAX_BYTES, f"{size} bytes are installed"
    low, high = documented_bytes()
    is_documented = low - TOLERANCE_BYTES <= size <= high + TOLERANCE_BYTES
    assert is_documented, f"{size} bytes are installed, docs/install.md says {low} to {high}"
    program, played, elsewhere = environment / "bin" / "casino", folder / "one", folder / "other"
    played.mkdir()
    elsewhere.mkdir()
    run_quietly(program, "run", "--headless", "--games", "5", within=played)
    run_quietly(program, "audit", "--bots", "--db", played / "casino.db", within=elsewhere)
    games = ("--format", "egr", "--output", "games.egr.jsonl", "--db", played / "casino.db")
    run_quietly(program, "export", *games, within=elsewhere)
    run_quietly(program, "replay", "games.egr.jsonl", within=elsewhere)
    with opened(program, elsewhere) as url:
        assert serves_everything(url, ROOT / "static")
    return size


def installed_bytes(environment: Path) -> int:
    """Return the size of the packages in an environment, bytecode included, without the tools."""
    (packages,) = environment.glob("lib/python3*/site-packages")
    own = [path for path in packages.iterdir() if path.name.partition("-")[0] not in TOOLS]
    files = [file for path in own for file in (path.rglob("*") if path.is_dir() else (path,))]
    return sum(file.stat().st_size for file in files if file.is_file())


def documented_bytes() -> tuple[int, int]:
    """Return the size of the core in docs/install.md, lowest and highest."""
    sentence = r"need no extra and take (\d+) to (\d+) MB"
    match = re.search(sentence, (ROOT / "docs" / "install.md").read_text("utf-8"))
    assert match, "docs/install.md does not say how much is installed"
    return int(match[1]) * 1_000_000, int(match[2]) * 1_000_000


def run_quietly(program: Path, *arguments: str | Path, within: Path) -> None:
    """Run a command of an installed casino, which must succeed without a warning."""
    environ = {
        "PATH": str(program.parent), "HOME": str(within), "PYTHONWARNINGS": "default",
    }  # fmt: skip
    result = subprocess.run(
        [program, *arguments], cwd=within, env=environ, capture_output=True, text=True, check=False
    )
    is_quiet = result.returncode == 0 and "Warning" not in result.stderr
    assert is_quiet, result.stdout + result.stderr


def main() -> None:
    """Build the wheel, try it on every Python of this machine, and name the missing versions."""
    pythons = find_pythons()
    with TemporaryDirectory() as name:
        folder = Path(name)
        run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", name, ROOT)
        (wheel,) = folder.glob("*.whl")
        for version, python in pythons.items():
            work = folder / version
            work.mkdir()
            size = try_wheel(python, wheel, work)
            print(f"Python {version}: good, {size / 1_000_000:.0f} MB installed", flush=True)
    if missing := [version for version in VERSIONS if version not in pythons]:
        print(f"not tried, as it is not on this machine: Python {', '.join(missing)}")


if __name__ == "__main__":
    main()
