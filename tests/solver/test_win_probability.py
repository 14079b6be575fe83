"""The live chance: from public information alone, whole, repeatable and true."""

from __future__ import annotations

import subprocess
import sys
from itertools import islice
from math import sqrt
from random import Random

import pytest

from bench.live import quickly
from casino.bots import play_game
from casino.ecarte import (
    CHALLENGER,
    GALLERY,
    HOUSE,
    NO_CARD,
    OVER,
    PACK,
    PROPOSE,
    REFUSE,
    Deal,
    Laws,
    View,
    apply,
    new_deal,
    new_game,
    read_record,
    replay_steps,
    token,
    view,
)
from casino.ecarte.observation import observer
from casino.simulate.series import Run, play_series
from casino.solver.evaluation import win_probability
from casino.solver.evaluation.win_probability import (
    LiveProbabilities,
    live_probabilities,
    public_probabilities,
)
from casino.solver.training.equity import equity_at

LAWS = Laws()


def of(deal_seen: View, effort: int = win_probability.EFFORT) -> LiveProbabilities:
    return live_probabilities(deal_seen.score, deal_seen.dealer, deal_seen.laws, deal_seen, effort)


def test_it_needs_no_compiler() -> None:
    program = (
        "import sys; from casino.ecarte import *\n"
        "from casino.ecarte.observation.view import GALLERY\n"
        "from casino.solver.evaluation.win_probability import live_probabilities\n"
        "seen = view(new_deal(Laws(), HOUSE, PACK), GALLERY)\n"
        "live_probabilities((0, 0), HOUSE, Laws(), seen)\n"
        "print(sorted({'numba', 'numpy', 'llvmlite'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert said.stdout.strip() == "[]", said.stderr


def test_it_knows_no_more_than_the_gallery() -> None:
    rng = Random(2)
    for _ in range(20):
        deck = rng.sample(PACK, 32)
        turned, rest = deck[10], [one for one in deck if one != deck[10]]
        first = new_deal(LAWS, HOUSE, deck)
        rng.shuffle(rest)
        other = new_deal(LAWS, HOUSE, [*rest[:10], turned, *rest[10:]])
        assert first.hands != other.hands
        assert of(view(first, GALLERY)) == of(view(other, GALLERY))


def test_between_deals_it_is_the_worth_of_the_score() -> None:
    found = live_probabilities((3, 1), HOUSE, LAWS)
    known = equity_at(1, 3)
    assert tuple(found.challenger) == pytest.approx(known.elder, abs=1e-4)
    assert tuple(found.house) == pytest.approx(known.dealer, abs=1e-4)
    other = live_probabilities((3, 1), CHALLENGER, LAWS)
    assert other.house.win == pytest.approx(equity_at(3, 1).win, abs=1e-4)
    after = first_over(LAWS)
    told = of(view(after, GALLERY))
    assert told.house.win == live_probabilities(after.score, 1 - after.dealer, LAWS).house.win


def first_over(laws: Laws) -> Deal:
    played = play_game(("regle", "regle"), 4, laws)
    return next(one.deal for one in replay_steps(played.record) if one.deal.phase == OVER)


def test_the_public_deal_tells_as_much_as_the_whole_one() -> None:
    deal = new_deal(LAWS, HOUSE, Random(5).sample(PACK, 32))
    heard = observer.with_turn_up(observer.new_public_deal(LAWS, HOUSE, (0, 0)), deal.turn_up)
    game = new_game(LAWS, HOUSE)
    for action in (PROPOSE, REFUSE):
        assert public_probabilities(game, heard, LAWS) == of(view(deal, GALLERY))
        deal, heard = apply(deal, action), observer.apply_public(heard, token(action))
    assert public_probabilities(game, heard, LAWS) == of(view(deal, GALLERY))


def test_the_fair_price_is_even_where_the_chances_are() -> None:
    found = LiveProbabilities(
        win_probability.WinProbability(0.2, 0.1, 0.1), win_probability.WinProbability(0.3, 0.2, 0.1)
    )
    assert found.expected_units(HOUSE) == pytest.approx(0.2 + 0.2 + 0.3 - 0.3 - 0.4 - 0.3)
    told = found.json()
    assert told["house"]["win"] == 0.4 and told["house"]["odds"] == 1.5
    assert told["challenger"] == {
        "win": 0.6, "single": 0.3, "double": 0.2, "triple": 0.1, "odds": 0.67, "units": 0.3
    }  # fmt: skip
    sure = LiveProbabilities(
        win_probability.WinProbability(1.0, 0, 0), win_probability.WinProbability(0, 0, 0)
    ).json()
    assert sure["challenger"]["odds"] is None and sure["house"]["odds"] == 0


def test_what_is_told_comes_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(win_probability, "roll_out", quickly)
    told = {False: [0.0, 0, 0], True: [0.0, 0, 0]}
    for line in play_series(Run(120, 3, "expert", "expert"), 0, recording=True).lines.splitlines():
        record = read_record(line)
        won = (record.result or {})["winner"] == "house"
        # Moments of one game are so much alike that every third one says as much as all.
        for step in islice(replay_steps(record), 0, None, 3):
            if step.deal.turn_up != NO_CARD and not step.deal.game_over:
                chance = of(view(step.deal, GALLERY)).house.win
                some = told[chance > 0.5]
                some[0], some[1], some[2] = some[0] + chance, some[1] + won, some[2] + 1
    for total, wins, number in told.values():
        # Moments of one game are not independent: 120 games are at most so sure.
        assert number > 600
        assert abs(total - wins) / number < 2.5 * sqrt(0.2 / 60)
