"""What a casino finds again after a restart, and what it does when secrets or files are lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from casino.events.types import SECRETS_LOST, GameOpened, GameVoid, SeedChain, decode
from casino.ledger.backup import backup, restore
from casino.ledger.side_files import CasinoFiles
from casino.table.domain.commands import LeaveSeat, SetTableSettings, TakeSeat
from casino.table.domain.state import GameState, running_game
from casino.table.public.feed import TableFeed
from casino.table.runtime.casino import START_MS
from casino.table.runtime.recovery import last_game_number, load_transfer
from casino.table.runtime.seed_chains import LOST_MASTER, RESTORED, load_master
from tests.reports.test_statement import balances_of
from tests.table.casino_harness import (
    CasinoHarness,
    audited,
    exchanged_casino,
    leaves_of,
    log_of,
    lose,
    open_game,
    plan,
)

PHASES: dict[str, Callable[[GameState], bool]] = {
    "betting": lambda running: len(running.book.bets) == 2,
    "closed": lambda running: running.closing is not None,
    "exchanged": lambda running: running.deal is not None and running.deal.exchanged,
    "second deal": lambda running: running.number == 2,
}


def play_until(harness: CasinoHarness, phase: str) -> None:
    while harness.state.running is None or not PHASES[phase](harness.state.running):
        harness.advance()


@pytest.mark.parametrize("phase", PHASES)
def test_l13_game_with_lost_seed_is_void(tmp_path: Path, phase: str) -> None:
    path = tmp_path / "casino.db"
    harness = CasinoHarness(path, [plan(spectators=4)])
    for player in harness.runner.crowd.names:
        harness.chips(player)
    before = balances_of(path)
    play_until(harness, phase)
    harness.seed = 2
    harness.restart()
    while harness.state.running is not None:
        harness.advance()
    rules = harness.plans[0].rules
    brought = {f"wallet/{rules.challenger}": rules.refill_cents}
    brought["treasury"] = before["treasury"] - rules.refill_cents
    assert balances_of(path) == before | brought
    harness.house.run_headless(1)
    harness.house.close()
    void = leaves_of(path, "game_void")
    assert [leaf["reason"] for leaf in void] == [SECRETS_LOST]
    assert "server_seed" not in void[0]
    chains = leaves_of(path, "seed_chain")
    assert [(leaf["chain"], leaf.get("reason")) for leaf in chains] == [(1, None), (2, LOST_MASTER)]
    found = audited(path).findings
    assert [(one.check, one.game) for one in found if one.severity == "error"] == [
        ("games", "t1-000001")
    ]
    said = [one.text for one in found if one.severity != "error"]
    assert said == [f"chain 1 of t1 was given up after 1 of 10000 games: {LOST_MASTER}"]


def test_lost_exchange_is_recovered_from_its_seal(tmp_path: Path) -> None:
    harness, said = exchanged_casino(tmp_path / "casino.db")
    harness.house.close()
    lose(harness.path, "DELETE FROM secret WHERE name LIKE 'action%'")
    harness.restart()
    harness.advance()
    (void,) = [one for one in map(decode, log_of(harness.path)) if isinstance(one, GameVoid)]
    assert (void.reason, void.exchanges[-1]) == (SECRETS_LOST, said.removeprefix("X"))
    assert len(void.server_seed or "") == 64
    assert harness.audit().is_clean


def test_offered_cover_is_kept_until_player_leaves(tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    harness = CasinoHarness(path, [plan(challenger="")])
    harness.chips("ann")
    harness.submit(TakeSeat("t1", "ann", 500))
    play_until(harness, "closed")
    assert audited(path).is_clean
    harness.submit(LeaveSeat("t1", "ann"))
    assert harness.audit().is_clean
    lose(path, "UPDATE secret SET subject = 't1/bo' WHERE name = 'cover'")
    errors = [one.text for one in audited(path).findings if one.severity == "error"]
    assert errors == ["cover of bo at t1 belongs to no leaf"]


@pytest.mark.parametrize("steps", [0, 1, 3, 6])
def test_l13_seat_queue_and_covers_survive_restart(harness: CasinoHarness, steps: int) -> None:
    for number, player in enumerate(("ann", "ben", "cy", "dee")):
        harness.chips(player)
        harness.submit(TakeSeat("t1", player, 100 * number))
        harness.advance(steps=steps)
    harness.submit(LeaveSeat("t1", "cy"))
    before = harness.state
    harness.restart()
    after = harness.state
    assert after._replace(turn=0) == before._replace(turn=0)
    assert "dee" in after.queue and after.covers["dee"] == 300
    assert harness.audit().is_clean


@pytest.mark.parametrize(
    "with_keys", [True, False], ids=["beside the copy", "beside the lost file"]
)
def test_l22_running_game_is_void_and_its_seed_revealed(tmp_path: Path, with_keys: bool) -> None:
    # The casino is lost in mid-game, after an exchange.
    path, copy = tmp_path / "casino.db", tmp_path / "copy.db"
    harness, _ = exchanged_casino(path, seed=None)
    game = running_game(harness.state).id  # the first, unless no cards were exchanged in it
    master = load_master(path)
    harness.house.close()
    backup(path, copy, with_keys=with_keys)
    path.unlink()
    if with_keys:
        CasinoFiles(path).master.unlink()
    restore(copy, path, lambda: START_MS, [])
    path.unlink()
    done = restore(copy, path, lambda: START_MS, [])
    assert (done.after, done.void) == (None, (game,))
    harness = CasinoHarness(path, [plan(challenger="")], None)
    harness.runner.set_connected("ann", True, START_MS)
    harness.advance(steps=10)  # the next game opens at the fourth
    events = [decode(body) for body in log_of(path)]
    ended = [one for one in events if isinstance(one, GameVoid)]
    opened = [one for one in events if isinstance(one, GameOpened)]
    chains = [one for one in events if isinstance(one, SeedChain)]
    assert [one.reason for one in ended] == [SECRETS_LOST]
    assert ended[0].server_seed is not None and opened[-2].game == game
    assert load_master(path) != master and chains[0].anchor != chains[1].anchor
    assert chains[1].reason == RESTORED
    assert harness.audit().is_clean


def test_pending_terms_survive_restart(harness: CasinoHarness) -> None:
    dear = harness.state.rules._replace(stake_cents=2_000)
    harness.submit(SetTableSettings("t1", dear))
    waiting = harness.state.coming
    assert [rules.stake_cents for _, rules in waiting] == [2_000]
    harness.plans = [harness.plans[0]._replace(rules=dear)]
    harness.restart()
    assert harness.state.coming == waiting
    harness.house.run_headless(waiting[0][0])
    assert harness.state.rules.stake_cents == 2_000
    harness.restart()
    assert harness.state.coming == ()
    assert harness.state.rules.stake_cents == 2_000
    assert harness.audit().is_clean


@pytest.mark.parametrize("games", [1, 2, 3, 5, 8])
def test_table_is_read_up_to_its_last_event(harness: CasinoHarness, games: int) -> None:
    harness.house.run_headless(games)
    log = harness.house.service.ledger.reader()
    rested = load_transfer(log, harness.state.rules, 0)
    assert (rested.before_game.number, rested.events) == (games, ())
    assert last_game_number(log, "t1") == games
    assert last_game_number(log, "t2") == 0
    open_game(harness.house.service)
    betting_ms = harness.state.rules.pace.betting_ms
    restarted_at = harness.clock.now + betting_ms
    within = load_transfer(log, harness.state.rules, restarted_at)
    assert within.events
    assert TableFeed(within).seconds_left(restarted_at + 500) == betting_ms / 1_000 - 0.5
    assert last_game_number(log, "t1") == games + 1
    log.close()
