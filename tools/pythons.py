"""Try the wheel on every Python of this machine: `make pythons`.

Each gets an empty environment with the locked packages of the core and nothing else. There the
casino plays, is audited, replays its games and serves its pages, without a warning, and takes the
size that docs/install.md gives. That takes a minute for each Python, and a registry: `make test`
leaves it out.
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
"""What pyproject.toml says the casino runs on."""

MAX_BYTES: Final = 80_000_000

TOLERANCE: Final = 1_000_000
"""How much more or less it may be than docs/install.md says: machines differ a little."""

TOOLS: Final = {"pip", "setuptools", "pkg_resources", "_distutils_hack"}
"""What environments are made with and packages are built with, which is no part of the casino."""


def found() -> dict[str, str]:
    """Find the first interpreter of each version that works, on PATH or else pyenv's."""
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
    said = subprocess.run([program, "-c", code], capture_output=True, text=True, check=False)
    return said.returncode == 0 and said.stdout.strip() == version


def tried(python: str, wheel: Path, folder: Path) -> int:
    """Install the wheel into an empty environment and use it; the bytes that it takes there."""
    environment = folder / "environment"
    run(python, "-m", "venv", environment)
    pip = (environment / "bin" / "python", "-m", "pip", "install", "--quiet")
    run(*pip, "--require-hashes", "--requirement", ROOT / "requirements" / "run.txt")
    run(*pip, "--no-index", "--no-deps", wheel)
    size = installed(environment)
    assert size <= MAX_BYTES, f"{size} bytes are installed"
    least, most = told()
    as_told = least - TOLERANCE <= size <= most + TOLERANCE
    assert as_told, f"{size} bytes are installed, docs/install.md says {least} to {most}"
    program, played, elsewhere = environment / "bin" / "casino", folder / "one", folder / "other"
    played.mkdir()
    elsewhere.mkdir()
    quietly(program, "run", "--headless", "--games", "5", within=played)
    quietly(program, "audit", "--bots", "--db", played / "casino.db", within=elsewhere)
    games = ("--format", "egr", "--output", "games.egr.jsonl", "--db", played / "casino.db")
    quietly(program, "export", *games, within=elsewhere)
    quietly(program, "replay", "games.egr.jsonl", within=elsewhere)
    with opened(program, elsewhere) as url:
        assert serves_everything(url, ROOT / "static")
    return size


def installed(environment: Path) -> int:
    """Return the size of the packages in an environment, bytecode included, without the tools."""
    (packages,) = environment.glob("lib/python3*/site-packages")
    own = [path for path in packages.iterdir() if path.name.partition("-")[0] not in TOOLS]
    files = [file for path in own for file in (path.rglob("*") if path.is_dir() else (path,))]
    return sum(file.stat().st_size for file in files if file.is_file())


def told() -> tuple[int, int]:
    """Return the fewest and the most bytes that the core takes, as docs/install.md says."""
    sentence = r"need no extra and take (\d+) to (\d+) MB"
    found = re.search(sentence, (ROOT / "docs" / "install.md").read_text("utf-8"))
    assert found, "docs/install.md does not say how much is installed"
    return int(found[1]) * 1_000_000, int(found[2]) * 1_000_000


def quietly(program: Path, *arguments: str | Path, within: Path) -> None:
    """Run a command of an installed casino, which must succeed and may warn of nothing."""
    environ = {
        "PATH": str(program.parent), "HOME": str(within), "PYTHONWARNINGS": "default",
    }  # fmt: skip
    result = subprocess.run(
        [program, *arguments], cwd=within, env=environ, capture_output=True, text=True, check=False
    )
    said = result.stdout + result.stderr
    assert result.returncode == 0 and "Warning" not in result.stderr, said


def main() -> None:
    """Build the wheel, try it on every Python there is, and say which are missing."""
    pythons = found()
    with TemporaryDirectory() as name:
        folder = Path(name)
        run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", name, ROOT)
        (wheel,) = folder.glob("*.whl")
        for version, python in pythons.items():
            room = folder / version
            room.mkdir()
            size = tried(python, wheel, room)
            print(f"Python {version}: good, {size / 1_000_000:.0f} MB installed", flush=True)
    if missing := [version for version in VERSIONS if version not in pythons]:
        print(f"not tried, as it is not on this machine: Python {', '.join(missing)}")


if __name__ == "__main__":
    main()
