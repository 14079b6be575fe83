"""Whole games between bots."""

from __future__ import annotations

from random import Random

import pytest

from casino.ecarte import (
    PACK,
    Card,
    Deal,
    Laws,
    Record,
    Step,
    deal_record,
    new_game,
    replay,
    write_record,
)
from casino.ecarte.state import ANNULLED, OVER
from casino.players import BOT_NAMES, bot_named
from casino.players.playing import play_game


def game_of(seed: int, laws: Laws, house: str, challenger: str) -> list[Step]:
    """A game of two bots from one seed."""
    rng = Random(seed)

    def deck_of(_: int) -> list[Card]:
        return rng.sample(PACK, len(PACK))

    bots = bot_named(house), bot_named(challenger)
    return list(play_game(new_game(laws, 0), bots, deck_of, lambda *_: rng))


def last_states(steps: list[Step]) -> list[Deal]:
    """The last state of each deal."""
    return list({step.number: step.deal for step in steps}.values())


@pytest.mark.parametrize("laws", [Laws(), Laws(7, "ordinary", 2), Laws(enforcement="claims")])
@pytest.mark.parametrize("house", BOT_NAMES)
def test_bots_play_games_that_replay(laws: Laws, house: str) -> None:
    """What two bots have played, written as a record, replays to the same score."""
    for seed in range(20):
        deals = last_states(game_of(seed, laws, house, "novice"))
        assert all(deal.phase in (OVER, ANNULLED) for deal in deals)
        record = Record(laws, 0, tuple(map(deal_record, deals)))
        assert replay(record).game.score == deals[-1].score
        assert max(deals[-1].score) == laws.target


def test_the_same_chance_gives_the_same_game() -> None:
    """Two games from one seed are written alike to the last byte."""
    written = [
        write_record(Record(Laws(), 0, tuple(map(deal_record, last_states(steps)))))
        for steps in (game_of(7, Laws(), "novice", "regle") for _ in range(2))
    ]
    assert written[0] == written[1]
