"""Rollouts from known information, and win probabilities from public information."""

from __future__ import annotations

import subprocess
import sys
from itertools import islice
from math import sqrt
from random import Random

import pytest

from casino import ecarte
from casino.bots import play_game
from casino.ecarte import CHALLENGER, GALLERY, HOUSE, NO_CARD, Laws, View
from casino.ecarte.cards import SUITS
from casino.ecarte.observation import observer
from casino.simulate.series import Run, play_series
from casino.solver.evaluation import win_probability
from casino.solver.evaluation.rollout import BINS, BY_TABLES, BeliefState, roll_out, tricks_by_rule
from casino.solver.evaluation.win_probability import (
    LiveProbabilities,
    live_probabilities,
    public_probabilities,
)
from casino.solver.policy import tables
from casino.solver.policy.info_state import belief_state
from casino.solver.policy.play_policy import InfoState
from casino.solver.policy.tables import EIGHTHS, NO_ROW, ends_before
from tests.analysis import naive
from tests.ecarte.deal_helpers import begun, say
from tests.solver.views import deals

LAWS = Laws()


def of(deal_seen: View, effort: int = win_probability.EFFORT) -> LiveProbabilities:
    return live_probabilities(deal_seen.score, deal_seen.dealer, deal_seen.laws, deal_seen, effort)


def test_win_probability_does_not_import_numba() -> None:
    program = (
        "import sys; from casino.ecarte import *\n"
        "from casino.ecarte.observation.view import GALLERY\n"
        "from casino.solver.evaluation.win_probability import live_probabilities\n"
        "seen = view(new_deal(Laws(), HOUSE, PACK), GALLERY)\n"
        "live_probabilities((0, 0), HOUSE, Laws(), seen)\n"
        "from casino.bots import play_game; play_game(('expert', 'regle'), 1)\n"
        "print(sorted({'numba', 'numpy', 'llvmlite'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert said.stdout.strip() == "[]", said.stderr


def test_probability_between_deals_comes_from_the_score() -> None:
    found = live_probabilities((3, 1), HOUSE, LAWS)
    known = [part / EIGHTHS for part in ends_before(1, 3, LAWS)]
    assert [*found.challenger, *found.house] == pytest.approx(known, abs=1e-4)
    other = live_probabilities((3, 1), CHALLENGER, LAWS)
    assert other.house.win == pytest.approx(sum(ends_before(3, 1, LAWS)[:3]) / EIGHTHS, abs=1e-4)
    steps = ecarte.replay_steps(play_game(("regle", "regle"), 4, LAWS).record)
    after = next(one.deal for one in steps if one.deal.phase == ecarte.OVER)
    told = of(ecarte.view(after, GALLERY))
    assert told.house.win == live_probabilities(after.score, 1 - after.dealer, LAWS).house.win


def test_public_deal_gives_same_probabilities() -> None:
    deal = ecarte.new_deal(LAWS, HOUSE, Random(5).sample(ecarte.PACK, 32))
    heard = observer.with_turn_up(observer.new_public_deal(LAWS, HOUSE, (0, 0)), deal.turn_up)
    game = ecarte.new_game(LAWS, HOUSE)
    for action in (ecarte.PROPOSE, ecarte.REFUSE):
        assert public_probabilities(game, heard, LAWS) == of(ecarte.view(deal, GALLERY))
        deal, heard = ecarte.apply(deal, action), observer.apply_public(heard, ecarte.token(action))
    assert public_probabilities(game, heard, LAWS) == of(ecarte.view(deal, GALLERY))


def test_json_has_win_probability_fair_odds_and_units() -> None:
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


def test_probabilities_are_calibrated() -> None:
    told = {False: [0.0, 0, 0], True: [0.0, 0, 0]}
    for line in play_series(Run(120, 3, "expert", "expert"), 0, recording=True).lines.splitlines():
        record = ecarte.read_record(line)
        won = (record.result or {})["winner"] == "house"
        # Moments of one game are so similar that every fifth one is enough.
        for step in islice(ecarte.replay_steps(record), 0, None, 5):
            if step.deal.turn_up != NO_CARD and not step.deal.game_over:
                chance = of(ecarte.view(step.deal, GALLERY), effort=10).house.win
                some = told[chance > 0.5]
                some[0], some[1], some[2] = some[0] + chance, some[1] + won, some[2] + 1
    for total, wins, number in told.values():
        # Moments of one game are not independent, so the bound is that of 120 games.
        assert number > 600
        assert abs(total - wins) / number < 2.5 * sqrt(0.2 / 60)


POLICY = tables.policy_tables(True)


def bins_of(belief: BeliefState, forced: int = BY_TABLES, effort: int = 60) -> list[int]:
    bins = [0] * BINS
    roll_out(POLICY, tables.leaf_values(), belief, forced, effort, 77, [0] * 32, bins)
    return bins


def belief_of(seen: View) -> BeliefState:
    found = belief_state(seen)
    assert found is not None
    return found


def test_gallery_belief_contains_the_actual_hands() -> None:
    for deal in deals(25, 3):
        found = belief_of(ecarte.view(deal, GALLERY))
        held, kept = deal.hands[0] | deal.hands[1], deal.kept[0] | deal.kept[1]
        for seat, info in ((1 - deal.dealer, found.elder), (deal.dealer, found.dealer)):
            assert not info.unseen >> deal.turn_up & 1
            assert not info.unseen & kept & ~held
            assert deal.hands[seat] & ~info.sure & ~info.unseen == 0
            assert info.size + info.sure.bit_count() == deal.sizes[seat]


def test_forced_bid_decides_who_is_vulnerable() -> None:
    deal = ecarte.new_deal(Laws(), HOUSE, Random(4).sample(ecarte.PACK, 32))
    stood = bins_of(belief_of(ecarte.view(deal, CHALLENGER)), 0)
    assert sum(stood[18:36]) == sum(stood) > 0
    asked = say(deal, "P")
    refused = bins_of(belief_of(ecarte.view(asked, HOUSE)), 0)
    assert sum(refused[36:]) == sum(refused) > 0


def test_king_counts_for_its_holder() -> None:
    stood = begun("S", "KH QH 7S 8S 9S", "JS TS 7D 8D 9D", "8H")
    mine = bins_of(belief_of(ecarte.view(stood, CHALLENGER)))
    assert sum(mine[18 + 6 : 18 + 12]) == sum(mine) > 0
    marked = say(stood, "K")
    bins = bins_of(belief_of(ecarte.view(marked, CHALLENGER)))
    assert sum(bins[18:24]) == sum(bins) > 0
    assert belief_of(ecarte.view(marked, HOUSE)).elder.sure == 1 << ecarte.card("KH")


def known(found: BeliefState, elder: int, dealer: int) -> BeliefState:
    def held(info: InfoState, hand: int) -> InfoState:
        return info._replace(sure=hand, size=0, unseen=0, bid_row=NO_ROW, drawn_row=NO_ROW)

    return found._replace(elder=held(found.elder, elder), dealer=held(found.dealer, dealer))


def open_tricks(mine: int, yours: int, led: int, trumps: int) -> int:
    """Return the tricks of the leader, whose card may be led already, if both hands are open."""
    first, second = (
        frozenset(map(ecarte.format_card, ecarte.cards_in(hand))) for hand in (mine, yours)
    )
    if led == NO_CARD:
        return naive.tricks(first, second, SUITS[trumps], strict=True)
    lead = ecarte.format_card(led)
    return naive.after_lead(first | {lead}, second, lead, SUITS[trumps], strict=True)


def test_known_hands_in_play_use_both_trick_estimates() -> None:
    checked = 0
    for deal in deals(40, 17):
        if deal.phase not in (ecarte.LEADING, ecarte.FOLLOWING) or max(deal.sizes) > 3:
            continue
        elder, leader = 1 - deal.dealer, deal.turn if deal.led == NO_CARD else 1 - deal.turn
        hands = deal.hands[elder], deal.hands[deal.dealer]
        bins = bins_of(known(belief_of(ecarte.view(deal, GALLERY)), *hands), effort=1)
        trumps, number = deal.turn_up >> 3, deal.sizes[1 - leader]
        takes = open_tricks(deal.hands[leader], deal.hands[1 - leader], deal.led, trumps)
        cards_open = takes if leader == elder else number - takes
        by_rule = tricks_by_rule(*hands, int(leader != elder), deal.led, trumps)
        expected = [0] * 6
        for more in (cards_open, by_rule):
            expected[deal.tricks[elder] + more] += 1
        whole = sum(bins)
        by_tricks = [sum(bins[at] for at in range(BINS) if at % 6 == some) for some in range(6)]
        assert [round(2 * one / whole) for one in by_tricks] == expected
        checked += 1
    assert checked > 150
