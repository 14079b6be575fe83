"""The events of a real night, held against the records that its games end with."""

from __future__ import annotations

import hmac
import json
from collections import Counter, defaultdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from casino.ecarte import ReplayResult, read_record, replay
from casino.events.codec import KINDS, decode, decode_or_none
from casino.events.types import SIDES
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


def replayed(leaves: dict[str, list[Leaf]]) -> ReplayResult:
    return replay(read_record(json.dumps(record_of(leaves))))


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


def test_each_deal_is_told_with_its_dealer_and_its_turn_up(
    by_game: dict[str, dict[str, list[Leaf]]],
) -> None:
    for leaves in by_game.values():
        deals = record_of(leaves)["deals"]
        assert [leaf["dealer"] for leaf in leaves["dealt"]] == [deal["dealer"] for deal in deals]
        assert [leaf["deal"] for leaf in leaves["dealt"]] == list(range(1, len(deals) + 1))
        shown = [leaf["card"] for leaf in leaves["turned_up"]]
        assert shown == [deal["deck"][20:22] for deal in deals]


def test_hands_are_told_where_cards_were_left_unplayed_and_nowhere_else(
    by_game: dict[str, dict[str, list[Leaf]]],
) -> None:
    seen = 0
    for leaves in by_game.values():
        told = {deal: one[0] for deal, one in in_order(leaves, "hands").items() if one}
        for number, deal in enumerate(replayed(leaves).deals, 1):
            left = [hand.bit_count() for hand in deal.hands]
            leaf = told.get(number)
            assert (leaf is not None) is any(left)
            if leaf is not None:
                assert [len(leaf[side]) // 2 for side in SIDES] == left
                seen += 1
    assert seen


def test_what_is_paid_follows_from_the_record_and_the_bets(
    by_game: dict[str, dict[str, list[Leaf]]],
) -> None:
    for leaves in by_game.values():
        came = replayed(leaves)
        (over,), (closed,) = leaves["game_over"], leaves["betting_closed"]
        assert (SIDES.index(over["winner"]), over["stake"]) == (came.winner, came.stake)
        assert tuple(over["score"][side] for side in SIDES) == came.game.score
        moved: Counter[str] = Counter()
        for entry in leaves["entry"]:
            for account, cents in entry["postings"]:
                moved[account] += cents
        sides = {bet["player"]: bet["side"] for bet in leaves["bet"]}
        gained: Counter[str] = Counter()
        for player, side in sides.items():
            cents = moved[f"wallet/{player}"]
            assert (cents >= 0) if side == over["winner"] else (cents <= 0)
            gained[side] += cents
        fees = moved["house/commission"]
        stake = 0 if "ann" in record_of(leaves)["fairness"]["withheld"] else 1_000
        ann = over["stake"] * stake * (1 if over["winner"] == "challenger" else -1)
        assert moved["wallet/ann"] == ann
        lost = next(side for side in SIDES if side != over["winner"])
        house = moved["house/bank"] + ann
        worth = over["stake"] * closed["matched_cents"]
        assert gained[lost] + (house if lost == "house" else 0) == -worth
        assert gained[over["winner"]] + (house if lost != "house" else 0) == worth - fees
        assert not any(cents for account, cents in moved.items() if account.startswith("escrow/"))
