"""The croupier's timetable, looked at step by step: when he looks again, and what he does then."""

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
from tests.table.nights import PACE, Evening, open_game, plan

GAME = "t1-000001"


class Diary(EventListener):
    def __init__(self, evening: Evening) -> None:
        self.evening = evening
        self.notes: list[tuple[int, object]] = []
        evening.house.service.listeners.append(self)

    def on_event(self, happening: CommittedEvent) -> None:
        self.notes.append((self.evening.clock.now, happening.event))

    def times(self, *kinds: type) -> list[int]:
        return [at for at, event in self.notes if isinstance(event, kinds)]


def text_of(player: str) -> str:
    return fairness.make_contribution("", player.encode().ljust(16, b"."))


def bet(game: str, player: str, sealed: bool = True) -> PlaceBet:
    seal = fairness.commitment_to(game, player, text_of(player)) if sealed else None
    return PlaceBet("t1", game, f"b.{game}", player, 0, 500, seal)


def due(evening: Evening) -> tuple[Any, int]:
    return evening.croupier.next_command(evening.state, evening.clock.now)


def evening_with(path: Path, *players: str, **rules: Any) -> Evening:
    evening = Evening(path / "a.db", [plan(**rules)])
    for player in players:
        evening.chips(player)
    open_game(evening.house.service)
    # The croupier has seen that it is open.
    evening.croupier.step(evening.clock.now)
    return evening


def end_game(evening: Evening) -> None:
    while evening.state.running is not None:
        evening.go()


def next_game(evening: Evening) -> GameState:
    while evening.state.running is None:
        evening.go()
    return evening.state.running


def test_the_first_game_opens_at_once_and_the_next_after_a_pause(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "a.db", [plan()])
    diary, began = Diary(evening), evening.clock.now
    while evening.state.number < 2:
        evening.go()
    opened, settled = diary.times(GameOpened), diary.times(GameOver)
    assert opened[0] == began
    assert opened[1] - settled[0] == PACE.game_ms
    evening.house.close()


def test_who_waits_and_cannot_pay_the_stake_leaves_the_queue(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "a.db", [plan(stake_cents=1_000)])
    evening.chips("ann", 3_000)
    clerk = evening.house.service
    open_game(clerk)
    clerk.submit(TakeSeat("t1", "ann")).result(30)
    assert [player for player, _ in evening.state.queue] == ["ann"]
    end_game(evening)
    drain(evening, "ann")
    diary = Diary(evening)
    running = next_game(evening)
    left = [one for _, one in diary.notes if isinstance(one, SeatChanged) and one.what == "left"]
    assert [one.player for one in left] == ["ann"]
    assert running.challenger == "novice"
    evening.house.close()


def drain(evening: Evening, player: str) -> None:
    """Have a player lose all chips, by an entry that takes them back."""

    def work(tx: Transaction) -> Answer:
        cents = tx.balance(accounts.spending_account(player))
        wrong = ((accounts.TREASURY, -cents), (accounts.spending_account(player), cents))
        return {"entry": tx.post(accounts.correct(1, wrong, "a test"))}

    evening.house.service.ledger.submit(work).result(30)


def test_nobody_at_the_table_is_looked_after_now_and_then(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "a.db", [plan(challenger="")])
    evening.croupier.step(evening.clock.now)
    assert due(evening) == (None, evening.clock.now + IDLE_MS)
    evening.chips("ann")
    evening.house.service.submit(TakeSeat("t1", "ann")).result(30)
    command, _ = due(evening)
    assert command is not None
    evening.house.close()


@pytest.mark.parametrize("bot", ["novice", ""])
def test_the_seat_is_kept_for_its_player_who_plays_again_at_once(tmp_path: Path, bot: str) -> None:
    evening = anns_turn(tmp_path, challenger=bot)
    clerk = evening.house.service
    clerk.submit(LeaveSeat("t1", "ann")).result(30)
    end_game(evening)
    evening.croupier.step(evening.clock.now)
    assert due(evening) == (None, evening.clock.now + (SEAT_KEPT_MS if bot else IDLE_MS))
    clerk.submit(TakeSeat("t1", "ann")).result(30)
    assert isinstance(due(evening)[0], OpenGame)
    assert next_game(evening).challenger == "ann"
    evening.house.close()


def test_a_seat_is_not_kept_for_someone_who_is_gone_or_while_others_wait(tmp_path: Path) -> None:
    evening = anns_turn(tmp_path)
    evening.chips("ben")
    clerk = evening.house.service
    clerk.submit(LeaveSeat("t1", "ann")).result(30)
    clerk.submit(TakeSeat("t1", "ben")).result(30)
    end_game(evening)
    evening.croupier.step(evening.clock.now)
    pause = (None, evening.clock.now + PACE.game_ms)
    assert due(evening) == pause
    clerk.submit(LeaveSeat("t1", "ben")).result(30)
    assert due(evening) == (None, evening.clock.now + SEAT_KEPT_MS)
    evening.croupier.set_connected("ann", False, evening.clock.now)
    assert due(evening) == pause
    evening.house.close()


def test_an_open_book_is_closed_to_the_millisecond(tmp_path: Path) -> None:
    evening = evening_with(tmp_path, "ann")
    opened = evening.clock.now
    assert due(evening) == (None, opened + PACE.betting_ms)
    evening.house.service.submit(bet(GAME, "ann")).result(30)
    evening.clock.now = opened + PACE.betting_ms - 1
    assert due(evening) == (None, opened + PACE.betting_ms)
    evening.clock.now += 1
    assert due(evening) == (CloseBetting("t1", GAME), evening.clock.now)
    evening.house.close()


def test_l12_a_book_is_closed_early_when_no_bets_can_be_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evening = evening_with(tmp_path, "ann")
    assert due(evening)[0] is None
    monkeypatch.setattr(evening.house.service.ledger, "_free_bytes", lambda: 0)
    assert due(evening) == (CloseBetting("t1", GAME), evening.clock.now)
    evening.croupier.step(evening.clock.now)
    assert evening.state.running is not None
    assert evening.state.running.closing is not None
    evening.house.close()


def test_spectators_bet_at_their_moments_and_once(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "a.db", [plan(spectators=7)])
    diary = Diary(evening)
    while not diary.times(BetAccepted):
        evening.go()
    opened = diary.times(GameOpened)[0]
    evening.again()
    again = Diary(evening)
    while not again.times(BettingClosed):
        evening.go()
    bets = [event for _, event in (*diary.notes, *again.notes) if isinstance(event, BetAccepted)]
    assert len(bets) == len({one.player for one in bets}) >= 5
    assert all(STAR in one.player for one in bets)
    assert min(diary.times(BetAccepted)) >= opened
    evening.house.close()


def test_g1_simulated_bettors_leave_the_challenger_half_the_time_to_start(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "a.db", [plan(spectators=7)])
    evening.chips("ann")
    evening.house.service.submit(TakeSeat("t1", "ann")).result(30)
    diary = Diary(evening)
    while not diary.times(BettingClosed):
        evening.go()
    opened, bets = diary.times(GameOpened)[0], diary.times(BetAccepted)
    assert len(bets) >= 5
    assert opened + PACE.betting_ms / 2 <= min(bets)
    assert max(bets) < opened + PACE.betting_ms
    evening.house.close()


def test_g16_shut_texts_are_waited_for_and_then_no_longer(tmp_path: Path) -> None:
    evening = evening_with(tmp_path, "ann", "ben")
    clerk = evening.house.service
    for player in ("ann", "ben"):
        clerk.submit(bet(GAME, player)).result(30)
    clerk.submit(CloseBetting("t1", GAME)).result(30)
    locked = evening.clock.now
    evening.croupier.step(locked)
    assert due(evening) == (None, locked + PACE.reveal_ms)
    clerk.submit(OpenCut("t1", GAME, "ann", text_of("ann"))).result(30)
    assert due(evening) == (None, locked + PACE.reveal_ms)
    evening.clock.now = locked + PACE.reveal_ms
    assert due(evening) == (CloseReveals("t1", GAME), evening.clock.now)
    evening.house.close()


def silent_game(evening: Evening, *silent: str) -> None:
    clerk = evening.house.service
    assert evening.state.running is not None
    game = evening.state.running.id
    for player in silent:
        clerk.submit(bet(game, player)).result(30)
    clerk.submit(CloseBetting("t1", game)).result(30)
    clerk.submit(CloseReveals("t1", game)).result(30)
    end_game(evening)


@pytest.mark.parametrize("crash", [False, True])
def test_g16_whoever_left_a_text_shut_lately_is_waited_for_less(
    tmp_path: Path, crash: bool
) -> None:
    evening = evening_with(tmp_path, "ann", "ben")
    silent_game(evening, "ann")
    if crash:
        evening.again()
    clerk = evening.house.service
    for others, wait_ms in (((), SILENT_MS), (("ben",), PACE.reveal_ms)):
        open_game(clerk)
        assert evening.state.running is not None
        game = evening.state.running.id
        for player in ("ann", *others):
            clerk.submit(bet(game, player)).result(30)
        clerk.submit(CloseBetting("t1", game)).result(30)
        locked = evening.clock.now
        evening.croupier.step(locked)
        assert due(evening) == (None, locked + wait_ms)
        clerk.submit(CloseReveals("t1", game)).result(30)
        while evening.state.running is not None:
            evening.go()
    assert PACE.reveal_ms > SILENT_MS
    evening.house.close()


def closed(path: Path, **rules: Any) -> Evening:
    evening = evening_with(path, **rules)
    evening.house.service.submit(CloseBetting("t1", GAME)).result(30)
    evening.croupier.step(evening.clock.now)
    return evening


def test_a_deal_comes_after_its_pause_and_bots_act_after_theirs(tmp_path: Path) -> None:
    evening = closed(tmp_path)
    now = evening.clock.now
    assert due(evening) == (None, now + PACE.deal_ms)
    evening.clock.now = now + PACE.deal_ms
    assert due(evening) == (DealCards("t1", evening.state.turn), evening.clock.now)
    evening.croupier.step(evening.clock.now)
    evening.croupier.step(evening.clock.now)
    command, at = due(evening)
    # The turn-up is looked at for longer than a card.
    assert (command, at) == (None, evening.clock.now + 25)
    evening.clock.now = at
    command, _ = due(evening)
    assert isinstance(command, PlayBotActions)
    assert len(command.actions) == 1
    evening.house.close()


def test_what_decides_more_is_shown_for_longer(tmp_path: Path) -> None:
    """A card 10 ms here, a word 16, standing or refusing 23, the king 25, a trick 20 or 35.

    A point before the end of the game, all of them half as long again.
    """
    evening = Evening(tmp_path / "a.db", [plan()])
    diary = Diary(evening)
    while evening.state.number < 7:
        evening.go()
    evening.house.close()
    assert {PACE.action_ms} == {10}
    shown: dict[str, set[int]] = {}
    for (at, event), (then, later) in pairwise(diary.notes):
        if isinstance(event, ActionTaken) and isinstance(later, ActionTaken):
            kind = "" if len(event.action) == 2 else event.action[0]
            shown.setdefault(kind, set()).add(then - at)
    # One card is followed by a trick, and that by the next lead.
    assert shown.pop("") == {10, 15, 20, 30, 35, 52}
    assert shown["P"] == shown["A"] == shown["X"] == {16, 25}
    assert shown["S"] == shown["R"] == {23, 34}
    assert shown["K"] == {25}


def anns_turn(path: Path, **rules: Any) -> Evening:
    evening = Evening(path / "a.db", [plan(**rules)])
    evening.chips("ann")
    evening.house.service.submit(TakeSeat("t1", "ann")).result(30)
    until_anns_turn(evening)
    return evening


def until_anns_turn(evening: Evening) -> None:
    while not (evening.state.running and waits_for_person(evening.state.running)):
        evening.go()
    evening.croupier.step(evening.clock.now)


def test_a_person_has_the_turns_time_and_no_more(tmp_path: Path) -> None:
    evening = anns_turn(tmp_path)
    for _ in range(2):
        assert due(evening) == (None, evening.clock.now + PACE.turn_ms)
        assert evening.croupier.turn_ms_left(evening.clock.now) == PACE.turn_ms
        evening.clock.now += PACE.turn_ms
    assert due(evening) == (TimeOutPlayer("t1", evening.state.turn), evening.clock.now)
    evening.croupier.step(evening.clock.now)
    assert evening.state.running is None or evening.state.running.abandoned
    evening.house.close()


def test_a_line_that_was_lost_first_counts_from_then(tmp_path: Path) -> None:
    evening = anns_turn(tmp_path)
    began = evening.clock.now
    evening.croupier.set_connected("ann", False, began + 100)
    evening.croupier.set_connected("ann", False, began + 4_000)
    evening.clock.now = began + PACE.turn_ms
    assert due(evening) == (None, began + 100 + PACE.grace_ms)
    evening.house.close()
