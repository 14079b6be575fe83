"""Simulated spectators: each habit, each seed."""

from __future__ import annotations

import pytest

from casino.ecarte.rules import CHALLENGER, HOUSE, Seat
from casino.table.spectators import HABITS, Spectators

GAMES = [f"t1-{number:06d}" for number in range(1, 41)]


def sides(habit: str, winner: Seat | None) -> list[Seat]:
    """The sides that one spectator takes in many games."""
    crowd = Spectators("t1", 1, (habit,), 100, 900, bytes(32))
    return [wager.side for game in GAMES for wager in crowd.wagers(game, winner)]


@pytest.mark.parametrize(
    ("habit", "winner", "due"),
    [
        ("loyal", CHALLENGER, {HOUSE}),
        ("follower", CHALLENGER, {CHALLENGER}),
        ("follower", HOUSE, {HOUSE}),
        ("follower", None, {HOUSE, CHALLENGER}),
        ("contrary", CHALLENGER, {HOUSE}),
        ("contrary", None, {HOUSE, CHALLENGER}),
        ("flat", HOUSE, {HOUSE, CHALLENGER}),
    ],
)
def test_a_habit_takes_its_side(habit: str, winner: Seat | None, due: set[Seat]) -> None:
    """In every game a bet on the side the habit wants."""
    taken = sides(habit, winner)
    assert set(taken) == due
    assert len(taken) == len(GAMES)


def test_an_idler_bets_now_and_then() -> None:
    """About one game in four."""
    assert 3 <= len(sides("idler", None)) <= 20


def test_wagers_follow_from_the_seed_and_the_game() -> None:
    """The same seed and game give the same wagers, in order of time, each id once."""
    crowd = Spectators("t1", 9, tuple(HABITS), 100, 900, bytes(32))
    wagers = crowd.wagers("t1-000001", HOUSE)
    assert wagers == crowd.wagers("t1-000001", HOUSE)
    assert wagers != crowd.wagers("t1-000002", HOUSE)
    assert wagers != crowd._replace(seed=bytes(31) + b"1").wagers("t1-000001", HOUSE)
    assert wagers == sorted(wagers)
    assert len({wager.bet_id for wager in wagers}) == len(wagers)
    assert all(100 <= wager.unit_cents <= 900 for wager in wagers)
