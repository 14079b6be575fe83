"""The events of a real night, held against the records that its games end with."""

from __future__ import annotations

import hmac
import json
from collections import defaultdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from casino.events.codec import KINDS, decode, decode_or_none
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
    """The leaves of a kind by the number of their deal, which is that of the last pack dealt."""
    found: dict[int, list[Leaf]] = defaultdict(list)
    deal = 0
    for leaf in leaves["all"]:
        deal = leaf["deal"] if leaf["type"] == "dealt" else deal
        found[deal] += [leaf] if leaf["type"] == kind else []
    return found


def test_l6_every_leaf_is_read_and_written_again_to_the_byte(bodies: list[bytes]) -> None:
    for body in bodies:
        leaf = decode(body)
        assert canonical(leaf) == body
        assert leaf == decode_or_none(body)
        assert type(leaf) is KINDS[json.loads(body)["type"]]
    assert {"bet", "dealt", "turned_up", "action", "game_over", "game_void"} <= {
        decode(body).kind for body in bodies
    }


def test_r3_3_a_seal_opens_to_the_cards_once_the_seed_is_revealed(
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
