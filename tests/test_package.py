"""The package as it is handed on: archive, wheel, and what an installed casino serves."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from casino.web.assets.scripts import minify as bare_script
from casino.web.assets.scripts import minify_css

ROOT = Path(__file__).parent.parent
NOT_WRITTEN_BY_HAND = (
    ".git", ".venv*", ".*_cache", ".hypothesis", "__pycache__", "build", "dist", "node_modules",
    "*.egg-info", "*.db*",
)  # fmt: skip
PATIENCE = 240
SENTENCE = "the browser's libraries are missing from static/lib: run python3 tools/"
PACKED = {
    "casino/ledger/printable.txt", "casino/py.typed", "casino/solver/tables.xz",
    "casino/web/accounts/data/lookalikes.txt", "casino/web/accounts/data/scripts.txt",
}  # fmt: skip
PAGES = ("", "games", "account", "rules", "chart", "stats", "audit", "game/g1")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project that tests may build in, with the browser's libraries."""
    copy = tmp_path_factory.mktemp("package") / "checkout"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_WRITTEN_BY_HAND))
    return copy


@pytest.fixture(scope="module")
def built(checkout: Path) -> Path:
    """The folder with the archive, and with the wheel that was built from the archive alone."""
    left_over = checkout / "build" / "lib" / "casino" / "left_over.py"
    left_over.parent.mkdir(parents=True)
    left_over.touch()
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", "out", ".", within=checkout)
    return checkout / "out"


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Installs something into a fresh environment that has what casino needs, but no casino."""

    def into_a_fresh_environment(*what: str | Path) -> Path:
        folder = tmp_path / "environment"
        venv.create(folder, symlinks=True)
        paths = {"base": str(folder), "platbase": str(folder)}
        libraries = Path(sysconfig.get_path("purelib", "venv", vars=paths))
        # A path named in a .pth file is searched, but the editable casino's own .pth there is not.
        (libraries / "others.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
        python = folder / "bin" / "python"
        options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
        # The casino beside the other packages does not count as installed here.
        options.append("--ignore-installed")
        run(sys.executable, "-m", "pip", "--python", python, "install", *options, *what)
        return folder / "bin" / "casino"

    return into_a_fresh_environment


def run(*command: str | Path, within: Path | None = None) -> subprocess.CompletedProcess[str]:
    result = subprocess.run(command, cwd=within, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result


@contextmanager
def opened(program: Path, folder: Path) -> Iterator[str]:
    """The address of an installed casino, run in a folder of its own on a machine without node."""
    command = [str(program), "run", "--port", "0"]
    environ = {"PATH": str(program.parent), "HOME": str(folder)}
    with subprocess.Popen(
        command, cwd=folder, env=environ, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            found = re.search(r"http://\S+", said)
            assert found, f"the casino does not open: {said}"
            yield found[0]
        finally:
            process.terminate()
            assert process.wait(PATIENCE) == 0


def fetched(url: str) -> bytes:
    with urlopen(url, timeout=PATIENCE) as response:
        body: bytes = response.read()
    return body


def served_files(folder: Path) -> list[Path]:
    """The files of a folder that browsers may ask for: neither hidden ones nor types."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if path.name[0] != "." and path.suffix != ".ts"]


def serves_everything(url: str, static: Path) -> bool:
    tables = set(re.findall(r'href="/(table/\w+)"', fetched(url).decode()))
    assert tables
    pages = [fetched(f"{url}/{page}").decode() for page in (*PAGES, *tables)]
    (mark,) = {found for page in pages for found in re.findall(r"/static/(\w+)/", page)}
    files = served_files(static)
    assert {"lib/socket.io.js", "lib/uplot.js", "lib/uplot.css", "css/base.css"} <= {
        path.relative_to(static).as_posix() for path in files
    }
    served = {
        path: fetched(f"{url}/static/{mark}/{path.relative_to(static).as_posix()}")
        for path in files
    }
    return all(body == as_served(path) for path, body in served.items())


def as_served(path: Path) -> bytes:
    """A file as browsers get it: scripts and sheets of our own without what only people read."""
    if "lib" in path.parts or path.suffix not in {".js", ".css"}:
        return path.read_bytes()
    served = minify_css if path.suffix == ".css" else bare_script
    return served(path.read_text("utf-8")).encode()


def test_an_installed_wheel_serves_every_page_and_file(
    wheel: Path, install: Install, tmp_path: Path
) -> None:
    with opened(install(wheel), tmp_path) as url:
        assert serves_everything(url, ROOT / "static")


def test_the_wheel_holds_the_package_alone(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "casino").rglob("*.py")}
    files = {
        f"casino/{path.relative_to(ROOT)}"
        for folder in ("templates", "static")
        for path in served_files(ROOT / folder)
    }
    package = {name for name in held if ".dist-info/" not in name}
    assert modules | files | PACKED <= package
    assert all(name.startswith("casino/") and not name.endswith(".ts") for name in package)
    assert "casino/left_over.py" not in package
    assert any(name.endswith("entry_points.txt") for name in held)


def test_the_archive_holds_all_that_git_has(built: Path) -> None:
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("this is no checkout of git's")
    listed = run("git", "ls-files", "-z", within=ROOT).stdout.rstrip("\0").split("\0")
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        held = {name.partition("/")[2] for name in opened.getnames()}
    assert {name for name in listed if (ROOT / name).exists()} <= held


@pytest.mark.parametrize(
    "command",
    [
        ("pip", "wheel", "--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir"),
        ("build", "--sdist", "--no-isolation", "--outdir"),
    ],
    ids=["wheel", "archive"],
)
def test_nothing_is_built_without_the_browsers_libraries(
    checkout: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    bare, out = tmp_path / "bare", tmp_path / "out"
    ignored = shutil.ignore_patterns("lib", "build", "out", "*.egg-info")
    shutil.copytree(checkout, bare, ignore=ignored)
    result = subprocess.run(
        [sys.executable, "-m", *command, str(out), "."],
        cwd=bare,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode != 0
    assert SENTENCE in result.stdout + result.stderr
    assert "Traceback" not in result.stdout + result.stderr
    assert not list(out.glob("*"))
