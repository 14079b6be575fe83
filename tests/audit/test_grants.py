"""L18: chips are granted by terms stated in the log; each breach is found."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from msgspec.structs import replace

from casino.audit.check import Finding, RunningGames
from casino.audit.checks.grants import GrantsCheck
from casino.audit.checks.ledger import LedgerCheck
from casino.audit.checks.table_rules import TableRulesCheck
from casino.events.types import GrantTerms
from casino.ledger import accounts
from casino.ledger.entries import Entry, Leaf, LogOpened, Origin, RunStarted
from casino.table.domain.settings import TableSettings, to_event
from tests.audit.leaf_builders import bet
from tests.audit.test_whole_runs import audited_leaves

TERMS = GrantTerms(
    bank_cents=9_000, opening_cents=500, refill_cents=100, refill_ms=60_000, spectator_cents=70
)
POOR = replace(TERMS, opening_cents=1)
BOTS = to_event(TableSettings("t1", stake_cents=10, challenger="novice", refill_cents=80), 1)
THRICE = replace(BOTS, refill_cents=30)
HOUR_MS = 3_600_000

Step = Leaf | tuple[str, int, str] | int
"""Terms, a grant (player, cents, reason), or milliseconds until the next step."""

CASES: dict[str, tuple[list[Step], str]] = {
    "what the terms say": (
        [POOR, ("ben", 1, "opening chips"), ("dee", 1, "opening chips"),
         TERMS, BOTS, ("house", 9_000, "opening chips"), ("ann", 500, "opening chips"),
         ("ben", 99, "refill"), ("cy*", 70, "spectator"), ("cy*", 70, "spectator"),
         ("novice", 80, "a bot's chips"), ("dee", 98, "refill"), HOUR_MS, ("dee", 1, "refill")],
        "",
    ),
    "by terms that come later": (
        [TERMS, ("ann", 600, "opening chips"), replace(TERMS, opening_cents=600)],
        "opening chips are 500 cents",
    ),
    "twice to a player": (
        [TERMS, ("ann", 500, "opening chips"), ("ann", 500, "opening chips")], "granted only once"
    ),
    "more to the bank": ([TERMS, ("house", 9_001, "opening chips")], "opening chips are 9,000"),
    "a refill of the bank": ([TERMS, ("house", 50, "refill")], "gets only its opening chips"),
    "a refill for who has chips": (
        [POOR, ("ann", 1, "opening chips"), ("ann", 59, "refill"), HOUR_MS, ("ann", 41, "refill")],
        "tops up to 100 cents, not 101",
    ),
    "a spectator without a star": ([TERMS, ("ann", 70, "spectator")], "has a * in the name"),
    "a spectator too rich": ([TERMS, ("cy*", 71, "spectator")], "at most 70 cents"),
    "a bot no terms name": ([TERMS, ("novice", 80, "a bot's chips")], "no table's terms name"),
    "another sum for a bot": ([TERMS, BOTS, ("novice", 81, "a bot's chips")], "another sum"),
    "a bot that can pay": (
        [TERMS, THRICE, ("novice", 30, "a bot's chips"), ("novice", 30, "a bot's chips")],
        "could still pay its stake",
    ),
    "a bot with a player's name": (
        [POOR, BOTS, ("novice", 1, "opening chips"), ("novice", 19, "refill"),
         ("novice", 80, "a bot's chips")],
        "belongs to a player",
    ),
    "for no reason": ([TERMS, ("ann", 5, "")], "'nothing' is not a reason"),
    "restored in a log of its own": ([("ann", 5, "restored")], "only a log that replaces another"),
}  # fmt: skip


RESTORED: dict[str, tuple[list[Step], str]] = {
    "carried over": ([("ann", 5, "restored"), ("ben", 9, "restored"), TERMS], ""),
    "carried over twice": (
        [("ann", 5, "restored"), ("ann", 5, "restored")], "carried over only once"
    ),
    "carried over late": ([TERMS, ("ann", 5, "restored")], "at its start"),
}  # fmt: skip
AFTER = Origin(kept=3, origin="ecarte-casino/0", root="0" * 64, size=5)


def findings_in(steps: list[Step], after: Origin | None = None) -> list[Finding]:
    """Return the findings in a log of these steps."""
    at, entries = 5, count(1)
    leaves: list[Leaf] = [LogOpened(at=at, after=after, key="k", name="n", version=3)]
    leaves.append(RunStarted(at=at))
    for step in steps:
        if isinstance(step, int):
            at += step
        elif isinstance(step, Leaf):
            leaves.append(replace(step, at=at))
        else:
            leaves.append(replace(accounts.grant(*step), at=at, entry=next(entries)))
    return audited_leaves(leaves).findings


@pytest.mark.parametrize(
    ("after", "steps", "said"),
    [(None, *case) for case in CASES.values()] + [(AFTER, *case) for case in RESTORED.values()],
    ids=[*CASES, *RESTORED],
)
def test_l18_grant_must_follow_terms_in_force(
    after: Origin | None, steps: list[Step], said: str
) -> None:
    found = [str(one) for one in findings_in(steps, after) if one.severity == "error"]
    assert len(found) == (said != "")
    assert all(said in line and "entry" in line and line.startswith("grants: ") for line in found)


def granted(at: int, cents: int, reason: str) -> Entry:
    postings = (("treasury", -cents), ("wallet/ann", cents))
    return Entry(at=at, entry=1, move="grant", postings=postings, reason=reason)


def found_in(steps: list[Any], follows: bool = False, **escrow: int) -> list[Finding]:
    """Return the findings in leaves while some players have chips at risk."""
    ledger = LedgerCheck(RunningGames())
    ledger.escrow = {f"escrow/t1-000001/{name}": cents for name, cents in escrow.items()}
    check = GrantsCheck(ledger, TableRulesCheck())
    check.follows = follows
    found: list[Finding] = []
    for number, leaf in enumerate(steps):
        if isinstance(leaf, Entry):
            list(ledger.on_event(number, leaf))
        found += check.on_event(number, leaf)
    return found


def test_chips_at_risk_count_for_a_refill() -> None:
    refill = [TERMS, granted(5, 60, "refill")]
    assert found_in(refill, ann=40, joann=99) == []
    (found,) = found_in(refill, ann=41, joann=99)
    assert "a refill tops up to 100 cents, not 101" in found.text


def test_refill_waits_as_long_as_the_terms_say() -> None:
    refills = [TERMS, granted(5, 40, "refill"), granted(60_005, 40, "refill")]
    assert found_in(refills) == []
    (found,) = found_in([*refills[:2], granted(60_004, 40, "refill")])
    assert "the last refill was 59999 ms before, not 60000" in found.text


def test_bet_without_account_is_found() -> None:
    bets = [bet(name) for name in ("ann", "cy*", "novice", "novice")]
    steps = [TERMS, granted(5, 500, "opening chips"), *bets]
    (found,) = found_in(steps)
    assert (found.check, found.text, found.leaf) == (
        "grants", "novice bets, but no account was opened under this name", 4
    )  # fmt: skip
    assert found_in(bets, follows=True) == []


def test_l19_changed_grant_terms_are_a_warning() -> None:
    rich = replace(TERMS, opening_cents=100_000_000)
    found = findings_in([TERMS, TERMS, rich, ("puppet", 100_000_000, "opening chips"), TERMS])
    assert {one.severity for one in found} == {"warning"}
    words = "the house changes its grants: opening_cents"
    assert [one.text for one in found] == [f"{words} 500 to 100000000", f"{words} 100000000 to 500"]
    assert all(one.leaf is not None for one in found)
