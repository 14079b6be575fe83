"""Install a lock file, or, if that fails, as many of its packages as possible.

Some packages have no build for every machine: one that is missing costs its own rows of a table.
The exit status is 0 if all of the lock is installed.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path


def is_installed(lock: str, *options: str) -> bool:
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(lock)
        file.flush()
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--require-hashes", *options]
        return subprocess.run([*pip, "-r", file.name], check=False).returncode == 0


def main(path: Path) -> int:
    lock = path.read_text(encoding="utf-8")
    if is_installed(lock):
        return 0
    print(f"{path} cannot be installed as a whole: trying its packages one by one", flush=True)
    missing = [
        re.split(r"[^\w.-]", block)[0]
        for block in re.split(r"\n(?=[A-Za-z0-9])", "\n" + lock)  # a package, then its hashes
        if block[:1].isalnum() and not is_installed(block, "--no-deps")
    ]
    print(f"could not be installed: {', '.join(missing) or 'none after all'}", flush=True)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
