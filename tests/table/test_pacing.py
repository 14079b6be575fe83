"""Timing of the table runner, step by step: its next command and when it is due."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from casino import fairness
from casino.events.types import (
    ActionTaken,
    BetAccepted,
    BettingClosed,
    GameOpened,
    GameOver,
    SeatChanged,
)
from casino.ledger import accounts
from casino.ledger.transaction import Answer, Transaction
from casino.table.domain.commands import (
    CloseBetting,
    CloseReveals,
    DealCards,
    LeaveSeat,
    OpenCut,
    OpenGame,
    PlaceBet,
    PlayBotActions,
    TakeSeat,
    TimeOutPlayer,
)
from casino.table.domain.handlers.play import waits_for_person
from casino.table.domain.state import GameState
from casino.table.runtime.service import CommittedEvent, EventListener
from casino.table.runtime.simulated_bettors import STAR
from casino.table.runtime.table_runner import IDLE_MS, SEAT_KEPT_MS, SILENT_MS
from tests.table.casino_harness import PACE, CasinoHarness, open_game, plan

GAME = "t1-000001"


class Timeline(EventListener):
    def __init__(self, harness: CasinoHarness) -> None:
        self.harness = harness
        self.notes: list[tuple[int, object]] = []
        harness.house.service.listeners.append(self)

    def on_event(self, happening: CommittedEvent) -> None:
        self.notes.append((self.harness.clock.now, happening.event))

    def times(self, *kinds: type) -> list[int]:
        return [at for at, event in self.notes if isinstance(event, kinds)]


def text_of(player: str) -> str:
    return fairness.make_contribution("", player.encode().ljust(16, b"."))


def bet(game: str, player: str, sealed: bool = True) -> PlaceBet:
    seal = fairness.commitment_to(game, player, text_of(player)) if sealed else None
    return PlaceBet("t1", game, f"b.{game}", player, 0, 500, seal)


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


def test_first_game_opens_at_once_and_next_after_a_pause(tmp_path: Path) -> None:
    harness = CasinoHarness(tmp_path / "a.db", [plan()])
    timeline, began = Timeline(harness), harness.clock.now
    while harness.state.number < 2:
        harness.advance()
    opened, settled = timeline.times(GameOpened), timeline.times(GameOver)
    assert opened[0] == began
    assert opened[1] - settled[0] == PACE.game_ms
    harness.house.close()


def test_queued_player_unable_to_pay_leaves_the_queue(tmp_path: Path) -> None:
    harness = CasinoHarness(tmp_path / "a.db", [plan(stake_cents=1_000)])
    harness.chips("ann", 3_000)
    service = harness.house.service
    open_game(service)
    service.submit(TakeSeat("t1", "ann")).result(30)
    assert [player for player, _ in harness.state.queue] == ["ann"]
    end_game(harness)
    drain(harness, "ann")
    timeline = Timeline(harness)
    running = next_game(harness)
    left = [one for _, one in timeline.notes if isinstance(one, SeatChanged) and one.what == "left"]
    assert [one.player for one in left] == ["ann"]
    assert running.challenger == "novice"
    harness.house.close()


def drain(harness: CasinoHarness, player: str) -> None:
    """Take all chips from a player by a correction."""

    def work(tx: Transaction) -> Answer:
        cents = tx.balance(accounts.spending_account(player))
        wrong = ((accounts.TREASURY, -cents), (accounts.spending_account(player), cents))
        return {"entry": tx.post(accounts.correct(1, wrong, "a test"))}

    harness.house.service.ledger.submit(work).result(30)


def test_empty_table_is_polled_at_idle_interval(tmp_path: Path) -> None:
    harness = CasinoHarness(tmp_path / "a.db", [plan(challenger="")])
    harness.runner.step(harness.clock.now)
    assert due(harness) == (None, harness.clock.now + IDLE_MS)
    harness.chips("ann")
    harness.house.service.submit(TakeSeat("t1", "ann")).result(30)
    command, _ = due(harness)
    assert command is not None
    harness.house.close()


@pytest.mark.parametrize("bot", ["novice", ""])
def test_seat_is_kept_for_player_who_plays_again(tmp_path: Path, bot: str) -> None:
    harness = harness_on_anns_turn(tmp_path, challenger=bot)
    service = harness.house.service
    service.submit(LeaveSeat("t1", "ann")).result(30)
    end_game(harness)
    harness.runner.step(harness.clock.now)
    assert due(harness) == (None, harness.clock.now + (SEAT_KEPT_MS if bot else IDLE_MS))
    service.submit(TakeSeat("t1", "ann")).result(30)
    assert isinstance(due(harness)[0], OpenGame)
    assert next_game(harness).challenger == "ann"
    harness.house.close()


def test_seat_is_not_kept_for_absent_player_or_past_a_queue(tmp_path: Path) -> None:
    harness = harness_on_anns_turn(tmp_path)
    harness.chips("ben")
    service = harness.house.service
    service.submit(LeaveSeat("t1", "ann")).result(30)
    service.submit(TakeSeat("t1", "ben")).result(30)
    end_game(harness)
    harness.runner.step(harness.clock.now)
    pause = (None, harness.clock.now + PACE.game_ms)
    assert due(harness) == pause
    service.submit(LeaveSeat("t1", "ben")).result(30)
    assert due(harness) == (None, harness.clock.now + SEAT_KEPT_MS)
    harness.runner.set_connected("ann", False, harness.clock.now)
    assert due(harness) == pause
    harness.house.close()


def test_book_closes_exactly_on_time(tmp_path: Path) -> None:
    harness = harness_with(tmp_path, "ann")
    opened = harness.clock.now
    assert due(harness) == (None, opened + PACE.betting_ms)
    harness.house.service.submit(bet(GAME, "ann")).result(30)
    harness.clock.now = opened + PACE.betting_ms - 1
    assert due(harness) == (None, opened + PACE.betting_ms)
    harness.clock.now += 1
    assert due(harness) == (CloseBetting("t1", GAME), harness.clock.now)
    harness.house.close()


def test_l12_book_closes_early_when_bets_cannot_be_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = harness_with(tmp_path, "ann")
    assert due(harness)[0] is None
    monkeypatch.setattr(harness.house.service.ledger, "_free_bytes", lambda: 0)
    assert due(harness) == (CloseBetting("t1", GAME), harness.clock.now)
    harness.runner.step(harness.clock.now)
    assert harness.state.running is not None
    assert harness.state.running.closing is not None
    harness.house.close()


def test_simulated_spectators_bet_once_each_despite_restart(tmp_path: Path) -> None:
    harness = CasinoHarness(tmp_path / "a.db", [plan(spectators=7)])
    timeline = Timeline(harness)
    while not timeline.times(BetAccepted):
        harness.advance()
    opened = timeline.times(GameOpened)[0]
    harness.restart()
    again = Timeline(harness)
    while not again.times(BettingClosed):
        harness.advance()
    bets = [event for _, event in (*timeline.notes, *again.notes) if isinstance(event, BetAccepted)]
    assert len(bets) == len({one.player for one in bets}) >= 5
    assert all(STAR in one.player for one in bets)
    assert min(timeline.times(BetAccepted)) >= opened
    harness.house.close()


def test_g1_simulated_bettors_wait_half_the_betting_time(tmp_path: Path) -> None:
    harness = CasinoHarness(tmp_path / "a.db", [plan(spectators=7)])
    harness.chips("ann")
    harness.house.service.submit(TakeSeat("t1", "ann")).result(30)
    timeline = Timeline(harness)
    while not timeline.times(BettingClosed):
        harness.advance()
    opened, bets = timeline.times(GameOpened)[0], timeline.times(BetAccepted)
    assert len(bets) >= 5
    assert opened + PACE.betting_ms / 2 <= min(bets)
    assert max(bets) < opened + PACE.betting_ms
    harness.house.close()


def test_g16_runner_waits_for_texts_until_reveal_timeout(tmp_path: Path) -> None:
    harness = harness_with(tmp_path, "ann", "ben")
    service = harness.house.service
    for player in ("ann", "ben"):
        service.submit(bet(GAME, player)).result(30)
    service.submit(CloseBetting("t1", GAME)).result(30)
    locked = harness.clock.now
    harness.runner.step(locked)
    assert due(harness) == (None, locked + PACE.reveal_ms)
    service.submit(OpenCut("t1", GAME, "ann", text_of("ann"))).result(30)
    assert due(harness) == (None, locked + PACE.reveal_ms)
    harness.clock.now = locked + PACE.reveal_ms
    assert due(harness) == (CloseReveals("t1", GAME), harness.clock.now)
    harness.house.close()


def play_silent_game(harness: CasinoHarness, *silent: str) -> None:
    service = harness.house.service
    assert harness.state.running is not None
    game = harness.state.running.id
    for player in silent:
        service.submit(bet(game, player)).result(30)
    service.submit(CloseBetting("t1", game)).result(30)
    service.submit(CloseReveals("t1", game)).result(30)
    end_game(harness)


@pytest.mark.parametrize("crash", [False, True])
def test_g16_reveal_timeout_is_shorter_for_recently_silent_players(
    tmp_path: Path, crash: bool
) -> None:
    harness = harness_with(tmp_path, "ann", "ben")
    play_silent_game(harness, "ann")
    if crash:
        harness.restart()
    service = harness.house.service
    for others, wait_ms in (((), SILENT_MS), (("ben",), PACE.reveal_ms)):
        open_game(service)
        assert harness.state.running is not None
        game = harness.state.running.id
        for player in ("ann", *others):
            service.submit(bet(game, player)).result(30)
        service.submit(CloseBetting("t1", game)).result(30)
        locked = harness.clock.now
        harness.runner.step(locked)
        assert due(harness) == (None, locked + wait_ms)
        service.submit(CloseReveals("t1", game)).result(30)
        while harness.state.running is not None:
            harness.advance()
    assert PACE.reveal_ms > SILENT_MS
    harness.house.close()


def closed(path: Path, **rules: Any) -> CasinoHarness:
    harness = harness_with(path, **rules)
    harness.house.service.submit(CloseBetting("t1", GAME)).result(30)
    harness.runner.step(harness.clock.now)
    return harness


def test_deal_and_bot_actions_wait_for_their_pauses(tmp_path: Path) -> None:
    harness = closed(tmp_path)
    now = harness.clock.now
    assert due(harness) == (None, now + PACE.deal_ms)
    harness.clock.now = now + PACE.deal_ms
    assert due(harness) == (DealCards("t1", harness.state.turn), harness.clock.now)
    harness.runner.step(harness.clock.now)
    harness.runner.step(harness.clock.now)
    command, at = due(harness)
    # The turn-up is shown for longer than a card.
    assert (command, at) == (None, harness.clock.now + 25)
    harness.clock.now = at
    command, _ = due(harness)
    assert isinstance(command, PlayBotActions)
    assert len(command.actions) == 1
    harness.house.close()


def test_pause_grows_with_importance_of_action(tmp_path: Path) -> None:
    """A card takes 10 ms here, a bid 16, standing or refusing 23, the king 25, a trick 20 or 35.

    One point before the end of the game, all pauses are half as long again.
    """
    harness = CasinoHarness(tmp_path / "a.db", [plan()])
    timeline = Timeline(harness)
    while harness.state.number < 7:
        harness.advance()
    harness.house.close()
    assert {PACE.action_ms} == {10}
    shown: dict[str, set[int]] = {}
    for (at, event), (then, later) in pairwise(timeline.notes):
        if isinstance(event, ActionTaken) and isinstance(later, ActionTaken):
            kind = "" if len(event.action) == 2 else event.action[0]
            shown.setdefault(kind, set()).add(then - at)
    # One card is followed by a trick, and that by the next lead.
    assert shown.pop("") == {10, 15, 20, 30, 35, 52}
    assert shown["P"] == shown["A"] == shown["X"] == {16, 25}
    assert shown["S"] == shown["R"] == {23, 34}
    assert shown["K"] == {25}


def harness_on_anns_turn(path: Path, **rules: Any) -> CasinoHarness:
    harness = CasinoHarness(path / "a.db", [plan(**rules)])
    harness.chips("ann")
    harness.house.service.submit(TakeSeat("t1", "ann")).result(30)
    advance_to_anns_turn(harness)
    return harness


def advance_to_anns_turn(harness: CasinoHarness) -> None:
    while not (harness.state.running and waits_for_person(harness.state.running)):
        harness.advance()
    harness.runner.step(harness.clock.now)


def test_person_times_out_after_turn_time(tmp_path: Path) -> None:
    harness = harness_on_anns_turn(tmp_path)
    for _ in range(2):
        assert due(harness) == (None, harness.clock.now + PACE.turn_ms)
        assert harness.runner.turn_ms_left(harness.clock.now) == PACE.turn_ms
        harness.clock.now += PACE.turn_ms
    assert due(harness) == (TimeOutPlayer("t1", harness.state.turn), harness.clock.now)
    harness.runner.step(harness.clock.now)
    assert harness.state.running is None or harness.state.running.abandoned
    harness.house.close()


def test_grace_time_counts_from_first_disconnect(tmp_path: Path) -> None:
    harness = harness_on_anns_turn(tmp_path)
    began = harness.clock.now
    harness.runner.set_connected("ann", False, began + 100)
    harness.runner.set_connected("ann", False, began + 4_000)
    harness.clock.now = began + PACE.turn_ms
    assert due(harness) == (None, began + 100 + PACE.grace_ms)
    harness.house.close()
