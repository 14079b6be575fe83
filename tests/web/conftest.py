"""The casino that most tests of the web side visit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.web import browser
from tests.web.doors import BETTING_FOR_EVER, FAST, Doors, SkippingClock, Visitor, open_doors

NUMBERS = count(1)
TABLES: dict[str, dict[str, Any]] = {
    "open": BETTING_FOR_EVER,
    "fast": {**FAST, "number": 3},
    "slow": {"betting_ms": 50, "pace_ms": 60_000, "number": 0},
    "seat": {**FAST, "betting_ms": 3_000, "challenger": "nobody", "number": 0},
    "dear": {**BETTING_FOR_EVER, "stake_cents": 10_000_000, "refill_cents": 100_000_000},
}


@pytest.fixture(scope="session")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    """A casino with a table that always takes bets, a fast one, a slow one, a free seat.

    Its tables stand still unless a visitor who watches them waits, or a test steps them.
    """
    path, clock = tmp_path_factory.mktemp("doors") / "casino.db", SkippingClock()
    with open_doors(path, TABLES, clock, clock, seed=1) as doors:
        for table in ("open", "dear"):
            while not doors.book_is_open(table):
                doors.step(table)
        doors.awaits_texts, doors.going = False, frozenset({"fast", "slow", "seat"})
        yield doors


@pytest.fixture
def visit(doors: Doors) -> Iterator[type[Visitor]]:
    """Makes visitors, each under a name of his own, who leave when the test is over."""
    there: list[Visitor] = []

    def come(name: str | None = None) -> Visitor:
        there.append(doors.visitor(None if name is None else f"{name}{next(NUMBERS)}"))
        return there[-1]

    yield come  # type: ignore[misc]
    for visitor in there:
        visitor.close()


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    """A casino for people with browsers: tables with bettors, an open book, a free seat."""
    with browser.casino(tmp_path_factory.mktemp("program"), browser.TABLES) as casino:
        yield casino


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A browser."""
    if not browser.CHROMIUM:
        pytest.skip("there is no chromium on this machine: .ci/run installs it")
    with browser.chromium() as opened:
        yield opened


@pytest.fixture
def new_person(
    request: pytest.FixtureRequest, chromium: Browser, program: Doors
) -> Iterator[Callable[..., Any]]:
    """Makes people with browsers; nothing may have gone wrong there."""
    there: list[browser.Person] = []

    def come(**how: Any) -> browser.Person:
        chance = f"{request.node.name} {len(there)}"
        there.append(browser.Person(chromium, **{"casino": program, "chance": chance, **how}))
        return there[-1]

    yield come
    for person in there:
        person.context.close()
    assert [fault for person in there for fault in person.faults] == []
