"""Garbage is collected in quiet moments: while the server runs, and never by itself."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from types import SimpleNamespace

import gevent
import pytest

from casino.table.runtime import gc_schedule
from casino.table.runtime.gc_schedule import scheduled_gc
from tests.web.server import TIMEOUT_SECONDS


class Ring:
    def __init__(self) -> None:
        self.own = self


@pytest.fixture
def finished(collected: list[int], monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Games that have ended, while garbage is collected on a short schedule."""
    monkeypatch.setattr(gc_schedule, "EVERY_SECONDS", 0.01)
    games: list[str] = []
    with scheduled_gc(lambda: len(games)):
        yield games


def old() -> weakref.ref[Ring]:
    ring = Ring()
    gc.collect()
    return weakref.ref(ring)


@pytest.fixture
def collected(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The generation of each scheduled collection, in order."""
    seen: list[int] = []

    def collect(generation: int = 2) -> None:
        gc.collect(generation)
        seen.append(generation)

    monkeypatch.setattr(gc_schedule, "gc", SimpleNamespace(**{**vars(gc), "collect": collect}))
    return seen


def wait_for_collections(collected: list[int], number: int = 2) -> list[int]:
    """Wait for a number of scheduled collections, and return their generations."""
    before = len(collected)
    with gevent.Timeout(TIMEOUT_SECONDS):
        while len(collected) < before + number:
            gevent.sleep(0.001)
    return collected[before:]


def test_automatic_gc_is_disabled_only_inside_the_schedule() -> None:
    assert gc.isenabled()
    with scheduled_gc():
        assert not gc.isenabled()
        assert gc.get_freeze_count() > 10_000
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


@pytest.mark.usefixtures("finished")
def test_young_garbage_is_collected_on_schedule(collected: list[int]) -> None:
    left = weakref.ref(Ring())
    assert left() is not None
    assert set(wait_for_collections(collected)) == {1}
    assert left() is None


def test_old_garbage_is_collected_after_a_game(
    finished: list[str], collected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gc_schedule, "ALL_AFTER", 3)
    left = old()
    assert set(wait_for_collections(collected, 8)) == {1}
    assert left() is not None
    finished.append("t1-000001")
    assert wait_for_collections(collected)[0] == 2
    assert left() is None


@pytest.mark.usefixtures("finished")
def test_old_garbage_is_collected_after_the_longest_wait(
    collected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gc_schedule, "ALL_AT_LATEST", 3)
    left = old()
    assert 2 in wait_for_collections(collected, 3)
    assert left() is None
