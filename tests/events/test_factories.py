"""Factories of leaves: who acts, what is hidden, what the end of a deal reveals."""

from __future__ import annotations

import json
from typing import Any

import pytest

from casino.ecarte import CHALLENGER, HOUSE, Deal, DealRecord, cards_in, format_cards, parse_token
from casino.events import factories, types
from casino.events.types import SIDES, ActionTaken
from casino.fairness import exchange_commitment
from casino.ledger.entries import Leaf, canonical, encode
from tests.ecarte.deal_helpers import begun, dealt, say

GAME, SEED = "t1-000001", bytes(range(32))
REVOKE = ("KS QS JS 9S 8S", "AS TS 7S KD 8D")
"""The dealer can follow spades and holds trumps."""


def leaf_of(deal: Deal, said: str, number: int = 3) -> ActionTaken:
    return factories.action_taken(GAME, number, deal, parse_token(said), SEED)


def values(leaf: Leaf) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(canonical(leaf))
    return found


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        ("", "P"),
        ("", "S"),
        ("P", "A"),
        ("P", "R"),
        ("P A XKSQS XKH", "P"),
        ("S", "KS"),
        ("S KS", "9S"),
        ("S KS 9S", "C"),
    ],
)
def test_action_leaf_holds_only_the_action(tokens: str, said: str) -> None:
    leaf = leaf_of(begun(tokens), said)
    assert values(leaf) == {"action": said, "game": GAME, "type": "action"}


@pytest.mark.parametrize("dealer", [HOUSE, CHALLENGER])
def test_r8_1_exposed_card_names_its_owner(dealer: int) -> None:
    deal = dealt(seat=dealer)
    own, other = SIDES[dealer], SIDES[1 - dealer]
    for said, of in (("EKH", own), ("E7S", own), ("EKS", other), ("ETS", other)):
        leaf = leaf_of(deal, said)
        assert (leaf.action, leaf.of) == (said, of)
    answer = leaf_of(say(deal, "EKS"), "N")
    assert (answer.action, answer.of) == ("N", None)


@pytest.mark.parametrize(
    ("tokens", "hands", "revoked"),
    [
        ("S KS KD", REVOKE, ("house",)),
        ("S LAS TD", ("KS QS JS TD 9D", "AS TS 7S KD 8D"), ("challenger",)),
        ("S KS KD 8D QS", ("KS QS JS TD 9D", "AS TS 7S KD 8D"), ("house", "challenger")),
    ],
)
def test_r8_5_claim_names_the_offenders(
    tokens: str, hands: tuple[str, str], revoked: tuple[str, ...]
) -> None:
    deal = begun(tokens, *hands, "7D", enforcement="claims")
    leaf = leaf_of(deal, "V")
    assert (leaf.revoked, leaf.seal) == (revoked, None)


def test_r3_3_exchange_leaf_holds_count_and_seal() -> None:
    leaf = leaf_of(begun("P A"), "XKSQS")
    assert leaf.seal == exchange_commitment(SEED, GAME, 3, 3, "XKSQS")
    assert leaf.action == "X????"
    assert b"KS" not in encode(leaf) and b"QS" not in encode(leaf)
    second = leaf_of(begun("P A XKSQS"), "XKH")
    assert second.seal == exchange_commitment(SEED, GAME, 3, 4, "XKH")
    assert second.action == "X??"
    others = {leaf_of(begun("P A"), said, deal).seal for said, deal in (("XKSQS", 4), ("XKSJS", 3))}
    assert len({leaf.seal, second.seal} | others) == 4


@pytest.mark.parametrize(
    ("tokens", "law", "shown"),
    [
        ("S KS 9S", "strict", False),
        ("S KS 9S C", "strict", True),
        ("S C", "claims", False),
        ("EKS N", "claims", True),
    ],
)
def test_unplayed_hands_are_shown_once_the_deal_cannot_change(
    tokens: str, law: str, shown: bool
) -> None:
    deal = say(dealt(enforcement=law), tokens)
    leaf = factories.hands_shown(GAME, deal)
    assert (leaf is not None) is shown
    if leaf is not None:
        hands: dict[str, str] = {
            side: format_cards(cards_in(deal.hands[seat])) for seat, side in enumerate(SIDES)
        }
        assert values(leaf) == {"game": GAME, "type": "hands", **hands}
        assert "KH" in leaf.house and "KH" not in leaf.challenger


DEALS = (
    DealRecord(HOUSE, (), "P A XKSQS X KS 9S"),
    DealRecord(CHALLENGER, (), "S KS"),
    DealRecord(HOUSE, (), "P A XKH XTD9D P R C"),
)


def test_game_over_reveals_seed_exchanges_and_result() -> None:
    leaf = factories.game_over(GAME, SEED, DEALS, (3, 5), CHALLENGER, 1)
    assert values(leaf) == {
        "exchanges": ["KSQS", "", "KH", "TD9D"],
        "game": GAME,
        "score": {"challenger": 5, "house": 3},
        "server_seed": SEED.hex(),
        "stake": 1,
        "type": "game_over",
        "winner": "challenger",
    }
    assert "exchanges" not in values(
        factories.game_over(GAME, SEED, DEALS[1:2], (0, 5), CHALLENGER, 3)
    )


def test_g14_void_leaf_has_no_winner() -> None:
    leaf = factories.game_void(GAME, types.BOT_FAILED, SEED, DEALS[:1], "KeyError")
    said = {"exchanges": ["KSQS", ""], "fault": "KeyError", "game": GAME, "reason": "bot_failed"}
    assert values(leaf) == {**said, "server_seed": SEED.hex(), "type": "game_void"}
    lost = {"game": GAME, "reason": "secrets_lost", "type": "game_void"}
    assert values(factories.game_void(GAME, types.SECRETS_LOST, b"", ())) == lost


def test_g14_every_void_reason_has_an_english_sentence() -> None:
    names = {types.LEFT, types.OUT_OF_TIME, types.BOT_FAILED, types.SECRETS_LOST}
    assert names == set(types.ENGLISH)
    assert len(set(types.ENGLISH.values())) == len(names)
    assert all("_" not in types.void_reason_text(name) for name in names)
    assert types.void_reason_text("the lights went out") == "the lights went out"
