"""How a game opens and its book closes in the log, and the page that explains every leaf."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import msgspec
import pytest

from casino.betting import BettingRules
from casino.betting.rules import ALLOWED
from casino.events import factories
from casino.events.codec import KINDS, decode
from casino.events.types import TermsSet
from casino.ledger.ledger import open_log

DOCS = Path(__file__).parents[2] / "docs" / "log.md"


@pytest.fixture(scope="module")
def bodies(played: Path) -> list[bytes]:
    log = open_log(played)
    try:
        return [leaf.body for leaf in log.leaves()]
    finally:
        log.close()


def test_l6_every_kind_and_every_field_is_explained_in_the_docs() -> None:
    page = DOCS.read_text("utf-8")
    for name, kind in KINDS.items():
        fields = [field.encode_name for field in msgspec.structs.fields(kind)]
        assert [one for one in (name, *fields) if f"`{one}`" not in page] == []


def test_every_law_of_betting_is_read_back_as_it_was_written(bodies: list[bytes]) -> None:
    body = json.loads(next(one for one in bodies if b'"type":"terms"' in one))
    for values in product(*({each[0], each[1], each[-1]} for each in ALLOWED.values())):
        laws = BettingRules(**dict(zip(ALLOWED, values, strict=True)))
        leaf = decode(json.dumps(body | {"gallery": laws._asdict()}).encode())
        assert isinstance(leaf, TermsSet)
        assert factories.betting_rules_from_event(leaf.gallery) == laws
