"""Deals played on from what is known: hands that may be, tables that speak, cells that add up."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest

from casino.analysis.numba_support import compiled
from casino.bots import get_bot
from casino.ecarte import (
    CHALLENGER,
    FOLLOWING,
    GALLERY,
    HOUSE,
    LEADING,
    NO_CARD,
    NO_SEAT,
    PACK,
    Laws,
    View,
    apply,
    card,
    card_set,
    cards,
    cards_in,
    legal_replies,
    new_deal,
    possible_deals,
    reply_wins,
    set_up,
    view,
)
from casino.solver.evaluation import rollout
from casino.solver.evaluation.rollout import (
    BY_TABLES,
    CELLS,
    PLAYS,
    SPEAKS,
    BeliefState,
    roll_out,
    thumb_takes,
)
from casino.solver.policy import compiled_tables as arrays
from casino.solver.policy import tables
from casino.solver.policy.info_state import belief_state
from casino.solver.policy.infosets import bid_share, exchange_counts
from casino.solver.policy.play_policy import NO_ROW, InfoState, PolicyTables, hand_weight
from tests.ecarte.board import say
from tests.solver.views import deals

BRAIN = tables.policy_tables(True)


def cells_of(
    scene: BeliefState, forced: int = BY_TABLES, effort: int = 60, key: int = 77
) -> list[int]:
    """What so many deals come to."""
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
    """At every moment of some deals, for a seat and for the gallery, to the last unit."""
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


def test_the_rule_of_thumb_takes_what_regle_takes() -> None:
    """From the lead, and with a card on the table."""
    regle, rng, checked = get_bot("regle"), Random(5), 0
    for deal in deals(60, 8, bot="regle"):
        if deal.phase in (LEADING, FOLLOWING):
            elder, leader = 1 - deal.dealer, deal.turn if deal.led == NO_CARD else 1 - deal.turn
            hands = deal.hands[elder], deal.hands[deal.dealer]
            takes = thumb_takes(*hands, int(leader != elder), deal.led, deal.turn_up >> 3, True)
            before = deal.tricks[elder]
            while deal.turn != NO_SEAT:
                seen = view(deal, deal.turn)
                deal = apply(deal, regle.choose(seen, list(range(32)), rng))
            assert deal.tricks[elder] == before + takes
            checked += 1
    assert checked > 400


def test_a_scene_says_the_same_whatever_is_hidden() -> None:
    """For a seat: deals that it cannot tell apart have one scene."""
    rng = Random(6)
    for deal in deals(10, 12, bot="regle"):
        seen = view(deal, deal.turn)
        assert belief_state(view(possible_deals(seen).sample(rng), deal.turn)) == belief_state(seen)


def test_the_gallery_draws_only_what_may_be() -> None:
    """No hand holds the turn-up, a card that lies on the table or one that was refuted."""
    for deal in deals(25, 3, bot="regle"):
        found = scene(view(deal, GALLERY))
        held, kept = deal.hands[0] | deal.hands[1], deal.kept[0] | deal.kept[1]
        for seat, info in ((1 - deal.dealer, found.elder), (deal.dealer, found.dealer)):
            assert not info.unseen >> deal.turn_up & 1
            assert not info.unseen & kept & ~held
            assert deal.hands[seat] & ~info.sure & ~info.unseen == 0
            assert info.size + info.sure.bit_count() == deal.sizes[seat]


def test_a_seat_knows_its_own_hand() -> None:
    """It is sure, nothing of it is drawn; the other side has what the seat has not seen."""
    deal = new_deal(Laws(), HOUSE, Random(3).sample(PACK, 32))
    found = scene(view(deal, CHALLENGER))
    assert found.decision == SPEAKS and found.elder.sure == deal.hands[CHALLENGER]
    assert found.elder.size == 0 and found.dealer.size == 5
    assert found.dealer.unseen.bit_count() == 26 and not found.dealer.unseen & found.elder.sure


def test_standing_makes_the_elder_vulnerable_and_refusing_the_dealer() -> None:
    """Only before the first exchange."""
    deal = new_deal(Laws(), HOUSE, Random(4).sample(PACK, 32))
    stood = cells_of(scene(view(deal, CHALLENGER)), 0)
    assert sum(stood[18:36]) == sum(stood) > 0
    asked = say(deal, "P")
    refused = cells_of(scene(view(asked, HOUSE)), 0)
    assert sum(refused[36:]) == sum(refused) > 0


def test_the_king_is_counted_for_who_holds_it() -> None:
    """Before it is announced; once it is, for nobody."""
    deal = set_up("KH QH 7S 8S 9S", "JS TS 7D 8D 9D", "8H").deal(PACK)
    stood = say(deal, "S")
    mine = cells_of(scene(view(stood, CHALLENGER)))
    assert sum(mine[18 + 6 : 18 + 12]) == sum(mine) > 0
    marked = cells_of(scene(view(say(deal, "S K"), CHALLENGER)))
    assert sum(marked[18:24]) == sum(marked) > 0
    assert scene(view(say(deal, "S K"), HOUSE)).elder.sure == card_set([card("KH")])


def test_a_hand_that_cannot_lose_takes_every_trick() -> None:
    """Five highest trumps, whatever the other side holds."""
    deal = set_up("KH QH JH AH TH", "7S 8S 9S 7D 8D", "9H").deal(PACK)
    cells = cells_of(scene(view(say(deal, "S"), CHALLENGER)))
    assert cells[18 + 6 + 5] > 0.9 * sum(cells)
    played = cells_of(scene(view(say(deal, "S K KH 7S QH 8S"), CHALLENGER)))
    assert played[18 + 5] == sum(played)


def test_forced_discards_are_given_up() -> None:
    """Throwing the whole hand away is worse than keeping three trumps."""
    deal = say(set_up("KH QH JH 7S 7D", "9S 8S AS 9D 8D", "9H").deal(PACK), "P A")
    found = scene(view(deal, CHALLENGER))
    all_five, plain = card_set(cards("KH QH JH 7S 7D")), card_set(cards("7S 7D"))
    lost, kept = cells_of(found, all_five, 200), cells_of(found, plain, 200)
    assert sum(kept[at] for at in range(CELLS) if at % 6 > 2) > 0.85 * sum(kept)
    assert sum(lost[at] for at in range(CELLS) if at % 6 > 2) < 0.75 * sum(lost)


def test_an_empty_stock_ends_the_talk() -> None:
    """Nothing is left to ask for: the hands are played as they are."""
    deal = new_deal(Laws(), HOUSE, Random(9).sample(PACK, 32))
    found = scene(view(deal, CHALLENGER))._replace(stock=0, exchanges=3)
    cells = cells_of(found)
    assert sum(cells[:18]) == sum(cells) > 0


def test_what_was_said_tells_of_a_hand() -> None:
    """The gallery expects more of an elder who stood than of one who proposed and was refused."""
    deal = new_deal(Laws(), HOUSE, Random(2).sample(PACK, 32))
    point = {}
    for said in ("S", "P R"):
        found = scene(view(say(deal, said), GALLERY))
        assert found.decision == PLAYS
        cells = cells_of(found, effort=300)
        point[said] = sum(cells[at] for at in range(CELLS) if at % 6 > 2) / sum(cells)
    assert point["S"] > point["P R"] + 0.1


@pytest.mark.parametrize("key", [1, 99, 0xFFFFFFFF])
def test_other_draws_come_to_nearly_the_same(key: int) -> None:
    """The mean over 400 deals moves by little, whatever the key."""
    deal = new_deal(Laws(), HOUSE, Random(12).sample(PACK, 32))
    cells = cells_of(scene(view(deal, GALLERY)), effort=400, key=key)
    made = sum(cells[at] for at in range(CELLS) if at % 6 > 2) / sum(cells)
    assert abs(made - 0.53) < 0.07


def known(found: BeliefState, elder: int, dealer: int) -> BeliefState:
    """The same scene with both hands on the table."""

    def held(info: InfoState, hand: int) -> InfoState:
        """What is known of a hand that everybody sees."""
        return info._replace(sure=hand, size=0, unseen=0, bid_row=NO_ROW, drawn_row=NO_ROW)

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
    """Half of it to those with open cards, half to those by the rule of thumb, whoever leads."""
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


def test_the_dealer_may_announce_after_the_first_card() -> None:
    """Not before, and not once he has played."""
    deal = set_up("QH JH 7S 8S 9S", "KH JS 7D 8D 9D", "8H").deal(PACK)
    led = say(deal, "S 7S")
    hands = led.hands[CHALLENGER], led.hands[HOUSE]
    cells = cells_of(known(scene(view(led, GALLERY)), *hands), effort=1)
    assert sum(cells[18 + 12 : 36]) == sum(cells) > 0
    played = say(deal, "S 7S JS")
    hands = played.hands[CHALLENGER], played.hands[HOUSE]
    cells = cells_of(known(scene(view(played, GALLERY)), *hands), effort=1)
    assert sum(cells[18:24]) == sum(cells) > 0


def test_a_word_is_said_as_often_as_the_tables_say() -> None:
    """Of sixteen draws that are equally likely exactly so many; also never, and always."""
    rng, seen_shares = Random(5), set()
    found = scene(view(new_deal(Laws(), HOUSE, rng.sample(PACK, 32)), GALLERY))
    turn_up = found.elder.turn_up
    for _ in range(400):
        hand = card_set(rng.sample([one for one in PACK if one != turn_up], 5))
        for due in (SPEAKS, rollout.ANSWERS):
            context = 0 if due == SPEAKS else 4
            share = bid_share(BRAIN, found.game, context, hand, turn_up)
            bids = [(2 * at + 1) << 27 for at in range(16)]
            said = [rollout._choice(BRAIN, found, due, hand, 0, 0, word) for word in bids]
            assert said.count(1) == share
            seen_shares.add(share)
    assert {0, 16} < seen_shares


def test_numbers_are_taken_as_often_as_the_tables_say() -> None:
    """The other number in so many of sixteen draws; the cards given up are the cheapest."""
    rng, mixed = Random(6), 0
    found = scene(view(new_deal(Laws(), HOUSE, rng.sample(PACK, 32)), GALLERY))
    turn_up = found.elder.turn_up
    for _ in range(300):
        hand = card_set(rng.sample([one for one in PACK if one != turn_up], 5))
        for due, context in ((rollout.ELDER_TAKES, 0), (rollout.DEALER_TAKES, 5)):
            number, other, share = exchange_counts(BRAIN, found.game, context, hand, turn_up)
            bids = [(2 * at + 1) << 27 for at in range(16)]
            took = 3 if due == rollout.DEALER_TAKES else 0
            given = [rollout._choice(BRAIN, found, due, hand, 0, took, word) for word in bids]
            assert all(some & ~hand == 0 for some in given)
            counted = [some.bit_count() for some in given]
            if number != other:
                assert (counted.count(number), counted.count(other)) == (16 - share, share)
                mixed += share > 0
            else:
                assert counted == [number] * 16
    assert mixed > 20


def test_hands_are_drawn_as_likely_as_they_are() -> None:
    """Six hands may be held: each counts for its share of the weight, over many draws."""
    deal = say(new_deal(Laws(), HOUSE, Random(2).sample(PACK, 32)), "S")
    info = scene(view(deal, GALLERY)).elder
    unseen, counted, drawn = card_set(cards("KS QS 8D 7D 9C 7C")), Counter[int](), Counter[int]()
    info = info._replace(unseen=unseen)
    hands = [unseen ^ 1 << one for one in cards_in(unseen)]
    weights = {hand: hand_weight(BRAIN, info, hand) for hand in hands}
    assert len(set(weights.values())) > 1
    word, room = 12345, [0] * 32
    for _ in range(8_000):
        hand, weight, word = rollout._draw_hand(BRAIN, info, unseen, word, room)
        counted[hand] += weight
        drawn[hand] += 1
    for hand, weight in weights.items():
        share = counted[hand] / counted.total()
        assert share == pytest.approx(weight / sum(weights.values()), abs=0.02)
    best, worst = max(hands, key=weights.__getitem__), min(hands, key=weights.__getitem__)
    assert drawn[best] > 1.2 * drawn[worst]
