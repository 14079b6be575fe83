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


ANN, BEN = "ann", "ben"
QUEUED, SEATED = seat(ANN, "queued"), seat(ANN, "seated")
IN, OUT = [QUEUED, SEATED], seat(ANN, "left")
BEN_QUEUED, BEN_SEATED = seat(BEN, "queued"), seat(BEN, "seated")
NO_SEAT, TAKEN = "{} challenges without the seat", "ann has the seat already, or waits for it"
OUT_OF_TURN = "{} takes the seat out of turn"
BOT = "a bot challenges, but ann has the seat or waits for it"
LOSES = "{} deals as the last loser, not {}"
CASES: dict[str, tuple[list[Step], str]] = {
    "a person comes, plays and goes": ([*IN, person(1, ANN), over(1, "house"), OUT, opened(2)], ""),
    "two wait their turn": (
        [QUEUED, BEN_QUEUED, SEATED, person(1, ANN), over(1, "house"), OUT, BEN_SEATED,
         person(2, BEN)], ""
    ),
    "one who waits goes": ([QUEUED, BEN_QUEUED, OUT, BEN_SEATED, person(1, BEN)], ""),
    "one gives the game up": (
        [*IN, person(1, ANN), seat(ANN, "defaulted", game="t1-000001"), over(1, "house"), OUT,
         opened(2)], ""
    ),
    "tables of their own": ([*IN, opened(1, "t2"), person(1, ANN)], ""),
    "a bot that nobody displaces": ([opened(1), over(1, "house"), opened(2)], ""),
    "a person who never was seated": ([person(1, ANN)], NO_SEAT.format(ANN)),
    "a person who only waits": ([QUEUED, person(1, ANN)], NO_SEAT.format(ANN)),
    "another person than the one seated": ([*IN, person(1, BEN)], NO_SEAT.format(BEN)),
    "the second in the queue": ([QUEUED, BEN_QUEUED, BEN_SEATED], OUT_OF_TURN.format(BEN)),
    "a seat that is not free": ([*IN, BEN_QUEUED, BEN_SEATED], OUT_OF_TURN.format(BEN)),
    "a seat without a queue": ([SEATED], OUT_OF_TURN.format(ANN)),
    "a queue of one twice": ([QUEUED, QUEUED], TAKEN),
    "a queue for one's own seat": ([*IN, QUEUED], TAKEN),
    "a seat left that was another's": ([*IN, seat(BEN, "left")], "ben has no seat to give up"),
    "a bot in a person's seat": ([*IN, opened(1)], BOT),
    "a bot while a person waits": ([QUEUED, opened(1)], BOT),
    "a loser named where the laws name none": (
        [opened(1), over(1, "house"), opened(2, loser_deals="challenger")],
        LOSES.format("challenger", "no one"),
    ),
}  # fmt: skip
REMATCHES: dict[str, tuple[list[Step], str]] = {
    "the loser deals": (
        [opened(1), over(1, "house"), opened(2, loser_deals="challenger"), over(2, "challenger"),
         opened(3, loser_deals="house")], ""
    ),
    "nobody lost before": ([opened(1, loser_deals="house")], LOSES.format("house", "no one")),
    "a void game has no loser": (
        [opened(1), void(1), opened(2, loser_deals="house")], LOSES.format("house", "no one")
    ),
    "against another there is no loser": ([opened(1), over(1, "house"), *IN, person(2, ANN)], ""),
    "the winner deals": (
        [opened(1), over(1, "house"), opened(2, loser_deals="house")],
        LOSES.format("house", "challenger"),
    ),
    "nobody is said to": (
        [opened(1), over(1, "house"), opened(2)], LOSES.format("no one", "challenger")
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "steps", "said"),
    [(terms(), *case) for case in CASES.values()]
    + [(replace(terms(), laws=LOSER), *case) for case in REMATCHES.values()],
    ids=[*CASES, *REMATCHES],
)
def test_seats_are_taken_in_order_and_the_loser_deals(
    settings: TermsSet, steps: list[Step], said: str
) -> None:
    """What is wrong is said once, at the leaf that is wrong, with its game if it opens one."""
    seats = SeatsCheck(lambda _: settings)
    told = [one for n, leaf in enumerate(steps) for one in seats.on_event(n, leaf)]
    assert texts(told) == [said] * bool(said)
    for one in told:
        step = steps[one.leaf or 0]
        game = step.game if isinstance(step, GameOpened) else None
        assert (one.check, one.game) == ("seats", game)
