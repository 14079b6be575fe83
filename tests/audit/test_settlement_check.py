"""The audit's own matching and commission, independent of the betting code."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies
from msgspec.structs import replace

from casino import betting
from casino.audit.check import Finding, GameLeaf
from casino.audit.checks import settlement
from casino.audit.checks.settlement import check_payments
from casino.betting import Bet, BetSizeLimits, BettingRules, Book, Cover
from casino.ecarte import CHALLENGER, HOUSE
from casino.events import factories
from casino.events.types import SIDES, BettingClosed, CoverLimits, CutSealed, TermsSet
from tests.audit.leaf_builders import bet, entry, locked, opened, terms
from tests.betting.test_properties import LAWS

GAME = "t1-000001"
LIMITS = BetSizeLimits(1, 10**9, 10**9, 10**9)
CENTS = strategies.integers(1, 5_000)
bets_of = strategies.lists(
    strategies.tuples(strategies.sampled_from("abcdef"), strategies.integers(0, 1), CENTS),
    max_size=12,
)


def payment_errors(
    laid_down: TermsSet,
    bets: Sequence[tuple[str, int, int]],
    cover: CoverLimits,
    silent: Collection[str],
    matched_cents: int,
    over: tuple[int, int],
    paid: Mapping[str, int],
) -> list[Finding]:
    """Check the payments of a game in which cat challenged the house, and some were silent."""
    winner, stake = over
    withheld = tuple(range(1, len(silent) + 1))
    leaves: dict[str, list[Any]] = {
        "game_opened": [opened(1, challenger="cat", is_bot=False)],
        "cut": [CutSealed(game=GAME, player=player, seal="0" * 64) for player in silent],
        "bet": [replace(bet(name), side=SIDES[side], unit_cents=unit) for name, side, unit in bets],
        "book_locked": [replace(locked(1, 0), cover=cover)],
        "betting_closed": [
            BettingClosed(cut="", first_dealer="house", game=GAME, matched_cents=matched_cents,
                          withheld=withheld)
        ],
        "game_over": [factories.game_over(GAME, b"", (), (5, 2), winner, stake)],
        "entry": [entry(1, "settle", *paid.items(), (f"escrow/{GAME}/ann", 7), game=GAME)],
    }  # fmt: skip
    rows = {kind: list(map(GameLeaf, count(), told)) for kind, told in leaves.items()}
    return check_payments(GAME, rows, laid_down)


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
    postings = {names.get(who, f"wallet/{who}"): cents for who, cents in paid.items() if cents}
    bets = [("ann", HOUSE, 100), ("ben", CHALLENGER, 150)]
    cover = CoverLimits(house_cents=0, challenger_cents=0)
    usual = terms(limits=LIMITS, stake_cents=10)
    assert (payment_errors(usual, bets, cover, (), 100, (HOUSE, 2), postings) == []) == clean


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
    found = payment_errors(
        terms(gallery=laws, limits=LIMITS, stake_cents=70),
        bets,
        CoverLimits(**cover._asdict()),
        silent,
        closing.matched_cents,
        (winner, stake),
        due,
    )
    assert found == []


def test_audit_settlement_imports_nothing_from_betting() -> None:
    tree = ast.parse(Path(settlement.__file__).read_text("utf-8"))
    names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    allowed = {"casino.audit.check", "casino.events.types", "casino.ledger.entries"}
    assert {name for name in names if name and name.startswith("casino")} <= allowed
