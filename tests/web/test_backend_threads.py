"""Bots and the writer run outside the web's event loop: waiting for them blocks no one else."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from casino.ledger.transaction import Answer, Transaction
from casino.table.domain.state import GameState, TableState
from casino.table.runtime.headless import bot_command
from tests.web.raw_socket import RawSocket
from tests.web.server import FAST, LONG_BETTING, TIMEOUT_SECONDS, Visitor, open_server


class Gate:
    """Blocks a thread of the backend until the test opens it."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.open = threading.Event()

    def pass_through(self) -> None:
        self.reached.set()
        assert self.open.wait(TIMEOUT_SECONDS)


def game_ends(visitor: Visitor, table: str) -> list[bool]:
    """Return for each event a visitor received whether it ended a game at a table."""
    return [(e["type"], e["table"]) == ("game_over", table) for e in visitor.events]


def test_a_thinking_bot_blocks_no_other_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = {name: {**FAST, "number": 0} for name in ("slow", "fast")}
    with open_server(tmp_path / "a.db", {**tables, "open": LONG_BETTING}) as server:
        gate, ann = Gate(), server.visitor("ann")
        ann.join("slow")

        def think(state: TableState, running: GameState) -> Any:
            if state.rules.name == "slow":
                gate.pass_through()
            return bot_command(state, running)

        monkeypatch.setattr("casino.table.runtime.table_runner.bot_command", think)
        assert gate.reached.wait(TIMEOUT_SECONDS)
        asked = ann.join("slow")["snapshot"]
        assert asked["deal"] is not None
        ended = sum(game_ends(ann, "slow"))
        ann.join("fast")
        ann.until(lambda: any(game_ends(ann, "fast")))
        assert ann.bet("open", "while-it-thinks")["ok"]
        assert ann.join("slow")["snapshot"]["deal"] == asked["deal"]
        gate.open.set()
        ann.until(lambda: sum(game_ends(ann, "slow")) > ended)


def test_a_slow_writer_does_not_delay_reads(tmp_path: Path) -> None:
    gate = Gate()

    def slow(_: Transaction) -> Answer:
        gate.pass_through()
        return {}

    with open_server(tmp_path / "a.db", {"open": LONG_BETTING}) as server:
        ann, ben = server.visitor("ann"), server.visitor("ben")
        bet = {"game": ann.game("open"), "bet_id": "slow", "side": "house", "unit_cents": 500}
        server.house.service.ledger.submit(slow)
        assert gate.reached.wait(TIMEOUT_SECONDS)
        with ThreadPoolExecutor() as pool:
            answer = pool.submit(ann.request, "place_bet", table="open", **bet)
            for _ in range(3):
                assert ben.join("open")["snapshot"]["bets"] == []
                assert ben.get("/api/tables/open")["bets"] == []
            with RawSocket(server.url) as stranger:
                assert stranger.ask("join", {"table": "open"})["ok"]
            assert not answer.done()
            gate.open.set()
            assert answer.result(TIMEOUT_SECONDS)["balance_cents"] == 98_500
