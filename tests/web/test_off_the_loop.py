"""The house is off the loop of the browsers: who waits for it holds up nobody else."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from casino.bank import store
from casino.ecarte.actions import Action
from casino.ecarte.view import View
from casino.players.bots import BOTS, Chance
from casino.table import playing
from tests.web.doors import BETTING_FOR_EVER, FAST, PATIENCE, Visitor, open_doors
from tests.web.raw import Raw


class Gate:
    """Holds up a thread of the house until the test lets it go on."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.open = threading.Event()

    def pass_through(self) -> None:
        """Say that somebody is here, and wait."""
        self.reached.set()
        assert self.open.wait(PATIENCE)


class Thinker:
    """A bot that thinks for as long as the test wants."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def choose(self, view: View, legal_actions: Sequence[Action], rng: Chance) -> Action:
        """What the rule of thumb says, after a long while."""
        self._gate.pass_through()
        return BOTS["regle"].choose(view, legal_actions, rng)


def over(visitor: Visitor, table: str) -> bool:
    """Whether somebody has heard a game of a table end."""
    return any((e["type"], e["table"]) == ("game_over", table) for e in visitor.events)


def test_a_bot_that_thinks_holds_nobody_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Meanwhile its table takes visitors, another plays on, and bets are durable."""
    gate = Gate()
    monkeypatch.setattr(playing, "BOTS", {**BOTS, "novice": Thinker(gate)})
    tables = {
        "slow": {**FAST, "challenger": "novice", "number": 0},
        "fast": {**FAST, "challenger": "regle", "number": 0},
        "open": {**BETTING_FOR_EVER},
    }
    with open_doors(tmp_path / "a.db", tables) as doors:
        ann = doors.visitor("ann")
        assert gate.reached.wait(PATIENCE)
        asked = ann.join("slow")["snapshot"]
        assert asked["deal"] is not None
        ann.join("fast")
        ann.until(lambda: over(ann, "fast"))
        assert ann.bet("open", "while-it-thinks")["ok"]
        assert ann.join("slow")["snapshot"]["deal"] == asked["deal"]
        gate.open.set()
        ann.until(lambda: over(ann, "slow"))
        ann.close()


def test_a_slow_disk_holds_up_only_who_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a bet is being written, everybody else is answered; it is acknowledged after that."""
    gate, write = Gate(), store.write

    def slow_write(*given: Any) -> None:
        gate.pass_through()
        write(*given)

    with open_doors(tmp_path / "a.db", {"open": BETTING_FOR_EVER}) as doors:
        ann, ben = doors.visitor("ann"), doors.visitor("ben")
        game = ann.game("open")
        monkeypatch.setattr(store, "write", slow_write)
        bet = {"bet_id": "slow", "side": "house", "unit_cents": 500}
        answer: list[Any] = []
        asking = threading.Thread(
            target=lambda: answer.append(ann.ask("place_bet", table="open", game=game, **bet))
        )
        asking.start()
        assert gate.reached.wait(PATIENCE)
        assert ben.join("open")["snapshot"]["bets"] == []
        assert ben.get("/api/tables/open")["bets"] == []
        with Raw(doors.url) as stranger:
            assert stranger.ask("join", {"table": "open"})["ok"]
        assert answer == []
        gate.open.set()
        asking.join(PATIENCE)
        assert answer[0]["balance_cents"] == 98_500
        ann.close()
        ben.close()
