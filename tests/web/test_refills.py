"""G18: chips for a player with none, once in so many hours, never more than the settings allow."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from casino.client.client import CasinoClient
from casino.errors import Refused
from casino.web.schemas.responses import Refilled
from tests.table.nights import audited, log_of
from tests.web.doors import BETTING_FOR_EVER, Visitor, now_ms, open_doors

TABLES = {"open": BETTING_FOR_EVER, "low": {**BETTING_FOR_EVER, "least_cents": 50}}
HOUR_MS = 3_600_000


def refused(client: CasinoClient) -> str:
    """The reason for which a refill is refused."""
    try:
        Refilled.model_validate(client.post("/api/refill", {}))
    except Refused as refusal:
        return refusal.reason
    return "ok"


def grants(path: Path) -> list[dict[str, Any]]:
    """The refills in the log."""
    leaves = [json.loads(body) for body in log_of(path)]
    return [leaf for leaf in leaves if leaf.get("reason") == "refill"]


@pytest.fixture
def poor() -> dict[str, Any]:
    """Settings under which an account begins with less than any bet."""
    return {"opening_cents": 30, "refill_cents": 20_000, "refill_hours": 4}


def test_g18_who_has_less_than_a_bet_is_filled_up_once_in_some_hours(
    tmp_path: Path, poor: dict[str, Any]
) -> None:
    """Up to the setting, as a grant of its own; again only when the hours are over."""
    now = [now_ms()]
    path = tmp_path / "a.db"
    with open_doors(path, TABLES, lambda: now[0], lambda: now[0], web=poor) as doors:
        ann = CasinoClient(doors.url)
        ann.enter("ann")
        assert ann.get("/api/me")["refill_below_cents"] == 50
        given = ann.post("/api/refill", {})
        Refilled.model_validate(given)
        assert (given["granted_cents"], given["balance_cents"]) == (19_970, 20_000)
        assert refused(ann) == "chips_left"
        ben = CasinoClient(doors.url)
        ben.enter("ben")
        assert ben.post("/api/refill", {})["balance_cents"] == 20_000
    assert [grant["postings"][1][1] for grant in grants(path)] == [19_970, 19_970]


def test_g18_a_refill_lost_is_not_given_again_too_soon(tmp_path: Path) -> None:
    """Chips at risk count; the seconds to wait are named, and a restart forgets nothing."""
    now = [now_ms()]
    path = tmp_path / "a.db"
    poor = {"opening_cents": 30, "refill_cents": 300, "refill_hours": 4}
    with open_doors(path, TABLES, lambda: now[0], lambda: now[0], web=poor) as doors:
        ann = doors.visitor("ann")
        assert ann.request("refill")["balance_cents"] == 300
        assert ann.bet("open", "all", "house", 100)["balance_cents"] == 0
        assert refused(ann) == "chips_left"
        ann.close()
    more = {**poor, "refill_cents": 600}
    dear = {"open": {**BETTING_FOR_EVER, "least_cents": 400}}
    with open_doors(path, dear, lambda: now[0], lambda: now[0], web=more) as doors:
        ann.url = doors.url
        assert refused(ann) == "refill_too_soon"
        now[0] += 4 * HOUR_MS
        assert ann.post("/api/refill", {})["granted_cents"] == 300
    assert len(grants(path)) == 2
    (told,) = (one for one in audited(path).findings if one.severity != "note")
    assert told.severity == "warning"
    assert told.text == "the house changes what it issues: refill_cents 300 to 600"


def test_g18_many_that_ask_at_once_are_one(tmp_path: Path, poor: dict[str, Any]) -> None:
    """Twenty requests of one person at the same moment: one grant."""
    path = tmp_path / "a.db"
    with open_doors(path, TABLES, web=poor) as doors:
        ann = CasinoClient(doors.url)
        ann.enter("ann")
        crowd = [CasinoClient(doors.url) for _ in range(20)]
        for one in crowd:
            for cookie in ann._jar:
                one._jar.set_cookie(cookie)
        threads = [threading.Thread(target=refused, args=(one,)) for one in crowd]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert ann.get("/api/me")["balance_cents"] == 20_000
    assert len(grants(path)) == 1


def test_g18_all_tabs_are_told(tmp_path: Path, poor: dict[str, Any]) -> None:
    """The page shows the new balance wherever the person is."""
    with open_doors(tmp_path / "a.db", TABLES, web=poor) as doors:
        ann = doors.visitor("ann")
        ann.join("open")
        ann.post("/api/refill", {})
        ann.until(lambda: [you for you in ann.yous if you.get("balance_cents") == 20_000])
        ann.close()


def test_g18_nobody_and_nothing(tmp_path: Path) -> None:
    """Who has not entered gets nothing; a casino may give none."""
    with open_doors(tmp_path / "a.db", TABLES, web={"refill_cents": 0}) as doors:
        nobody = Visitor(doors.url, None)
        assert refused(nobody) == "not_entered"
        assert nobody.refused("refill") == "not_entered"
        assert nobody.refused("refill", more=1) == "bad_request"
        nobody.enter("ann")
        assert refused(nobody) == "no_refills"
        assert nobody.get("/api/me")["refill_below_cents"] == 0
        nobody.close()
