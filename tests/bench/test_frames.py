"""What a trace of the browser comes to: frames shown and late, long tasks, works of the page."""

from __future__ import annotations

from typing import Any

from bench.frames import LONG_MS, told

MAIN, OTHER = {"pid": 7, "tid": 1}, {"pid": 7, "tid": 2}
NAMES = [
    {"name": "thread_name", "ph": "M", "args": {"name": "CrRendererMain"}, **MAIN},
    {"name": "thread_name", "ph": "M", "args": {"name": "Compositor"}, **OTHER},
]


def frame(state: str) -> dict[str, Any]:
    """A frame that the compositor reports."""
    args = {"frame_reporter": {"state": f"STATE_{state}"}}
    return {"name": "PipelineReporter", "ph": "b", "args": args, **OTHER}


def work(name: str, ms: float, thread: dict[str, int] = MAIN, **more: Any) -> dict[str, Any]:
    """A piece of work of a thread."""
    return {"name": name, "ph": "X", "dur": 1000 * ms, **thread, **more}


def test_frames_count_where_one_was_wanted() -> None:
    """Three shown of four wanted are 45 a second; a frame that nobody wanted is none."""
    states = ["PRESENTED_ALL", "PRESENTED_PARTIAL", "PRESENTED_ALL", "DROPPED"]
    seen = told(NAMES + [frame(state) for state in [*states, "NO_UPDATE_DESIRED"]], 1)
    assert (seen.shown, seen.late, seen.frames) == (3, 1, 45)
    assert told([], 1).frames == 0


def test_only_the_page_s_own_thread_is_told_of() -> None:
    """Long tasks by the clock, works by the processor's time where the trace has it."""
    events = [
        work("ThreadControllerImpl::RunTask", LONG_MS + 1),
        work("ThreadControllerImpl::RunTask", LONG_MS - 1),
        work("ThreadControllerImpl::RunTask", 900, OTHER),
        work("Layout", 10, tdur=4000),
        work("FunctionCall", 3),
        work("EvaluateScript", 2),
        work("Paint", 5, OTHER),
        work("SomethingElse", 5),
    ]
    seen = told(NAMES + events, 1)
    assert seen.long_ms == [LONG_MS + 1]
    assert dict(seen.works_ms) == {"layout": 4, "scripts": 5}


def test_every_thread_that_a_frame_goes_through_is_told_of() -> None:
    """By the processor's time of its tasks alone, of which other work is a part."""
    events = [
        work("ThreadControllerImpl::RunTask", 9, tdur=2000),
        work("Layout", 2, tdur=1000),
        work("RunTask", 9, OTHER, tdur=3000),
        work("RunTask", 9, {"pid": 8, "tid": 1}, tdur=5000),
    ]
    assert dict(told(NAMES + events, 1).threads_ms) == {"the page": 2, "its compositor": 3}
