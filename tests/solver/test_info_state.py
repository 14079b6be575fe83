"""Belief states from views: last bids, cards exchanged, cards ruled out."""

from __future__ import annotations

from random import Random

import pytest

from casino import ecarte
from casino.ecarte import CHALLENGER, GALLERY, HOUSE, Deal, Laws
from casino.solver.evaluation import rollout
from casino.solver.policy import tables
from casino.solver.policy.info_state import belief_state, game_of_view
from casino.solver.policy.tables import NO_ROW
from tests.ecarte.deal_helpers import begun, say

DEAL = ecarte.new_deal(Laws(), HOUSE, Random(9).sample(ecarte.PACK, 32), (1, 2))
GAME = tables.game_of(2, 1, 5, False)


def seen(deal: Deal, viewer: int = GALLERY) -> rollout.BeliefState:
    found = belief_state(ecarte.view(deal, viewer))
    assert found is not None
    return found


def exchange_cards(deal: Deal, number: int) -> Deal:
    some = ecarte.cards_in(deal.hands[deal.turn])[:number]
    return ecarte.apply(deal, ecarte.parse_token("X" + ecarte.format_cards(some)))


def bid_row(context: int) -> int:
    return tables.bid_row(GAME, context)


def test_score_includes_turned_up_king() -> None:
    assert game_of_view(ecarte.view(DEAL, HOUSE)) == GAME
    king = begun("", "7S 8S 9S TS AS", "", "KH", score="2-1")
    assert game_of_view(ecarte.view(king, CHALLENGER)) == tables.game_of(2, 2, 5, True)


@pytest.mark.parametrize(
    ("said", "due", "elder", "dealer"),
    [
        ("P", rollout.ANSWERS, (tables.SPEAK, True), None),
        ("P A", rollout.ELDER_TAKES, (tables.SPEAK, True), (tables.ANSWER, True)),
        ("S", rollout.PLAYS, (tables.SPEAK, False), None),
        ("P R", rollout.PLAYS, (tables.SPEAK, True), (tables.ANSWER, False)),
    ],
)
def test_belief_state_knows_the_last_bids(
    said: str, due: int, elder: tuple[int, bool] | None, dealer: tuple[int, bool] | None
) -> None:
    found = seen(say(DEAL, said))
    assert found.decision == due and found.exchanges == 0
    for info, expected in ((found.elder, elder), (found.dealer, dealer)):
        if expected is None:
            assert info.bid_row == NO_ROW
        else:
            assert (info.bid_row, info.agreed) == (bid_row(expected[0]), expected[1])


def test_exchange_invalidates_earlier_bids() -> None:
    exchanged = exchange_cards(say(DEAL, "P A"), 3)
    found = seen(exchanged)
    assert found.decision == rollout.DEALER_TAKES
    assert (found.elder_took, found.dealer_took) == (3, 0)
    assert found.elder.bid_row == NO_ROW
    assert found.elder.drawn_row == tables.drawn_row(False, 3)
    assert (found.dealer.bid_row, found.dealer.agreed) == (bid_row(tables.ANSWER), True)
    assert found.dealer.drawn_row == NO_ROW
    both = seen(exchange_cards(exchanged, 2))
    assert both.decision == rollout.SPEAKS and both.exchanges == 1 and both.stock == 16
    assert both.vulnerable == 0
    assert both.dealer.bid_row == NO_ROW
    assert both.dealer.drawn_row == tables.drawn_row(True, 2)


@pytest.mark.parametrize(("said", "vulnerable"), [("S", 1), ("P R", 2)])
def test_vulnerable_side_is_given_by_role(said: str, vulnerable: int) -> None:
    for dealer in (HOUSE, CHALLENGER):
        deal = ecarte.new_deal(Laws(), dealer, DEAL.deck)
        assert seen(say(deal, said)).vulnerable == vulnerable


def test_played_cards_are_known() -> None:
    after = begun("S KS 7S QS AS", "KS QS 9D 8D 7D", "AS TD 7S 8C 9C", "KH")
    found = seen(after)
    assert found.taken == 2 and found.leads == 0 and found.led == -1
    assert found.elder.played == ecarte.card_set(ecarte.cards("KS QS"))
    assert found.dealer.played == ecarte.card_set(ecarte.cards("7S AS"))
    assert found.dealer.plays & 31 == ecarte.card("AS")
    assert not (found.elder.unseen | found.dealer.unseen) & ecarte.card_set(
        ecarte.cards("KS QS 7S AS")
    )
    assert (found.dealer.plays >> 5 & 63) - 1 == ecarte.card("QS")
    # The dealer followed the queen with the ace, so has nothing higher than the queen.
    assert not found.dealer.unseen >> ecarte.card("KS") & 1
    led = seen(say(after, "9D"))
    assert led.led == ecarte.card("9D") and led.leads == 0
    assert led.elder.size == 2 and led.dealer.size == 3


def test_reply_rules_out_cards() -> None:
    after = begun("S KS 7C", "KS QS 9D 8D 7D", "AD TD 7C 8C 9C", "KH")
    for found in (seen(after), seen(after, CHALLENGER)):
        assert not found.dealer.unseen & 255
        assert not found.dealer.unseen & 255 << 8
        assert found.dealer.unseen >> ecarte.card("AD") & 1
    assert seen(after).elder.unseen & 255


def test_announced_king_is_certain() -> None:
    deal = begun("", "KH QS 9D 8D 7D", "AD TD 7C 8C 9C", "8H")
    marked = seen(say(deal, "S K"))
    assert marked.marked and marked.elder.sure == 1 << ecarte.card("KH") and marked.elder.size == 4
    silent = seen(say(deal, "S QS"))
    assert silent.elder.silent and not silent.dealer.silent
    assert seen(say(deal, "S K KH AD")).elder.sure == 0


def test_unsupported_deals_have_no_belief_state() -> None:
    small = ecarte.new_deal(Laws(packets=(2, 2)), HOUSE, ecarte.PACK)
    assert belief_state(ecarte.view(small, GALLERY)) is None
    hands = ("QS JS AS TS 9S", "KS 8S 7D KH 8H", "9D")
    again = begun("S QS 8S JS KS C", *hands, enforcement="claims")
    assert belief_state(ecarte.view(again, CHALLENGER)) is None
    over = begun("S K", "KH QS 9D 8D 7D", "AD TD 7C 8C 9C", "8H", score="4-0")
    assert belief_state(ecarte.view(over, GALLERY)) is None
