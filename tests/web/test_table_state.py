"""The browser's table state, folded from events, equals the server's snapshots."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import orjson

from casino.ecarte import CHALLENGER, parse_token
from casino.table.domain.commands import PlayAction, TakeSeat
from casino.table.public.feed import EventBatcher, TableFeed, TableTransfer
from casino.table.public.private_view import hand_message, private_view
from casino.table.public.state import PublicTable
from tests.table.casino_harness import CasinoHarness, plan
from tests.web.test_scripts import node

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
