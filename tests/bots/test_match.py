"""Two bots play: what they play are whole games that replay, the same from the same seed."""

from __future__ import annotations

from typing import Any

import pytest

from casino.bots import BOT_NAMES, play_game
from casino.ecarte import CHALLENGER, HOUSE, Laws, is_over, replay, returns
from casino.errors import InputError


@pytest.mark.parametrize(
    "laws",
    [
        Laws(),
        Laws(7, "ordinary", 2),
        Laws(enforcement="claims"),
        Laws(packets=(2, 3), first_dealer="challenger"),
    ],
)
@pytest.mark.parametrize("house", BOT_NAMES)
def test_bots_play_games_that_replay(laws: Laws, house: str) -> None:
    for seed in range(4 if house == "expert" else 20):
        played = play_game((house, "novice"), seed, laws)
        assert all(map(is_over, played.deals)) and is_over(played.game)
        assert not any(any(deal.irregular.revoked) for deal in played.deals)
        again = replay(played.record)
        assert again.deals == played.deals
        assert (again.game, again.winner, again.stake) == (played.game, played.winner, played.stake)
        assert max(played.game.score) == laws.target


def test_r2_1_who_deals_first() -> None:
    assert play_game(("regle",) * 2, 1, Laws(first_dealer="house")).first_dealer == HOUSE
    lost = Laws(first_dealer="loser")
    for seat in (HOUSE, CHALLENGER):
        assert play_game(("regle", "regle"), 1, lost, loser=seat).first_dealer == seat
    cut = {play_game(("regle", "regle"), seed).first_dealer for seed in range(12)}
    assert cut == {HOUSE, CHALLENGER}


def test_r7_2_the_returns_of_a_game_are_its_stakes() -> None:
    for seed in range(20):
        played = play_game(("regle", "novice"), seed)
        stake = played.stake or 0
        sign = 1 if played.winner == HOUSE else -1
        assert returns(played.game) == (sign * stake, -sign * stake)
        first = played.deals[0]
        assert returns(first) == (first.score[0] - first.score[1], first.score[1] - first.score[0])


@pytest.mark.parametrize("bots", ["regle", ("regle",), ("regle",) * 3, ("regle", "croesus")])
def test_what_is_not_two_bots_plays_no_game(bots: Any) -> None:
    with pytest.raises(InputError, match="two bots play a game|'croesus' is not a bot"):
        play_game(bots, 1)
