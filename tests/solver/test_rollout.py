"""Deals played on from what is known: hands that may be, tables that speak, cells that add up."""

from __future__ import annotations

from random import Random

import numpy as np

from casino.analysis.numba_support import compiled
from casino.ecarte import (
    CHALLENGER,
    FOLLOWING,
    GALLERY,
    HOUSE,
    LEADING,
    NO_CARD,
    PACK,
    Laws,
    View,
    card,
    card_set,
    cards_in,
    legal_replies,
    new_deal,
    possible_deals,
    reply_wins,
    set_up,
    view,
)
from casino.solver.evaluation import rollout
from casino.solver.evaluation.rollout import BY_TABLES, CELLS, BeliefState, roll_out, thumb_takes
from casino.solver.policy import compiled_tables as arrays
from casino.solver.policy import tables
from casino.solver.policy.info_state import belief_state
from casino.solver.policy.play_policy import NO_ROW, InfoState, PolicyTables
from tests.ecarte.board import say
from tests.solver.views import deals

BRAIN = tables.policy_tables(True)


def cells_of(
    scene: BeliefState, forced: int = BY_TABLES, effort: int = 60, key: int = 77
) -> list[int]:
    cells = [0] * CELLS
    roll_out(BRAIN, tables.leaf_values(), scene, forced, effort, key, [0] * 32, cells)
    return cells


def scene(seen: View) -> BeliefState:
    found = belief_state(seen)
    assert found is not None
    return found


@compiled
def foresee_compiled(
    brain: PolicyTables,
    leaves: object,
    seen: BeliefState,
    forced: int,
    effort: int,
    key: int,
    room: object,
    cells: object,
) -> None:
    rollout.roll_out(brain, leaves, seen, forced, effort, key, room, cells)  # type: ignore[arg-type]


def test_machine_code_foresees_the_same() -> None:
    leaves, compared = np.array(tables.leaf_values(), np.int64), 0
    for deal in deals(10, 31, bot="regle"):
        for viewer in (deal.turn, GALLERY):
            found = belief_state(view(deal, viewer))
            assert found is not None
            cells, room = np.zeros(CELLS, np.int64), np.zeros(32, np.int64)
            brain = arrays.policy_tables(True)
            foresee_compiled(brain, leaves, found, BY_TABLES, 20, 5, room, cells)
            assert cells.tolist() == cells_of(found, effort=20, key=5)
            compared += 1
    assert compared > 150


def test_a_scene_says_the_same_whatever_is_hidden() -> None:
    rng = Random(6)
    for deal in deals(10, 12, bot="regle"):
        seen = view(deal, deal.turn)
        assert belief_state(view(possible_deals(seen).sample(rng), deal.turn)) == belief_state(seen)


def test_the_gallery_draws_only_what_may_be() -> None:
    for deal in deals(25, 3, bot="regle"):
        found = scene(view(deal, GALLERY))
        held, kept = deal.hands[0] | deal.hands[1], deal.kept[0] | deal.kept[1]
        for seat, spot in ((1 - deal.dealer, found.elder), (deal.dealer, found.dealer)):
            assert not spot.unseen >> deal.turn_up & 1
            assert not spot.unseen & kept & ~held
            assert deal.hands[seat] & ~spot.sure & ~spot.unseen == 0
            assert spot.size + spot.sure.bit_count() == deal.sizes[seat]


def test_standing_makes_the_elder_vulnerable_and_refusing_the_dealer() -> None:
    deal = new_deal(Laws(), HOUSE, Random(4).sample(PACK, 32))
    stood = cells_of(scene(view(deal, CHALLENGER)), 0)
    assert sum(stood[18:36]) == sum(stood) > 0
    asked = say(deal, "P")
    refused = cells_of(scene(view(asked, HOUSE)), 0)
    assert sum(refused[36:]) == sum(refused) > 0


def test_the_king_is_counted_for_who_holds_it() -> None:
    deal = set_up("KH QH 7S 8S 9S", "JS TS 7D 8D 9D", "8H").deal(PACK)
    stood = say(deal, "S")
    mine = cells_of(scene(view(stood, CHALLENGER)))
    assert sum(mine[18 + 6 : 18 + 12]) == sum(mine) > 0
    marked = cells_of(scene(view(say(deal, "S K"), CHALLENGER)))
    assert sum(marked[18:24]) == sum(marked) > 0
    assert scene(view(say(deal, "S K"), HOUSE)).elder.sure == card_set([card("KH")])


def known(found: BeliefState, elder: int, dealer: int) -> BeliefState:
    def held(spot: InfoState, hand: int) -> InfoState:
        return spot._replace(sure=hand, size=0, unseen=0, word_row=NO_ROW, drawn_row=NO_ROW)

    return found._replace(elder=held(found.elder, elder), dealer=held(found.dealer, dealer))


def open_tricks(mine: int, yours: int, led: int, trumps: int) -> int:
    if not yours:
        return 0
    found = []
    for lead in [led] if led != NO_CARD else cards_in(mine):
        replies = cards_in(legal_replies(yours, lead, trumps, True))
        kept = mine & ~(1 << lead)
        results = []
        for reply in replies:
            left = yours ^ 1 << reply
            if reply_wins(lead, reply, trumps):
                results.append(left.bit_count() - open_tricks(left, kept, NO_CARD, trumps))
            else:
                results.append(1 + open_tricks(kept, left, NO_CARD, trumps))
        found.append(min(results))
    return max(found)


def test_known_hands_in_play_come_to_the_tricks_of_both_measures() -> None:
    checked = 0
    for deal in deals(40, 17, bot="regle"):
        if deal.phase not in (LEADING, FOLLOWING) or max(deal.sizes) > 3:
            continue
        elder, leader = 1 - deal.dealer, deal.turn if deal.led == NO_CARD else 1 - deal.turn
        hands = deal.hands[elder], deal.hands[deal.dealer]
        cells = cells_of(known(scene(view(deal, GALLERY)), *hands), effort=1)
        trumps, number = deal.turn_up >> 3, deal.sizes[1 - leader]
        takes = open_tricks(deal.hands[leader], deal.hands[1 - leader], deal.led, trumps)
        cards_open = takes if leader == elder else number - takes
        by_rule = thumb_takes(*hands, int(leader != elder), deal.led, trumps, True)
        expected = [0] * 6
        for more in (cards_open, by_rule):
            expected[deal.tricks[elder] + more] += 1
        whole = sum(cells)
        by_tricks = [sum(cells[at] for at in range(CELLS) if at % 6 == some) for some in range(6)]
        assert [round(2 * one / whole) for one in by_tricks] == expected
        checked += 1
    assert checked > 150
