"""A command watched while it runs: its time, processor time, the memory of all its processes."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

_PAUSE_SECONDS = 0.1


class Watched(NamedTuple):
    """What a command printed and took; memory is the sum of its processes' PSS at its highest."""

    output: bytes
    seconds: float
    cpu_seconds: float
    peak_mb: int


def watch(command: Sequence[str]) -> Watched:
    """Run a command to its end, its processes' memory looked at ten times a second."""
    cpu, started = _cpu_of_children(), time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    peaks = [0]
    over = threading.Event()

    def look() -> None:
        while not over.wait(_PAUSE_SECONDS):
            peaks[0] = max(peaks[0], sum(pss_kb(pid) for pid in tree(process.pid)))

    looking = threading.Thread(target=look)
    looking.start()
    output, _ = process.communicate()
    over.set()
    looking.join()
    taken = time.perf_counter() - started
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, output)
    return Watched(output, taken, _cpu_of_children() - cpu, peaks[0] >> 10)


def medians(runs: Sequence[Watched], leaves: int) -> tuple[str, ...]:
    """The cells of a row: leaves a second, processor time for each, memory, the machine's load."""
    return (
        f"{leaves / median(run.seconds for run in runs):,.0f}",
        f"{1e6 * median(run.cpu_seconds for run in runs) / leaves:.2f}",
        f"{median(run.peak_mb for run in runs):.0f}",
        f"{os.getloadavg()[0]:.1f}",
    )


def tree(pid: int) -> Iterator[int]:
    """A process and all that descend from it."""
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in _read(task).split():
            yield from tree(int(child))


def pss_kb(pid: int) -> int:
    """A process's memory, what it shares with others divided among them; none if it is gone."""
    for line in _read(Path(f"/proc/{pid}/smaps_rollup")).splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0


def _read(path: Path) -> str:
    """A file of /proc; empty if its process is gone."""
    try:
        return path.read_text()
    except OSError:
        return ""


def _cpu_of_children() -> float:
    """The processor time of all processes that this one has waited for."""
    times = os.times()
    return times.children_user + times.children_system
