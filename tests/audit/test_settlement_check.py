"""The audit's own matching and commission, independent of the betting code."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies

from casino import betting
from casino.audit.checks import settlement
from casino.audit.checks.settlement import GameToPay, PlacedBet, check_settlement, game_totals
from casino.betting import Bet, BetSizeLimits, BettingRules, Book, Cover
from casino.events.types import SIDES, CoverLimits, GameOver, Score
from tests.audit.leaf_builders import entry, terms
from tests.betting.test_properties import LAWS

LIMITS = BetSizeLimits(1, 10**9, 10**9, 10**9)
CENTS = strategies.integers(1, 5_000)
bets_of = strategies.lists(
    strategies.tuples(strategies.sampled_from("abcdef"), strategies.integers(0, 1), CENTS),
    max_size=12,
)


USUAL = terms(limits=LIMITS, stake_cents=10)


def over(winner: str = "house", stake: int = 2) -> GameOver:
    score = Score(house=5, challenger=2)
    side = SIDES[winner != "house"]
    return GameOver(game="g", score=score, server_seed="", stake=stake, winner=side)


@pytest.mark.parametrize(
    ("paid", "clean"),
    [
        ({"ann": 190, "ben": -200, "house": 20, "cat": -20, "fee": 10}, True),
        ({"ann": 200, "ben": -200, "house": 20, "cat": -20, "fee": 0}, False),
        ({"ann": 200, "ben": -210, "house": 20, "cat": -20, "fee": 10}, False),
        ({"ann": 190, "ben": -200, "house": 30, "cat": -30, "fee": 10}, False),
        ({"ann": 201, "ben": -201, "house": 20, "cat": -20, "fee": 0}, False),
        ({"ann": 191, "ben": -200, "house": 20, "cat": -20, "fee": 9}, False),
        ({"ann": 190, "ben": -200, "house": 20, "cat": -20, "fee": 9}, False),
        ({"zed": 190, "ben": -200, "house": 20, "cat": -20, "fee": 10}, False),
    ],
)
def test_l_audit_5_wrong_payment_is_found_by_sums(paid: dict[str, int], clean: bool) -> None:
    names = {"house": "house/bank", "fee": "house/commission"}
    postings = [(names.get(who, f"wallet/{who}"), cents) for who, cents in paid.items() if cents]
    totals = game_totals("g", [entry(1, "settle", *postings)])
    bets = [PlacedBet("ann", "house", 100), PlacedBet("ben", "challenger", 150)]
    no_cover = CoverLimits(house_cents=0, challenger_cents=0)
    played = GameToPay(USUAL, "cat", bets, no_cover, (), 100, over())
    assert (check_settlement("g", 5, totals, played) == []) == clean


@settings(max_examples=400, deadline=None)
@given(
    bets=bets_of,
    laws=LAWS,
    cover=strategies.builds(Cover, strategies.integers(0, 4_000), strategies.integers(0, 4_000)),
    silent=strategies.sets(strategies.sampled_from(["a", "b", "cat"])),
    winner=strategies.integers(0, 1),
    stake=strategies.integers(1, 3),
)
def test_l_audit_5_independent_matching_agrees_exactly(
    bets: list[tuple[str, int, int]],
    laws: BettingRules,
    cover: Cover,
    silent: set[str],
    winner: int,
    stake: int,
) -> None:
    entered = [Bet(n, *bet) for n, bet in enumerate(bets, 1)]
    closing = betting.close(Book("cat", 70, laws, LIMITS, entered), cover, silent)
    settled = betting.settle(closing, winner, stake)
    due: Counter[str] = Counter()
    for one in (*settled.principals, *settled.bets):
        purse = "house/bank" if one.bet.bettor == "house" else f"wallet/{one.bet.bettor}"
        due[purse] += one.gain_cents - one.commission_cents
        due["house/commission"] += one.commission_cents
    played = GameToPay(
        terms(gallery=laws, limits=LIMITS, stake_cents=70),
        "cat",
        [PlacedBet(name, SIDES[side], unit) for name, side, unit in bets],
        CoverLimits(**cover._asdict()),
        silent,
        closing.matched_cents,
        over(SIDES[winner], stake),
    )
    assert check_settlement("g", 1, due, played) == []


def test_audit_settlement_imports_nothing_from_betting() -> None:
    tree = ast.parse(Path(settlement.__file__).read_text("utf-8"))
    names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    allowed = {"casino.audit.check", "casino.events.types", "casino.ledger.entries"}
    assert {name for name in names if name and name.startswith("casino")} <= allowed
