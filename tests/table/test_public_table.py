"""A client that knows no rule folds messages to what a snapshot shows, at every moment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest

from casino.events.reading import read
from casino.table.board import BOOK_EVERY_MS, Board
from casino.table.clerk import Happening
from casino.table.public_table import PublicTable, fold
from casino.table.resume import load_public_table
from tests.table.following import Client, Ear, clockless
from tests.table.nights import Evening, log_of, plan
from tests.table.wild import WildNight

STEPS = 300


def heard_in(night: WildNight) -> list[Happening]:
    """All that happens in a wild night, whatever falls over meanwhile."""
    ear = Ear()
    night.evening.house.clerk.listeners.append(ear)
    for _ in range(STEPS):
        house = night.evening.house
        night.step()
        if night.evening.house is not house:
            night.evening.house.clerk.listeners.append(ear)
    night.finish()
    night.evening.house.close()
    return ear.heard


def plain(told: Any) -> Any:
    """A message as it goes over the wire."""
    return orjson.loads(orjson.dumps(told))


def told(board: Board, heard: list[Happening], random: Random) -> Iterator[list[Any]]:
    """The messages of a night, its bets waiting for the next book or not; some notices too."""
    now = 0
    for one in heard:
        now += random.choice((0, 1, 20, BOOK_EVERY_MS))
        yield board.take(one.event, one.after.turn, now)
        if random.randrange(4) == 0:
            now += board.wait_ms(now) or 0
            yield board.flush(now)
        if random.randrange(9) == 0:
            board.taking = not board.taking
            yield [board.notice({"type": "notice", "taking": board.taking})]
            yield [board.notice({"type": "checkpoint", "note": "…"})]
    yield board.flush(now)


@pytest.mark.parametrize("seed", range(8))
def test_a_client_without_rules_keeps_up(tmp_path: Path, seed: int) -> None:
    """Whoever was there, and whoever came late, knows what a snapshot of that version shows."""
    night, random = WildNight(seed, tmp_path), Random(seed + 1)
    board = Board(PublicTable(night.evening.state.rules), 0, 0)
    clients, compared, waiting = [Client(board.snapshot(0))], 0, 0
    for messages in told(board, heard_in(night), random):
        for message in messages:
            for client in clients:
                client.hear(plain(message))
        seen = plain(clockless(board.snapshot(0)))
        for client in clients:
            assert plain(client.known) == seen
            compared += 1
        waiting += board.wait_ms(0) is not None
        if random.randrange(20) == 0:
            clients = [clients[0], *clients[1:][-3:], Client(board.snapshot(0))]
    assert compared > 300
    assert waiting > 0


def test_what_was_missed_is_what_was_told(tmp_path: Path) -> None:
    """A client that joins again with its version hears the rest; after a restore it looks anew."""
    night, random = WildNight(3, tmp_path), Random(3)
    board = Board(PublicTable(night.evening.state.rules), 0, 0)
    client = Client(board.snapshot(0))
    for _ in told(board, heard_in(night), random):
        if random.randrange(5) == 0:
            missed = board.missed(client.known["version"], 0)
            assert missed is not None
            for message in missed:
                client.hear(plain(message))
            client.known["taking"] = board.taking
            assert plain(client.known) == plain(clockless(board.snapshot(0)))
    version = board.version
    (notice,) = board.restore(board.table, 99, 0)
    assert (notice["type"], notice["version"], board.version) == ("restored", version, version)
    assert board.missed(version, 0) is None
    assert board.turn_at(version) == 99


def test_a_table_read_from_the_log_is_the_one_that_was_followed(tmp_path: Path) -> None:
    """At whatever moment a casino falls over, everybody knows again what everybody knew."""
    evening = Evening(tmp_path / "casino.db", [plan(spectators=3, slip_permille=300)])
    evening.chips("ann")
    random, compared = Random(1), 0
    table, read_so_far = PublicTable(evening.state.rules), 0
    while evening.state.number < 4:
        evening.go()
        leaves = log_of(evening.path)
        for body in leaves[read_so_far:]:
            table = fold(table, read(body))
        read_so_far = len(leaves)
        if random.randrange(6) == 0:
            log = evening.house.clerk.bank.reader()
            assert load_public_table(log, evening.state.rules) == table
            compared += 1
    evening.house.close()
    assert compared > 20
