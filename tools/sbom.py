"""Print the software bill of materials (CycloneDX) of a release, from the lock files.

`make dist` writes it beside the wheel. A package of an extra is optional. The hashes of all
packages are in the locks.
"""

from __future__ import annotations

import json
import os
import re
import runpy
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = "ecarte-casino"
PIN = re.compile(r"^([a-z0-9.-]+)(?:\[[a-z,]+\])?==([^ ;]+)", re.MULTILINE)


def python_packages() -> Iterator[dict[str, str]]:
    """Yield what the wheel needs, then what its extras need."""
    core, extras = (
        dict(PIN.findall((ROOT / "requirements" / f"{lock}.txt").read_text("utf-8")))
        for lock in ("run", "extras")
    )
    for name, version in sorted((core | extras).items()):
        yield component("pypi", name, version, "required" if name in core else "optional")


def script_packages() -> Iterator[dict[str, str]]:
    """Yield what the scripts in the wheel are made of or with."""
    lock = json.loads((ROOT / "package-lock.json").read_text("utf-8"))
    for path, package in sorted(lock["packages"].items()):
        if path and not package.get("dev") and not package.get("optional"):
            name = path.rpartition("node_modules/")[2]
            yield component("npm", name, package["version"], "required")


def component(kind: str, name: str, version: str, scope: str) -> dict[str, str]:
    """Return a library with its package URL."""
    url = f"pkg:{kind}/{name.replace('@', '%40')}@{version}"
    return {
        "type": "library",
        "bom-ref": url,
        "name": name,
        "version": version,
        "scope": scope,
        "purl": url,
    }


def bill() -> dict[str, object]:
    """Return the bill; its date is `SOURCE_DATE_EPOCH`."""
    version = runpy.run_path(str(ROOT / "casino" / "__init__.py"))["__version__"]
    date = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    subject = component("pypi", NAME, version, "required")
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": date.isoformat().replace("+00:00", "Z"),
            "component": subject | {"type": "application"},
        },
        "components": [*python_packages(), *script_packages()],
    }


if __name__ == "__main__":
    print(json.dumps(bill(), indent=1))
