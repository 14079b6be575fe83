"""Build the package, with templates/ and static/ inside.

With `CASINO_COMPILED=1` mypyc compiles the rules that run for every card, from the same sources,
into a wheel for this platform; `make dist` does so if it can. A build without it needs no compiler
and runs the plain sources, as every checkout does. Everything else is in pyproject.toml.
"""

from __future__ import annotations

import os
import runpy
import shutil
from pathlib import Path
from typing import Any

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from setuptools.errors import SetupError

ROOT = Path(__file__).resolve().parent
PAGES = ("templates", "static")
EXCLUDED = (".*", "*.d.ts")
COMPILED = ("rules", "cards", "phase", "errors", "deal")
"""The modules of casino/ecarte that mypyc compiles. Their callers have checked all arguments."""


class BuildWithPages(build_py):
    """Copy templates/ and static/ into the package; an editable install finds them by itself."""

    def run(self) -> None:
        """Build the package from scratch, without files of an earlier build."""
        if self.editable_mode:
            super().run()
            return
        check_libraries()
        package = Path(self.build_lib) / "casino"
        shutil.rmtree(package, ignore_errors=True)
        super().run()
        for name in PAGES:
            shutil.copytree(ROOT / name, package / name, ignore=shutil.ignore_patterns(*EXCLUDED))


class WholeSdist(sdist):
    """A source archive from which the package can be built without npm."""

    def run(self) -> None:
        """Make the archive unless the browser's libraries are missing."""
        check_libraries()
        super().run()


def check_libraries() -> None:
    """Raise `SetupError` if the browser's libraries have not been fetched."""
    fetcher = runpy.run_path(str(ROOT / "tools" / "fetch_browser_libs.py"))
    if not fetcher["is_fetched"]():
        raise SetupError(
            "the browser's libraries are missing from static/lib: "
            "run python3 tools/fetch_browser_libs.py, then try again"
        )


def compiled_rules() -> list[Any]:
    """Return the extension modules of the rules; none without `CASINO_COMPILED`."""
    if os.environ.get("CASINO_COMPILED", "0") in ("", "0"):
        return []
    try:
        from mypyc.build import mypycify
    except ImportError:
        raise SetupError("CASINO_COMPILED needs mypy: install it, or build without") from None
    paths = [f"casino/ecarte/{name}.py" for name in COMPILED]
    modules: list[Any] = mypycify(paths, opt_level="2", group_name="ecarte_casino")
    return modules


setup(cmdclass={"build_py": BuildWithPages, "sdist": WholeSdist}, ext_modules=compiled_rules())
