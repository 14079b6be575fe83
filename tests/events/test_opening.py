"""How a game opens and its book closes in the log, and the page that explains every leaf."""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest

from casino.betting import BettingRules
from casino.betting.rules import ALLOWED
from casino.events import factories
from casino.events.codec import KINDS, decode
from casino.events.game_record import closing_of, finished_game
from casino.events.types import SIDES, TermsSet
from casino.ledger.ledger import open_log

DOCS = Path(__file__).parents[2] / "docs" / "log.md"
Leaf = dict[str, Any]


@pytest.fixture(scope="module")
def bodies(played: Path) -> list[bytes]:
    log = open_log(played)
    try:
        return [leaf.body for leaf in log.leaves()]
    finally:
        log.close()


def of_kind(bodies: list[bytes], kind: str) -> dict[str, Leaf]:
    leaves = [leaf for leaf in map(json.loads, bodies) if leaf["type"] == kind]
    assert len({leaf["game"] for leaf in leaves}) == len(leaves) > 0
    return {leaf["game"]: leaf for leaf in leaves}


def test_l6_every_kind_and_every_field_is_explained_in_the_docs() -> None:
    page = DOCS.read_text("utf-8")
    for name, kind in KINDS.items():
        fields = [field.encode_name for field in msgspec.structs.fields(kind)]
        assert [one for one in (name, *fields) if f"`{one}`" not in page] == []


def test_a_game_opens_with_the_commitment_to_the_seed_it_ends_with(bodies: list[bytes]) -> None:
    opened = of_kind(bodies, "game_opened")
    for game, over in of_kind(bodies, "game_over").items():
        seed = bytes.fromhex(over["server_seed"])
        assert opened[game]["commitment"] == sha256(seed).hexdigest()
        assert set(opened[game]["bots"]) <= set(SIDES)


def test_every_law_of_betting_is_read_back_as_it_was_written(bodies: list[bytes]) -> None:
    body = json.loads(next(one for one in bodies if b'"type":"terms"' in one))
    for values in product(*({each[0], each[1], each[-1]} for each in ALLOWED.values())):
        laws = BettingRules(**dict(zip(ALLOWED, values, strict=True)))
        leaf = decode(json.dumps(body | {"gallery": laws._asdict()}).encode())
        assert isinstance(leaf, TermsSet)
        assert factories.betting_rules_from_event(leaf.gallery) == laws


def test_g6_every_bet_stands_by_the_closing_and_the_sides_are_equal(bodies: list[bytes]) -> None:
    entered: dict[str, list[list[Any]]] = {}
    for leaf in map(json.loads, bodies):
        if leaf["type"] == "bet":
            fields = ("order", "player", "side", "unit_cents")
            entered.setdefault(leaf["game"], []).append([leaf[field] for field in fields])
    events = list(map(decode, bodies))
    for name in of_kind(bodies, "game_over"):
        game = finished_game((one for one in events if one.subject == name), events)
        assert game is not None and game.closed is not None
        closing = closing_of(game)
        assert closing is not None
        stands: list[list[Any]] = [
            [bet.order, bet.bettor, SIDES[bet.side], bet.unit_cents, matched]
            for bet, matched in closing.stands
        ]
        assert [row[:4] for row in stands[: len(entered[name])]] == entered[name]
        assert all(0 <= row[4] <= row[3] for row in stands)
        for side in SIDES:
            assert sum(row[4] for row in stands if row[2] == side) == game.closed.matched_cents
