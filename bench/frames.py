"""How many frames a second a lively table shows on a slow device, by the browser's own trace.

A quick table with many simulated bettors is watched by a browser whose processor is slowed down.
The trace tells of each frame whether it was shown or came too late, and what the page's thread did
meanwhile.

Run it with `make bench`, or, from the project's folder, `python -m bench.frames`. It needs
chromium and the test environment; without them it says so. A busy machine drops frames of its own:
compare the share of each work, and tell frames only of a quiet one.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import click

from bench._pages import casino, chromium

Event = dict[str, Any]

FULL = 60
LONG_MS = 50
CATEGORIES = ["toplevel", "cc", "benchmark", "devtools.timeline", "v8"]
TABLE = {"betting_ms": 3_000, "pace_ms": 120, "deal_ms": 300, "game_ms": 1_500}
WORKS = {
    "FunctionCall": "scripts",
    "EvaluateScript": "scripts",
    "UpdateLayoutTree": "style",
    "Layout": "layout",
    "PrePaint": "before painting",
    "Paint": "painting",
    "Layerize": "layers",
    "Commit": "handing over",
    "MajorGC": "memory",
    "MinorGC": "memory",
}
"""What the trace calls the works of the page's thread, and what we call them."""
THREADS = {
    "CrRendererMain": "the page",
    "Compositor": "its compositor",
    "ThreadPoolForegroundWorker": "drawing of tiles",
    "VizCompositorThread": "the screen",
}
"""The threads that a frame goes through; those of another process count where it has the name."""


class Seen(NamedTuple):
    """What a trace tells of a page."""

    shown: int
    late: int
    long_ms: list[float]
    works_ms: dict[str, float]
    threads_ms: dict[str, float]
    seconds: float

    @property
    def frames(self) -> float:
        """Frames a second, where any was wanted."""
        return FULL * self.shown / max(1, self.shown + self.late)


def told(events: Iterable[Event], seconds: float) -> Seen:
    """What the events of a trace come to: those of the page's own main thread."""
    events = list(events)
    names = [one for one in events if one.get("name") == "thread_name"]
    main = {(one["pid"], one["tid"]) for one in names if one["args"]["name"] == "CrRendererMain"}
    states = Counter(
        one["args"]["frame_reporter"]["state"]
        for one in events
        if one.get("name") == "PipelineReporter" and "frame_reporter" in one.get("args", {})
    )
    mine = [one for one in events if (one["pid"], one["tid"]) in main and one.get("ph") == "X"]
    tasks = [one["dur"] / 1000 for one in mine if one["name"].endswith("RunTask")]
    hands = {(one["pid"], one["tid"]): THREADS.get(one["args"]["name"]) for one in names}
    threads: dict[str, float] = {}
    for one in events:
        hand = hands.get((one["pid"], one["tid"])) if one.get("ph") == "X" else None
        if hand and one["name"].endswith("RunTask"):
            threads[hand] = threads.get(hand, 0) + one.get("tdur", 0) / 1000
    works: dict[str, float] = {}
    for one in mine:
        if one["name"] in WORKS:
            work = WORKS[one["name"]]
            works[work] = works.get(work, 0) + (one.get("tdur") or one["dur"]) / 1000
    shown = sum(count for state, count in states.items() if "PRESENTED" in state)
    long = [ms for ms in tasks if ms > LONG_MS]
    return Seen(shown, states["STATE_DROPPED"], long, works, threads, seconds)


def traced(seconds: float, slower: float, people: int) -> Seen:
    """Watch a table for some time, slowed down."""
    with (
        tempfile.TemporaryDirectory() as folder,
        casino(Path(folder), {"crowd": {**TABLE, "number": people}}) as url,
        chromium() as browser,
    ):
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{url}/table/crowd")
        page.wait_for_selector(".more-people")
        line = page.context.new_cdp_session(page)
        line.send("Emulation.setCPUThrottlingRate", {"rate": slower})
        browser.start_tracing(page=page, categories=CATEGORIES)
        page.wait_for_timeout(1000 * seconds)
        line.send("Emulation.setCPUThrottlingRate", {"rate": 1})
        trace = json.loads(browser.stop_tracing())
    return told(trace["traceEvents"], seconds)


@click.command()
@click.option("--seconds", default=20.0, show_default=True, help="How long the table is watched.")
@click.option("--slower", default=4.0, show_default=True, help="How much slower the processor is.")
@click.option("--people", default=200, show_default=True, help="How many bettors are simulated.")
def main(seconds: float, slower: float, people: int) -> None:
    """Print frames a second, tasks that are too long, and what the page's thread was busy with."""
    try:
        seen = traced(seconds, slower, people)
    except ImportError as missing:
        click.echo(f"frames: {missing.name} is missing: run it from the test environment")
        sys.exit(0)
    click.echo(
        f"{people} bettors, {slower:g} times slower: {seen.frames:.1f} frames/s where "
        f"something moved ({seen.shown} shown, {seen.late} late, in {seen.seconds:g} s)"
    )
    longest = max(seen.long_ms, default=0)
    click.echo(f"tasks over {LONG_MS} ms: {len(seen.long_ms)}, the longest {longest:.0f} ms")
    for work, ms in sorted(seen.works_ms.items(), key=lambda one: -one[1]):
        click.echo(f"  {work:<16} {ms / seconds:6.1f} ms a second")
    click.echo("threads:")
    for hand, ms in sorted(seen.threads_ms.items(), key=lambda one: -one[1]):
        click.echo(f"  {hand:<16} {ms / seconds:6.1f} ms a second")


if __name__ == "__main__":
    main()
