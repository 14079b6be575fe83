"""Fixtures of the web tests: casinos, visitors and browsers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.web import browser
from tests.web.browser import NewPerson
from tests.web.server import FAST, LONG_BETTING, Server, SkippingClock, Visit, Visitor, open_server

NUMBERS = count(1)
TABLES: dict[str, dict[str, Any]] = {
    "open": LONG_BETTING,
    "fast": {**FAST, "number": 3},
    "slow": {"betting_ms": 50, "pace_ms": 60_000, "number": 0},
    "seat": {**FAST, "betting_ms": 3_000, "challenger": "nobody", "number": 0},
    "dear": {**LONG_BETTING, "stake_cents": 10_000_000, "refill_cents": 100_000_000},
}


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run a casino with a table that always takes bets, a fast one, a slow one and a free seat.

    Its tables advance only when a test steps them or a visitor watching them waits.
    """
    path, clock = tmp_path_factory.mktemp("server") / "casino.db", SkippingClock()
    with open_server(path, TABLES, clock, clock, seed=1) as server:
        for table in ("open", "dear"):
            while not server.book_is_open(table):
                server.step(table)
        server.awaits_reveals, server.going = False, frozenset({"fast", "slow", "seat"})
        yield server


@pytest.fixture
def visit(server: Server) -> Iterator[Visit]:
    """Return a function that connects visitors under unique names; close them after the test."""
    there: list[Visitor] = []

    def come(name: str | None = None) -> Visitor:
        there.append(server.visitor(None if name is None else f"{name}{next(NUMBERS)}"))
        return there[-1]

    yield come
    for visitor in there:
        visitor.close()


@pytest.fixture
def nothing_on_stderr(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    """Check that clients cannot fill the log with tracebacks."""
    yield
    assert capfd.readouterr().err == ""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run a casino for browsers: tables with bettors, an open book, a free seat."""
    with browser.casino(tmp_path_factory.mktemp("program"), browser.TABLES) as casino:
        yield casino


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if not browser.CHROMIUM:
        pytest.skip("there is no chromium on this machine: .ci/run installs it")
    with browser.chromium() as opened:
        yield opened


@pytest.fixture
def new_person(chromium: Browser, program: Server) -> Iterator[NewPerson]:
    """Return a function that opens browsers for people; nothing may have gone wrong there.

    A person's random numbers depend only on how many came before.
    """
    there: list[browser.Person] = []

    def come(**how: Any) -> browser.Person:
        usual = {"casino": program, "chance": f"person {len(there)}", "reduced_motion": "reduce"}
        there.append(browser.Person(chromium, **{**usual, **how}))
        return there[-1]

    yield come
    for person in there:
        person.context.close()
    assert [fault for person in there for fault in person.faults] == []
