"""A series follows from the run and its own number: on objects and in machine code alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import pytest

from casino.bots import get_bot
from casino.ecarte import CHALLENGER, HOUSE, PACK, Laws, read_record, replay
from casino.ecarte.laws import ALLOWED
from casino.ecarte.rules import NO_SEAT, can_propose, dealer_by_law, min_exchange, score_after
from casino.errors import InputError
from casino.simulate import series as series_module
from casino.simulate.compiled.splitmix import word
from casino.simulate.series import (
    SERIES_GAMES,
    STEP_GAMES,
    Run,
    bot_number,
    bots_and_laws,
    play_block,
    play_series,
)

LOSER = Laws(first_dealer="loser")


@contextmanager
def objects() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(series_module, "COMPILED_BOTS", {})
        yield


@pytest.mark.parametrize("laws", [Laws(), LOSER], ids=["cut", "loser"])
def test_every_series_is_the_same_on_objects(laws: Laws) -> None:
    run = Run(2 * SERIES_GAMES + 37, 9, "novice", "regle", laws)
    compiled = play_series(run, 2, recording=True)
    with objects():
        assert play_series(run, 2, recording=True) == compiled
    games = [read_record(line).game for line in compiled.lines.splitlines()]
    assert games == [f"s9-{number:07d}" for number in range(16_385, 16_422)]


@pytest.mark.parametrize("recording", [False, True])
def test_the_loser_deals_across_the_steps_of_a_series(recording: bool) -> None:
    run = Run(STEP_GAMES + 30, 2, "novice", "regle", LOSER)
    played = play_series(run, 0, recording)
    whole = play_block(run, word(2, 0), STEP_GAMES + 30)
    assert played.counts == whole
    assert len(played.course) == 2
    if recording:
        records = [read_record(line) for line in played.lines.splitlines()]
        winners = [replay(record).winner for record in records]
        for (before, after), won in zip(pairwise(records), winners, strict=False):
            assert before.game != after.game and after.first_dealer == 1 - (won or 0)


@pytest.mark.parametrize("target", ALLOWED["target"])
def test_the_longest_games_fit_on_a_tape(target: int) -> None:
    score, deals = [0, 0], 0
    while target not in score:
        seat = deals % 2
        score[seat] = score_after(score[seat], 1, target)
        deals += 1
    said, stock = 0, len(PACK) - 11
    while can_propose(stock):
        said += 4
        stock -= min_exchange(stock)
        stock -= min_exchange(stock)
    longest = said + 1 + 10  # the king, and a card of each seat to five tricks
    tape = series_module._tape(target)
    assert tape.decks.shape == (STEP_GAMES * deals, 32)
    needed = 2 + STEP_GAMES * (deals * (1 + longest) + 1)
    assert len(tape.actions) >= needed


def test_the_laws_as_ints() -> None:
    usual = bots_and_laws(Run(1))
    assert (usual.target, usual.size, usual.strict, usual.vole_unexchanged) == (5, 5, True, 1)
    assert (usual.house_deals, usual.named_dealer, usual.loser_deals) == (False, NO_SEAT, False)
    assert usual.elder_places == 0b00_11_000_111
    other = Laws(11, "ordinary", 2, (2, 3), "house", "house")
    table = bots_and_laws(Run(1, 1, "novice", "regle", other))
    assert (table.target, table.strict, table.vole_unexchanged) == (11, False, 2)
    assert (table.house_deals, table.named_dealer, table.loser_deals) == (True, HOUSE, False)
    assert table.elder_places == 0b000_111_00_11
    assert (table.house, table.challenger) == tuple(
        bot_number(get_bot(name)) for name in ("novice", "regle")
    )
    losers = bots_and_laws(Run(1, laws=LOSER))
    assert losers.loser_deals and losers.named_dealer == NO_SEAT
    assert dealer_by_law(losers.named_dealer, losers.loser_deals, CHALLENGER) == CHALLENGER
    named = bots_and_laws(Run(1, laws=Laws(first_dealer="challenger")))
    assert named.named_dealer == CHALLENGER


@pytest.mark.parametrize("bots", [("croesus", "regle"), ("regle", "croesus")])
def test_a_bot_that_nobody_knows_is_named(bots: tuple[str, str]) -> None:
    with pytest.raises(InputError, match="'croesus' is not a bot"):
        play_series(Run(10, 1, *bots), 0)
