"""A client that knows no rule folds messages to what a snapshot shows, at every moment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import orjson
import pytest

from casino.events.codec import decode
from casino.table.public.feed import BOOK_EVERY_MS, EventBatch, EventBatcher, TableFeed
from casino.table.public.state import PublicTable, apply_event
from casino.table.public.transfer import TableTransfer
from casino.table.runtime.recovery import load_transfer
from casino.table.runtime.service import CommittedEvent
from tests.table.following import Client, Ear, clockless
from tests.table.nights import Evening, log_of, plan
from tests.table.wild import WildNight

STEPS = 300


def heard_in(night: WildNight) -> list[CommittedEvent]:
    """All that happens in a wild night, whatever falls over meanwhile."""
    ear = Ear()
    night.evening.house.service.listeners.append(ear)
    for _ in range(STEPS):
        house = night.evening.house
        night.step()
        if night.evening.house is not house:
            night.evening.house.service.listeners.append(ear)
    night.finish()
    night.evening.house.close()
    return ear.heard


def plain(told: Any) -> Any:
    return orjson.loads(orjson.dumps(told))


def told(
    board: TableFeed, grouping: EventBatcher, heard: list[CommittedEvent], random: Random
) -> Iterator[list[Any]]:
    """The messages of a night, its bets waiting for the next book or not; some notices too."""
    now = 0

    def said(groups: list[EventBatch]) -> list[Any]:
        return [message for group in groups for message in board.publish(group)]

    for one in heard:
        now += random.choice((0, 1, 20, BOOK_EVERY_MS))
        yield said(grouping.add(one.event, one.after.turn, now))
        if random.randrange(4) == 0:
            now += grouping.wait_ms(now) or 0
            yield said(grouping.flush(now))
        if random.randrange(9) == 0:
            board.taking = not board.taking
            yield [board.notice({"type": "notice", "taking": board.taking})]
            yield [board.notice({"type": "checkpoint", "note": "…"})]
    yield said(grouping.flush(now))


def public_table(stands: TableTransfer) -> PublicTable:
    return TableFeed.from_transfer(stands, 0, 0).table


@pytest.mark.parametrize("seed", range(8))
def test_a_client_without_rules_keeps_up(tmp_path: Path, seed: int) -> None:
    night, random = WildNight(seed, tmp_path), Random(seed + 1)
    board = TableFeed(PublicTable(night.evening.state.rules), 0, 0)
    grouping = EventBatcher("t1", 0)
    clients, compared, waiting = [Client(board.snapshot(0))], 0, 0
    for messages in told(board, grouping, heard_in(night), random):
        for message in messages:
            for client in clients:
                client.hear(plain(message))
        seen = plain(clockless(board.snapshot(0)))
        for client in clients:
            assert plain(client.known) == seen
            compared += 1
        waiting += grouping.wait_ms(0) is not None
        if random.randrange(20) == 0:
            clients = [clients[0], *clients[1:][-3:], Client(board.snapshot(0))]
    assert compared > 300
    assert waiting > 0


def test_what_was_missed_is_what_was_told(tmp_path: Path) -> None:
    night, random = WildNight(3, tmp_path), Random(3)
    board = TableFeed(PublicTable(night.evening.state.rules), 0, 0)
    client = Client(board.snapshot(0))
    for _ in told(board, EventBatcher("t1", 0), heard_in(night), random):
        if random.randrange(5) == 0:
            missed = board.messages_since(client.known["version"], 0)
            assert missed is not None
            for message in missed:
                client.hear(plain(message))
            client.known["taking"] = board.taking
            assert plain(client.known) == plain(clockless(board.snapshot(0)))
    version = board.version
    notice = board.reset(board.transfer(), 99)
    assert (notice["type"], notice["version"], board.version) == ("restored", version, version)
    assert board.messages_since(version, 0) is None
    assert board.turn_at(version) == 99


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


@pytest.mark.parametrize("seed", range(3))
def test_who_begins_to_follow_at_any_moment_tells_the_same(tmp_path: Path, seed: int) -> None:
    night, random = WildNight(seed, tmp_path), Random(seed)
    board, grouping = TableFeed(PublicTable(night.evening.state.rules), 0, 0), EventBatcher("t1", 0)
    others: list[TableFeed] = []
    for one in heard_in(night):
        if random.randrange(40) == 0:
            body = msgspec.json.encode(board.transfer())
            stands = msgspec.json.decode(body, type=TableTransfer)
            others = [*others[-3:], TableFeed.from_transfer(stands, board.turn, board.version)]
        for group in grouping.add(one.event, one.after.turn, one.event.at):
            sent = msgspec.json.decode(msgspec.json.encode(group), type=EventBatch)
            said = orjson.dumps(board.publish(group))
            assert [orjson.dumps(other.publish(sent)) for other in others] == [said] * len(others)
    assert others
    assert [other.table for other in others] == [board.table] * len(others)
    assert [other.snapshot(0) for other in others] == [board.snapshot(0)] * len(others)
    assert [other.turn for other in others] == [board.turn] * len(others)
