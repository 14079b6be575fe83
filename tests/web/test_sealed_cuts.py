"""Sealed cuts over real sockets: each bettor hears what becomes of the own text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from casino.fairness import commitment_to, make_contribution
from casino.web.schemas.messages import Versioned
from tests.web.server import Server, SkippingClock, Visitor, open_server

TABLES: dict[str, dict[str, Any]] = {"cut": {"number": 0}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A casino stepped by the tests, whether or not texts are opened in time."""
    path, clock = tmp_path_factory.mktemp("cuts") / "casino.db", SkippingClock()
    with open_server(path, TABLES, clock, clock, seed=1) as server:
        server.awaits_reveals = False
        yield server


def text(visitor: Visitor) -> str:
    return make_contribution("♠ ", str(visitor.name).encode().ljust(16, b"\0")[:16])


def bet(visitor: Visitor, game: str, side: str) -> None:
    visitor.request(
        "place_bet",
        table="cut",
        game=game,
        bet_id=f"{game}.{visitor.name}",
        side=side,
        unit_cents=500,
        seal=commitment_to(game, str(visitor.name), text(visitor)),
    )


def first(visitor: Visitor, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    found: dict[str, Any] = visitor.play_until(
        "cut", lambda: next(filter(fits, visitor.events), None)
    )
    return found


def wait_for_event(visitor: Visitor, kind: str, game: str) -> dict[str, Any]:
    """Wait for an event of a type in a game."""
    return first(visitor, lambda event: event["type"] == kind and event.get("game") == game)


def fresh_game(visitor: Visitor) -> str:
    before = visitor.join("cut")["snapshot"].get("game", "")
    opened = first(visitor, lambda one: one["type"] == "game_opened" and one["game"] > before)
    return str(opened["game"])


def test_each_bettor_learns_whether_their_text_counted(server: Server) -> None:
    visitors = fay, gus, hal = [server.visitor(name) for name in ("nina", "otis", "hugo")]
    for visitor in visitors:
        visitor.join("cut")
    game = fresh_game(fay)
    bet(fay, game, "house")
    bet(gus, game, "challenger")
    wait_for_event(fay, "book_locked", game)
    fay.request("open_cut", table="cut", game=game, text=text(fay))
    again = fay.post("/api/open", {"table": "cut", "game": game, "text": text(fay)})
    assert Versioned.model_validate(again).ok
    wait_for_event(fay, "betting_closed", game)

    def words(visitor: Visitor) -> list[str]:
        return [y["text"] for y in visitor.yous if y.get("game") == game and y["text"]]

    fay.until(lambda: "counted" in words(fay))
    gus.until(lambda: "missed" in words(gus))
    assert list(dict.fromkeys(words(fay))) == ["sealed", "opened", "counted"]
    assert list(dict.fromkeys(words(gus))) == ["sealed", "missed"]
    assert words(hal) == []
    assert gus.join("cut")["you"]["text"] in ("missed", "")
    for visitor in visitors:
        visitor.close()
