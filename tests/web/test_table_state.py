"""The browser's table state, folded from events, equals the server's snapshots."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.web.server import FAST, Server, Visitor, open_server
from tests.web.test_scripts import node
from tests.web.test_verify import SCRIPTS

JsonObject = dict[str, Any]
GAMES = 2


@pytest.fixture(scope="module")
def seat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A casino with a person as challenger, simulated bettors, and cards that slip."""
    table = {**FAST, "betting_ms": 200, "challenger": "nobody", "number": 5, "slip_permille": 200}
    with open_server(tmp_path_factory.mktemp("fold") / "casino.db", {"seat": table}) as server:
        yield server


def played(player: Visitor, rng: random.Random) -> list[JsonObject]:
    """Play some games at random; return the snapshots taken at each turn and each new book."""
    snapshots = [player.join("seat")["snapshot"]]
    player.request("take_seat", table="seat")
    acted = booked = 0

    def asked() -> JsonObject | None:
        you = player.yous[-1] if player.yous else None
        return you if you and you["version"] > acted else None

    def news() -> JsonObject | None:
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
def recording(seat: Server) -> JsonObject:
    """A person's games: the snapshots over HTTP, and every frame from the socket."""
    player = seat.visitor("ann")
    try:
        snapshots = played(player, random.Random(3))
        return {"snapshots": snapshots, "frames": list(player.frames)}
    finally:
        player.close()


def test_folded_events_match_snapshots(recording: JsonObject) -> None:
    run = node(SCRIPTS / "fold.mjs", given=json.dumps(recording))
    assert run.returncode == 0, run.stderr
    counts = json.loads(run.stdout)
    assert counts["folded"] > 100
    assert counts["hands"] > 20
    assert counts["compared"] > 20
    assert counts["open"] > 0
    assert counts["sentences"] > 80
