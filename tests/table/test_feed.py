"""Messages of a table's feed: nothing is lost when bets are batched."""

from __future__ import annotations

from pathlib import Path

from casino.table.domain.commands import PlaceBet
from casino.table.public.feed import EventBatcher, TableFeed, TableTransfer
from casino.table.public.state import Message, PublicTable
from casino.table.runtime.service import CommittedEvent, EventListener
from tests.table.casino_harness import CasinoHarness, plan

CROWD = ("ann", "ben", "cy", "dee", "eve")


class Notes(EventListener):
    def __init__(self) -> None:
        self.noted: list[CommittedEvent] = []

    def on_event(self, happening: CommittedEvent) -> None:
        self.noted.append(happening)


def told_of(board: TableFeed, notes: Notes) -> list[Message]:
    grouping = EventBatcher("t1", 0)
    groups = [g for one in notes.noted for g in grouping.add(one.event, one.after.turn, 1)]
    return [message for group in [*groups, *grouping.flush(1)] for message in board.publish(group)]


def test_seals_of_batched_bets_are_sent_with_book(tmp_path: Path) -> None:
    harness = CasinoHarness(tmp_path / "casino.db", [plan()])
    notes = Notes()
    harness.house.service.listeners.append(notes)
    board = TableFeed(TableTransfer(PublicTable(harness.state.rules)))
    while harness.state.running is None:
        harness.advance()
    game = harness.state.running.id
    for number, player in enumerate(CROWD):
        harness.chips(player)
        bet = PlaceBet("t1", game, f"b{number}", player, number % 2, 500, f"{number:064x}")
        harness.house.service.submit(bet).result()
    told = told_of(board, notes)
    harness.house.close()
    book = told[-1]
    assert book["type"] == "book"
    assert [bet["player"] for bet in book["new_bets"]] == list(CROWD)
    sealed = [(bet["seal_number"], bet["player"]) for bet in book["new_bets"]]
    assert sealed == [(one["number"], one["player"]) for one in board.snapshot(1)["seals"]]
    assert [number for number, _ in sealed] == [1, 2, 3, 4, 5]


def test_g9_opening_message_equals_snapshot_of_empty_book(tmp_path: Path) -> None:
    harness = CasinoHarness(tmp_path / "casino.db", [plan(house_cover_cents=700)])
    notes = Notes()
    harness.house.service.listeners.append(notes)
    board = TableFeed(TableTransfer(PublicTable(harness.state.rules)))
    while harness.state.running is None:
        harness.advance()
    told = told_of(board, notes)
    harness.house.close()
    opened, seen = told[-1], board.snapshot(1)
    assert opened["cover"] == {"house_cents": 700, "challenger_cents": 0}
    assert {key: seen[key] for key in opened if key != "type"} == {
        key: value for key, value in opened.items() if key not in ("type", "seconds")
    } | {"seconds": seen["seconds"]}
