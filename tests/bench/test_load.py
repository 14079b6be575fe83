"""The crowd's figures, and the bare broadcaster that sends what the casino sent."""

from __future__ import annotations

from array import array
from pathlib import Path

import pytest

from bench import _crowds
from bench._bare import message
from bench._crowds import Reached, counted, due_times, joined, reached, shares, trace
from bench.load import ours

EVENT = b'42["event",{"table":"t","version":7}]'
BARE = b'{"table": "bare", "version": 8}'
CHANCE = b'42["chance",{"table":"t","version":7}]'
HALF = b'42["event",{"table":"t","version":9}]'


@pytest.fixture
def messages(tmp_path: Path) -> list[Reached]:
    """What a crowd of one and a crowd of two heard of two broadcasters."""
    stamps = tmp_path / "stamps"
    stamps.write_text("t 7 1000000\nbare 8 3000000\nt 9 4000000\n")
    one = {
        BARE: array("q", [3_500_000]),
        EVENT: array("q", [1_200_000]),
        CHANCE: array("q", [2_000_000]),
    }
    two = {
        BARE: array("q", [3_100_000, 3_200_000]),
        EVENT: array("q", [1_900_000, 1_200_000]),
        CHANCE: array("q", [1_500_000, 1_700_000]),
        HALF: array("q", [4_100_000, 4_100_000]),
    }
    return reached(joined(iter((one, two))), due_times(stamps), 3)


@pytest.mark.parametrize(("people", "parts"), [(3, [3]), (7, [4, 3]), (25_000, [12_500, 12_500])])
def test_a_crowd_is_spread_evenly(people: int, parts: list[int]) -> None:
    """Nobody is forgotten or counted twice."""
    assert shares(people, len(parts)) == parts


def test_several_processes_count_as_one_crowd(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five people in three processes: a message has reached all when each of the five had it."""
    monkeypatch.setattr(_crowds, "MAX_EACH", 2)
    found = ours(people=5, seconds=4, pace=250, webs=0, betting=1)
    assert found["lost"] == 0
    assert found["messages"] >= 8
    assert 0 <= found["median_ms"] <= found["last_ms"] <= found["worst_ms"]


def test_what_missed_anybody_is_left_out(messages: list[Reached]) -> None:
    """What reached all is known by its stamp; what is no event is due at no time of its own."""
    due = {one.size: one.due for one in messages}
    assert due == {len(BARE): 3_000_000, len(EVENT): 1_000_000, len(CHANCE): 0}


def test_a_trace_has_every_message_at_its_moment(messages: list[Reached]) -> None:
    """In order, counted from the first; a chance when the first had it."""
    assert trace(messages) == [
        (0, len(EVENT), True),
        (500_000, len(CHANCE), False),
        (2_000_000, len(BARE), True),
    ]


def test_delays_are_counted_from_when_a_message_was_due(messages: list[Reached]) -> None:
    """The last receiver's and everybody's, of what was due."""
    found = counted(messages)
    assert (found["sent"], found["messages"]) == (3, 2)
    assert found["mean_bytes"] == (len(BARE) + len(EVENT)) / 2
    assert found["last_ms"] == pytest.approx(0.7)
    assert found["median_ms"] == pytest.approx(0.2)
    assert found["worst_ms"] == pytest.approx(0.9)


@pytest.mark.parametrize("size", [60, 125, 4000])
def test_the_bare_message_has_the_size_asked_for(size: int) -> None:
    """To the byte, whatever its number."""
    assert {len(message(number, size)) for number in (0, 99, 100)} == {size}
