"""Fixtures of all tests: golden files, ledgers and PostgreSQL."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tools import build_assets

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from tools.postgres_server import PostgresServer

# A slow machine is no fault: no example has a deadline. `make test` tries the same examples each
# time, so that a change is refused only for what it caused; `make test-all` looks for new ones.
settings.register_profile("gate", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("search", deadline=None, max_examples=200)
settings.load_profile("gate")
# For tests that are run once more, of the same rules compiled.
settings.register_profile("again", settings.get_profile("gate"), max_examples=20)

TESTS = Path(__file__).parent
GOLDEN = TESTS / "golden"

# Left to `make test-all`: tests of tests and of maintainers' tools, what builds wheels or
# environments of its own, statistics, and kills at random moments.
NIGHTLY = (
    "fairness/test_statistics.py", "ledger/test_kill.py", "test_compiled.py", "test_containers.py",
    "test_notebook.py", "test_package.py", "web/test_openapi.py",
)  # fmt: skip

# What numba compiles takes minutes in a new clone.
COMPILING = ("simulate", "solver", "analysis", "adapters", "bots", "cli/test_odds.py",
             "cli/test_research.py", "cli/test_simulate.py")  # fmt: skip
WEB = ("web",)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option with which `make golden` writes the golden files."""
    parser.addoption("--write-golden", action="store_true", help="rewrite the golden files")


class FailureReporter:
    """Prints each failure at once, for a run that is stopped before its summary."""

    def __init__(self, terminal: TerminalReporter) -> None:
        self._terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            said = crash.message if crash else report.longreprtext
            self._terminal.ensure_newline()
            self._terminal.write_line(f"{report.nodeid} ({report.when}): {said}", red=True)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Build the pages' assets once for all workers, and print failures at once."""
    # With xdist, pytest itself says only that no tests ran.
    for name in config.args:
        if not config.invocation_params.dir.joinpath(name.partition("::")[0]).exists():
            raise pytest.UsageError(f"there is no test {name}: check the path")
    # What mutmut copies has no pages to build.
    if not hasattr(config, "workerinput") and (TESTS.parent / "package.json").exists():
        build_assets.main()
    if terminal := config.pluginmanager.get_plugin("terminalreporter"):
        config.pluginmanager.register(FailureReporter(terminal))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make test` leaves out, and put the tests in the order in which they are run."""
    compiling, web, others = list[pytest.Item](), list[pytest.Item](), list[pytest.Item]()
    for item in items:
        if is_below(item, NIGHTLY):
            item.add_marker("nightly")
        kind = compiling if is_below(item, COMPILING) else web if is_below(item, WEB) else others
        kind.append(item)
    # Each worker begins with an equal part of the list, and takes from the end of another's part
    # when it has finished: what takes long must not come last, nor two workers compile the same.
    middle = max(0, len(items) // 2 - len(compiling))
    items[:] = compiling + others[:middle] + web + others[middle:]


def is_below(item: pytest.Item, names: tuple[str, ...]) -> bool:
    places = {item.path, *item.path.parents}
    return any(TESTS / name in places for name in names)


@pytest.fixture(scope="session")
def quick_run(request: pytest.FixtureRequest) -> bool:
    """Return whether this is `make test`, which runs fewer cases than `make test-all`."""
    return bool(request.config.getoption("markexpr") == "not nightly")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Return a function that compares a text with a golden file, line by line."""
    writing = bool(request.config.getoption("--write-golden"))

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if writing:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        assert path.exists(), f"{path} is missing: make golden writes it"
        assert text.splitlines() == path.read_text("utf-8").splitlines(), "make golden, then read"

    return compare


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a ledger with 4 settled games, a void one and an unfinished one."""
    from tests.ledger.game_simulator import play_games  # only where a test asks for it

    path = tmp_path_factory.mktemp("night") / "casino.db"
    play_games(path, games=4)
    return path


@pytest.fixture
def db_file(played: Path, tmp_path: Path) -> Path:
    """Return a copy of the played ledger, with its other files, that a test may change."""
    for file in played.parent.iterdir():
        shutil.copy2(file, tmp_path / file.name)
    return tmp_path / played.name


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Run a PostgreSQL server; tests that use it carry its marks."""
    from tools.postgres_server import PostgresServer

    with PostgresServer() as server:
        yield server


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder without settings and files."""
    monkeypatch.chdir(tmp_path)
