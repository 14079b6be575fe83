"""G18: refills for players without chips, once in some hours and up to the settings' amount."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from casino.client.client import CasinoClient
from casino.errors import Refused
from casino.ledger import accounts
from casino.ledger.ledger import Ledger, grant
from casino.ledger.transaction import Answer, Transaction
from casino.table.runtime.refills import refill
from casino.web.schemas.messages import Refilled
from tests.audit.leaf_builders import entry
from tests.ledger.game_simulator import open_ledger
from tests.table.casino_harness import audited, log_of
from tests.web.server import LONG_BETTING, now_ms, open_server
from tests.web.test_account_security import HOUR_MS, copy_of

TABLES = {"open": LONG_BETTING, "low": {**LONG_BETTING, "least_cents": 50}}
POOR = {"opening_cents": 30, "refill_cents": 20_000, "refill_hours": 4}
"""Settings under which an account starts with less than the smallest bet."""


def refill_result(client: CasinoClient) -> str:
    try:
        Refilled.model_validate(client.post("/api/refill", {}))
    except Refused as refusal:
        return refusal.reason
    return "ok"


def grants(path: Path) -> list[dict[str, Any]]:
    leaves = [json.loads(body) for body in log_of(path)]
    return [leaf for leaf in leaves if leaf.get("reason") == "refill"]


def test_g18_a_lost_refill_is_not_repeated_too_soon(tmp_path: Path) -> None:
    now = [now_ms()]
    path = tmp_path / "a.db"
    poor = {**POOR, "refill_cents": 300}
    with open_server(path, TABLES, lambda: now[0], lambda: now[0], web=poor) as server:
        ann = server.visitor("ann")
        assert ann.post("/api/refill", {})["balance_cents"] == 300
        assert ann.bet("open", "all", "house", 100)["balance_cents"] == 0
        assert refill_result(ann) == "chips_left"
    more = {**poor, "refill_cents": 600}
    dear = {"open": {**LONG_BETTING, "least_cents": 400}}
    with open_server(path, dear, lambda: now[0], lambda: now[0], web=more) as server:
        ann.url = server.url
        assert refill_result(ann) == "refill_too_soon"
        now[0] += 4 * HOUR_MS
        assert ann.post("/api/refill", {})["granted_cents"] == 300
    assert len(grants(path)) == 2
    (told,) = (one for one in audited(path).findings if one.severity != "note")
    assert told.severity == "warning"
    assert told.text == "the house changes its grants: refill_cents 300 to 600"


def test_g18_concurrent_requests_grant_one_refill(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with open_server(path, TABLES, web=POOR) as server:
        ann = server.visitor("ann")
        assert ann.get("/api/me")["refill_below_cents"] == 50
        with ThreadPoolExecutor(20) as pool:
            list(pool.map(refill_result, [copy_of(ann) for _ in range(20)]))
        assert ann.get("/api/me")["balance_cents"] == 20_000
        assert server.visitor("ben").post("/api/refill", {})["balance_cents"] == 20_000
    assert [grant["postings"][1][1] for grant in grants(path)] == [19_970, 19_970]


def test_g18_refills_need_an_account_and_a_setting(tmp_path: Path) -> None:
    with open_server(tmp_path / "a.db", TABLES, web={"refill_cents": 0}) as server:
        visitor = server.visitor()
        assert refill_result(visitor) == "not_entered"
        visitor.enter("ann")
        assert refill_result(visitor) == "no_refills"
        assert visitor.get("/api/me")["refill_below_cents"] == 0


def refill_while(bank: Ledger, refill_cents: int, read: Any) -> Answer:
    rules = SimpleNamespace(limits=SimpleNamespace(least_cents=50))
    table = SimpleNamespace(is_over=False, newest_settings=rules)
    chips = SimpleNamespace(refill_cents=refill_cents, refill_ms=HOUR_MS)
    service = SimpleNamespace(ledger=bank, durable_states=lambda: [table])
    house: Any = SimpleNamespace(chips=chips, service=service, clock=lambda: 0)
    log: Any = SimpleNamespace(
        funds=lambda player: read(lambda log: log.funds(player)),
        last_grant=lambda *asked: bank.reader().last_grant(*asked),
    )
    return refill(log, house, "ann").result()


@pytest.mark.parametrize(("won_cents", "granted_cents"), [(0, 19_970), (23, 19_947)])
def test_g18_a_stake_won_during_a_refill_is_counted(
    tmp_path: Path, won_cents: int, granted_cents: int
) -> None:
    bank = open_ledger(tmp_path / "casino.db")

    def move(move: str, *changes: tuple[str, str, int]) -> None:
        def work(tx: Transaction) -> Answer:
            tx.post(accounts.escrow_entry("t1-000001", move, changes))
            if move == "settle":
                tx.end_subject("t1-000001")
            return {}

        bank.submit(work).result()

    def read_then_win(read: Any) -> Any:
        funds = read(bank.reader())
        if won_cents:
            move("settle", ("escrow", "ann", -23), ("escrow", "house", -23), ("wallet", "ann", 46))
        return funds

    for player, cents in (("ann", 30), ("house", 900)):
        grant(bank, player, cents, player).result()
    move("hold", ("wallet", "ann", -23), ("escrow", "ann", 23))
    move("hold", ("bank", "house", -23), ("escrow", "house", 23))
    answer = refill_while(bank, 20_000, read_then_win)
    at_risk_cents = 0 if won_cents else 23
    assert answer == {"granted_cents": granted_cents, "balance_cents": 20_000 - at_risk_cents}
    bank.close()


def test_g18_a_refill_refused_after_a_win_does_not_delay_the_next(tmp_path: Path) -> None:
    bank = open_ledger(tmp_path / "casino.db")
    grant(bank, "ann", 30, "ann").result()

    def read_then_win(read: Any) -> Any:
        funds = read(bank.reader())
        grant(bank, "ann", 80, "more").result()
        return funds

    with pytest.raises(Refused) as refusal:
        refill_while(bank, 100, read_then_win)
    assert refusal.value.reason == "chips_left"
    postings = ("treasury", 80), ("wallet/ann", -80)
    lost = entry(0, "correct", *postings, corrects=2, reason="lost")
    bank.submit(lambda tx: {"n": tx.post(lost)}).result()
    assert refill_while(bank, 100, lambda read: read(bank.reader()))["granted_cents"] == 70
    with pytest.raises(Refused) as refusal:
        refill_while(bank, 200, lambda read: read(bank.reader()))
    assert refusal.value.reason == "chips_left"
    bank.close()
