"""What a command took is what all its processes took."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bench._tree import watch

CHILD = "kept = bytearray(b'x') * 80_000_000; import time; time.sleep(2); print('done')"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {CHILD!r}], check=True)"


def test_the_memory_of_a_grandchild_counts() -> None:
    """A process that another one starts is looked at as well, and what it prints is kept."""
    watched = watch([sys.executable, "-c", PARENT])
    assert watched.output == b"done\n"
    assert 76 < watched.peak_mb < 200
    assert watched.seconds > 0
    assert watched.cpu_seconds > 0


def test_a_command_that_fails_is_no_figure() -> None:
    """A command that does not exit with 0 is an error."""
    with pytest.raises(subprocess.CalledProcessError):
        watch([sys.executable, "-c", "raise SystemExit(3)"])
