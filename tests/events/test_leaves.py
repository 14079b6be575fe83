"""The leaves of real games, and the leaves of the cut."""

from __future__ import annotations

import hmac
import json
from collections import defaultdict
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest

from casino.betting import BetSizeLimits, BettingRules, Book, Cover, close, enter_bet
from casino.betting.rules import ALLOWED
from casino.ecarte import CHALLENGER, HOUSE
from casino.events import factories
from casino.events.codec import KINDS, decode, decode_or_none
from casino.events.types import TermsSet
from casino.ledger.entries import canonical
from casino.ledger.ledger import open_log
from tests.naive import log as naive

Leaf = dict[str, Any]


@pytest.fixture(scope="module")
def bodies(played: Path) -> list[bytes]:
    log = open_log(played)
    try:
        return [leaf.body for leaf in log.leaves()]
    finally:
        log.close()


@pytest.fixture(scope="module")
def by_game(bodies: list[bytes]) -> dict[str, dict[str, list[Leaf]]]:
    found: dict[str, dict[str, list[Leaf]]] = defaultdict(lambda: defaultdict(list))
    plain = list(map(json.loads, bodies))
    for leaf in plain:
        if "game" in leaf:
            found[leaf["game"]][leaf["type"]].append(leaf)
            found[leaf["game"]]["all"].append(leaf)
    over = {game: leaves for game, leaves in found.items() if "game_over" in leaves}
    for game, leaves in over.items():
        leaves["record"] = [naive.record_of(plain, game)]
    return over


def record_of(leaves: dict[str, list[Leaf]]) -> Leaf:
    return leaves["record"][0]


def in_order(leaves: dict[str, list[Leaf]], kind: str) -> dict[int, list[Leaf]]:
    """Return the leaves of a kind by deal number, that of the last pack dealt."""
    found: dict[int, list[Leaf]] = defaultdict(list)
    deal = 0
    for leaf in leaves["all"]:
        deal = leaf["deal"] if leaf["type"] == "dealt" else deal
        found[deal] += [leaf] if leaf["type"] == kind else []
    return found


def test_l6_leaves_round_trip_byte_for_byte(bodies: list[bytes]) -> None:
    for body in bodies:
        leaf = decode(body)
        assert canonical(leaf) == body
        assert leaf == decode_or_none(body)
        assert type(leaf) is KINDS[json.loads(body)["type"]]
    assert {"bet", "dealt", "turned_up", "action", "game_over", "game_void"} <= {
        decode(body).kind for body in bodies
    }


def test_r3_3_exchange_seal_matches_cards_and_revealed_seed(
    by_game: dict[str, dict[str, list[Leaf]]],
) -> None:
    opened = 0
    for game, leaves in by_game.items():
        record = record_of(leaves)
        seed = bytes.fromhex(record["fairness"]["server_seed"])
        for deal, told in in_order(leaves, "action").items():
            tokens = record["deals"][deal - 1]["actions"].split() if deal else []
            for number, (leaf, said) in enumerate(zip(told, tokens, strict=True), 1):
                message = f"{game}|exchange|{deal}|{number}|{said}".encode()
                sealed = hmac.new(seed, message, sha256).hexdigest() if said[0] == "X" else None
                assert leaf.get("seal") == sealed
                opened += sealed is not None
    assert opened


DOCS = Path(__file__).parents[2] / "docs" / "log.md"


def test_l6_every_kind_and_field_is_documented() -> None:
    page = DOCS.read_text("utf-8")
    for name, kind in KINDS.items():
        fields = [field.encode_name for field in msgspec.structs.fields(kind)]
        assert [one for one in (name, *fields) if f"`{one}`" not in page] == []


def test_betting_laws_round_trip(bodies: list[bytes]) -> None:
    body = json.loads(next(one for one in bodies if b'"type":"terms"' in one))
    for values in product(*({each[0], each[1], each[-1]} for each in ALLOWED.values())):
        laws = BettingRules(**dict(zip(ALLOWED, values, strict=True)))
        leaf = decode(json.dumps(body | {"gallery": laws._asdict()}).encode())
        assert isinstance(leaf, TermsSet)
        assert factories.betting_rules_from_event(leaf.gallery) == laws


GAME = "t1-000001"


@pytest.fixture(scope="module")
def leaves(played: Path) -> list[Leaf]:
    log = open_log(played)
    try:
        return [json.loads(leaf.body) for leaf in log.leaves()]
    finally:
        log.close()


def book() -> Book:
    opened = Book("kim", 1_000, BettingRules(), BetSizeLimits(100, 100_000, 200_000, 10_000_000))
    for name, side, unit in (("ann", HOUSE, 1000), ("ben", CHALLENGER, 400), ("cy", HOUSE, 500)):
        opened = enter_bet(opened, name, side, unit, 100_000).book
    return opened


def test_bet_leaf_has_optional_seal() -> None:
    first, second = book().bets[:2]
    sealed = json.loads(canonical(factories.bet_accepted(GAME, first, "ab" * 32)))
    plain = json.loads(canonical(factories.bet_accepted(GAME, second)))
    assert (sealed["order"], sealed["player"], sealed["seal"]) == (1, "ann", "ab" * 32)
    assert (sealed["side"], sealed["unit_cents"]) == ("house", 1000)
    assert (plain["side"], plain["player"], "seal" in plain) == ("challenger", "ben", False)


def test_lock_leaf_has_bets_seals_and_cover() -> None:
    leaf = json.loads(canonical(factories.book_locked(GAME, book(), 2, Cover(700, 30))))
    assert leaf == {
        "bets": 3, "cover": {"challenger_cents": 30, "house_cents": 700}, "game": GAME,
        "seals": 2, "type": "book_locked",
    }  # fmt: skip


def test_g16_closing_leaf_names_withheld_texts() -> None:
    closing = close(book(), Cover(0, 0), withheld=["cy"])
    leaf = json.loads(
        canonical(factories.betting_closed(GAME, "cd" * 32, [2], closing, CHALLENGER))
    )
    assert leaf == {
        "cut": "cd" * 32, "first_dealer": "challenger", "game": GAME, "matched_cents": 400,
        "type": "betting_closed", "withheld": [2],
    }  # fmt: skip
    nobody = factories.betting_closed(GAME, "cd" * 32, [], closing, CHALLENGER)
    assert "withheld" not in json.loads(canonical(nobody))
