"""Seats are taken by their leaves, in the queue's order; the loser deals where the laws say so."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from casino.audit.checks.seats import SeatsCheck
from casino.events.types import GameOpened, GameOver, GameVoid, Score, SeatChanged, TermsSet
from tests.audit.by_hand import opened, terms, texts

LOSER = replace(terms().laws, first_dealer="loser")
Step = SeatChanged | GameOpened | GameOver | GameVoid


def seat(player: str, what: str, **changes: Any) -> SeatChanged:
    return SeatChanged(player=player, table=changes.pop("table", "t1"), what=what, **changes)


def person(number: int, player: str, **changes: Any) -> GameOpened:
    return opened(number, challenger=player, is_bot=False, **changes)


def over(number: int, winner: Any) -> GameOver:
    score = Score(challenger=5, house=0)
    game = f"t1-{number:06}"
    return GameOver(game=game, score=score, server_seed="0" * 64, stake=1, winner=winner)


def void(number: int) -> GameVoid:
    return GameVoid(game=f"t1-{number:06}", reason="enough")


QUEUED, SEATED = seat("ann", "queued"), seat("ann", "seated")
CASES: dict[str, tuple[list[Step], list[str]]] = {
    "a person comes, plays and goes": (
        [QUEUED, SEATED, person(1, "ann"), over(1, "house"), seat("ann", "left"), opened(2)], []
    ),
    "two wait their turn": (
        [QUEUED, seat("ben", "queued"), SEATED, person(1, "ann"), over(1, "house"),
         seat("ann", "left"), seat("ben", "seated"), person(2, "ben")], []
    ),
    "one who waits goes": (
        [QUEUED, seat("ben", "queued"), seat("ann", "left"), seat("ben", "seated"),
         person(1, "ben")], []
    ),
    "one gives the game up": (
        [QUEUED, SEATED, person(1, "ann"), seat("ann", "defaulted", game="t1-000001"),
         over(1, "house"), seat("ann", "left"), opened(2)], []
    ),
    "tables of their own": ([QUEUED, SEATED, opened(1, "t2"), person(1, "ann")], []),
    "a bot that nobody displaces": ([opened(1), over(1, "house"), opened(2)], []),
    "a person who never was seated": ([person(1, "ann")], ["ann challenges without the seat"]),
    "a person who only waits": (
        [QUEUED, person(1, "ann")], ["ann challenges without the seat"]
    ),
    "another person than the one seated": (
        [QUEUED, SEATED, person(1, "ben")], ["ben challenges without the seat"]
    ),
    "the second in the queue": (
        [QUEUED, seat("ben", "queued"), seat("ben", "seated")], ["ben takes the seat out of turn"]
    ),
    "a seat that is not free": (
        [QUEUED, SEATED, seat("ben", "queued"), seat("ben", "seated")],
        ["ben takes the seat out of turn"],
    ),
    "a seat without a queue": ([SEATED], ["ann takes the seat out of turn"]),
    "a queue of one twice": ([QUEUED, QUEUED], ["ann has the seat already, or waits for it"]),
    "a queue for one's own seat": (
        [QUEUED, SEATED, QUEUED], ["ann has the seat already, or waits for it"]
    ),
    "a seat left that was another's": (
        [QUEUED, SEATED, seat("ben", "left")], ["ben has no seat to give up"]
    ),
    "a bot in a person's seat": (
        [QUEUED, SEATED, opened(1)], ["a bot challenges, but ann has the seat or waits for it"]
    ),
    "a bot while a person waits": (
        [QUEUED, opened(1)], ["a bot challenges, but ann has the seat or waits for it"]
    ),
    "a loser named where the laws name none": (
        [opened(1), over(1, "house"), opened(2, loser_deals="challenger")],
        ["challenger deals as the last loser, not no one"],
    ),
}  # fmt: skip
REMATCHES: dict[str, tuple[list[Step], list[str]]] = {
    "the loser deals": (
        [opened(1), over(1, "house"), opened(2, loser_deals="challenger"), over(2, "challenger"),
         opened(3, loser_deals="house")], []
    ),
    "nobody lost before": (
        [opened(1, loser_deals="house")], ["house deals as the last loser, not no one"]
    ),
    "a void game has no loser": (
        [opened(1), void(1), opened(2, loser_deals="house")],
        ["house deals as the last loser, not no one"],
    ),
    "against another there is no loser": (
        [opened(1), over(1, "house"), QUEUED, SEATED, person(2, "ann")], []
    ),
    "the winner deals": (
        [opened(1), over(1, "house"), opened(2, loser_deals="house")],
        ["house deals as the last loser, not challenger"],
    ),
    "nobody is said to": (
        [opened(1), over(1, "house"), opened(2)], ["no one deals as the last loser, not challenger"]
    ),
}  # fmt: skip


def found(steps: list[Step], settings: TermsSet) -> list[str]:
    """What is wrong; each finding names its leaf, and its game if it opens."""
    seats = SeatsCheck(lambda _: settings)
    told = [one for n, leaf in enumerate(steps) for one in seats.check_next(n, leaf)]
    for one in told:
        step = steps[one.leaf or 0]
        assert (one.check, one.game) == (
            "seats", step.game if isinstance(step, GameOpened) else None
        )  # fmt: skip
    return texts(told)


@pytest.mark.parametrize("name", CASES)
def test_seats_are_taken_by_their_leaves_in_order(name: str) -> None:
    """What is wrong is said once, at the leaf that is wrong."""
    steps, said = CASES[name]
    assert found(steps, terms()) == said


@pytest.mark.parametrize("name", REMATCHES)
def test_who_deals_first_in_a_rematch_follows_from_the_game_before(name: str) -> None:
    """Under law `loser`, with the game before won and the same two at the table."""
    steps, said = REMATCHES[name]
    assert found(steps, replace(terms(), laws=LOSER)) == said
