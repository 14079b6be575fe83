"""Child processes, and what the kernel says of a process: memory, processor time, descriptors."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import click

WATCH_SECONDS = 0.1


class Process:
    """A Python module in a process of its own; both sides write lines to each other."""

    def __init__(self, module: str, *arguments: object) -> None:
        command = [sys.executable, "-m", module, *map(str, arguments)]
        self.popen = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def read_line(self) -> str:
        assert self.popen.stdout is not None
        line = self.popen.stdout.readline()
        if not line:
            raise click.ClickException("a process of the benchmark has died: see its output above")
        return line.strip()

    def write_line(self, text: object = "") -> None:
        assert self.popen.stdin is not None
        self.popen.stdin.write(f"{text}\n")
        self.popen.stdin.flush()

    def terminate(self) -> None:
        self.popen.terminate()
        self.popen.wait()
        for pipe in (self.popen.stdin, self.popen.stdout):
            if pipe is not None:
                pipe.close()


class Watched(NamedTuple):
    """The output and cost of a command; memory is the peak of the sum of its processes' PSS."""

    output: bytes
    seconds: float
    cpu_seconds: float
    peak_mb: int


def watch(command: Sequence[str]) -> Watched:
    """Run a command to its end, and look at the memory of its processes meanwhile."""
    cpu, started = _children_cpu_seconds(), time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    peak, is_over = 0, threading.Event()

    def look() -> None:
        nonlocal peak
        while not is_over.wait(WATCH_SECONDS):
            peak = max(peak, sum(memory_kib(pid, "Pss") for pid in descendants(process.pid)))

    watcher = threading.Thread(target=look)
    watcher.start()
    output, _ = process.communicate()
    is_over.set()
    watcher.join()
    seconds = time.perf_counter() - started
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, output)
    return Watched(output, seconds, _children_cpu_seconds() - cpu, peak >> 10)


WATCHED_COLUMNS = ("leaves /s", "CPU µs a leaf", "memory MB", "load")


def watched_cells(runs: Sequence[Watched], leaves: int) -> tuple[str, ...]:
    """Return medians of the runs for a row of a table, and the machine's load."""
    return (
        f"{leaves / median(run.seconds for run in runs):,.0f}",
        f"{1e6 * median(run.cpu_seconds for run in runs) / leaves:.2f}",
        f"{median(run.peak_mb for run in runs):.0f}",
        f"{os.getloadavg()[0]:.1f}",
    )


def descendants(pid: int) -> Iterator[int]:
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in _read(task).split():
            yield from descendants(int(child))


def memory_kib(pid: int, field: str = "VmRSS") -> int:
    """Return a field of a process's memory; 0 if the process is gone.

    `Pss` and `Anonymous` are fields of smaps_rollup: PSS divides shared memory among its users.
    """
    file = "status" if field.startswith("Vm") else "smaps_rollup"
    for line in _read(Path(f"/proc/{pid}/{file}")).splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1])
    return 0


def reset_peak_memory(pid: int) -> None:
    """Make the kernel measure the peak `VmHWM` of a process from now."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def raise_file_limit() -> None:
    """Allow this process and its children as many open files as the machine permits."""
    _, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))


def _read(path: Path) -> str:
    """Return a file of /proc, or nothing if its process is gone."""
    try:
        return path.read_text()
    except OSError:
        return ""


def _children_cpu_seconds() -> float:
    times = os.times()
    return times.children_user + times.children_system
