"""Engines: the same totals with any workers, even when workers die; and Ctrl-C."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from threading import Thread
from typing import Any
from unittest.mock import Mock

import pytest

from casino.errors import CasinoError, InputError
from casino.simulate import executor as engine_module
from casino.simulate.executor import MAX_WORKER_LOSSES, WorkerPool, create_engine, uninterrupted
from casino.simulate.series import SERIES_GAMES, Chunk, Run, RunJob, RunTotal, play_chunk
from tests.web.processes import until

SHORT = RunJob(Run(12 * SERIES_GAMES - 100, 6, "novice", "regle"), width=1)
LONG = RunJob(Run(40 * SERIES_GAMES, 8), width=1)
"""Long enough for workers to be killed during the run."""


def total_of(job: RunJob, chunks: Iterator[Chunk]) -> RunTotal:
    total = RunTotal(job)
    for chunk in chunks:
        total.add(chunk, 0.0)
    assert total.chunks == job.chunks
    return total


@pytest.fixture(scope="module")
def short() -> RunTotal:
    return total_of(SHORT, (play_chunk(SHORT, number) for number in range(SHORT.chunks)))


@pytest.fixture(scope="module")
def long() -> RunTotal:
    with create_engine("threads", 2) as players:
        return total_of(LONG, players.play(LONG.tasks()))


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_number_of_workers_does_not_change_totals(workers: int, short: RunTotal) -> None:
    with create_engine("threads", workers) as players:
        assert total_of(SHORT, players.play(SHORT.tasks())) == short


def test_processes_match_threads_even_if_one_is_killed(long: RunTotal) -> None:
    killed: list[int | None] = []

    def watched(players: WorkerPool) -> Iterator[Chunk]:
        for chunk in players.play(LONG.tasks()):
            if not killed and players._waiting:
                child = multiprocessing.active_children()[0]
                os.kill(child.pid or 0, signal.SIGKILL)
                killed.append(child.pid)
            yield chunk

    with create_engine("processes", 2) as players:
        until(players.is_ready)
        assert total_of(LONG, watched(players)) == long
    assert len(killed) == 1
    assert not multiprocessing.active_children()


class FailingExecutor(ThreadPoolExecutor):
    def submit(self, *_: Any, **__: Any) -> Future[Any]:
        raise BrokenExecutor("a worker died")


def test_repeatedly_dying_workers_are_an_error() -> None:
    opened = []

    def open_workers() -> Executor:
        opened.append(1)
        return FailingExecutor()

    with WorkerPool(open_workers, 1) as players, pytest.raises(CasinoError, match="died 5 times"):
        list(players.play(SHORT.tasks()))
    assert len(opened) == MAX_WORKER_LOSSES


def test_a_worker_may_die_while_the_pool_closes() -> None:
    executor, done, lost = Mock(), Future[Any](), Future[Any]()
    done.set_result(None)
    executor.submit.side_effect = [done, done, lost]
    executor.shutdown.side_effect = lambda **_: lost.set_exception(BrokenExecutor("a worker died"))
    with WorkerPool(lambda: executor, 1) as players:
        assert next(players.play([lambda: 1, lambda: 2], compiled=True)) is None
    executor.shutdown.assert_called_once_with(cancel_futures=True)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ray", "engine ray: choose auto, threads, processes or dask://HOST:PORT"),
        ("", "choose auto"),
        ("dask://127.0.0.1:1", "no scheduler responds"),
        ("dask://nowhere", "dask://nowhere has no port: write dask://HOST:PORT"),
    ],
)
def test_unavailable_engine_is_named(name: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "PATIENCE_S", 0.5)
    with pytest.raises(InputError, match=said):
        create_engine(name, 1)


ORPHAN_PROGRAM = """
import multiprocessing, time
from casino.simulate.executor import create_engine

if __name__ == "__main__":
    with create_engine("processes", 1) as players:
        while not players.is_ready():
            time.sleep(0.05)
        print(multiprocessing.active_children()[0].pid, flush=True)
        time.sleep(100)
"""


def test_workers_end_when_parent_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ORPHAN_PROGRAM],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # the resource tracker warns of leaked semaphores
        text=True,
    ) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        os.kill(worker, 0)
        parent.kill()
    until(lambda: not is_alive(worker))


def is_alive(pid: int) -> bool:
    """Return True if a process runs; a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


DASK = """
import sys, time
from distributed import LocalCluster
from casino.simulate.executor import create_engine
from casino.simulate.series import SERIES_GAMES, Run, RunJob, RunTotal

if __name__ == "__main__":
    job = RunJob(Run(20 * SERIES_GAMES, 8), width=1)
    kills = sys.argv[1] == "kills"
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None,
        processes=kills, protocol="tcp://",
    ) as cluster:
        address = cluster.scheduler_address.removeprefix("tcp://")
        total, killed = RunTotal(job), False
        with create_engine("dask://" + address, 1) as players:
            while not players.is_ready():
                time.sleep(0.05)
            for chunk in players.play(job.tasks()):
                total.add(chunk, 0.0)
                if kills and players._waiting and not killed:
                    next(iter(cluster.workers.values())).process.process._process.kill()
                    killed = True
    print(killed, *total.counts.row)
"""


@pytest.mark.parametrize(
    "how", ["in one process", pytest.param("kills", marks=pytest.mark.nightly)]
)
def test_a_dask_cluster_comes_to_the_same_also_with_a_worker_killed(how: str) -> None:
    job = RunJob(Run(20 * SERIES_GAMES, 8), width=1)
    line = [sys.executable, "-c", DASK, how]
    done = subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    killed, *row = done.stdout.split()
    assert (killed == "True") == (how == "kills"), done.stderr
    with create_engine("threads", 2) as players:
        assert tuple(map(int, row)) == total_of(job, players.play(job.tasks())).counts.row


def test_interrupt_waits_for_end_of_block() -> None:
    done = []

    def work() -> None:
        with uninterrupted():
            os.kill(os.getpid(), signal.SIGINT)
            done.append(1)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == [1]


def test_uninterrupted_does_nothing_in_other_threads() -> None:
    done = []

    def work() -> None:
        with uninterrupted():
            done.append(1)

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert done == [1]
