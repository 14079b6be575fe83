"""The table runner, step by step: its next command, when it is due, and faults."""

from __future__ import annotations

import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from casino.ecarte import CHALLENGER, Laws, parse_token
from casino.errors import Refused
from casino.events.types import (
    BOT_FAILED,
    ActionTaken,
    BetAccepted,
    BettingClosed,
    GameOpened,
    GameOver,
    GameVoid,
    PackDealt,
    SeatChanged,
    TurnedUp,
)
from casino.ledger import accounts
from casino.ledger.storage.base import StorageError
from casino.ledger.storage.store import SqlStore
from casino.ledger.transaction import Answer, Transaction
from casino.table.domain.commands import (
    CloseBetting,
    CloseReveals,
    LeaveSeat,
    OpenGame,
    PlaceBet,
    PlayAction,
    TakeSeat,
)
from casino.table.domain.state import GameState, running_game
from casino.table.public.private_view import hand_message
from casino.table.runtime.simulated_bettors import STAR
from casino.table.runtime.table_runner import (
    ABSENT_MS,
    IDLE_MS,
    MAX_EXTENSIONS,
    SEAT_KEPT_MS,
    SILENT_MS,
)
from tests.audit.leaf_builders import entry
from tests.table.casino_harness import GAME, PACE, CasinoHarness, log_of, open_game, plan, seal_of

LAWS = Laws(first_dealer="house")


def bet(game: str, player: str) -> PlaceBet:
    return PlaceBet("t1", game, f"b.{game}", player, 0, 500, seal_of(player, game))


def due(harness: CasinoHarness) -> tuple[Any, int]:
    return harness.runner.next_command(harness.state, harness.clock.now)


def harness_with(path: Path, *players: str, **rules: Any) -> CasinoHarness:
    harness = CasinoHarness(path / "a.db", [plan(**rules)])
    for player in players:
        harness.chips(player)
    open_game(harness.house.service)
    # The runner has seen that the game is open.
    harness.runner.step(harness.clock.now)
    return harness


def end_game(harness: CasinoHarness) -> None:
    while harness.state.running is not None:
        harness.advance()


def next_game(harness: CasinoHarness) -> GameState:
    while harness.state.running is None:
        harness.advance()
    return harness.state.running


def test_first_game_opens_at_once_and_next_after_a_pause(harness: CasinoHarness) -> None:
    timeline, began = harness.record(), harness.clock.now
    while harness.state.number < 2:
        harness.advance()
    opened, settled = timeline.times(GameOpened), timeline.times(GameOver)
    assert opened[0] == began
    assert opened[1] - settled[0] == PACE.game_ms


def test_queued_player_unable_to_pay_leaves_the_queue(tmp_path: Path) -> None:
    harness = CasinoHarness(tmp_path / "a.db", [plan(stake_cents=1_000)])
    harness.chips("ann", 3_000)
    open_game(harness.house.service)
    harness.submit(TakeSeat("t1", "ann"))
    assert harness.state.queue == ("ann",)
    end_game(harness)
    drain(harness, "ann")
    timeline = harness.record()
    running = next_game(harness)
    left = [one.player for one in timeline.events(SeatChanged) if one.what == "left"]
    assert left == ["ann"]
    assert running.challenger == "novice"


@pytest.mark.parametrize("away", ["closed", "restart"])
def test_person_who_is_away_gets_no_seat_and_loses_nothing(tmp_path: Path, away: str) -> None:
    harness = harness_with(tmp_path, "ann", "ben")
    for player in ("ann", "ben"):
        harness.submit(TakeSeat("t1", player))
    if away == "restart":
        harness.restart()
    else:
        harness.runner.set_connected("ann", False, harness.clock.now)
    harness.runner.set_connected("ben", True, harness.clock.now)
    end_game(harness)
    timeline, began = harness.record(), harness.clock.now
    assert next_game(harness).challenger == "ben"
    assert harness.state.queue == ()
    seats = [(one.player, one.what) for one in timeline.events(SeatChanged)]
    assert seats == [("ann", "left"), ("ben", "seated")]
    assert harness.clock.now <= began + ABSENT_MS + IDLE_MS
    assert harness.audit().is_clean


def test_seat_waits_for_a_page_that_reconnects(tmp_path: Path) -> None:
    harness = harness_with(tmp_path, "ann")
    harness.submit(TakeSeat("t1", "ann"))
    end_game(harness)
    harness.runner.set_connected("ann", False, harness.clock.now)
    harness.advance(steps=3)
    assert harness.state.running is None
    harness.runner.set_connected("ann", True, harness.clock.now)
    assert next_game(harness).challenger == "ann"


def drain(harness: CasinoHarness, player: str) -> None:
    """Take all chips from a player by a correction."""

    def work(tx: Transaction) -> Answer:
        cents = tx.balance(accounts.spending_account(player))
        postings = (accounts.TREASURY, cents), (accounts.spending_account(player), -cents)
        lost = entry(0, "correct", *postings, corrects=1, reason="a test")
        return {"entry": tx.post(lost)}

    harness.house.service.ledger.submit(work).result(30)


def test_empty_table_is_polled_at_idle_interval(tmp_path: Path) -> None:
    harness = CasinoHarness(tmp_path / "a.db", [plan(challenger="")])
    harness.runner.step(harness.clock.now)
    assert due(harness) == (None, harness.clock.now + IDLE_MS)
    harness.chips("ann")
    harness.submit(TakeSeat("t1", "ann"))
    command, _ = due(harness)
    assert command is not None


@pytest.mark.parametrize("bot", ["novice", ""])
def test_seat_is_kept_for_player_who_plays_again(tmp_path: Path, bot: str) -> None:
    harness = harness_on_anns_turn(tmp_path, challenger=bot)
    harness.submit(LeaveSeat("t1", "ann"))
    end_game(harness)
    harness.runner.step(harness.clock.now)
    assert due(harness) == (None, harness.clock.now + (SEAT_KEPT_MS if bot else IDLE_MS))
    harness.submit(TakeSeat("t1", "ann"))
    assert isinstance(due(harness)[0], OpenGame)
    assert next_game(harness).challenger == "ann"


def test_seat_is_not_kept_for_absent_player_or_past_a_queue(tmp_path: Path) -> None:
    harness = harness_on_anns_turn(tmp_path)
    harness.chips("ben")
    harness.submit(LeaveSeat("t1", "ann"))
    harness.submit(TakeSeat("t1", "ben"))
    end_game(harness)
    harness.runner.step(harness.clock.now)
    pause = (None, harness.clock.now + PACE.game_ms)
    assert due(harness) == pause
    harness.submit(LeaveSeat("t1", "ben"))
    assert due(harness) == (None, harness.clock.now + SEAT_KEPT_MS)
    harness.runner.set_connected("ann", False, harness.clock.now)
    assert due(harness) == pause


def test_book_closes_exactly_on_time(tmp_path: Path) -> None:
    harness = harness_with(tmp_path, "ann")
    opened = harness.clock.now
    assert due(harness) == (None, opened + PACE.betting_ms)
    harness.submit(bet(GAME, "ann"))
    harness.clock.now = opened + PACE.betting_ms - 1
    assert due(harness) == (None, opened + PACE.betting_ms)
    harness.clock.now += 1
    assert due(harness) == (CloseBetting("t1", GAME), harness.clock.now)


def test_l12_book_closes_early_when_bets_cannot_be_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = harness_with(tmp_path, "ann")
    assert due(harness)[0] is None
    monkeypatch.setattr(harness.house.service.ledger, "_free_bytes", lambda: 0)
    assert due(harness) == (CloseBetting("t1", GAME), harness.clock.now)
    harness.runner.step(harness.clock.now)
    assert running_game(harness.state).closing is not None


def test_simulated_spectators_bet_once_each_despite_restart(tmp_path: Path) -> None:
    harness = CasinoHarness(tmp_path / "a.db", [plan(spectators=7)])
    timeline = harness.record()
    while not timeline.times(BetAccepted):
        harness.advance()
    opened = timeline.times(GameOpened)[0]
    harness.restart()
    again = harness.record()
    while not again.times(BettingClosed):
        harness.advance()
    bets = timeline.events(BetAccepted) + again.events(BetAccepted)
    assert len(bets) == len({one.player for one in bets}) >= 5
    assert all(STAR in one.player for one in bets)
    assert min(timeline.times(BetAccepted)) >= opened


def test_g1_simulated_bettors_wait_half_the_betting_time(tmp_path: Path) -> None:
    harness = CasinoHarness(tmp_path / "a.db", [plan(spectators=7)])
    harness.chips("ann")
    harness.submit(TakeSeat("t1", "ann"))
    timeline = harness.record()
    while not timeline.times(BettingClosed):
        harness.advance()
    opened, bets = timeline.times(GameOpened)[0], timeline.times(BetAccepted)
    assert len(bets) >= 5
    assert opened + PACE.betting_ms / 2 <= min(bets)
    assert max(bets) < opened + PACE.betting_ms


def play_silent_game(harness: CasinoHarness, *silent: str) -> None:
    game = running_game(harness.state).id
    for player in silent:
        harness.submit(bet(game, player))
    harness.submit(CloseBetting("t1", game))
    harness.submit(CloseReveals("t1", game))
    end_game(harness)


@pytest.mark.parametrize("crash", [False, True])
def test_g16_reveal_timeout_is_shorter_for_recently_silent_players(
    tmp_path: Path, crash: bool
) -> None:
    harness = harness_with(tmp_path, "ann", "ben")
    play_silent_game(harness, "ann")
    if crash:
        harness.restart()
    for others, wait_ms in (((), SILENT_MS), (("ben",), PACE.reveal_ms)):
        open_game(harness.house.service)
        game = running_game(harness.state).id
        for player in ("ann", *others):
            harness.submit(bet(game, player))
        harness.submit(CloseBetting("t1", game))
        locked = harness.clock.now
        harness.runner.step(locked)
        assert due(harness) == (None, locked + wait_ms)
        harness.clock.now = locked + wait_ms
        assert due(harness) == (CloseReveals("t1", game), harness.clock.now)
        harness.submit(CloseReveals("t1", game))
        end_game(harness)
    assert PACE.reveal_ms > SILENT_MS


def test_pause_grows_with_importance_of_action(harness: CasinoHarness) -> None:
    """A card takes 10 ms here, a bid 16, standing or refusing 23, the king 25, a trick 20 or 35.

    One point before the end of the game, all pauses are half as long again.
    """
    timeline = harness.record()
    while harness.state.number < 7:
        harness.advance()
    assert {PACE.action_ms} == {10}
    shown: dict[str, set[int]] = {}
    for event, later in pairwise(one.event for one in timeline.heard):
        if isinstance(event, ActionTaken) and isinstance(later, ActionTaken):
            kind = "" if len(event.action) == 2 else event.action[0]
            shown.setdefault(kind, set()).add(later.at - event.at)
    # One card is followed by a trick, and that by the next lead.
    assert shown.pop("") == {10, 15, 20, 30, 35, 52}
    assert shown["P"] == shown["A"] == shown["X"] == {16, 25}
    assert shown["S"] == shown["R"] == {23, 34}
    assert shown["K"] == {25}
    closed, dealt = timeline.times(BettingClosed)[0], timeline.times(PackDealt)[0]
    assert dealt - closed == PACE.deal_ms
    # The turn-up is shown for longer than a card.
    assert timeline.times(ActionTaken)[0] - timeline.times(TurnedUp)[0] == 25


def harness_on_anns_turn(path: Path, **rules: Any) -> CasinoHarness:
    harness = CasinoHarness(path / "a.db", [plan(laws=LAWS, **rules)])
    harness.chips("ann")
    harness.submit(TakeSeat("t1", "ann"))
    advance_to_anns_turn(harness)
    return harness


def advance_to_anns_turn(harness: CasinoHarness) -> None:
    while not (harness.state.running and harness.state.running.waits_for_person):
        harness.advance()
    harness.runner.step(harness.clock.now)


def test_l12_short_storage_outage_does_not_end_betting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = CasinoHarness(tmp_path / "a.db", [plan(spectators=3)])
    timeline = harness.record()
    next_game(harness)
    opened, bank = harness.clock.now, harness.house.service.ledger

    def away() -> SqlStore:
        raise StorageError("simulated")

    def fails(_: Transaction) -> Answer:
        raise StorageError("simulated")

    with monkeypatch.context() as outage:
        outage.setattr(bank, "_reopen_store", away)
        with pytest.raises(Refused):
            bank.submit(fails).result()
        assert not bank.can_take_bets
        assert harness.runner.step(opened) == opened + PACE.betting_ms
        assert harness.runner.step(opened + 10) == opened + PACE.betting_ms
        with pytest.raises(Refused):
            bank.submit(lambda _: {}).result()
    bank.submit(lambda _: {}).result()
    while harness.state.number < 2:
        harness.advance()
    assert opened < timeline.times(BetAccepted)[0] < timeline.times(BettingClosed)[0]
    assert timeline.times(BettingClosed)[0] == opened + PACE.betting_ms
    assert {finding.check for finding in harness.audit().findings} == {"unfinished"}


def test_lost_connection_gets_grace_time(tmp_path: Path) -> None:
    harness = harness_on_anns_turn(tmp_path)
    began = harness.clock.now
    assert harness.runner.step(began) == began + PACE.turn_ms
    harness.runner.set_connected("ann", False, began + 1)
    harness.runner.set_connected("ann", True, began + 2)
    assert harness.runner.step(began + 2) == began + PACE.turn_ms
    for lost_at in (began + 3, began + 400):
        harness.runner.set_connected("ann", False, lost_at)
    assert harness.runner.step(began + 3) == began + PACE.turn_ms
    until = began + 3 + PACE.grace_ms
    assert harness.runner.step(began + PACE.turn_ms) == until
    # The time that ran out meanwhile is given again from the return.
    harness.runner.set_connected("ann", True, until - 2)
    assert harness.runner.turn_ms_left(until - 2) == PACE.turn_ms
    assert harness.runner.step(until - 1) == until - 2 + PACE.turn_ms
    assert harness.state.holder == "ann"
    now = harness.runner.step(until - 2 + PACE.turn_ms)
    assert running_game(harness.state).abandoned
    # What is left of it is over without a pause.
    while harness.state.running is not None:
        assert harness.runner.step(now) == now


def test_grace_time_is_granted_once_per_game(tmp_path: Path) -> None:
    harness = harness_on_anns_turn(tmp_path)
    waited = []
    for _ in range(2):
        advance_to_anns_turn(harness)
        began = harness.clock.now
        harness.runner.set_connected("ann", False, began)
        harness.runner.step(began)
        due = harness.runner.step(began + PACE.turn_ms)
        waited.append(due - began)
        harness.runner.set_connected("ann", True, due - 1)
        harness.clock.now = due - 1
        if len(waited) == 1:
            harness.submit(first_legal(harness))
    assert waited == [PACE.grace_ms, PACE.turn_ms]
    assert any(b'"defaulted"' in body for body in log_of(tmp_path / "a.db"))


def test_player_can_ask_for_more_time(tmp_path: Path) -> None:
    harness = harness_on_anns_turn(tmp_path)
    runner, began = harness.runner, harness.clock.now
    with pytest.raises(Refused):
        runner.give_more_time("ben")
    for times in range(1, MAX_EXTENSIONS + 1):
        runner.give_more_time("ann")
        assert runner.turn_ms_left(began) == (1 + times) * PACE.turn_ms
        assert runner.step(began) == began + (1 + times) * PACE.turn_ms
    with pytest.raises(Refused) as refusal:
        runner.give_more_time("ann")
    assert refusal.value.code == "over_limit"
    harness.submit(first_legal(harness))
    assert runner.turn_ms_left(began) == PACE.turn_ms, "the next turn has its own time"


def first_legal(harness: CasinoHarness) -> PlayAction:
    action = hand_message(harness.state, CHALLENGER)["legal"][0]
    return PlayAction("t1", harness.state.turn, "ann", parse_token(action))


def test_g14_failing_bot_makes_game_void(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = CasinoHarness(tmp_path / "a.db", [plan(laws=LAWS, spectators=3)])
    harness.advance(steps=12)
    timeline = harness.record()
    monkeypatch.setattr("casino.table.domain.handlers.play.get_bot", {}.__getitem__)
    end_game(harness)
    void = timeline.heard[-1].event
    assert isinstance(void, GameVoid)
    assert (void.reason, void.fault) == (BOT_FAILED, "KeyError")
    monkeypatch.undo()
    found = [(finding.check, finding.severity) for finding in harness.audit().findings]
    assert found == [("voids", "note")]


def test_a_table_is_paused_once_its_bot_fails_in_three_games_in_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    harness = CasinoHarness(tmp_path / "a.db", [plan(laws=LAWS)])
    for fails in (True, True, False, True, True, True):
        assert harness.runner.stands == "open"
        with monkeypatch.context() as patched:
            if fails:
                patched.setattr("casino.table.domain.handlers.play.get_bot", {}.__getitem__)
            next_game(harness)
            end_game(harness)
    assert harness.runner.stands == "paused"
    assert caplog.messages[-1] == (
        "table t1 is paused, because its bot failed in 3 games: correct the bot, then restart, or"
        " casino admin resume t1"
    )


def test_a_bot_that_does_not_return_cannot_keep_the_casino_from_closing(
    harness: CasinoHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    thinking, returned = threading.Event(), threading.Event()

    def think(_: int) -> int:
        thinking.set()
        returned.wait()
        return harness.clock.now

    monkeypatch.setattr(harness.runner, "step", think)
    monkeypatch.setattr("casino.table.runtime.casino.MAX_STOP_SECONDS", 0)
    harness.house.start_tables(lambda _: None)
    thinking.wait()
    harness.house.close()
    assert not returned.is_set()
    returned.set()
