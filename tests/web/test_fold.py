"""The table in the browser against the server: folded from events it is what a snapshot shows."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.web.doors import FAST, Doors, Visitor, open_doors
from tests.web.test_scripts import node
from tests.web.test_verify import SCRIPTS

Told = dict[str, Any]
GAMES = 2


@pytest.fixture(scope="module")
def seat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    """A casino whose challenger is a person, with others who bet, and cards that slip."""
    table = {**FAST, "betting_ms": 200, "challenger": "nobody", "number": 5, "slip_permille": 200}
    with open_doors(tmp_path_factory.mktemp("fold") / "casino.db", {"seat": table}) as doors:
        yield doors


def played(player: Visitor, rng: random.Random) -> list[Told]:
    """Play some games at random; gives the snapshots taken at his turns and at new books."""
    snapshots = [player.join("seat")["snapshot"]]
    player.request("take_seat", table="seat")
    acted = booked = 0

    def asked() -> Told | None:
        you = player.yous[-1] if player.yous else None
        return you if you and you["version"] > acted else None

    def news() -> Told | None:
        book = next((one for one in reversed(player.events) if one["type"] == "book"), None)
        return book if book and book["version"] > booked else asked()

    while sum(event["type"] == "game_over" for event in list(player.events)) < GAMES:
        you = player.until(news)
        if you.get("type") == "book":
            booked = you["version"]
            snapshots.append(player.get("/api/tables/seat"))
            continue
        acted = you["version"]
        if not you["legal"]:
            player.refused("take_seat", table="seat")
        else:
            snapshots.append(player.get("/api/tables/seat"))
            legal = [one for one in you["legal"] if one not in ("C", "S", "R")] or you["legal"]
            action = rng.choice(legal)
            given = {"table": "seat", "version": acted, "action": action}
            while player.refused("act", **given) == "rate_limited":
                time.sleep(0.05)
    return snapshots


@pytest.fixture(scope="module")
def night(seat: Doors) -> Told:
    """Some games of a person: the snapshots over HTTP, and all that came over the socket."""
    player = seat.visitor("ann")
    try:
        snapshots = played(player, random.Random(3))
        return {"snapshots": snapshots, "frames": list(player.frames)}
    finally:
        player.close()


def test_who_was_there_sees_what_who_comes_late_sees(night: Told) -> None:
    run = node(SCRIPTS / "fold.mjs", given=json.dumps(night))
    assert run.returncode == 0, run.stderr
    counts = json.loads(run.stdout)
    assert counts["folded"] > 100
    assert counts["hands"] > 20
    assert counts["compared"] > 20
    assert counts["open"] > 0
    assert counts["sentences"] > 80
