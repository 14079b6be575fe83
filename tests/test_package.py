"""The source archive, the wheel, and what an installed casino serves."""

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

ROOT = Path(__file__).parent.parent
BUILT = Path("casino", "web", "built")
GENERATED_FILES = (
    ".git", ".venv*", ".*_cache", ".hypothesis", "__pycache__", "build", "dist", "node_modules",
    "*.egg-info", "*.db*",
)  # fmt: skip
TIMEOUT_SECONDS = 240
BUILD_HINT = "install npm, or connect to a package index"
PACKED = {
    "casino/ledger/printable.txt", "casino/py.typed", "casino/solver/tables.xz",
    "casino/web/accounts/data/lookalikes.txt", "casino/web/accounts/data/scripts.txt",
    "casino/web/built/verify.html",
}  # fmt: skip
PAGES = ("", "games", "account", "rules", "chart", "stats", "audit")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project that tests may build in, with the built assets."""
    copy = tmp_path_factory.mktemp("package") / "checkout"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*GENERATED_FILES))
    return copy


@pytest.fixture(scope="module")
def built(checkout: Path) -> Path:
    """Build the archive, and the wheel from the archive; return their folder."""
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
    """Return a function that installs into a new environment with all dependencies of casino."""

    def install_into_new_environment(*what: str | Path) -> Path:
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

    return install_into_new_environment


def run(
    *command: str | Path, within: Path | None = None, fails: bool = False, **environ: str
) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **environ}
    result = subprocess.run(
        command, cwd=within, env=env, capture_output=True, text=True, check=False
    )
    assert (result.returncode != 0) == fails, result.stdout + result.stderr
    return result


@contextmanager
def opened(program: Path, folder: Path) -> Iterator[str]:
    """Run an installed casino in its own folder, without node on the path; yield its address."""
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
            assert process.wait(TIMEOUT_SECONDS) == 0


def fetched(url: str) -> bytes:
    with urlopen(url, timeout=TIMEOUT_SECONDS) as response:
        body: bytes = response.read()
    return body


def built_files(folder: Path) -> list[Path]:
    """Return the files served to browsers, without their compressed copies."""
    paths = (folder / BUILT / "static").rglob("*.*")
    return [path for path in paths if path.is_file() and path.suffix != ".gz"]


def serves_everything(url: str, folder: Path) -> bool:
    tables = set(re.findall(r'href="/(table/\w+)"', fetched(url).decode()))
    assert tables
    for page in (*PAGES, *tables):
        assert "/static/js/" in fetched(f"{url}/{page}").decode()
    static, files = folder / BUILT / "static", built_files(folder)
    assert len(files) > 100
    return all(
        fetched(f"{url}/static/{path.relative_to(static).as_posix()}") == path.read_bytes()
        for path in files
    )


@pytest.mark.nightly
def test_two_builds_are_byte_identical(tmp_path: Path) -> None:
    builds = []
    for name, umask in (("here", 0o022), ("far/away", 0o077)):
        folder = tmp_path / name
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*GENERATED_FILES, "built"))
        (folder / "node_modules").symlink_to(ROOT / "node_modules")
        subprocess.run(
            [sys.executable, "-m", "build", "--quiet", "--no-isolation", "--outdir", "out"],
            cwd=folder,
            env={**os.environ, "SOURCE_DATE_EPOCH": "1800000000"},
            umask=umask,
            capture_output=True,
            check=True,
        )
        builds.append({path.name: path.read_bytes() for path in (folder / "out").iterdir()})
    assert len(builds[0]) == 2 and builds[0] == builds[1]


def test_an_installed_wheel_serves_every_page_and_file(
    wheel: Path, install: Install, tmp_path: Path
) -> None:
    # uvx and pipx call the program that has the distribution's name.
    with opened(install(wheel).with_name("ecarte-casino"), tmp_path) as url:
        assert serves_everything(url, ROOT)


def test_run_without_built_pages_fails_and_creates_no_log(
    checkout: Path, install: Install, tmp_path: Path
) -> None:
    bare, folder = tmp_path / "bare", tmp_path / "folder"
    shutil.copytree(checkout, bare, ignore=shutil.ignore_patterns("built", "out"))
    folder.mkdir()
    program = install("--editable", bare)
    result = run(program, "run", "--port", "0", within=folder, fails=True)
    assert "the pages are not built: run python3 tools/build_assets.py" in result.stderr
    assert result.stderr.count("\n") == 1 and not list(folder.iterdir())


def test_wheel_contains_only_the_package(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "casino").rglob("*.py")}
    files = {path.relative_to(ROOT).as_posix() for path in built_files(ROOT)}
    files |= {f"casino/templates/{path.name}" for path in (ROOT / "templates").iterdir()}
    package = {name for name in held if ".dist-info/" not in name}
    assert modules | files | PACKED <= package
    assert all(name.startswith("casino/") for name in package)
    assert "casino/left_over.py" not in package
    assert any(name.endswith("entry_points.txt") for name in held)


def test_archive_contains_all_tracked_files(built: Path) -> None:
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
        ("build", "--sdist", "--no-isolation", "--skip-dependency-check", "--outdir"),
    ],
    ids=["wheel", "archive"],
)
def test_build_fails_without_node_and_a_package_index(
    checkout: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    bare, out = tmp_path / "bare", tmp_path / "out"
    ignored = shutil.ignore_patterns("built", "build", "out", "*.egg-info")
    shutil.copytree(checkout, bare, ignore=ignored)
    line: list[str | Path] = [sys.executable, "-m", *command, out, "."]
    environ = {"NO_COLOR": "1", "PATH": str(bare), "PIP_NO_INDEX": "1"}
    result = run(*line, within=bare, fails=True, **environ)
    assert BUILD_HINT in result.stdout + result.stderr
    assert "Traceback" not in result.stdout + result.stderr
    assert not list(out.glob("*"))
