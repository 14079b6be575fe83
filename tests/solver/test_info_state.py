"""What a view tells: the last word said with a hand, what was taken, what was refuted."""

from __future__ import annotations

from random import Random

import pytest

from casino.ecarte import (
    CHALLENGER,
    GALLERY,
    HOUSE,
    NO_CARD,
    PACK,
    Deal,
    Laws,
    apply,
    card,
    card_set,
    cards,
    cards_in,
    format_cards,
    legal_actions,
    new_deal,
    parse_token,
    set_up,
    view,
)
from casino.solver.evaluation.rollout import (
    ANSWERS,
    DEALER_TAKES,
    ELDER_TAKES,
    PLAYS,
    SPEAKS,
    BeliefState,
)
from casino.solver.policy import infosets
from casino.solver.policy.abstraction import KINDS
from casino.solver.policy.info_state import (
    belief_state,
    exchange_history,
    game_of_view,
    info_state,
    stakes_of,
)
from casino.solver.policy.play_policy import NO_ROW, InfoState
from tests.ecarte.board import say
from tests.solver.views import deals

DEAL = new_deal(Laws(), HOUSE, Random(9).sample(PACK, 32), (1, 2))
GAME = infosets.game_of(2, 1, 5, False)


def seen(deal: Deal, viewer: int = GALLERY) -> BeliefState:
    found = belief_state(view(deal, viewer))
    assert found is not None
    return found


def gives_up(deal: Deal, number: int) -> Deal:
    some = cards_in(deal.hands[deal.turn])[:number]
    return apply(deal, parse_token("X" + format_cards(some)))


def exchanged(deal: Deal, *numbers: tuple[int, int]) -> Deal:
    for elder, dealer in numbers:
        deal = gives_up(gives_up(say(deal, "P A"), elder), dealer)
    return deal


def word_row(context: int) -> int:
    return infosets.word_row(GAME, context, KINDS)


def test_the_turned_king_is_counted_in() -> None:
    assert game_of_view(view(DEAL, HOUSE)) == GAME
    king = set_up("7S 8S 9S TS AS", "", "KH", score=(1, 2)).deal(PACK)
    assert game_of_view(view(king, CHALLENGER)) == infosets.game_of(2, 2, 5, True)


def test_nothing_is_known_before_a_word() -> None:
    found = seen(DEAL)
    assert found.decision == SPEAKS and found.stock == 21 and found.exchanges == 0
    for spot in (found.elder, found.dealer):
        assert (spot.word_row, spot.drawn_row) == (NO_ROW, NO_ROW)
        assert spot.size == 5 and spot.sure == 0
        assert spot.unseen == 0xFFFFFFFF & ~(1 << DEAL.turn_up)


@pytest.mark.parametrize(
    ("said", "due", "elder", "dealer"),
    [
        ("P", ANSWERS, (infosets.SPEAK, True), None),
        ("P A", ELDER_TAKES, (infosets.SPEAK, True), (infosets.ANSWER, True)),
        ("S", PLAYS, (infosets.SPEAK, False), None),
        ("P R", PLAYS, (infosets.SPEAK, True), (infosets.ANSWER, False)),
    ],
)
def test_the_last_word_is_known(
    said: str, due: int, elder: tuple[int, bool] | None, dealer: tuple[int, bool] | None
) -> None:
    found = seen(say(DEAL, said))
    assert found.decision == due and found.exchanges == 0
    for spot, expected in ((found.elder, elder), (found.dealer, dealer)):
        if expected is None:
            assert spot.word_row == NO_ROW
        else:
            assert (spot.word_row, spot.second_word) == (word_row(expected[0]), expected[1])


def test_an_exchange_makes_words_old() -> None:
    found = seen(gives_up(say(DEAL, "P A"), 3))
    assert found.decision == DEALER_TAKES and (found.elder_took, found.dealer_took) == (3, 0)
    assert found.elder.word_row == NO_ROW
    assert found.elder.drawn_row == infosets.drawn_row(False, 3, KINDS)
    assert (found.dealer.word_row, found.dealer.second_word) == (word_row(infosets.ANSWER), True)
    assert found.dealer.drawn_row == NO_ROW
    both = seen(exchanged(DEAL, (3, 2)))
    assert both.decision == SPEAKS and both.exchanges == 1 and both.stock == 16
    assert both.dealer.word_row == NO_ROW
    assert both.dealer.drawn_row == infosets.drawn_row(True, 2, KINDS)


def test_later_words_stand_in_later_contexts() -> None:
    second = say(exchanged(DEAL, (3, 2)), "P")
    found = seen(second)
    context = infosets.speak_context(1, 2)
    assert (found.elder.word_row, found.elder.second_word) == (word_row(context), True)
    accepted = seen(say(second, "A"))
    assert accepted.decision == ELDER_TAKES and accepted.exchanges == 1
    assert (accepted.elder.word_row, accepted.elder.second_word) == (word_row(context), True)
    refused = seen(say(second, "R"))
    assert refused.vulnerable == 0
    answer = infosets.answer_context(1, 3)
    assert (refused.dealer.word_row, refused.dealer.second_word) == (word_row(answer), False)
    stood = seen(say(exchanged(DEAL, (3, 2), (1, 4)), "S"))
    last = infosets.speak_context(2, 4)
    assert (stood.elder.word_row, stood.elder.second_word) == (word_row(last), False)
    assert exchange_history(view(second, HOUSE)) == (1, [3, 2])


@pytest.mark.parametrize(("said", "vulnerable"), [("S", 1), ("P R", 2)])
def test_who_is_vulnerable_is_told_by_role(said: str, vulnerable: int) -> None:
    for dealer in (HOUSE, CHALLENGER):
        deal = new_deal(Laws(), dealer, DEAL.deck)
        assert seen(say(deal, said)).vulnerable == vulnerable


def test_cards_on_the_table_are_known() -> None:
    deal = set_up("KS QS 9D 8D 7D", "AS TD 7S 8C 9C", "KH", score=(0, 0)).deal(PACK)
    after = say(deal, "S KS 7S QS AS")
    found = seen(after)
    assert found.taken == 2 and found.leads == 0 and found.led == -1
    assert found.elder.played == card_set(cards("KS QS"))
    assert found.dealer.played == card_set(cards("7S AS"))
    assert found.dealer.plays & 31 == card("AS")
    assert not (found.elder.unseen | found.dealer.unseen) & card_set(cards("KS QS 7S AS"))
    assert (found.dealer.plays >> 5 & 63) - 1 == card("QS")
    # He followed the queen with the ace: nothing higher than the queen was left.
    assert not found.dealer.unseen >> card("KS") & 1
    led = seen(say(after, "9D"))
    assert led.led == card("9D") and led.leads == 0
    assert led.elder.size == 2 and led.dealer.size == 3


def test_who_leads_is_who_took_the_trick() -> None:
    deal = set_up("7S QS 9D 8D 7D", "AS TD 8S 8C 9C", "KH").deal(PACK)
    assert seen(say(deal, "S")).leads == 0
    assert seen(say(deal, "S 7S")).leads == 0
    assert seen(say(deal, "S 7S 8S")).leads == 1
    assert seen(say(deal, "S 7S 8S TD")).leads == 1


def test_a_reply_proves_what_is_not_held() -> None:
    deal = set_up("KS QS 9D 8D 7D", "AD TD 7C 8C 9C", "KH").deal(PACK)
    after = say(deal, "S KS 7C")
    for found in (seen(after), seen(after, CHALLENGER)):
        assert not found.dealer.unseen & 255
        assert not found.dealer.unseen & 255 << 8
        assert found.dealer.unseen >> card("AD") & 1
    assert seen(after).elder.unseen & 255


def test_under_claims_a_reply_proves_nothing() -> None:
    laws = Laws(enforcement="claims")
    deal = set_up("KS QS 9D 8D 7D", "AD TD 7C 8C 9C", "KH", laws=laws).deal(PACK)
    assert seen(say(deal, "S KS 7C")).dealer.unseen & 255


def test_the_announced_king_is_sure() -> None:
    deal = set_up("KH QS 9D 8D 7D", "AD TD 7C 8C 9C", "8H").deal(PACK)
    marked = seen(say(deal, "S K"))
    assert marked.marked and marked.elder.sure == 1 << card("KH") and marked.elder.size == 4
    silent = seen(say(deal, "S QS"))
    assert silent.elder.silent and not silent.dealer.silent
    assert seen(say(deal, "S K KH AD")).elder.sure == 0


def test_silence_tells_nothing_where_it_costs_nothing() -> None:
    for score, silent in (((4, 3), False), ((3, 3), True)):
        deal = set_up("KH QS 9D 8D 7D", "AD TD 7C 8C 9C", "8H", score=score).deal(PACK)
        assert seen(say(deal, "P R QS")).elder.silent is silent
        assert seen(say(deal, "S QS")).elder.silent


def test_the_stakes_of_a_seat_are_told_from_its_side() -> None:
    deal = set_up("KH QS 9D 8D 7D", "AD TD 7C 8C 9C", "8H", score=(4, 3)).deal(PACK)
    refused, stood = (view(say(deal, said), GALLERY) for said in ("P R", "S"))
    assert stakes_of(refused, CHALLENGER) == (3, 4, True, 5)
    assert stakes_of(refused, HOUSE) == (4, 3, False, 5)
    assert stakes_of(stood, CHALLENGER) == (3, 4, False, 5)
    assert stakes_of(stood, HOUSE) == (4, 3, True, 5)


def test_a_spot_is_the_scene_of_the_other_side() -> None:
    compared = 0
    for deal in deals(12, 41, bot="regle"):
        seat = deal.turn
        spot, found = info_state(view(deal, seat)), seen(deal, seat)
        assert isinstance(spot, InfoState)
        assert spot == (found.dealer if deal.dealer != seat else found.elder)
        compared += 1
    assert compared > 100


def test_what_the_tables_do_not_know_has_no_scene() -> None:
    small = new_deal(Laws(packets=(2, 2)), HOUSE, PACK)
    assert belief_state(view(small, GALLERY)) is None
    laws = Laws(enforcement="claims")
    deal = set_up("QS JS AS TS 9S", "KS 8S 7D KH 8H", "9D", laws=laws).deal(PACK)
    again = say(deal, "S QS 8S JS KS C")
    assert belief_state(view(again, CHALLENGER)) is None
    over = set_up("KH QS 9D 8D 7D", "AD TD 7C 8C 9C", "8H", score=(0, 4)).deal(PACK)
    assert belief_state(view(say(over, "S K"), GALLERY)) is None


@pytest.mark.parametrize("dealer", [HOUSE, CHALLENGER])
def test_who_leads_is_known_by_role(dealer: int) -> None:
    deal = say(new_deal(Laws(), dealer, Random(9).sample(PACK, 32)), "S")
    elder = 1 - dealer
    assert (seen(deal).leads, seen(deal).led) == (0, NO_CARD)
    deal = apply(deal, legal_actions(deal)[0])
    assert deal.turn == dealer
    assert (seen(deal).leads, seen(deal).led) == (0, deal.led)
    after = apply(deal, legal_actions(deal)[0])
    assert seen(after).leads == (0 if after.turn == elder else 1)
    own = seen(deal, dealer).dealer
    assert (own.hand, own.sure, own.size) == (deal.hands[dealer], deal.hands[dealer], 0)
    assert own[-5:] == (False, False, NO_ROW, False, NO_ROW), "nothing is to be guessed of it"
