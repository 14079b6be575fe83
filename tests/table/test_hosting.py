"""Hosted tables: opened, changed and closed while the casino runs, and after a restart."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest

from casino.betting import BetSizeLimits
from casino.clock import wall_ms
from casino.errors import InputError, Refused
from casino.events.types import Audience, HostedTable, PouleTerms
from casino.ledger.accounts import HOUSE
from casino.table.domain.commands import (
    CloseTable,
    LeaveSeat,
    OpenGame,
    OpenTable,
    PlaceBet,
    SetTableSettings,
    TakeSeat,
)
from casino.table.domain.settings import PaceSettings, TableSettings
from casino.table.domain.state import TableState
from casino.table.runtime.casino import Casino
from tests.table.clerks import ask
from tests.table.nights import Evening, audited, log_of, plan

FAST = PaceSettings(100, 0, 0, 0, 1_000, 0, 0)


def order(
    table_id: str = "a",
    host: str | None = "ann",
    *,
    audience: Audience = "public",
    games: int = 0,
    poule: PouleTerms | None = None,
    spectators: int = 0,
    max_open: int = 2,
    max_total: int = 5,
    **rules: Any,
) -> OpenTable:
    hosted = HostedTable(
        audience=audience, games=games, host=host, poule=poule, spectators=spectators
    )
    settings = TableSettings("", hosted=hosted, pace=FAST, **rules)
    return OpenTable(table_id, settings, max_open, max_total)


def opened(evening: Evening, command: OpenTable) -> str:
    name: str = evening.house.service.submit(command).result(30)["table"]
    return name


def state(evening: Evening, table: str) -> TableState:
    return evening.house.service.durable_state(table)


def play(evening: Evening, *, steps: int = 1) -> None:
    """Let every hosted table take a step, then wait for the next of them."""
    for _ in range(steps):
        now, runners = evening.clock.now, evening.house.croupiers[len(evening.plans) :]
        evening.clock.now = min((runner.step(now) for runner in runners), default=now)


def play_until_over(evening: Evening, table: str) -> None:
    while not state(evening, table).is_over:
        play(evening)


def games_of(evening: Evening, table: str) -> list[str]:
    leaves = map(orjson.loads, log_of(evening.path))
    ends = [leaf for leaf in leaves if leaf["type"] in ("game_over", "game_void")]
    return [leaf["game"] for leaf in ends if leaf["game"].startswith(f"{table}-")]


@pytest.fixture
def evening(tmp_path: Path) -> Evening:
    evening = Evening(tmp_path / "a.db", [plan()])
    for player in ("ann", "ben"):
        evening.chips(player)
    return evening


def test_a_hosted_table_is_bet_on_survives_a_restart_and_closes_after_its_game(
    evening: Evening,
) -> None:
    table = opened(evening, order(spectators=3))
    while state(evening, table).running is None:
        play(evening)
    bet = PlaceBet(table, f"{table}-000001", "b", "ben", 0, 500)
    assert ask(evening, bet) == ""
    evening.again()
    assert state(evening, table).rules.hosted == order(spectators=3).rules.hosted
    assert ask(evening, CloseTable(table, "host")) == ""
    play_until_over(evening, table)
    assert games_of(evening, table) == ["h1-000001"]
    seed = evening.house.service.seeds.next_seed(state(evening, table))
    assert ask(evening, OpenGame(table, seed)) == "unavailable"
    evening.again()
    assert [runner.table for runner in evening.house.croupiers] == ["t1"]
    log = evening.house.service.ledger.reader()
    assert log.balances("escrow/h1") == {}
    log.close()
    evening.house.close()
    assert audited(evening.path).findings == []


def test_a_closed_table_finishes_its_game_after_a_restart_and_empties_its_seat(
    evening: Evening,
) -> None:
    table = opened(evening, order(challenger=""))
    assert ask(evening, TakeSeat(table, "ann")) == ""
    while state(evening, table).running is None:
        play(evening)
    assert ask(evening, TakeSeat(table, "ben")) == ""
    assert ask(evening, CloseTable(table, "operator")) == ""
    assert ask(evening, TakeSeat(table, "zoe")) == "unavailable"
    evening.again()
    play_until_over(evening, table)
    assert len(games_of(evening, table)) == 1
    evening.house.close()
    assert audited(evening.path).findings == []


def test_the_same_id_opens_one_table_and_names_are_never_used_twice(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "a.db", [plan("h2")])
    assert opened(evening, order("a")) == "h1"
    assert opened(evening, order("a")) == "h1"
    assert ask(evening, order("a", games=3)) == "id_reused"
    assert opened(evening, order("a", host=None)) == "h3"
    assert ask(evening, CloseTable("h1", "host")) == ""
    evening.again()
    assert opened(evening, order("a")) == "h1"
    assert opened(evening, order("b")) == "h4"
    evening.house.close()


def test_a_host_and_the_casino_have_a_limit_of_tables_and_the_operator_has_none(
    evening: Evening,
) -> None:
    for table_id in "ab":
        opened(evening, order(table_id))
    with pytest.raises(Refused, match="you have 2 open tables already: close one first"):
        opened(evening, order("c"))
    with pytest.raises(Refused, match="2 tables are open, and no more fit: try again later"):
        opened(evening, order("c", "ben", max_total=2))
    assert opened(evening, order("c", None)) == "h3"
    assert ask(evening, CloseTable("h1", "host")) == ""
    assert opened(evening, order("d")) == "h4"
    evening.house.close()


def test_l19_a_change_holds_from_the_tenth_game_and_one_waits_at_a_time(evening: Evening) -> None:
    table = opened(evening, order())
    rules = state(evening, table).rules
    assert ask(evening, SetTableSettings(table, rules._replace(stake_cents=200))) == ""
    refused = SetTableSettings(table, rules._replace(stake_cents=300))
    assert ask(evening, refused) == "unavailable"
    evening.again()
    while state(evening, table).number < 9:
        play(evening)
    assert state(evening, table).rules.stake_cents == 1_000
    while state(evening, table).number < 10:
        play(evening)
    assert state(evening, table).rules.stake_cents == 200
    assert ask(evening, CloseTable(table, "idle")) == ""
    assert ask(evening, refused) == "unavailable"
    play_until_over(evening, table)
    evening.house.close()
    assert audited(evening.path).findings == []


def test_a_table_closes_after_its_number_of_games(evening: Evening) -> None:
    table = opened(evening, order(games=2))
    play_until_over(evening, table)
    assert games_of(evening, table) == ["h1-000001", "h1-000002"]
    assert ask(evening, CloseTable("t1", "operator")) == "bad_request"
    evening.house.close()
    assert audited(evening.path).findings == []


def has_book(state: TableState) -> bool:
    return state.running is not None and state.running.locked is None


def test_ordered_games_are_played_at_once_after_the_running_one(evening: Evening) -> None:
    table = opened(evening, order(spectators=3))
    while not has_book(state(evening, table)):
        play(evening)
    assert ask(evening, PlaceBet(table, f"{table}-000001", "b", "ben", 0, 500)) == ""
    assert evening.house.order_games(table, 4) == range(2, 6)
    with pytest.raises(Refused, match="h1 is playing games without pauses: wait"):
        evening.house.order_games(table, 1)
    steps = 0
    while state(evening, table).number == 1:
        play(evening)
        steps += 1
    assert steps > 20, "a game on which a person has bet keeps its pace"
    began = evening.clock.now
    play(evening, steps=3)
    assert (state(evening, table).number, state(evening, table).running) == (5, None)
    assert evening.clock.now == began
    play(evening, steps=2)
    assert evening.house.ordered_games(table) == range(0)
    assert has_book(state(evening, table)), "the next game has a book for people again"
    evening.house.close()
    assert [finding.check for finding in audited(evening.path).findings] == ["unfinished"]
    leaves = [orjson.loads(leaf) for leaf in log_of(evening.path)]
    bets = [leaf["game"] for leaf in leaves if leaf["type"] == "bet"]
    assert {f"{table}-{n:06}" for n in range(1, 6)} <= {*bets}


def test_simulated_spectators_keep_to_the_limits_that_a_host_chose(evening: Evening) -> None:
    table = opened(evening, order(spectators=3, limits=BetSizeLimits(5_000, 6_000, 9_000, 90_000)))
    while (running := state(evening, table).running) is None or running.locked is None:
        play(evening)
    units = [bet.unit_cents for bet in running.book.bets if bet.bettor != HOUSE]
    assert units == [5_000] * 3
    evening.house.close()


def test_an_order_ends_when_a_person_takes_the_seat(evening: Evening) -> None:
    table = opened(evening, order())
    evening.house.order_games(table, 100)
    play(evening, steps=2)
    seed = evening.house.service.seeds.next_seed(state(evening, table))
    assert ask(evening, TakeSeat(table, "ann")) == ""
    # The table's step may have looked just before.
    assert ask(evening, OpenGame(table, seed, bots_only=True)) == "stale_version"
    play(evening, steps=2)
    assert evening.house.ordered_games(table) == range(0)
    assert has_book(state(evening, table)) and state(evening, table).holder == "ann"
    evening.house.close()


def test_the_settings_cannot_name_a_table_that_was_hosted(evening: Evening) -> None:
    opened(evening, order())
    evening.plans = [plan("h1")]
    with pytest.raises(InputError, match=r"^\[tables.h1\]: h1 was hosted here: use another name$"):
        evening.again()


def test_a_table_that_opens_while_the_casino_runs_has_a_thread_until_it_is_over(
    tmp_path: Path,
) -> None:
    house = Casino(tmp_path / "a.db", [plan()], wall_ms)
    house.start_tables()
    table = house.service.submit(order(games=1)).result(30)["table"]
    thread = next(thread for thread in house._threads if thread.name == f"croupier-{table}")
    thread.join(30)
    assert house.service.durable_state(table).is_over
    assert [runner.table for runner in house.croupiers] == ["t1"]
    house.close()


@pytest.mark.parametrize("number", [4, pytest.param(200, marks=pytest.mark.nightly)])
def test_tables_opened_changed_and_closed_at_random_strand_no_chip(
    tmp_path: Path, number: int
) -> None:
    random = Random(7)
    evening = Evening(tmp_path / "a.db", [plan()])
    people = [f"p{player}" for player in range(8)]
    for player in people:
        evening.chips(player)
    tables: list[str] = []
    while len(tables) < number or tables_open(evening):
        play(evening, steps=random.randrange(6))
        chosen, open_now = random.random(), tables_open(evening)
        if chosen < 0.5 and len(tables) < number and len(open_now) < 8:
            poule = random.choice((None, PouleTerms(entry_cents=300, others=("regle",), wins=2)))
            command = order(
                str(len(tables)),
                random.choice([*people, None]),
                audience=random.choice(("public", "link")),
                games=0 if poule else random.randrange(3),
                poule=poule,
                spectators=random.randrange(3),
                house="novice",
                challenger=random.choice(("novice", "")),
                stake_cents=0 if poule else 1_000,
            )
            answer = evening.house.service.submit(command)
            if answer.exception(30) is None:
                tables.append(answer.result()["table"])
        elif chosen < 0.52:
            evening.again()
        elif open_now:
            table, player = random.choice(open_now), random.choice(people)
            act_at_random(evening, table, player, random, last=len(tables) == number)
    assert tables == [f"h{table}" for table in range(1, number + 1)]
    log = evening.house.service.ledger.reader()
    assert log.balances("escrow/h") == {}
    log.close()
    evening.house.close()
    assert audited(evening.path).findings == []


def tables_open(evening: Evening) -> list[str]:
    names = [runner.table for runner in evening.house.croupiers]
    return [name for name in names if name != "t1" and not state(evening, name).is_over]


def act_at_random(evening: Evening, table: str, player: str, random: Random, *, last: bool) -> None:
    now, ordered = state(evening, table), random.randrange(8)
    if ordered == 0 or last:
        ask(evening, CloseTable(table, random.choice(("host", "operator", "idle"))))
    elif ordered == 1 and now.rules.poule is None:
        rules = now.newest_settings._replace(stake_cents=random.randrange(1, 20) * 100)
        ask(evening, SetTableSettings(table, rules))
    elif ordered == 2:
        ask(evening, TakeSeat(table, player))
    elif ordered == 3 and now.holder:
        ask(evening, LeaveSeat(table, now.holder))
    elif now.running is not None:
        bet = PlaceBet(table, now.running.id, f"{now.turn}", player, random.randrange(2), 500)
        ask(evening, bet)
