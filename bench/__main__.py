"""Run every benchmark, or those named, and print a summary at the end."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).parent


def main(names: list[str]) -> int:
    """Run the scripts in turn; a failure does not end the run."""
    known = sorted(path.stem for path in FOLDER.glob("[!_]*.py"))
    if unknown := sorted({*names} - {*known}):
        print(f"bench: there is no {', '.join(unknown)}: name some of {', '.join(known)}")
        return 2
    rows = []
    for name in names or known:
        print(f"\n=== {name}", flush=True)
        began = time.monotonic()
        code = subprocess.call([sys.executable, "-m", f"bench.{name}"], cwd=FOLDER.parent)
        rows.append((name, "ok" if code == 0 else f"failed ({code})", time.monotonic() - began))
    print(f"\n{'script':16} {'result':12} {'seconds':>8}")
    for name, result, seconds in rows:
        print(f"{name:16} {result:12} {seconds:8.0f}")
    return int(any(result != "ok" for _, result, _ in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
