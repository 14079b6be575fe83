"""A running game whose secrets are lost is void, and all players are refunded (L13)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import orjson
import pytest

from casino.events.types import SECRETS_LOST
from casino.ledger.storage.sqlite import open_reader
from casino.table.domain.commands import LeaveSeat, TakeSeat
from casino.table.domain.state import GameState
from casino.table.runtime.seed_chains import LOST_MASTER
from tests.table.casino_harness import CasinoHarness, audited, log_of, plan

NONZERO_BALANCES = (
    "SELECT name, balance FROM account WHERE balance <> 0 AND name NOT LIKE 'treasury'"
)
PHASES: dict[str, Callable[[GameState], bool]] = {
    "betting": lambda running: len(running.book.bets) == 2,
    "closed": lambda running: running.closing is not None,
    "exchanged": lambda running: running.deal is not None and running.deal.exchanged,
    "second deal": lambda running: running.number == 2,
}


def crashed_casino(path: Path, phase: str) -> tuple[CasinoHarness, dict[str, int]]:
    """Crash a casino in a phase of its first game; return it and the earlier balances."""
    harness = CasinoHarness(path, [plan(spectators=4)])
    for player in harness.runner.names:
        harness.chips(player)
    before = balances(path)
    while harness.state.running is None or not PHASES[phase](harness.state.running):
        harness.advance()
    harness.house.close()
    return harness, before


def lose(path: Path, loss: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(loss).rowcount > 0


def balances(path: Path) -> dict[str, int]:
    reader = open_reader(path)
    try:
        return dict(reader.execute(NONZERO_BALANCES).fetchall())
    finally:
        reader.close()


@pytest.mark.parametrize("phase", PHASES)
def test_l13_game_with_lost_seed_is_void(tmp_path: Path, phase: str) -> None:
    path = tmp_path / "casino.db"
    harness, before = crashed_casino(path, phase)
    harness.seed = 2
    harness.restart()
    while harness.state.running is not None:
        harness.advance()
    brought = {f"wallet/{harness.plans[0].rules.challenger}": harness.plans[0].rules.refill_cents}
    assert balances(path) == before | brought
    harness.house.run_headless(1)
    harness.house.close()
    void = [leaf for leaf in map(orjson.loads, log_of(path)) if leaf["type"] == "game_void"]
    assert [leaf["reason"] for leaf in void] == [SECRETS_LOST]
    assert "server_seed" not in void[0]
    chains = [leaf for leaf in map(orjson.loads, log_of(path)) if leaf["type"] == "seed_chain"]
    assert [(leaf["chain"], leaf.get("reason")) for leaf in chains] == [(1, None), (2, LOST_MASTER)]
    found = audited(path).findings
    assert [(one.check, one.game) for one in found if one.severity == "error"] == [
        ("games", "t1-000001")
    ]
    said = [one.text for one in found if one.severity != "error"]
    assert said == [f"chain 1 of t1 was given up after 1 of 10000 games: {LOST_MASTER}"]


def test_l13_game_with_lost_exchange_is_void(tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    harness, _ = crashed_casino(path, "exchanged")
    lose(path, "DELETE FROM secret WHERE name LIKE 'action%'")
    harness.restart()
    harness.house.run_headless(2)
    harness.house.close()
    leaves = [orjson.loads(body) for body in log_of(path)]
    kinds = [leaf["type"] for leaf in leaves if leaf["type"] in ("game_void", "game_over")]
    assert kinds == ["game_void", "game_over"]
    void = next(leaf for leaf in leaves if leaf["type"] == "game_void")
    assert len(void["server_seed"]) == 64


def test_offered_cover_is_kept_until_player_leaves(tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    harness = CasinoHarness(path, [plan(challenger="")])
    harness.chips("ann")
    harness.house.service.submit(TakeSeat("t1", "ann", 500)).result()
    while harness.state.running is None or not PHASES["closed"](harness.state.running):
        harness.advance()
    errors(path, [])
    harness.house.service.submit(LeaveSeat("t1", "ann")).result()
    harness.house.close()
    errors(path, [])
    for spoilt, found in (
        ("UPDATE secret SET subject = 't1/bo' WHERE name = 'cover'", "cover of bo at t1"),
        ("UPDATE secret SET subject = 't2/ann' WHERE name = 'cover'", "cover of ann at t2"),
        ("UPDATE secret SET value = zeroblob(28) WHERE name = 'cover'", "cover of ann at t2"),
        ("UPDATE secret SET subject = 't1/ann', value = zeroblob(30)", ""),
        ("INSERT INTO secret VALUES ('t1/ann', 'more', x'00')", "cover, more of ann at t1"),
    ):
        lose(path, spoilt)
        errors(path, [f"{found} belongs to no leaf"] if found else [])


@pytest.mark.parametrize("steps", [0, 1, 3, 6])
def test_l13_seat_queue_and_covers_survive_restart(tmp_path: Path, steps: int) -> None:
    harness = CasinoHarness(tmp_path / "casino.db", [plan()])
    submit = harness.house.service.submit
    for number, player in enumerate(("ann", "ben", "cy", "dee")):
        harness.chips(player)
        submit(TakeSeat("t1", player, 100 * number)).result()
        harness.advance(steps=steps)
    submit(LeaveSeat("t1", "cy")).result()
    before = harness.state
    harness.restart()
    after = harness.state
    assert after._replace(turn=0) == before._replace(turn=0)
    assert [player for player, _ in after.queue] == [one for one, _ in before.queue]
    assert ("dee", 300) in after.queue
    harness.house.close()
    errors(tmp_path / "casino.db", [])


def errors(path: Path, due: list[str]) -> None:
    found = audited(path).findings
    assert [finding.text for finding in found if finding.severity == "error"] == due
