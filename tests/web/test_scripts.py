"""The scripts of the pages that need no browser, and the state that they fold from events."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest

from casino.ecarte import CHALLENGER, parse_token
from casino.table.domain.commands import PlayAction, TakeSeat
from casino.table.public.feed import EventBatcher, TableFeed, TableTransfer
from casino.table.public.private_view import hand_message, private_view
from casino.table.public.state import PublicTable
from tests.table.casino_harness import CasinoHarness, plan

SCRIPTS = Path(__file__).parent / "scripts"
TESTS = sorted(SCRIPTS.glob("*.test.mjs"))


def node(*arguments: str | Path, given: str = "") -> str:
    """Run node in the folder of the scripts; return its output."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed: apt-get install nodejs")
    line = ["node", *map(str, arguments)]
    run = subprocess.run(
        line, cwd=SCRIPTS, input=given, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def node_lines(*arguments: str | Path, given: Iterable[Any] = ()) -> list[Any]:
    """Run node with a JSON value on each line of its input and its output."""
    run = node(*arguments, given="".join(json.dumps(one) + "\n" for one in given))
    return [json.loads(line) for line in run.splitlines()]


def test_page_scripts_pass_their_node_tests() -> None:
    node("--test", "--test-reporter=tap", *TESTS)


GAMES = 2


def recording(path: Path) -> dict[str, list[Any]]:
    """Play at random; return all that ann's page hears, and the snapshot after each event."""
    harness = CasinoHarness(path, [plan(challenger="", spectators=5, slip_permille=200)])
    board = TableFeed(TableTransfer(PublicTable(harness.state.rules)))
    grouping = EventBatcher("t1")
    recorder, random = harness.record(), Random(3)
    harness.chips("ann")
    while harness.house.finished < GAMES:
        running = harness.state.running
        if running is None and harness.state.holder != "ann":
            harness.submit(TakeSeat("t1", "ann"))
        elif running is not None and running.waits_for_person:
            legal = hand_message(harness.state, CHALLENGER)["legal"]
            action = random.choice([one for one in legal if one not in ("C", "S", "R")] or legal)
            harness.submit(PlayAction("t1", harness.state.turn, "ann", parse_token(action)))
        else:
            harness.advance()
    harness.house.close()
    snapshots, frames = [board.snapshot(0)], list[Any]()
    for one in recorder.heard:
        for group in grouping.add(one.event, one.after.turn, one.event.at):
            frames += board.publish(group)
        snapshots.append(board.snapshot(0))
        own = {"name": "ann", "version": board.version}
        frames.append(private_view(one.after, board.table, "ann") | own)
    return {"snapshots": snapshots, "frames": frames}


def test_folded_events_match_snapshots(tmp_path: Path) -> None:
    given = orjson.dumps(recording(tmp_path / "casino.db")).decode()
    counts = json.loads(node("fold.mjs", given=given))
    assert counts["folded"] > 100
    assert counts["hands"] > 20
    assert counts["compared"] > 20
    assert counts["open"] > 0
    assert counts["sentences"] > 80
