"""Simulate the casino under faults: `python -m tests.simulator --seed 1 --hours 2`."""

from __future__ import annotations

import os
import sys

if os.environ.get("PYTHONHASHSEED") != "0":  # sets of texts are walked in the same order
    os.environ["PYTHONHASHSEED"] = "0"
    os.execv(sys.executable, [sys.executable, "-m", "tests.simulator", *sys.argv[1:]])

from tests.simulator.virtual_time import install

LOOP = install()

import argparse  # noqa: E402
import gc  # noqa: E402
import itertools  # noqa: E402
import logging  # noqa: E402
import pickle  # noqa: E402

import sqlite_utils  # noqa: E402, F401 - the first start of a house would load it in every fork

from casino.solver.policy.tables import policy_tables  # noqa: E402
from tests.simulator.episode import Result, run_episode  # noqa: E402
from tests.simulator.faults import FAULTS  # noqa: E402

EPISODE_SECONDS = 3600.0


def run_in_fork(seed: int) -> Result:
    """Run an episode in a process of its own: each begins the same, and its memory is freed."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump(run_episode(LOOP, seed, EPISODE_SECONDS), pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        result: Result = pickle.load(pipe)
    os.waitpid(child, 0)
    return result


def main() -> int:
    """Run episodes until the simulated hours are over, or until one has a finding."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulator", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the first episode's")
    parser.add_argument("--hours", type=float, default=1.0, help="simulated hours")
    parser.add_argument("--fault", choices=sorted(FAULTS), help="plant a fault to be found")
    parser.add_argument("--log", action="store_true", help="show what the program logs")
    asked = parser.parse_args()
    logging.getLogger().addHandler(logging.StreamHandler() if asked.log else logging.NullHandler())
    if asked.fault:
        FAULTS[asked.fault]()
    for strict in (True, False):  # or every fork would unpack the tables of eugenie
        policy_tables(strict)
    # Collecting garbage after 100,000 new objects took up to a twelfth of an episode.
    gc.freeze()
    gc.set_threshold(1_000_000)
    games, simulated, began = 0, 0.0, os.times().children_user
    for seed in itertools.count(asked.seed):
        result = run_in_fork(seed)
        games += result.games
        simulated += result.seconds
        if result.findings:
            print(f"seed {seed}: {len(result.findings)} findings", file=sys.stderr)
            for finding in result.findings[:10]:
                print(finding[-3000:], file=sys.stderr)
            print(f"again: python -m tests.simulator --seed {seed}", file=sys.stderr)
            return 1
        times = simulated / (os.times().children_user - began)
        print(
            f"seed {seed}: {result.games} games, {result.faults} faults;"
            f" {simulated / 3600:.1f} h at {times:.0f} times real time",
            flush=True,
        )
        if simulated >= asked.hours * 3600:
            break
    print(f"{games} games, no finding")
    return 0


if __name__ == "__main__":
    sys.exit(main())
