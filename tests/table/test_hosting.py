"""Hosted tables: opened, changed and closed while the casino runs, and after a restart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from casino.betting import BetSizeLimits
from casino.clock import wall_ms
from casino.errors import InputError, Refused
from casino.events.types import Audience, HostedTable, PouleTerms
from casino.ledger.accounts import HOUSE
from casino.table.domain.commands import (
    CloseTable,
    OpenGame,
    OpenTable,
    PlaceBet,
    SetTableSettings,
    TakeSeat,
)
from casino.table.domain.settings import PaceSettings, TableSettings
from casino.table.domain.state import TableState
from casino.table.runtime.casino import Casino
from tests.table.casino_harness import CasinoHarness, ask, leaves_of, plan

FAST = PaceSettings(100, 0, 0, 0, 1_000, 0, 0)


def order(
    table_id: str = "a",
    host: str | None = "ann",
    *,
    audience: Audience = "public",
    games: int = 0,
    poule: PouleTerms | None = None,
    spectators: int = 0,
    max_total: int = 5,
    **rules: Any,
) -> OpenTable:
    hosted = HostedTable(
        audience=audience, games=games, host=host, poule=poule, spectators=spectators
    )
    settings = TableSettings("", hosted=hosted, pace=FAST, **rules)
    return OpenTable(f"{host}/{table_id}", settings, 2, max_total)


def opened(harness: CasinoHarness, command: OpenTable) -> str:
    name: str = harness.submit(command)["table"]
    return name


def state(harness: CasinoHarness, table: str) -> TableState:
    return harness.house.service.durable_state(table)


def play(harness: CasinoHarness, *, steps: int = 1) -> None:
    """Run one step of every hosted table, then advance the clock to the next one."""
    for _ in range(steps):
        now, runners = harness.clock.now, harness.house.croupiers[len(harness.plans) :]
        harness.clock.now = min((runner.step(now) for runner in runners), default=now)


def play_until_over(harness: CasinoHarness, table: str) -> None:
    while not state(harness, table).is_over:
        play(harness)


def games_of(harness: CasinoHarness, table: str) -> list[str]:
    ends = leaves_of(harness.path, "game_over", "game_void")
    return [leaf["game"] for leaf in ends if leaf["game"].startswith(f"{table}-")]


def test_hosted_table_survives_restart_and_closes_after_its_game(harness: CasinoHarness) -> None:
    table = opened(harness, order(spectators=3))
    while state(harness, table).running is None:
        play(harness)
    bet = PlaceBet(table, f"{table}-000001", "b", "ben", 0, 500)
    assert ask(harness, bet) == ""
    harness.restart()
    assert state(harness, table).rules.hosted == order(spectators=3).rules.hosted
    assert ask(harness, CloseTable(table, "host")) == ""
    play_until_over(harness, table)
    assert games_of(harness, table) == ["h1-000001"]
    seed = harness.house.service.seeds.next_seed(state(harness, table))
    assert ask(harness, OpenGame(table, seed)) == "unavailable"
    harness.restart()
    assert [runner.table for runner in harness.house.croupiers] == ["t1"]
    log = harness.house.service.ledger.reader()
    assert log.balances("escrow/h1") == {}
    log.close()
    assert harness.audit().findings == []


def test_table_id_is_idempotent_and_names_are_never_reused(tmp_path: Path) -> None:
    harness = CasinoHarness(tmp_path / "a.db", [plan("h2")])
    assert opened(harness, order("a")) == "h1"
    assert opened(harness, order("a")) == "h1"
    assert ask(harness, order("a", games=3)) == "id_reused"
    assert opened(harness, order("a", host=None)) == "h3"
    assert ask(harness, CloseTable("h1", "host")) == ""
    harness.restart()
    assert opened(harness, order("a")) == "h1"
    assert opened(harness, order("b")) == "h4"


def test_open_tables_are_limited_except_for_operator(harness: CasinoHarness) -> None:
    for table_id in "ab":
        opened(harness, order(table_id))
    with pytest.raises(Refused, match="you have 2 open tables already: close one first"):
        opened(harness, order("c"))
    with pytest.raises(Refused, match="2 tables are open, and no more fit: try again later"):
        opened(harness, order("c", "ben", max_total=2))
    assert opened(harness, order("c", None)) == "h3"
    assert ask(harness, CloseTable("h1", "host")) == ""
    assert opened(harness, order("d")) == "h4"


def test_l19_change_applies_from_tenth_game_one_at_a_time(harness: CasinoHarness) -> None:
    table = opened(harness, order())
    rules = state(harness, table).rules
    assert ask(harness, SetTableSettings(table, rules._replace(stake_cents=200))) == ""
    refused = SetTableSettings(table, rules._replace(stake_cents=300))
    assert ask(harness, refused) == "unavailable"
    harness.restart()
    while state(harness, table).number < 9:
        play(harness)
    assert state(harness, table).rules.stake_cents == 1_000
    while state(harness, table).number < 10:
        play(harness)
    assert state(harness, table).rules.stake_cents == 200
    assert ask(harness, CloseTable(table, "idle")) == ""
    assert ask(harness, refused) == "unavailable"
    play_until_over(harness, table)
    assert harness.audit().findings == []


def test_table_closes_after_its_number_of_games(harness: CasinoHarness) -> None:
    table = opened(harness, order(games=2))
    play_until_over(harness, table)
    assert games_of(harness, table) == ["h1-000001", "h1-000002"]
    assert ask(harness, CloseTable("t1", "operator")) == "not_host"
    assert harness.audit().findings == []


def has_book(state: TableState) -> bool:
    return state.running is not None and state.running.locked is None


def test_ordered_games_run_without_pauses_after_current_game(harness: CasinoHarness) -> None:
    table = opened(harness, order(spectators=3))
    while not has_book(state(harness, table)):
        play(harness)
    assert ask(harness, PlaceBet(table, f"{table}-000001", "b", "ben", 0, 500)) == ""
    assert harness.house.order_games(table, 4) == range(2, 6)
    with pytest.raises(Refused, match="h1 is playing games without pauses: wait"):
        harness.house.order_games(table, 1)
    steps = 0
    while state(harness, table).number == 1:
        play(harness)
        steps += 1
    assert steps > 20, "a game on which a person has bet keeps its pace"
    began = harness.clock.now
    play(harness, steps=3)
    assert (state(harness, table).number, state(harness, table).running) == (5, None)
    assert harness.clock.now == began
    play(harness, steps=2)
    assert harness.house.ordered_games(table) == range(0)
    assert has_book(state(harness, table)), "the next game has a book for people again"
    assert [finding.check for finding in harness.audit().findings] == ["unfinished"]
    bets = {leaf["game"] for leaf in leaves_of(harness.path, "bet")}
    assert {f"{table}-{n:06}" for n in range(1, 6)} <= bets


def test_simulated_spectators_respect_host_limits(harness: CasinoHarness) -> None:
    table = opened(harness, order(spectators=3, limits=BetSizeLimits(5_000, 6_000, 9_000, 90_000)))
    while (running := state(harness, table).running) is None or running.locked is None:
        play(harness)
    units = [bet.unit_cents for bet in running.book.bets if bet.bettor != HOUSE]
    assert units == [5_000] * 3


def test_order_ends_when_a_person_takes_the_seat(harness: CasinoHarness) -> None:
    table = opened(harness, order())
    harness.house.order_games(table, 100)
    play(harness, steps=2)
    seed = harness.house.service.seeds.next_seed(state(harness, table))
    assert ask(harness, TakeSeat(table, "ann")) == ""
    # The runner may have checked just before.
    assert ask(harness, OpenGame(table, seed, bots_only=True)) == "stale_version"
    play(harness, steps=2)
    assert harness.house.ordered_games(table) == range(0)
    assert has_book(state(harness, table)) and state(harness, table).holder == "ann"


def test_config_cannot_reuse_name_of_hosted_table(harness: CasinoHarness) -> None:
    opened(harness, order())
    harness.plans = [plan("h1")]
    with pytest.raises(InputError, match=r"^\[tables.h1\]: h1 was hosted here: use another name$"):
        harness.restart()


def test_hosted_table_has_its_own_thread_until_it_is_over(tmp_path: Path) -> None:
    house = Casino(tmp_path / "a.db", [plan()], wall_ms)
    faults: list[Exception] = []
    house.start_tables(faults.append)
    table = house.service.submit(order(games=1)).result(30)["table"]
    thread = next(thread for thread in house._threads if thread.name == f"croupier-{table}")
    thread.join(30)
    assert house.service.durable_state(table).is_over
    assert [runner.table for runner in house.croupiers] == ["t1"]
    house.close()
    assert faults == []
