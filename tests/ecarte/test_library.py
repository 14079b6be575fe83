"""The rules as a library: they depend on the standard library alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import casino
import casino.ecarte

PACKAGE = Path(casino.ecarte.__file__).parent
FRESH = """
import sys
before = set(sys.modules)
import casino.ecarte
print(*sorted(set(sys.modules) - before))
"""


def test_rules_import_only_the_standard_library() -> None:
    program = [sys.executable, "-c", FRESH]
    loaded = subprocess.check_output(program, cwd=PACKAGE.parent.parent, text=True).split()
    # Compiled rules (see tests/test_compiled.py) share one library of their own.
    roots = {name.partition(".")[0] for name in loaded} - {"ecarte_casino__mypyc"}
    assert roots - {"casino"} <= set(sys.stdlib_module_names)
    ours = {name for name in loaded if name.startswith("casino")}
    assert {".".join(name.split(".")[:2]) for name in ours} == {
        "casino", "casino.chips", "casino.ecarte", "casino.errors",
    }  # fmt: skip
