"""What a table's board tells, as the clerk's happenings come: nothing is lost in a crowd."""

from __future__ import annotations

from pathlib import Path

from casino.table.domain.commands import PlaceBet
from casino.table.public.feed import EventBatcher, TableFeed
from casino.table.public.state import Message, PublicTable
from casino.table.runtime.service import CommittedEvent, EventListener
from tests.table.nights import Evening, plan

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


def test_seals_in_a_crowd_of_bets_are_told_with_the_book(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "casino.db", [plan()])
    notes = Notes()
    evening.house.service.listeners.append(notes)
    board = TableFeed(PublicTable(evening.state.rules), 0, 0)
    while evening.state.running is None:
        evening.go()
    game = evening.state.running.id
    for number, player in enumerate(CROWD):
        evening.chips(player)
        bet = PlaceBet("t1", game, f"b{number}", player, number % 2, 500, f"{number:064x}")
        evening.house.service.submit(bet).result()
    told = told_of(board, notes)
    evening.house.close()
    book = told[-1]
    assert book["type"] == "book"
    assert [bet["player"] for bet in book["new_bets"]] == list(CROWD)
    sealed = [(bet["seal_number"], bet["player"]) for bet in book["new_bets"]]
    assert sealed == [(one["number"], one["player"]) for one in board.snapshot(1)["seals"]]
    assert [number for number, _ in sealed] == [1, 2, 3, 4, 5]


def test_g9_the_opening_tells_what_a_snapshot_tells_of_an_empty_book(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "casino.db", [plan(house_cover_cents=700)])
    notes = Notes()
    evening.house.service.listeners.append(notes)
    board = TableFeed(PublicTable(evening.state.rules), 0, 0)
    while evening.state.running is None:
        evening.go()
    told = told_of(board, notes)
    evening.house.close()
    opened, seen = told[-1], board.snapshot(1)
    assert opened["cover"] == {"house_cents": 700, "challenger_cents": 0}
    assert {key: seen[key] for key in opened if key != "type"} == {
        key: value for key, value in opened.items() if key not in ("type", "seconds")
    } | {"seconds": seen["seconds"]}
