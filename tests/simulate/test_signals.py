"""Ctrl-C: put off where something must be done whole, then not forgotten."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from threading import Thread

import pytest

from casino.simulate.executor import uninterrupted


def test_an_interruption_waits_for_the_end_of_the_block() -> None:
    done = []

    def work() -> None:
        with uninterrupted():
            os.kill(os.getpid(), signal.SIGINT)
            done.append(1)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == [1]


def test_in_another_thread_it_does_nothing() -> None:
    done = []

    def work() -> None:
        with uninterrupted():
            done.append(1)

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert done == [1]


def test_a_process_started_within_is_not_interrupted() -> None:
    program = "import time; time.sleep(0.5); print('still here')"
    with uninterrupted():
        child = subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=30) == (b"still here\n", b"")
    assert child.returncode == 0
