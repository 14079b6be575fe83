"""Events become groups: a crowd of bets waits for its book, everything else goes at once."""

from __future__ import annotations

from pathlib import Path

from casino.table.domain.commands import PlaceBet
from casino.table.public.feed import BOOK_EVERY_MS, EventBatch, EventBatcher
from tests.table.nights import Evening, plan
from tests.table.test_feed import Notes


def noted(tmp_path: Path) -> Notes:
    """What happens until three people have bet and the book has closed."""
    evening, notes = Evening(tmp_path / "casino.db", [plan()]), Notes()
    evening.house.service.listeners.append(notes)
    while evening.state.running is None:
        evening.go()
    game = evening.state.running.id
    for number, player in enumerate(("ann", "ben", "cy")):
        evening.chips(player)
        evening.house.service.submit(PlaceBet("t1", game, f"b{number}", player, 0, 500)).result()
    while not any(one.event.kind == "betting_closed" for one in notes.noted):
        evening.go()
    evening.house.close()
    return notes


def test_bets_wait_for_each_other_and_nothing_overtakes_them(tmp_path: Path) -> None:
    grouping, groups = EventBatcher("t1", 0), list[EventBatch]()
    for one in noted(tmp_path).noted:
        groups += grouping.add(one.event, one.after.turn, BOOK_EVERY_MS)
    kinds = [[event.kind for event in group.events] for group in groups]
    bets = kinds.index(["bet"])
    assert kinds[bets + 1] == ["bet", "bet"]
    assert all(len(kind) == 1 for kind in kinds[bets + 2 :])
    assert grouping.wait_ms(0) is None
    assert grouping.flush(0) == []


def test_what_waits_is_due_after_its_time(tmp_path: Path) -> None:
    happened = noted(tmp_path).noted
    first, second, _ = (one for one in happened if one.event.kind == "bet")
    grouping = EventBatcher("t1", 7)
    assert len(grouping.add(first.event, first.after.turn, 1_000)) == 1
    assert grouping.add(second.event, second.after.turn, 1_000) == []
    assert grouping.wait_ms(1_100) == BOOK_EVERY_MS - 100
    assert grouping.wait_ms(9_000) == 0
    assert grouping.flush(9_000) == [EventBatch("t1", (second.event,), 7, 9_000)]
