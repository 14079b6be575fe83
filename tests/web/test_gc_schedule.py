"""Garbage is collected in quiet moments: when the doors are open, and never by itself."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import gevent
import pytest

from casino.events.types import GameOver, Score
from casino.table.runtime import gc_schedule
from casino.table.runtime.gc_schedule import scheduled_gc
from casino.table.runtime.service import CommittedEvent, TableService
from tests.table.nights import Evening, plan
from tests.web.doors import PATIENCE

OVER = GameOver(
    game="t1-000001", score=Score(house=5, challenger=4), server_seed="", stake=1, winner="house"
)


class Ring:
    def __init__(self) -> None:
        self.own = self


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    """A table without visitors."""
    evening = Evening(tmp_path / "a.db", [plan()])
    yield evening
    evening.house.close()


@pytest.fixture
def clerk(
    evening: Evening, swept: list[int], monkeypatch: pytest.MonkeyPatch
) -> Iterator[TableService]:
    """A clerk, with garbage collected on a quick schedule."""
    monkeypatch.setattr(gc_schedule, "EVERY_SECONDS", 0.01)
    with scheduled_gc(evening.house.service):
        yield evening.house.service


def discarded() -> weakref.ref[Ring]:
    return weakref.ref(Ring())


def old() -> weakref.ref[Ring]:
    ring = Ring()
    gc.collect()
    return weakref.ref(ring)


@pytest.fixture
def swept(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The generation of each collection of the schedule, as they come."""
    seen: list[int] = []

    def collect(generation: int = 2) -> None:
        gc.collect(generation)
        seen.append(generation)

    monkeypatch.setattr(gc_schedule, "gc", SimpleNamespace(**{**vars(gc), "collect": collect}))
    return seen


def rounds(swept: list[int], number: int = 2) -> list[int]:
    """Let the schedule run some whole rounds, however long that takes; what it collected."""
    before = len(swept)
    with gevent.Timeout(PATIENCE):
        while len(swept) < before + number:
            gevent.sleep(0.001)
    return swept[before:]


def test_python_collects_by_itself_before_and_after(evening: Evening) -> None:
    assert gc.isenabled()
    with scheduled_gc(evening.house.service):
        assert not gc.isenabled()
        assert gc.get_freeze_count() > 10_000
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


@pytest.mark.usefixtures("clerk")
def test_young_garbage_goes_at_once(swept: list[int]) -> None:
    left = discarded()
    assert left() is not None
    assert set(rounds(swept)) == {1}
    assert left() is None


def test_old_garbage_goes_when_a_game_ends(
    evening: Evening, clerk: TableService, swept: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gc_schedule, "ALL_AFTER", 3)
    left = old()
    assert set(rounds(swept, 8)) == {1}
    assert left() is not None
    for listener in clerk.listeners:
        listener.on_event(CommittedEvent(evening.state, OVER, evening.state))
    assert rounds(swept)[0] == 2
    assert left() is None


@pytest.mark.usefixtures("clerk")
def test_old_garbage_goes_at_the_latest_anyway(
    swept: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gc_schedule, "ALL_AT_LATEST", 3)
    left = old()
    assert 2 in rounds(swept, 3)
    assert left() is None
