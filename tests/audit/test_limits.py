"""L18: what a player allowed himself, leaf by leaf: days, limits that wait, bets beyond them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from casino.audit.checks.limits import LimitChange, LimitsCheck
from casino.audit.checks.limits import OwnLimits as HeldLimits
from casino.audit.report import Finding
from casino.events.types import Event, LimitSet, OwnLimits
from casino.ledger.entries import Entry
from casino.player_limits import DAY_MS, PlayerLimits
from tests.audit.by_hand import bet, entry, texts

NOON = DAY_MS >> 1
OVER_TERMS = "ann could risk {} cents in a day, by the terms {}"


def moved(at: int, move: str, cents: int, player: str = "ann") -> Entry:
    postings = (f"escrow/t1-000001/{player}", -cents), (f"wallet/{player}", cents)
    return entry(1, move, *postings, at=at, game="t1-000001")


def limit(at: int, from_ms: int | None = None, **limits: int) -> LimitSet:
    said = OwnLimits(**limits)
    return LimitSet(at=at, from_ms=at if from_ms is None else from_ms, limits=said, player="ann")


def stake(at: int, cents: int) -> tuple[Event, Event]:
    return bet("ann", at), moved(at, "hold", -cents)


CASES: dict[str, tuple[list[Event], list[str]]] = {
    "a stake within the limit": ([limit(0, day_stake_cents=500), *stake(1, 500)], []),
    "stakes of a day are summed": (
        [limit(0, day_stake_cents=500), *stake(1, 300), *stake(2, 201)], ["5.00 chips staked"]
    ),
    "a stake that came back counts": (
        [limit(0, day_stake_cents=500), *stake(1, 300), moved(2, "void", 300), *stake(3, 201)],
        ["5.00 chips staked"],
    ),
    "another day begins with nothing": (
        [limit(0, day_stake_cents=500), *stake(1, 300), *stake(DAY_MS, 500)], []
    ),
    "the last moment of the day is of it": (
        [limit(0, day_stake_cents=500), *stake(1, 300), *stake(DAY_MS - 1, 500)],
        ["5.00 chips staked"],
    ),
    "what is at risk may be lost": (
        [limit(0, day_loss_cents=500), *stake(1, 300), *stake(2, 201)], ["5.00 chips lost"]
    ),
    "what came back is not lost": (
        [limit(0, day_loss_cents=500), *stake(1, 300), moved(2, "settle", 299), *stake(3, 499)],
        [],
    ),
    "chips that are given make no loss smaller": (
        [limit(0, day_loss_cents=500), *stake(1, 300), moved(2, "grant", 300),
         moved(3, "correct", 300), *stake(4, 201)],
        ["5.00 chips lost"],
    ),
    "a stake before the limit was set counts": (
        [*stake(1, 300), limit(2, day_stake_cents=500), *stake(3, 201)], ["5.00 chips staked"]
    ),
    "a break": ([limit(0, break_until_ms=NOON), *stake(NOON - 1, 1)], ["taking a break"]),
    "a break that is over": ([limit(0, break_until_ms=NOON), *stake(NOON, 1)], []),
    "a hold of another's bet is no stake of hers": (
        [limit(0, break_until_ms=NOON), moved(1, "hold", -5), moved(2, "hold", -5)], []
    ),
    "a bet is judged once": (
        [limit(0, day_stake_cents=500), *stake(1, 501), moved(2, "hold", -5)],
        ["5.00 chips staked"],
    ),
    "a looser limit waits a day": (
        [limit(0, day_stake_cents=500), limit(5, 5 + DAY_MS, day_stake_cents=900),
         *stake(4 + DAY_MS, 501), *stake(5 + DAY_MS, 399)],
        ["5.00 chips staked"],
    ),
    "a looser limit that does not wait": (
        [limit(0, day_stake_cents=500), limit(5, day_stake_cents=900)],
        [f"day_stake_cents holds from 5, not from {5 + DAY_MS}"],
    ),
    "a tighter limit that waits": (
        [limit(0, day_stake_cents=500), limit(5, 6, day_stake_cents=400)],
        ["day_stake_cents holds from 6, not from 5"],
    ),
    "a looser limit is overtaken by a tighter one": (
        [limit(0, day_stake_cents=500), limit(5, 5 + DAY_MS, day_stake_cents=900),
         limit(6, day_stake_cents=400), *stake(DAY_MS * 2, 401)],
        ["4.00 chips staked"],
    ),
    "limits of two kinds hold side by side": (
        [limit(0, day_stake_cents=500), limit(1, day_loss_cents=50), *stake(2, 51)],
        ["0.50 chips lost"],
    ),
}  # fmt: skip


def found_in(steps: Iterable[Event], most: Callable[[str], int] = lambda _: 0) -> list[Finding]:
    check = LimitsCheck(most)
    return [one for n, leaf in enumerate(steps) for one in check.on_event(n, leaf)]  # type: ignore[arg-type]


@pytest.mark.parametrize("name", CASES)
def test_l12_a_bet_is_held_to_what_the_player_set(name: str) -> None:
    """As the leaves about her tell it: to the cent, and to the millisecond."""
    steps, said = CASES[name]
    found = found_in(steps)
    assert len(found) == len(said)
    for one, part in zip(found, said, strict=True):
        assert part in one.text
        assert one.check == "limits"
        assert isinstance(steps[one.leaf or 0], LimitSet) is (one.game is None)


def test_l19_the_terms_of_a_day_bind_who_set_nothing() -> None:
    """Of the game that is bet on; what was staked at other tables counts, not others' stakes."""
    others: list[Event] = [bet("ben", 1), moved(1, "hold", -900, "ben")]
    steps = [*others, *stake(1, 400), bet("ann", 2, "t2-000001"), moved(2, "hold", -900)]
    found = found_in([*steps, *stake(3, 1)], lambda game: 600 if game.startswith("t1") else 0)
    assert texts(found[1:]) == [OVER_TERMS.format(1_301, 600)]
    assert [(one.leaf, one.game) for one in found] == [(0, "t1-000001"), (6, "t1-000001")]
    assert found_in([*stake(1, 200), *stake(2, 400)], lambda _: 600) == []


def test_a_wish_that_has_begun_is_kept_when_another_is_made() -> None:
    limits = HeldLimits()
    limits.add(LimitChange(0, 0, "day_stake_cents", 500))
    limits.add(LimitChange(5, 50, "day_stake_cents", 900))
    limits.add(LimitChange(6, 60, "day_loss_cents", 70))
    limits.add(LimitChange(7, 7, "day_stake_cents", 400))
    assert limits.at(6) == PlayerLimits(day_stake_cents=500)
    assert limits.at(7) == PlayerLimits(day_stake_cents=400)
    assert limits.at(60) == PlayerLimits(day_stake_cents=400, day_loss_cents=70)
