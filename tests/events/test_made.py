"""Leaves made of what happens: whose action it is, what it hides, what a deal's end shows."""

from __future__ import annotations

import hmac
import json
from hashlib import sha256
from itertools import product
from random import Random
from typing import Any

import pytest

from casino.bank.leaves import Leaf, canonical, encode
from casino.ecarte.actions import CLAIM, parse_token, token
from casino.ecarte.before_play import turn_up
from casino.ecarte.cards import members, texts
from casino.ecarte.deal import apply, legal_actions, legal_for
from casino.ecarte.game import begin_deal, new_game
from casino.ecarte.laws import ALLOWED, Laws
from casino.ecarte.record import DealRecord, Record
from casino.ecarte.rules import CHALLENGER, HOUSE
from casino.ecarte.state import ANNULLED, OVER, Deal
from casino.events import made, voids
from casino.events.kinds import SIDES, ActionTaken
from casino.gallery import Book, Cover, GalleryLaws, Limits, close, enter_bet, settle
from tests.ecarte.board import begun, dealt, say

GAME, SEED = "t1-000001", bytes(range(32))
REVOKE = ("KS QS JS 9S 8S", "AS TS 7S KD 8D")
"""The dealer can follow spades and holds trumps."""


def leaf_of(deal: Deal, said: str, number: int = 3) -> ActionTaken:
    """The leaf of an action in the third deal of a game."""
    return made.action_taken(GAME, number, deal, parse_token(said), SEED)


def values(leaf: Leaf) -> dict[str, Any]:
    """What stands in a leaf that is not stamped yet."""
    found: dict[str, Any] = json.loads(canonical(leaf))
    return found


@pytest.mark.parametrize(
    ("tokens", "said", "seat", "number"),
    [
        ("", "P", "challenger", 1),
        ("", "S", "challenger", 1),
        ("P", "A", "house", 2),
        ("P", "R", "house", 2),
        ("P A XKSQS XKH", "P", "challenger", 5),
        ("S", "KS", "challenger", 2),
        ("S KS", "9S", "house", 3),
        ("S KS 9S", "C", "challenger", 4),
    ],
)
def test_an_action_says_who_acts_and_its_place(
    tokens: str, said: str, seat: str, number: int
) -> None:
    """Places count from 1 in each deal, whoever acts; nothing else stands in the leaf."""
    said_of_it = {"action": said, "deal": 3, "game": GAME, "number": number, "seat": seat}
    assert values(leaf_of(begun(tokens), said)) == {**said_of_it, "type": "action"}


@pytest.mark.parametrize("dealer", [HOUSE, CHALLENGER])
def test_r8_1_a_card_exposed_is_told_with_whose_it_was(dealer: int) -> None:
    """The dealer says it; the card was dealt to the dealer or to the elder, whose word it is."""
    deal = dealt(seat=dealer)
    own, other = SIDES[dealer], SIDES[1 - dealer]
    for said, of in (("EKH", own), ("E7S", own), ("EKS", other), ("ETS", other)):
        leaf = leaf_of(deal, said)
        assert (leaf.action, leaf.seat, leaf.of) == (said, own, of)
    answer = leaf_of(say(deal, "EKS"), "N")
    assert (answer.seat, answer.number, answer.of) == (other, 2, None)


@pytest.mark.parametrize(
    ("tokens", "hands", "seat", "revoked"),
    [
        ("S KS KD", REVOKE, "challenger", ("house",)),
        ("S LAS TD", ("KS QS JS TD 9D", "AS TS 7S KD 8D"), "house", ("challenger",)),
        ("S KS KD 8D QS", ("KS QS JS TD 9D", "AS TS 7S KD 8D"), None, ("house", "challenger")),
    ],
)
def test_r8_5_a_claim_names_who_had_revoked(
    tokens: str, hands: tuple[str, str], seat: str | None, revoked: tuple[str, ...]
) -> None:
    """Nobody could derive it without the hands; where both had, nobody in particular claims."""
    deal = begun(tokens, *hands, "7D", enforcement="claims")
    leaf = leaf_of(deal, "V")
    assert (leaf.seat, leaf.revoked, leaf.seal) == (seat, revoked, None)
    assert ("seat" in values(leaf)) is (seat is not None)


def test_r3_3_an_exchange_is_a_number_and_a_seal() -> None:
    """The seal is an HMAC under the server's seed over game, deal, place and cards."""
    leaf = leaf_of(begun("P A"), "XKSQS")
    message = f"{GAME}|exchange|3|3|XKSQS".encode()
    assert leaf.seal == hmac.new(SEED, message, sha256).hexdigest()
    assert (leaf.action, leaf.seat) == ("X????", "challenger")
    assert b"KS" not in encode(leaf) and b"QS" not in encode(leaf)
    second = leaf_of(begun("P A XKSQS"), "XKH")
    assert (second.action, second.seat, second.number) == ("X??", "house", 4)
    others = {leaf_of(begun("P A"), said, deal).seal for said, deal in (("XKSQS", 4), ("XKSJS", 3))}
    assert len({leaf.seal, second.seal} | others) == 4


@pytest.mark.parametrize("seed", range(40))
def test_every_action_of_a_game_is_told_by_its_own_seat(seed: int) -> None:
    """Whoever the leaf names may do it, the other may not; without exchanges it is the token."""
    random = Random(seed)
    enforcement = ALLOWED["enforcement"][seed % 2]
    laws = Laws(enforcement=enforcement, packets=ALLOWED["packets"][seed // 2 % 2])
    deal = turn_up(begin_deal(new_game(laws, HOUSE), random.sample(range(32), 32)))
    places = 0
    while actions := legal_actions(deal):
        what = random.choice(actions)
        leaf = made.action_taken(GAME, 1, deal, what, SEED)
        places += 1
        assert leaf.number == places
        if leaf.seat is not None and what != CLAIM:  # which no list of actions tells anybody
            assert what in legal_for(deal, SIDES.index(leaf.seat))
        exchanged = token(what).startswith("X")
        assert (leaf.action == token(what)) is not (exchanged and token(what) != "X")
        assert (leaf.seal is not None) is exchanged
        deal = apply(deal, what)
        shown = made.hands_shown(GAME, 1, deal)
        assert shown is None or deal.phase in (OVER, ANNULLED)


@pytest.mark.parametrize(
    ("tokens", "law", "score", "shown"),
    [
        ("S C", "strict", "0-0", True),
        ("S KS 9S C", "strict", "0-0", True),
        ("S KS 9S", "strict", "0-0", False),
        ("", "strict", "0-0", False),
        ("EKS N", "strict", "0-0", True),
        ("S C", "claims", "0-0", False),
        ("S C", "claims", "4-4", True),
        ("EKS N", "claims", "0-0", True),
    ],
)
def test_hands_left_unplayed_are_shown_when_nothing_more_can_happen(
    tokens: str, law: str, score: str, shown: bool
) -> None:
    """At a deal's end, but under `claims` not before the game's: a revoke may still be claimed."""
    start = dealt(score=score, enforcement=law)
    deal = say(start, tokens)
    leaf = made.hands_shown(GAME, 2, deal)
    assert (leaf is not None) is shown
    if leaf is not None:
        hands: dict[str, str] = {
            side: texts(members(deal.hands[seat])) for seat, side in enumerate(SIDES)
        }
        assert values(leaf) == {"deal": 2, "game": GAME, "type": "hands", **hands}
        assert "KH" in leaf.house and "KH" not in leaf.challenger


def test_a_deal_played_to_its_last_card_shows_nothing_more() -> None:
    """All ten cards lie on the table already."""
    deal = begun("S KS 9S QS 8S JS 7S AS QH TS KH")
    assert (deal.phase, made.hands_shown(GAME, 1, deal)) == (OVER, None)


def test_the_worked_example_of_the_gallery_as_it_stands_in_the_log() -> None:
    """Rows of order, player, side, matched, escrow, gain, commission; the principals apart."""
    laws = GalleryLaws(principal_commission_bp=100)
    book = Book("kim", 1_000, laws, Limits(100, 100_000, 200_000, 10_000_000))
    for name, side, unit in (("ann", HOUSE, 1000), ("ben", CHALLENGER, 400), ("cy", HOUSE, 500)):
        book = enter_bet(book, name, side, unit, 100_000).book
    closing = close(book, Cover(0, 0))
    leaf = made.settled(GAME, HOUSE, 2, settle(closing, HOUSE, 2))
    assert (leaf.winner, leaf.multiplier) == ("house", 2)
    assert leaf.bets == (
        (1, "ann", "house", 267, 801, 534, 26),
        (2, "ben", "challenger", 400, 1200, -800, 0),
        (3, "cy", "house", 133, 399, 266, 13),
    )
    assert [row[1:3] for row in leaf.principals] == [("house", "house"), ("kim", "challenger")]
    assert [row[5:] for row in leaf.principals] == [(2000, 20), (-2000, 0)]


def test_laws_read_back_are_those_written() -> None:
    """Every law of the game and of betting, with every value it can have."""
    for values_of in product(*ALLOWED.values()):
        laws = Laws(**dict(zip(ALLOWED, values_of, strict=True)))
        assert made.laws_of(made.laws_part(laws)) == laws


def record(*deals: DealRecord, result: dict[str, Any] | None) -> Record:
    """A record with these deals."""
    players = {"house": "Regle", "challenger": "ann"}
    return Record(Laws(), HOUSE, deals, GAME, players, result, {"commitment": "c", "cut": "x"})


def test_a_record_that_is_not_over_has_no_result_in_its_leaf() -> None:
    """A void game has no winner and no stake, so nothing can be paid on it."""
    unfinished = {"score": {"house": 2, "challenger": 1}, "winner": None, "stake": None}
    won = {"score": {"house": 5, "challenger": 1}, "winner": "house", "stake": 2}
    assert "result" not in made.record_fields(record(result=unfinished))
    assert "result" not in made.record_fields(record(result=None))
    assert made.record_fields(record(result=won))["result"] == won


def test_limits_hold_from_a_moment_on() -> None:
    """What a player did not limit is left out; the moment is called `from` in the log."""
    leaf = made.limit_set("ann", {"day_loss_cents": 500}, 77)
    limits = {"day_loss_cents": 500}
    assert values(leaf) == {"from": 77, "limits": limits, "player": "ann", "type": "limit"}


def test_g14_why_a_game_is_void_has_a_name_and_an_english_sentence() -> None:
    """A name of the log is never shown to a person, and no sentence stands for two names."""
    names = {voids.LEFT, voids.OUT_OF_TIME, voids.BOT_FAILED, voids.SECRETS_LOST}
    assert names == set(voids.ENGLISH)
    assert len(set(voids.ENGLISH.values())) == len(names)
    assert all("_" not in voids.void_reason(name) for name in names)
    assert voids.void_reason("the lights went out") == "the lights went out"
