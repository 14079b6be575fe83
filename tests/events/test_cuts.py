"""Sealed cuts in the log: how a lock, an opening and a closing are told, and that they fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from casino.betting import BetSizeLimits, BettingRules, Book, Cover, close, enter_bet
from casino.ecarte import CHALLENGER, HOUSE
from casino.events import factories
from casino.ledger.entries import canonical
from casino.ledger.ledger import open_log

GAME = "t1-000001"
Leaf = dict[str, Any]


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


def test_a_bet_has_the_seal_of_its_bettor_or_none() -> None:
    first, second = book().bets[:2]
    sealed = json.loads(canonical(factories.bet_accepted(GAME, first, "ab" * 32)))
    plain = json.loads(canonical(factories.bet_accepted(GAME, second)))
    assert (sealed["order"], sealed["player"], sealed["seal"]) == (1, "ann", "ab" * 32)
    assert (sealed["side"], sealed["unit_cents"]) == ("house", 1000)
    assert (plain["side"], plain["player"], "seal" in plain) == ("challenger", "ben", False)


def test_a_lock_counts_bets_and_seals_and_fixes_the_cover() -> None:
    leaf = json.loads(canonical(factories.book_locked(GAME, book(), 2, Cover(700, 30))))
    assert leaf == {
        "bets": 3, "cover": {"challenger_cents": 30, "house_cents": 700}, "game": GAME,
        "seals": 2, "type": "book_locked",
    }  # fmt: skip


def test_g16_a_closing_names_what_was_withheld() -> None:
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
