"""A client that knows no rule folds messages to what a snapshot shows, at every moment."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import orjson

from casino.events.codec import decode
from casino.table.public.feed import EventBatcher, TableFeed
from casino.table.public.state import PublicTable, apply_event
from casino.table.public.transfer import TableTransfer
from casino.table.runtime.recovery import load_transfer
from tests.table.following import Client, Ear, clockless
from tests.table.nights import Evening, log_of, plan


def plain(told: Any) -> Any:
    return orjson.loads(orjson.dumps(told))


def public_table(stands: TableTransfer) -> PublicTable:
    return TableFeed.from_transfer(stands, 0, 0).table


def test_a_client_without_rules_keeps_up(tmp_path: Path) -> None:
    evening, ear = Evening(tmp_path / "casino.db", [plan(spectators=3, slip_permille=300)]), Ear()
    evening.house.service.listeners.append(ear)
    board, grouping = TableFeed(PublicTable(evening.state.rules), 0, 0), EventBatcher("t1", 0)
    client = Client(board.snapshot(0))
    while evening.state.number < 4:
        evening.go()
    evening.house.close()
    for one in ear.heard:
        for group in grouping.add(one.event, one.after.turn, one.event.at):
            for message in board.publish(group):
                client.hear(plain(message))
        assert plain(client.known) == plain(clockless(board.snapshot(0)))
    assert len(ear.heard) > 100


def test_a_table_read_from_the_log_is_the_one_that_was_followed(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "casino.db", [plan(spectators=3, slip_permille=300)])
    evening.chips("ann")
    random, compared = Random(1), 0
    table, read_so_far = PublicTable(evening.state.rules), 0
    while evening.state.number < 4:
        evening.go()
        leaves = log_of(evening.path)
        for body in leaves[read_so_far:]:
            table = apply_event(table, decode(body))
        read_so_far = len(leaves)
        if random.randrange(6) == 0:
            log = evening.house.service.ledger.reader()
            assert public_table(load_transfer(log, evening.state.rules)) == table
            compared += 1
    evening.house.close()
    assert compared > 20
