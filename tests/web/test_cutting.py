"""Sealed cuts over real sockets: sealed, locked with a proof, opened, counted, late, refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest

from casino.fairness import combine, commitment_to, make_contribution
from casino.ledger.tlog.note import PublicKey, verify_receipt
from casino.web.schemas.messages import Versioned
from tests.web.doors import Doors, SkippingClock, Visitor, open_doors

TABLES: dict[str, dict[str, Any]] = {
    "cut": {"number": 0},
    "open": {"betting_ms": 3_600_000, "number": 0},
}


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    """A casino that goes on as the tests step it, whether or not texts are opened in time."""
    path, clock = tmp_path_factory.mktemp("cuts") / "casino.db", SkippingClock()
    with open_doors(path, TABLES, clock, clock, seed=1) as doors:
        doors.awaits_texts = False
        while not doors.book_is_open("open"):
            doors.step("open")
        yield doors


def text(visitor: Visitor) -> str:
    return make_contribution("♠ ", str(visitor.name).encode().ljust(16, b"\0")[:16])


def bet(visitor: Visitor, game: str, side: str, table: str = "cut") -> dict[str, Any]:
    """A bet with a seal; the number of the seal."""
    answer = visitor.request(
        "place_bet",
        table=table,
        game=game,
        bet_id=f"{game}.{visitor.name}",
        side=side,
        unit_cents=500,
        seal=commitment_to(game, str(visitor.name), text(visitor)),
    )
    found: dict[str, Any] = answer["bet"]
    return found


def first(visitor: Visitor, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    found: dict[str, Any] = visitor.play_until(
        "cut", lambda: next(filter(fits, visitor.events), None)
    )
    return found


def heard(visitor: Visitor, kind: str, game: str) -> dict[str, Any]:
    """The event of a type in a game, as soon as it comes."""
    return first(visitor, lambda event: event["type"] == kind and event.get("game") == game)


def fresh_game(visitor: Visitor) -> str:
    before = visitor.join("cut")["snapshot"].get("game", "")
    opened = first(visitor, lambda one: one["type"] == "game_opened" and one["game"] > before)
    return str(opened["game"])


def test_texts_are_sealed_proved_and_opened(doors: Doors) -> None:
    ann, ben = doors.visitor("ann"), doors.visitor("ben")
    ben.join("cut")
    game = fresh_game(ann)
    assert bet(ann, game, "house")["seal_number"] == 1
    assert bet(ben, game, "challenger")["seal_number"] == 2
    assert ann.refused("open_cut", table="cut", game=game, text=text(ann)) == "not_locked"
    locked = heard(ann, "book_locked", game)
    assert (locked["bets"], locked["seals"]) == (2, 2)
    receipt, checkpoint = verify_receipt(
        locked["proof"], PublicKey.parse(ann.get("/api/checkpoint")["key"])
    )
    leaf = orjson.loads(receipt.leaf)
    assert (leaf["type"], leaf["game"], leaf["seals"]) == ("book_locked", game, 2)
    assert checkpoint.size > receipt.leaf_index
    assert ann.refused("open_cut", table="cut", game=game, text=text(ben)) == "wrong_text"
    late = doors.visitor("late")
    snapshot = late.join("cut")["snapshot"]
    assert snapshot["proof"] == locked["proof"]
    assert snapshot["locked"]["seals"] == 2
    ann.request("open_cut", table="cut", game=game, text=text(ann))
    assert ben.wait_for("cuts_opened")["opened"] == 1
    opened = ben.post("/api/open", {"table": "cut", "game": game, "text": text(ben)})
    assert Versioned.model_validate(opened).ok
    closed = heard(ann, "betting_closed", game)
    assert (closed["opened"], closed["withheld"], closed["returned"]) == ([1, 2], [], [])
    assert closed["cut"] == combine([text(ann), text(ben)])
    assert heard(ann, "game_over", game)["cuts"] == 2
    record = ann.get(f"/api/games/{game}")["record"]
    assert record["fairness"]["cuts"] == [["ann", text(ann)], ["ben", text(ben)]]
    assert record["fairness"]["withheld"] == []


def test_each_bettor_is_told_whether_the_own_text_counted(doors: Doors) -> None:
    visitors = fay, gus, hal = [doors.visitor(name) for name in ("nina", "otis", "hugo")]
    for visitor in visitors:
        visitor.join("cut")
    game = fresh_game(fay)
    bet(fay, game, "house")
    bet(gus, game, "challenger")
    heard(fay, "book_locked", game)
    fay.request("open_cut", table="cut", game=game, text=text(fay))
    heard(fay, "betting_closed", game)

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
