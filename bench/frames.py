"""Frames a second of a busy table on a slow device, from the browser's own trace.

A browser with a slowed processor watches a quick table with many simulated bettors. The trace says
of each frame whether it was presented or dropped, and what the page's main thread did. A busy
machine drops frames of its own: there, compare only the shares of the main thread's work.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from bench._pages import casino, chromium

Event = dict[str, Any]

FULL_RATE = 60
SLOWDOWN = 4
LONG_MS = 50
CATEGORIES = ["toplevel", "cc", "benchmark", "devtools.timeline", "v8"]
TABLE = {"betting_ms": 3_000, "pace_ms": 120, "deal_ms": 300, "game_ms": 1_500}
WORK = {
    "FunctionCall": "scripts",
    "EvaluateScript": "scripts",
    "UpdateLayoutTree": "style",
    "Layout": "layout",
    "PrePaint": "pre-paint",
    "Paint": "paint",
    "Layerize": "layers",
    "Commit": "commit",
    "MajorGC": "garbage collection",
    "MinorGC": "garbage collection",
}
MAIN_THREAD = "CrRendererMain"
THREADS = {
    MAIN_THREAD: "main",
    "Compositor": "compositor",
    "ThreadPoolForegroundWorker": "raster",
    "VizCompositorThread": "display",
}
"""The threads that a frame goes through; threads of other processes count if so named."""


def record_trace(seconds: float, people: int) -> list[Event]:
    """Watch a table for some time, slowed down; return the events of the trace."""
    with (
        tempfile.TemporaryDirectory() as folder,
        casino(Path(folder), {"crowd": {**TABLE, "number": people}}) as url,
        chromium() as browser,
    ):
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{url}/table/crowd")
        page.wait_for_selector(".more-people")
        session = page.context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
        browser.start_tracing(page=page, categories=CATEGORIES)
        page.wait_for_timeout(1000 * seconds)
        session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
        events: list[Event] = json.loads(browser.stop_tracing())["traceEvents"]
        return events


def count_frames(events: Iterable[Event]) -> tuple[int, int]:
    states = Counter(
        event["args"]["frame_reporter"]["state"]
        for event in events
        if event.get("name") == "PipelineReporter" and "frame_reporter" in event.get("args", {})
    )
    presented = sum(count for state, count in states.items() if "PRESENTED" in state)
    return presented, states["STATE_DROPPED"]


def print_times(title: str, times: Counter[str], seconds: float) -> None:
    click.echo(f"{title}:")
    for name, ms in times.most_common():
        click.echo(f"  {name:<18} {ms / seconds:6.1f} ms a second")


@click.command()
@click.option("--seconds", default=20.0, show_default=True, help="How long the table is watched.")
@click.option("--people", default=200, show_default=True, help="Simulated bettors.")
def main(seconds: float, people: int) -> None:
    """Print frames a second, long tasks, and what the threads were busy with."""
    try:
        events = record_trace(seconds, people)
    except ImportError as missing:
        click.echo(f"left out: {missing.name} is not installed")
        return
    names = {
        (event["pid"], event["tid"]): event["args"]["name"]
        for event in events
        if event.get("name") == "thread_name"
    }
    work, threads, long = Counter[str](), Counter[str](), list[float]()
    for event in (event for event in events if event.get("ph") == "X"):
        thread, name = names.get((event["pid"], event["tid"]), ""), event["name"]
        is_task = name.endswith("RunTask")
        if is_task and thread in THREADS:
            threads[THREADS[thread]] += event.get("tdur", 0) / 1000
        if thread == MAIN_THREAD and name in WORK:
            work[WORK[name]] += (event.get("tdur") or event["dur"]) / 1000
        if thread == MAIN_THREAD and is_task and event["dur"] / 1000 > LONG_MS:
            long.append(event["dur"] / 1000)
    presented, dropped = count_frames(events)
    rate = FULL_RATE * presented / max(1, presented + dropped)
    click.echo(
        f"{people} bettors, {SLOWDOWN} times slower: {rate:.1f} frames/s while anything moved "
        f"({presented} presented, {dropped} dropped, in {seconds:g} s)"
    )
    longest = max(long, default=0)
    click.echo(f"tasks over {LONG_MS} ms: {len(long)}, the longest {longest:.0f} ms")
    print_times("main thread", work, seconds)
    print_times("threads", threads, seconds)


if __name__ == "__main__":
    main()
