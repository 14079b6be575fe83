"""The events of a real night, held against the records that its games end with."""

from __future__ import annotations

import hmac
import json
from collections import defaultdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from casino.bank.bank import open_log
from casino.bank.leaves import canonical
from casino.ecarte.record import read_record
from casino.ecarte.replay import Replayed, replay
from casino.events.kinds import SIDES
from casino.events.reading import KINDS, READERS, read, read_if_sound

Leaf = dict[str, Any]


@pytest.fixture(scope="module")
def bodies(played: Path) -> list[bytes]:
    """The leaves of the night, as they were hashed."""
    log = open_log(played)
    try:
        return [leaf.body for leaf in log.leaves()]
    finally:
        log.close()


@pytest.fixture(scope="module")
def by_game(bodies: list[bytes]) -> dict[str, dict[str, list[Leaf]]]:
    """The leaves of each finished game by their kind, as plain JSON."""
    found: dict[str, dict[str, list[Leaf]]] = defaultdict(lambda: defaultdict(list))
    for leaf in map(json.loads, bodies):
        if "game" in leaf:
            found[leaf["game"]][leaf["type"]].append(leaf)
    return {game: leaves for game, leaves in found.items() if "game_over" in leaves}


def record_of(leaves: dict[str, list[Leaf]]) -> Leaf:
    """The record of a finished game."""
    record: Leaf = leaves["game_over"][0]["record"]
    return record


def replayed(leaves: dict[str, list[Leaf]]) -> Replayed:
    """What the record of a finished game comes to."""
    return replay(read_record(json.dumps(record_of(leaves))))


def test_l6_every_leaf_is_read_and_written_again_to_the_byte(bodies: list[bytes]) -> None:
    """By the reader of all kinds, by its own, and by the one that says nothing of faults."""
    for body in bodies:
        leaf = read(body)
        assert canonical(leaf) == body
        assert leaf == READERS[leaf.kind](body) == read_if_sound(body)
        assert type(leaf) is KINDS[json.loads(body)["type"]]
    assert {"bet", "dealt", "turned_up", "action", "settled", "game_void"} <= {
        read(body).kind for body in bodies
    }


def test_the_actions_told_are_those_of_the_record(
    by_game: dict[str, dict[str, list[Leaf]]],
) -> None:
    """Token by token and numbered from 1 in each deal; of an exchange only how many cards."""
    for leaves in by_game.values():
        told: dict[int, list[Leaf]] = defaultdict(list)
        for leaf in leaves["action"]:
            told[leaf["deal"]].append(leaf)
        for number, deal in enumerate(record_of(leaves)["deals"], 1):
            tokens = deal["actions"].split()
            hidden = [one if one[0] != "X" else "X" + "?" * (len(one) - 1) for one in tokens]
            assert [leaf["action"] for leaf in told[number]] == hidden
            assert [leaf["number"] for leaf in told[number]] == list(range(1, len(tokens) + 1))


def test_r3_3_a_seal_opens_to_the_cards_once_the_seed_is_revealed(
    by_game: dict[str, dict[str, list[Leaf]]],
) -> None:
    """Every exchange that was hidden is bound to the cards that the record shows."""
    opened = 0
    for game, leaves in by_game.items():
        record = record_of(leaves)
        seed = bytes.fromhex(record["fairness"]["server_seed"])
        for leaf in leaves["action"]:
            said = record["deals"][leaf["deal"] - 1]["actions"].split()[leaf["number"] - 1]
            message = f"{game}|exchange|{leaf['deal']}|{leaf['number']}|{said}".encode()
            sealed = hmac.new(seed, message, sha256).hexdigest() if said[0] == "X" else None
            assert leaf.get("seal") == sealed
            opened += sealed is not None
    assert opened


def test_each_deal_is_told_with_its_dealer_and_its_turn_up(
    by_game: dict[str, dict[str, list[Leaf]]],
) -> None:
    """The eleventh card of the pack, which the record shows whole (R2.4)."""
    for leaves in by_game.values():
        deals = record_of(leaves)["deals"]
        assert [leaf["dealer"] for leaf in leaves["dealt"]] == [deal["dealer"] for deal in deals]
        assert [leaf["deal"] for leaf in leaves["dealt"]] == list(range(1, len(deals) + 1))
        shown = [leaf["card"] for leaf in leaves["turned_up"]]
        assert shown == [deal["deck"][20:22] for deal in deals]


def test_hands_are_told_where_cards_were_left_unplayed_and_nowhere_else(
    by_game: dict[str, dict[str, list[Leaf]]],
) -> None:
    """What lies in the hands at the end of a deal, by the replay of the record."""
    seen = 0
    for leaves in by_game.values():
        told = {leaf["deal"]: leaf for leaf in leaves["hands"]}
        for number, deal in enumerate(replayed(leaves).deals, 1):
            left = [hand.bit_count() for hand in deal.hands]
            leaf = told.get(number)
            assert (leaf is not None) is any(left)
            if leaf is not None:
                assert [len(leaf[side]) // 2 for side in SIDES] == left
                seen += 1
    assert seen


def test_what_is_settled_follows_from_the_record_and_the_bets(
    by_game: dict[str, dict[str, list[Leaf]]],
) -> None:
    """Winner and multiplier are the record's; each bet gains or loses m units (G10 to G12)."""
    for leaves in by_game.values():
        (settled,) = leaves["settled"]
        result = record_of(leaves)["result"]
        assert (settled["winner"], settled["multiplier"]) == (result["winner"], result["stake"])
        (closed,) = leaves["betting_closed"]
        stands = {row[0]: row for row in closed["stands"]}
        assert len(settled["bets"]) == len(stands)
        for order, player, side, matched, escrow, gain, fee in settled["bets"]:
            assert [order, player, side, matched] == [*stands[order][:3], stands[order][4]]
            assert escrow == 3 * matched
            worth = matched * settled["multiplier"]
            won = side == settled["winner"]
            assert (gain, fee) == ((worth, worth * 500 // 10_000) if won else (-worth, 0))
        assert sum(row[5] for row in settled["bets"]) == 0


def test_a_leaf_is_found_by_whom_it_concerns(bodies: list[bytes]) -> None:
    """A game's opening by its challenger, a bet by its player, a grant by whose wallet rises."""
    owners: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for body in bodies:
        leaf = read(body)
        owners[leaf.kind].add(leaf.owners)
    assert owners["game_opened"] == {("ann",)}
    assert owners["bet"] == {(f"t1.p{number}",) for number in range(6)}
    assert ("ann",) in owners["entry"] and () in owners["entry"]
    for kind in ("dealt", "turned_up", "action", "hands", "settled", "game_over", "game_void"):
        assert owners[kind] <= {()}


@pytest.mark.parametrize("kind", ["terms", "game_over", "game_void", "seat", "limit"])
def test_kinds_that_are_looked_for_by_themselves_are_few(kind: str, bodies: list[bytes]) -> None:
    """Whoever lists games, seats or limits finds them without reading every card played."""
    assert KINDS[kind].listed
    for often in ("action", "bet", "dealt", "turned_up", "settled", "entry", "betting_closed"):
        assert not KINDS[often].listed
    kinds = [read(body).kind for body in bodies]
    assert kinds.count(kind) < len(kinds) / 50
