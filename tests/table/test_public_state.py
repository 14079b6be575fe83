"""A client without rules matches the snapshot after every message."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import orjson

from casino.events.codec import decode
from casino.table.public.feed import EventBatcher, TableFeed, TableTransfer
from casino.table.public.state import PublicTable, apply_event
from casino.table.runtime.recovery import load_transfer
from tests.table.casino_harness import CasinoHarness, log_of, plan
from tests.table.naive_client import Client, Recorder, without_clock


def plain(told: Any) -> Any:
    return orjson.loads(orjson.dumps(told))


def public_table(stands: TableTransfer) -> PublicTable:
    return TableFeed(stands).table


def test_client_without_rules_matches_snapshots(tmp_path: Path) -> None:
    harness, recorder = (
        CasinoHarness(tmp_path / "casino.db", [plan(spectators=3, slip_permille=300)]),
        Recorder(),
    )
    harness.house.service.listeners.append(recorder)
    board = TableFeed(TableTransfer(PublicTable(harness.state.rules)))
    grouping = EventBatcher("t1", 0)
    client = Client(board.snapshot(0))
    while harness.state.number < 4:
        harness.advance()
    harness.house.close()
    for one in recorder.heard:
        for group in grouping.add(one.event, one.after.turn, one.event.at):
            for message in board.publish(group):
                client.hear(plain(message))
        assert plain(client.known) == plain(without_clock(board.snapshot(0)))
    assert len(recorder.heard) > 100


def test_table_read_from_log_equals_followed_table(tmp_path: Path) -> None:
    harness = CasinoHarness(tmp_path / "casino.db", [plan(spectators=3, slip_permille=300)])
    harness.chips("ann")
    random, compared = Random(1), 0
    table, read_so_far = PublicTable(harness.state.rules), 0
    while harness.state.number < 4:
        harness.advance()
        leaves = log_of(harness.path)
        for body in leaves[read_so_far:]:
            table = apply_event(table, decode(body))
        read_so_far = len(leaves)
        if random.randrange(6) == 0:
            log = harness.house.service.ledger.reader()
            assert public_table(load_transfer(log, harness.state.rules)) == table
            compared += 1
    harness.house.close()
    assert compared > 20
