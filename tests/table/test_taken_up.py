"""What a house, its seeds and its witnesses keep of a table from one run to the next."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from casino import fairness
from casino.ledger.tlog.cosignature import cosigning_times
from casino.ledger.tlog.note import open_checkpoint
from casino.player_limits import DAY_MS
from casino.table.domain.commands import (
    CloseBetting,
    CloseReveals,
    LeaveSeat,
    OpenCut,
    PlaceBet,
    SetLimit,
    SetTableSettings,
    TakeSeat,
)
from casino.table.domain.limit_state import DayTally
from casino.table.domain.settings import PaceSettings, TableSettings
from casino.table.domain.state import COVER, SEED, TableState, exchange_secret_name
from casino.table.runtime.casino import Casino, TablePlan
from casino.table.runtime.recovery import last_game_number, load_tallies, load_transfer
from casino.table.runtime.seed_chains import SeedKeeper
from casino.table.runtime.witness_client import CosignedCheckpointFile, WitnessClient
from tests.table.nights import Evening, audited, open_game, plan
from tests.table.test_witness_client import Stand, note, prove, stands

__all__ = ["stands"]

GAME = "t1-000001"
MASTER = bytes(range(32))


# --- the house ---------------------------------------------------------------------------------


def test_games_under_way_count_among_those_of_a_night(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "a.db", [plan(f"t{n}") for n in (1, 2, 3)])
    for table in ("t1", "t3"):
        open_game(evening.house.service, table)
    evening.house.run_headless(4)
    assert evening.house.finished == 4
    numbers = [evening.house.service.durable_state(f"t{n}").number for n in (1, 2, 3)]
    assert sum(numbers) == 4
    assert all(evening.house.service.durable_state(f"t{n}").running is None for n in (1, 2, 3))
    evening.house.close()


def test_a_table_that_cannot_go_on_stands_still_and_says_why_once(tmp_path: Path) -> None:
    pace = PaceSettings(betting_ms=5, action_ms=0, deal_ms=0, game_ms=0)
    plans = [TablePlan(TableSettings(name), pace) for name in ("t1", "t2")]
    house = Casino(tmp_path / "a.db", plans, lambda: time.time_ns() // 1_000_000)
    told: list[Exception] = []

    def breaks(now: int) -> int:
        raise ZeroDivisionError(now)

    house.croupiers[0].step = breaks  # type: ignore[method-assign]
    house.start_tables(told.append)
    deadline = time.monotonic() + 30
    while (
        house.service.durable_state("t2").number < 3 or not told
    ) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert house.service.durable_state("t2").number >= 3
    assert house.service.durable_state("t1").number == 0
    assert [type(one) for one in told] == [ZeroDivisionError]
    house.close()


def test_a_house_closes_at_once_though_its_tables_wait(tmp_path: Path) -> None:
    pace = PaceSettings(betting_ms=3_600_000)
    plans = [TablePlan(TableSettings(name), pace) for name in ("t1", "t2")]
    house = Casino(tmp_path / "a.db", plans, lambda: time.time_ns() // 1_000_000)
    house.start_tables()
    while any(house.service.durable_state(name).running is None for name in ("t1", "t2")):
        time.sleep(0.01)
    closing = threading.Thread(target=house.close, daemon=True)
    closing.start()
    closing.join(30)
    assert not closing.is_alive()


def test_no_two_spectators_of_a_house_share_a_name(tmp_path: Path) -> None:
    plans = [plan(f"t{number}", spectators=30) for number in range(1, 5)]
    evening = Evening(tmp_path / "a.db", plans)
    names = [name for croupier in evening.house.croupiers for name in croupier.names]
    assert len(set(names)) == len(names) == 120
    evening.house.close()


# --- seeds -------------------------------------------------------------------------------------


def test_a_chain_is_used_to_its_last_seed_and_then_the_next_begins(tmp_path: Path) -> None:
    places: list[tuple[int, int]] = []
    evening = Evening(tmp_path / "a.db", [plan()])
    evening.house.service.seeds = SeedKeeper(lambda: MASTER, lambda: bytes(12), 3)
    for _ in range(4):
        open_game(evening.house.service)
        running = evening.state.running
        assert running is not None
        places.append(running.position)
        evening.house.run_headless(1)
    evening.house.close()
    assert places == [(1, 1), (1, 2), (1, 3), (2, 1)]


def test_what_is_hidden_is_bound_to_its_place() -> None:
    numbers = iter(range(1_000))
    seeds = SeedKeeper(lambda: MASTER, lambda: next(numbers).to_bytes(12, "big"))
    told = {
        exchange_secret_name(1, 2): b"XKH",
        exchange_secret_name(2, 1): b"XQD",
        COVER: b"700",
        SEED: b"s" * 32,
    }
    kept = dict(seeds.encrypt("t1-000001", told))
    assert SEED not in kept
    assert seeds.decrypt("t1-000001", kept) == {name: told[name] for name in kept}
    one, other = exchange_secret_name(1, 2), exchange_secret_name(2, 1)
    swapped = {one: kept[other], other: kept[one], COVER: kept[one]}
    assert seeds.decrypt("t1-000001", swapped) == {}
    assert seeds.decrypt("t1-000002", kept) == {}
    assert SeedKeeper(lambda: bytes(32), lambda: bytes(12)).decrypt("t1-000001", kept) == {}
    assert seeds.decrypt("t1-000001", {exchange_secret_name(0, 1): kept[COVER]}) == {}


def test_a_master_secret_is_read_once_however_many_ask() -> None:
    read: list[int] = []

    def master() -> bytes:
        read.append(1)
        time.sleep(0.05)
        return MASTER

    seeds = SeedKeeper(master, lambda: bytes(12), 20)
    states = [TableState(TableSettings(f"t{number}")) for number in range(8)]
    with ThreadPoolExecutor(8) as threads:
        begun = list(threads.map(seeds.chain_to_begin, states))
    assert len(read) == 1
    assert len({one.anchor for one in begun if one is not None}) == 8


# --- what is read again ------------------------------------------------------------------------


def at_table(path: Path, *players: str, tables: int = 1) -> Evening:
    evening = Evening(path / "a.db", [plan(f"t{n}") for n in range(1, tables + 1)])
    for player in players:
        evening.chips(player)
    return evening


def test_seats_of_one_table_are_not_those_of_another(tmp_path: Path) -> None:
    evening = at_table(tmp_path, "ann", "ben", tables=2)
    clerk = evening.house.service
    for table, player in (("t1", "ann"), ("t2", "ben")):
        open_game(clerk, table)
        clerk.submit(TakeSeat(table, player)).result(30)
    evening.again()
    queues = [
        [one for one, _ in evening.house.service.durable_state(f"t{n}").queue] for n in (1, 2)
    ]
    assert queues == [["ann"], ["ben"]]
    evening.house.service.submit(LeaveSeat("t2", "ben")).result(30)
    evening.again()
    queues = [
        [one for one, _ in evening.house.service.durable_state(f"t{n}").queue] for n in (1, 2)
    ]
    assert queues == [["ann"], []]
    evening.house.close()


def test_a_limit_taken_back_is_read_again_as_taken_back(tmp_path: Path) -> None:
    evening = at_table(tmp_path, "ann")
    clerk = evening.house.service
    for value in (100, 0):
        clerk.submit(SetLimit("ann", "day_loss_cents", value)).result(30)
    wishes = clerk.wishes["ann"]
    evening.again()
    assert evening.house.service.wishes["ann"] == wishes
    assert [wish.value for wish in wishes] == [100, 0]
    evening.house.close()


def test_only_what_moved_today_counts_today(tmp_path: Path) -> None:
    evening = at_table(tmp_path, "ann")
    clerk = evening.house.service
    open_game(clerk)
    clerk.submit(PlaceBet("t1", GAME, "b1", "ann", 0, 500)).result(30)
    evening.clock.now += DAY_MS
    clerk.submit(PlaceBet("t1", GAME, "b2", "ann", 0, 200)).result(30)
    log = clerk.ledger.reader()
    day = evening.clock.now // DAY_MS
    assert load_tallies(log, evening.clock.now)["ann"] == DayTally(day, 600, 600)
    assert "ann" not in load_tallies(log, evening.clock.now + DAY_MS)
    log.close()
    evening.house.close()


def test_terms_that_wait_are_read_again_as_waiting(tmp_path: Path) -> None:
    evening = at_table(tmp_path)
    clerk = evening.house.service
    dear = evening.state.rules._replace(stake_cents=2_000)
    clerk.submit(SetTableSettings("t1", dear)).result(30)
    waiting = evening.state.coming
    assert [rules.stake_cents for _, rules in waiting] == [2_000]
    evening.plans = [evening.plans[0]._replace(rules=dear._replace(pace=PaceSettings()))]
    evening.again()
    assert evening.state.coming == waiting
    evening.house.run_headless(waiting[0][0])
    assert evening.state.rules.stake_cents == 2_000
    evening.again()
    assert evening.state.coming == ()
    assert evening.state.rules.stake_cents == 2_000
    evening.house.close()
    assert [one for one in audited(evening.path).findings if one.severity == "error"] == []


def test_who_was_silent_a_while_ago_is_remembered(tmp_path: Path) -> None:
    evening = at_table(tmp_path, "ann", "ben")
    clerk = evening.house.service
    open_game(clerk)
    texts = {}
    for player in ("ann", "ben"):
        texts[player] = fairness.make_contribution("", player.encode().ljust(16, b"."))
        seal = fairness.commitment_to(GAME, player, texts[player])
        clerk.submit(PlaceBet("t1", GAME, "b", player, 0, 500, seal)).result(30)
    clerk.submit(CloseBetting("t1", GAME)).result(30)
    clerk.submit(CloseReveals("t1", GAME)).result(30)
    evening.house.run_headless(4)
    clerk.submit(OpenCut("t1", GAME, "ben", texts["ben"])).result(30)
    before = evening.state
    assert [seal.player for seal in before.late[GAME]] == ["ann"]
    assert set(before.silences) == {"ann", "ben"}
    evening.again()
    assert evening.state.late == before.late
    assert evening.state.silences == before.silences
    evening.house.close()


@pytest.mark.parametrize("games", [1, 2, 3, 5, 8])
def test_everybodys_table_is_read_as_far_as_it_has_gone(tmp_path: Path, games: int) -> None:
    evening = at_table(tmp_path)
    evening.house.run_headless(games)
    log = evening.house.service.ledger.reader()
    rested = load_transfer(log, evening.state.rules)
    assert (rested.number, rested.events) == (games, ())
    assert last_game_number(log, "t1") == games
    assert last_game_number(log, "t2") == 0
    open_game(evening.house.service)
    within = load_transfer(log, evening.state.rules)
    assert within.events
    assert last_game_number(log, "t1") == games + 1
    log.close()
    evening.house.close()


# --- witnesses ---------------------------------------------------------------------------------


def test_l24_no_quorum_is_not_reached_by_nobody(stands: list[Stand], tmp_path: Path) -> None:
    at = tuple(stand.at for stand in stands)
    bare = tmp_path / "casino.db.cosigned"
    bare.write_text(note(12))
    kept = CosignedCheckpointFile(bare, at)
    assert kept.note == note(12)
    assert [kept.note_with_quorum(quorum) for quorum in (0, 1, 2)] == [None] * 3


def test_l24_cosignatures_of_strangers_are_not_put_together(
    stands: list[Stand], tmp_path: Path
) -> None:
    at = tuple(stand.at for stand in stands)
    kept = CosignedCheckpointFile(tmp_path / "casino.db.cosigned", at)
    first = WitnessClient(at[0], prove).request_cosignature(note(12))
    second = WitnessClient(at[1], prove).request_cosignature(note(12))
    assert first is not None
    assert second is not None
    kept.save(first)
    kept.save(second)
    kept.save(first)
    assert sorted(cosigning_times(kept.note, [one.key for one in at])) == ["w1", "w2"]
    assert kept.note.count("\n— ") == 3
    assert open_checkpoint(kept.note, None).size == 12
