"""The simulator finds nothing in the program, and every injected fault."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.simulator.faults import FAULTS


def simulate(*options: str) -> tuple[int, str]:
    """Run the simulator in a process of its own; return its exit status and its findings."""
    command = [sys.executable, "-m", "tests.simulator", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("seed", "hours"), [("2", "1"), pytest.param("3", "8", marks=pytest.mark.nightly)]
)
def test_simulated_worlds_hold_every_invariant(seed: str, hours: str) -> None:
    status, text = simulate("--seed", seed, "--hours", hours)
    assert status == 0, text


@pytest.mark.nightly
def test_simulation_is_reproducible_from_its_seed() -> None:
    first, second = (simulate("--seed", "2", "--fault", "missed_message") for _ in range(2))
    assert first[0] == 1
    assert first == second


@pytest.mark.nightly
@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_injected_fault_is_found(fault: str) -> None:
    status, text = simulate("--seed", "1", "--hours", "80", "--fault", fault)
    assert status == 1, text
    assert "again: python -m tests.simulator --seed" in text
