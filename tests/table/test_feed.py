"""Publishing without a casino: batches, versions, missed messages, the lobby."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from casino.events.types import BetAccepted, CutLate, CutSealed, SeatChanged
from casino.table.domain.commands import OpenGame, PlaceBet, TableCommand, TakeSeat
from casino.table.domain.handlers import decide
from casino.table.domain.settings import TableSettings
from casino.table.public import feed as boards
from casino.table.public.feed import (
    BOOK_EVERY_MS,
    EventBatch,
    EventBatcher,
    TableFeed,
    TableTransfer,
)
from casino.table.public.state import Message, PublicTable, apply_event
from tests.table.test_decide import IDLE, RULES, SEED, stub_context
from tests.table.test_shuffle import CUT as SEALS
from tests.table.test_shuffle import LOCK, TIME_UP
from tests.table.test_shuffle import bet as bets

START = 10_000


def queued(player: str, at: int = 5) -> SeatChanged:
    return SeatChanged(at=at, player=player, table="t1", what="queued")


def bet(order: int, player: str = "ben") -> BetAccepted:
    return BetAccepted(
        at=5, game="t1-000001", order=order, player=player, side="house", unit_cents=100
    )


CUT = CutSealed(at=5, game="t1-000001", player="ann", seal="0" * 64)


def test_bets_within_a_quarter_second_are_batched() -> None:
    grouping = EventBatcher("t1")
    assert grouping.add(bet(1), 7, START) == [EventBatch("t1", (bet(1),), 7, START)]
    assert grouping.add(bet(2), 7, START + 1) == []
    assert grouping.add(CUT, 7, START + BOOK_EVERY_MS - 1) == []
    assert grouping.due_at == START + BOOK_EVERY_MS
    (group,) = grouping.add(bet(3), 7, START + BOOK_EVERY_MS)
    assert group == EventBatch("t1", (bet(2), CUT, bet(3)), 7, START + BOOK_EVERY_MS)
    assert grouping.due_at == math.inf


def test_other_events_flush_waiting_bets_first() -> None:
    grouping = EventBatcher("t1")
    grouping.add(bet(1), 7, START)
    grouping.add(bet(2), 7, START + 1)
    waited, other = grouping.add(queued("cy"), 8, START + 2, "proof")
    assert waited == EventBatch("t1", (bet(2),), 7, START + 2)
    assert other == EventBatch("t1", (queued("cy"),), 8, START + 2, "proof")
    assert grouping.add(bet(3), 8, START + 3) == [], "a book has just been told"
    assert grouping.flush(START + 4)[0].turn == 8


def told(number: int) -> TableFeed:
    """Return a feed after some players have queued, each in a separate turn."""
    board = TableFeed(TableTransfer(PublicTable(RULES), version=40))
    for place in range(number):
        board.publish(EventBatch("t1", (queued(f"p{place}"),), place + 1, START + place))
    return board


def test_version_counts_messages() -> None:
    board = TableFeed(TableTransfer(PublicTable(RULES), version=40))
    first = board.publish(EventBatch("t1", (queued("ann"),), 1, START))
    second = board.publish(EventBatch("t1", (queued("ben"),), 2, START))
    assert [one["version"] for one in (*first, *second)] == [41, 42]
    assert {one["table"] for one in first} == {"t1"}
    assert board.version == 42
    assert board.notice({"type": "x"}) == {"type": "x", "table": "t1", "version": 42}
    assert board.version == 42
    assert board.snapshot(START)["version"] == board.summary()["version"] == 42


def test_client_gets_messages_since_its_version() -> None:
    board = told(5)
    found = board.messages_since(42, START)
    assert found is not None
    assert [one["version"] for one in found] == [43, 44, 45]
    assert board.messages_since(45, START) == []
    whole = board.messages_since(40, START)
    assert whole is not None and len(whole) == 5
    assert board.messages_since(46, START) is None, "from a version that was never told"
    assert board.messages_since(39, START) is None, "from before anything is remembered"


def test_client_too_far_behind_gets_a_snapshot() -> None:
    board = told(boards.MAX_MISSED + 1)
    found = board.messages_since(board.version - boards.MAX_MISSED, START)
    assert found is not None and len(found) == boards.MAX_MISSED
    assert board.messages_since(board.version - boards.MAX_MISSED - 1, START) is None


def test_unpublished_event_still_advances_the_turn() -> None:
    board = told(2)
    late = CutLate(at=5, game="t1-000001", number=1, text="0" * 32)
    assert board.publish(EventBatch("t1", (late,), 7, START)) == []
    assert (board.version, board.turn, board.turn_at(42), board.turn_at(41)) == (42, 7, 7, 1)


def test_reset_makes_every_client_load_a_snapshot() -> None:
    board = told(3)
    again = TableTransfer(apply_event(PublicTable(RULES), queued("zoe")))
    notice = board.reset(replace(again, turn=15, version=60))
    assert notice == {"type": "restored", "table": "t1", "version": 60}
    assert board.turn == 15
    for feed in (board, TableFeed(board.transfer())):
        assert feed.messages_since(43, START) is None, "the client has the table as it was before"
        assert feed.messages_since(60, START) == []
    board.publish(EventBatch("t1", (queued("cy"),), 16, START))
    assert board.messages_since(43, START) is None
    assert board.messages_since(61, START) == []
    assert [name for name in board.table.queue if name in ("zoe", "cy", "p0")] == ["zoe", "cy"]


def test_transfer_restores_table_version_and_turn() -> None:
    board = told(2)
    other = TableFeed(board.transfer())
    assert (other.table, other.version, other.turn) == (board.table, 42, 2)
    assert other.name == "t1"
    later = TableSettings("t1", stake_cents=5)
    coming = PublicTable(RULES, coming=((9, later),), number=3, queue=("ann",), since=77)
    sent = TableTransfer(coming, (queued("ben"),))
    assert msgspec.json.decode(msgspec.json.encode(sent), type=TableTransfer) == sent


def publish_stepwise(*commands: TableCommand) -> tuple[TableFeed, list[Message]]:
    """Publish all events of some commands, one second apart; return feed and messages."""
    state, board, said = IDLE, TableFeed(TableTransfer(PublicTable(RULES))), list[Message]()
    grouping, at = EventBatcher("t1"), START
    for command in commands:
        for step in decide(state, command, stub_context()):
            at += 1_000
            event = replace(step.event, at=at)
            for group in grouping.add(event, step.after.turn, at, "the proof"):
                said += board.publish(group)
            state = step.after
    return board, said


OPENED = (TakeSeat("t1", "ann", 700), OpenGame("t1", SEED))
PHASES: list[tuple[tuple[TableCommand, ...], str]] = [
    (OPENED, "betting"),
    ((*OPENED, SEALS, bets("ben")), "betting"),
    ((*OPENED, SEALS, bets("ben"), LOCK), "opening"),
    ((*OPENED, SEALS, bets("ben"), LOCK, TIME_UP), "playing"),
    ((*OPENED, LOCK), "playing"),
]


@pytest.mark.parametrize(("commands", "phase"), PHASES)
def test_summary_shows_phase_of_game(commands: tuple[TableCommand, ...], phase: str) -> None:
    board, _ = publish_stepwise(*commands)
    line = board.summary()
    assert (line["phase"], line["game"], line["challenger"]) == (phase, "t1-000001", "ann")
    assert line["score"] == {"house": 0, "challenger": 0}
    assert line["bots"] == {"house": "regle"}
    assert line["bets"] == sum(isinstance(one, PlaceBet) for one in commands)
    assert line["deal"] == 0


def reproved(board: TableFeed) -> Any:
    """Return the proof in the snapshot of a copy that is given another one."""
    return TableFeed(replace(board.transfer(), proof="another")).snapshot(START)["proof"]


def test_g10_lock_proof_is_shown_while_game_runs() -> None:
    for commands in ((LOCK,), (LOCK, TIME_UP)):
        board, said = publish_stepwise(*OPENED, SEALS, bets("ben"), *commands)
        (lock,) = (one for one in said if one["type"] == "book_locked")
        assert lock["proof"] == board.snapshot(START)["proof"] == "the proof"
        assert reproved(board) == "another"
    unsealed: list[tuple[TableCommand, ...]] = [(), (SEALS,), (LOCK,)]
    for some in unsealed:
        assert reproved(publish_stepwise(*OPENED, *some)[0]) == ""


def test_clock_counts_from_game_opening() -> None:
    board, said = publish_stepwise(*OPENED)
    (opened,) = (one for one in said if one["type"] == "game_opened")
    betting_s = RULES.pace.betting_ms / 1_000
    opened_at = board.table.since
    assert opened["seconds"] == board.seconds_left(opened_at) == betting_s
    assert board.seconds_left(opened_at + 1_500) == betting_s - 1.5
    missed = board.messages_since(opened["version"] - 1, opened_at + 1_500)
    assert missed is not None
    assert missed[0]["seconds"] == betting_s - 1.5
    assert opened["seconds"] == betting_s, "what is remembered is not changed"
    assert TableFeed(TableTransfer(PublicTable(RULES))).seconds_left(START) is None


def test_large_batch_of_bets_is_sent_as_one_book() -> None:
    for number, singly in ((boards.MAX_SINGLE_BETS, True), (boards.MAX_SINGLE_BETS + 1, False)):
        board, _ = publish_stepwise(*OPENED)
        crowd = tuple(bet(order, f"p{order}") for order in range(1, number + 1))
        said = board.publish(EventBatch("t1", crowd, 2, START))
        assert said[-1]["type"] == "book"
        assert [one["type"] for one in said[:-1]] == ["bet_accepted"] * (number if singly else 0)
        listed = said[-1].get("new_bets", [])
        assert [one["player"] for one in listed] == ([] if singly else [b.player for b in crowd])
        assert all("game" not in one and "type" not in one for one in listed)
        assert said[-1].get("new_cuts", []) == []
