"""L18: what a player allowed himself, leaf by leaf: days, limits that wait, bets beyond them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from casino.audit.checks.limits import (
    DayTotals,
    LimitChange,
    LimitedPlayer,
    LimitedPlayers,
    LimitEventCollector,
    LimitsCheck,
    check_limits,
)
from casino.events.types import Event, LimitSet, OwnLimits
from casino.ledger.entries import Entry
from casino.player_limits import DAY_MS, Day, PlayerLimits
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


@pytest.mark.parametrize("name", CASES)
def test_l12_a_bet_is_held_to_what_the_player_set(name: str) -> None:
    """As the leaves about her tell it: to the cent, and to the millisecond."""
    steps, said = CASES[name]
    player = LimitedPlayer("ann")
    found = [one for n, leaf in enumerate(steps) for one in player.check_next(n, leaf)]
    assert len(found) == len(said)
    for one, part in zip(found, said, strict=True):
        assert part in one.text
        assert one.check == "limits"
        assert isinstance(steps[one.leaf or 0], LimitSet) is (one.game is None)


def test_l19_the_terms_of_a_day_bind_who_set_nothing() -> None:
    """Of the game that is bet on; what was staked at other tables counts."""
    player = LimitedPlayer("ann", most=lambda game: 600 if game.startswith("t1") else 0)
    steps = [*stake(1, 400), bet("ann", 2, "t2-000001"), moved(2, "hold", -900), *stake(3, 1)]
    found = [one for n, leaf in enumerate(steps) for one in player.check_next(n, leaf)]
    assert texts(found) == [OVER_TERMS.format(1_301, 600)]
    assert [(one.leaf, one.game) for one in found] == [(4, "t1-000001")]
    exact = LimitedPlayer("ann", DayTotals(0, Day(200, 200)), most=lambda _: 600)
    assert [list(exact.check_next(n, leaf)) for n, leaf in enumerate(stake(1, 400))] == [[], []]


def test_a_wish_that_has_begun_is_kept_when_another_is_made() -> None:
    player = LimitedPlayer("ann")
    player.add_limit(LimitChange(0, 0, "day_stake_cents", 500))
    player.add_limit(LimitChange(5, 50, "day_stake_cents", 900))
    player.add_limit(LimitChange(6, 60, "day_loss_cents", 70))
    player.add_limit(LimitChange(7, 7, "day_stake_cents", 400))
    assert player.limits_at(6) == PlayerLimits(day_stake_cents=500)
    assert player.limits_at(7) == PlayerLimits(day_stake_cents=400)
    assert player.limits_at(60) == PlayerLimits(day_stake_cents=400, day_loss_cents=70)


def acted(limited: LimitedPlayers, *leaves: Event) -> LimitEventCollector:
    acting = LimitEventCollector(limited)
    for number, leaf in enumerate(leaves):
        if isinstance(leaf, Entry):
            acting.add_entry(number, leaf)
        else:
            assert isinstance(leaf, LimitSet) or leaf.kind == "bet"
            acting.add_leaf(number, leaf)  # type: ignore[arg-type]
    return acting


def test_a_range_tells_of_those_who_are_limited_and_sums_the_day_of_all() -> None:
    leaves = [*stake(1, 300), moved(2, "hold", -40, "ben"), moved(3, "release", 10, "ben")]
    acts = acted(LimitedPlayers(frozenset({"ann"}), are_all=False), *leaves).acts
    assert [(name, number) for name, number, _ in acts.named] == [("ann", 0), ("ann", 1)]
    assert acts.days == {"ann": DayTotals(0, Day(300, 300)), "ben": DayTotals(0, Day(40, 30))}
    everybody = acted(LimitedPlayers(frozenset(), are_all=True), *leaves).acts
    assert [number for _, number, _ in everybody.named] == [0, 1, 2, 3]
    of_nobody = LimitedPlayer("zoe", DayTotals(0, Day(1, 1)))
    assert [list(of_nobody.check_next(n, leaf)) for n, leaf in enumerate(leaves[1:])] == [
        [],
        [],
        [],
    ]
    assert of_nobody.today == DayTotals(0, Day(1, 1)), "chips of others move no day of hers"
    other = entry(1, "grant", ("house/bank", 5), ("treasury", -5), at=1)
    assert acted(LimitedPlayers(frozenset(), are_all=True), other).acts.days == {}


def test_l25_a_day_goes_on_from_range_to_range() -> None:
    """Stakes of both ranges count for a limit that is set in the third; yesterday's do not."""
    nobody, all_of_them = (
        LimitedPlayers(frozenset(), are_all=False),
        LimitedPlayers(frozenset(), are_all=True),
    )
    everybody = LimitsCheck()
    for at in (0, 1, DAY_MS, DAY_MS + 1):
        assert list(everybody.check_range(acted(nobody, moved(at, "hold", -100)).acts)) == []
    assert everybody.days == {"ann": DayTotals(1, Day(200, 200))}
    last = acted(all_of_them, limit(DAY_MS + 2, day_stake_cents=250), *stake(DAY_MS + 3, 51))
    (found,) = everybody.check_range(last.acts)
    assert "2.50 chips staked" in found.text
    over = acted(all_of_them, *stake(DAY_MS + 4, 1)).acts
    assert OVER_TERMS.format(252, 50) in texts(everybody.check_range(over, lambda _: 50))
    everybody.forget_days_before(2 * DAY_MS - 1)
    assert everybody.days == {"ann": DayTotals(1, Day(252, 252))}
    everybody.forget_days_before(2 * DAY_MS)
    assert everybody.days == {}


def test_only_those_asked_for_are_looked_at() -> None:
    asked: list[set[str]] = []

    def about(players: set[str]) -> Iterator[tuple[str, int, Event]]:
        asked.append(players)
        yield from (("ann", n, leaf) for n, leaf in enumerate(stake(1, 400)))

    assert list(check_limits(about, set(), lambda _: 399)) == []
    assert asked == []
    found = list(check_limits(about, {"ann"}, lambda _: 399))
    assert texts(found) == [OVER_TERMS.format(400, 399)]
    assert asked == [{"ann"}]
