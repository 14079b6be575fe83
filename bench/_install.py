"""Install a lock file, and if that fails, package by package, saying which cannot be had.

The benchmarks compare with packages that have no build for every machine: one that is missing
costs its own rows of a table, not the whole run. Exit status 0 if all of the lock is installed.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path


def requirements(lock: str) -> Iterator[tuple[str, str]]:
    """Yield each package of a lock with its own lines: name, then version and hashes."""
    for block in re.split(r"\n(?=[A-Za-z0-9])", "\n" + lock):
        if name := re.match(r"[A-Za-z0-9][\w.-]*", block):
            yield name[0], block + "\n"


def installed(lock: Path, *options: str) -> bool:
    """Install one lock file whole; whether pip managed it."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--require-hashes", *options]
    return subprocess.run([*pip, "-r", str(lock)], check=False).returncode == 0


def install_one(requirement: str) -> bool:
    """Install one package alone; the others it needs have lines of their own."""
    with tempfile.TemporaryDirectory() as folder:
        lock = Path(folder, "one.txt")
        lock.write_text(requirement, encoding="utf-8")
        return installed(lock, "--no-deps")


def main(path: Path) -> int:
    """Install what can be installed of a lock and name the rest."""
    if installed(path):
        return 0
    print(f"{path} cannot be installed as a whole: trying its packages one by one", flush=True)
    lock = path.read_text(encoding="utf-8")
    missing = [name for name, lines in requirements(lock) if not install_one(lines)]
    print(f"could not be installed: {', '.join(missing) or 'none after all'}", flush=True)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
