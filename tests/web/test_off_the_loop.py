"""The house is off the loop of the browsers: who waits for it holds up nobody else."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from casino.ledger.transaction import Answer, Transaction
from casino.table.domain.state import GameState, TableState
from casino.table.runtime.headless.plan import bot_command
from tests.web.doors import BETTING_FOR_EVER, FAST, PATIENCE, Visitor, open_doors
from tests.web.raw import Raw


class Gate:
    """Holds up a thread of the house until the test lets it go on."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.open = threading.Event()

    def pass_through(self) -> None:
        self.reached.set()
        assert self.open.wait(PATIENCE)


def slowly(work: Callable[..., Any], gate: Gate) -> Callable[..., Any]:
    def done(*given: Any) -> Any:
        gate.pass_through()
        return work(*given)

    return done


def over(visitor: Visitor, table: str) -> list[bool]:
    """Of each event that a visitor has heard, whether a game of a table ended with it."""
    return [(e["type"], e["table"]) == ("game_over", table) for e in visitor.events]


def test_a_bot_that_thinks_holds_nobody_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = {name: {**FAST, "number": 0} for name in ("slow", "fast")}
    with open_doors(tmp_path / "a.db", {**tables, "open": BETTING_FOR_EVER}) as doors:
        gate, ann = Gate(), doors.visitor("ann")
        ann.join("slow")
        slow = slowly(bot_command, gate)

        def think(state: TableState, running: GameState) -> Any:
            return (slow if state.rules.name == "slow" else bot_command)(state, running)

        monkeypatch.setattr("casino.table.runtime.table_runner.bot_command", think)
        assert gate.reached.wait(PATIENCE)
        asked = ann.join("slow")["snapshot"]
        assert asked["deal"] is not None
        ended = sum(over(ann, "slow"))
        ann.join("fast")
        ann.until(lambda: any(over(ann, "fast")))
        assert ann.bet("open", "while-it-thinks")["ok"]
        assert ann.join("slow")["snapshot"]["deal"] == asked["deal"]
        gate.open.set()
        ann.until(lambda: sum(over(ann, "slow")) > ended)
        ann.close()


def test_a_slow_writer_holds_up_only_who_waits_for_it(tmp_path: Path) -> None:
    gate = Gate()

    def slow(_: Transaction) -> Answer:
        gate.pass_through()
        return {}

    with open_doors(tmp_path / "a.db", {"open": BETTING_FOR_EVER}) as doors:
        ann, ben = doors.visitor("ann"), doors.visitor("ben")
        bet = {"game": ann.game("open"), "bet_id": "slow", "side": "house", "unit_cents": 500}
        doors.house.service.ledger.submit(slow)
        assert gate.reached.wait(PATIENCE)
        answers: list[Any] = []
        asking = threading.Thread(
            target=lambda: answers.append(ann.request("place_bet", table="open", **bet))
        )
        asking.start()
        for _ in range(3):
            assert ben.join("open")["snapshot"]["bets"] == []
            assert ben.get("/api/tables/open")["bets"] == []
        with Raw(doors.url) as stranger:
            assert stranger.ask("join", {"table": "open"})["ok"]
        assert answers == []
        gate.open.set()
        asking.join(PATIENCE)
        assert answers[0]["balance_cents"] == 98_500
        ann.close()
        ben.close()
