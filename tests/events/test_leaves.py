"""The leaves of real games."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import msgspec

from casino.betting import BettingRules
from casino.betting.rules import ALLOWED
from casino.events import factories
from casino.events.types import KINDS, TermsSet, decode, decode_or_none
from casino.ledger.entries import canonical
from tests.table.casino_harness import log_of


def test_l6_leaves_round_trip_byte_for_byte(played: Path) -> None:
    bodies = log_of(played)
    for body in bodies:
        leaf = decode(body)
        assert canonical(leaf) == body
        assert leaf == decode_or_none(body)
        assert type(leaf) is KINDS[json.loads(body)["type"]]
    assert {"bet", "dealt", "turned_up", "action", "game_over", "game_void"} <= {
        decode(body).kind for body in bodies
    }


DOCS = Path(__file__).parents[2] / "docs" / "log.md"


def test_l6_every_kind_and_field_is_documented() -> None:
    page = DOCS.read_text("utf-8")
    for name, kind in KINDS.items():
        fields = [field.encode_name for field in msgspec.structs.fields(kind)]
        assert [one for one in (name, *fields) if f"`{one}`" not in page] == []


def test_betting_laws_round_trip(played: Path) -> None:
    body = json.loads(next(one for one in log_of(played) if b'"type":"terms"' in one))
    for values in product(*({each[0], each[1], each[-1]} for each in ALLOWED.values())):
        laws = BettingRules(**dict(zip(ALLOWED, values, strict=True)))
        leaf = decode(json.dumps(body | {"gallery": laws._asdict()}).encode())
        assert isinstance(leaf, TermsSet)
        assert factories.betting_rules_from_event(leaf.gallery) == laws
