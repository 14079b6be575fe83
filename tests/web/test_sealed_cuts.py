"""Sealed cuts over real sockets: each bettor hears what becomes of the own text."""

from __future__ import annotations

from typing import Any

from casino.fairness import commitment_to, make_contribution
from tests.web.server import Server, Visit, Visitor


def text(visitor: Visitor) -> str:
    return make_contribution("♠ ", str(visitor.name).encode().ljust(16, b"\0")[:16])


def bet(visitor: Visitor, game: str, side: str) -> None:
    seal = commitment_to(game, str(visitor.name), text(visitor))
    bet: dict[str, Any] = {"bet_id": f"{game}.b", "side": side, "unit_cents": 500, "seal": seal}
    visitor.request("place_bet", table="slow", game=game, **bet)


def wait_for_event(visitor: Visitor, kind: str, game: str) -> None:
    """Step the table until an event of a type in a game."""

    def events() -> list[Any]:
        return [e for e in visitor.events if (e["type"], e.get("game")) == (kind, game)]

    visitor.play_until("slow", events)


def test_each_bettor_learns_whether_their_text_counted(server: Server, visit: Visit) -> None:
    visitors = fay, gus, hal = visit("nina"), visit("otis"), visit("hugo")
    for visitor in visitors:
        visitor.join("slow")
    server.new_book("slow")
    game = server.game_at("slow")
    bet(fay, game, "house")
    bet(gus, game, "challenger")
    wait_for_event(fay, "book_locked", game)

    def words(visitor: Visitor) -> list[str]:
        return [y["text"] for y in visitor.yous if y.get("game") == game and y["text"]]

    fay.request("open_cut", table="slow", game=game, text=text(fay))
    fay.until(lambda: "opened" in words(fay))
    wait_for_event(fay, "betting_closed", game)
    fay.until(lambda: "counted" in words(fay))
    gus.until(lambda: "missed" in words(gus))
    assert list(dict.fromkeys(words(fay))) == ["sealed", "opened", "counted"]
    assert list(dict.fromkeys(words(gus))) == ["sealed", "missed"]
    assert words(hal) == []
    assert gus.join("slow")["you"]["text"] in ("missed", "")
