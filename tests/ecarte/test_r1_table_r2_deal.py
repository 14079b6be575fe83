"""R1 the table and R2 the deal."""

from __future__ import annotations

import pytest

from casino.ecarte import (
    CHALLENGER,
    DEALING,
    HOUSE,
    OVER,
    PACK,
    PROPOSING,
    Game,
    Laws,
    after_deal,
    begin_deal,
    cards,
    cards_in,
    cut_for_deal,
    deal_cards,
    new_deal,
    new_game,
    turn_up,
)
from casino.ecarte.rules import cut_dealer
from casino.errors import IllegalAction
from tests.ecarte.board import (
    begun,
    changed,
    dealt,
    hand,
    in_order,
    legal,
    points,
    refused,
    score,
    stock,
)


def finished(game: Game, tokens: str = "S C") -> Game:
    """The game after a deal without a king turned, conceded by the elder at once."""
    deal = begun(tokens, seat=game.dealer)
    return after_deal(game, changed(deal, laws=game.laws))


def test_r1_1_two_seats_face_each_other() -> None:
    assert {HOUSE, CHALLENGER} == {0, 1}
    assert [begun("", seat=seat).elder for seat in (HOUSE, CHALLENGER)] == [CHALLENGER, HOUSE]


def test_r1_3_the_pack_has_32_cards() -> None:
    assert len(set(PACK)) == 32
    assert {one & 7 for one in PACK} == set(range(8))


@pytest.mark.parametrize("target", [5, 7, 11])
def test_r1_3_the_target_makes_the_game(target: int) -> None:
    laws = Laws(target=target)
    assert not Game(laws, HOUSE, (target - 1, target - 1)).over
    assert Game(laws, HOUSE, (0, target)).over


def test_r1_3_five_points_are_usual() -> None:
    assert Laws().target == 5


@pytest.mark.parametrize(
    ("house", "challenger", "dealer"),
    [
        ("KS", "QS", HOUSE),
        ("TS", "AS", CHALLENGER),
        ("JS", "AS", HOUSE),
        ("7H", "8C", CHALLENGER),
        ("KD", "7S", HOUSE),
        ("AC", "JH", CHALLENGER),
    ],
)
def test_r2_1_the_higher_cut_deals(house: str, challenger: str, dealer: int) -> None:
    assert cut_dealer(*cards(f"{house} {challenger}")) == dealer
    assert cut_for_deal(cards(f"{house} {challenger}")) == dealer


def test_r2_1_equal_ranks_cut_again() -> None:
    assert cut_for_deal(cards("KS KH AS AH 7S 8S")) == CHALLENGER


def test_r2_1_a_cut_that_never_ends() -> None:
    assert cut_for_deal(cards("KS KH AS AH")) == HOUSE


@pytest.mark.parametrize(
    ("law", "allowed"),
    [
        ("cut", [HOUSE, CHALLENGER]),
        ("loser", [HOUSE, CHALLENGER]),
        ("house", [HOUSE]),
        ("challenger", [CHALLENGER]),
    ],
)
def test_r2_1_law_first_dealer(law: str, allowed: list[int]) -> None:
    for seat in (HOUSE, CHALLENGER):
        if seat in allowed:
            assert new_game(Laws(first_dealer=law), seat).dealer == seat
            continue
        with pytest.raises(IllegalAction) as caught:
            new_game(Laws(first_dealer=law), seat)
        assert (caught.value.reason, caught.value.article) == ("wrong_dealer", "R2.1")


@pytest.mark.parametrize("tokens", ["S C", "P R C", "S KS C"])
def test_r2_2_the_deal_alternates_whoever_won(tokens: str) -> None:
    game = new_game(Laws(), HOUSE)
    dealers = []
    for _ in range(3):
        dealers.append(game.dealer)
        game = finished(game, tokens)
    assert dealers == [HOUSE, CHALLENGER, HOUSE]
    assert game.deals == 3


def test_r2_2_the_house_always_deals_by_that_law() -> None:
    laws = Laws(deal="house")
    with pytest.raises(IllegalAction):
        new_game(laws, CHALLENGER)
    assert finished(new_game(laws, HOUSE)).dealer == HOUSE


def test_r2_2_the_next_deal_waits_for_the_last() -> None:
    with pytest.raises(IllegalAction) as caught:
        after_deal(new_game(Laws(), HOUSE), begun("S"))
    assert (caught.value.reason, caught.value.article) == ("deal_unfinished", "R2.2")


@pytest.mark.parametrize(
    ("packets", "elder", "dealer"),
    [((3, 2), "KS QS JS 8S 7S", "AS TS 9S KH QH"), ((2, 3), "KS QS TS 9S 8S", "JS AS 7S KH QH")],
)
@pytest.mark.parametrize("seat", [HOUSE, CHALLENGER])
def test_r2_3_packets(packets: tuple[int, int], elder: str, dealer: str, seat: int) -> None:
    deal = deal_cards(Laws(packets=packets), seat, PACK)
    assert hand(deal, deal.elder) == in_order(elder)
    assert hand(deal, deal.dealer) == in_order(dealer)
    assert deal.phase == DEALING


def test_r2_4_the_eleventh_card_is_turned_up() -> None:
    deal = new_deal(Laws(), HOUSE, PACK)
    assert (deal.turn_up, deal.phase, deal.turn) == (PACK[10], PROPOSING, CHALLENGER)
    assert deal.turn_up not in cards_in(deal.hands[0] | deal.hands[1])
    assert deal.stock == len(stock(deal).split()) == 21


def test_r2_4_nobody_plays_before_the_turn_up() -> None:
    deal = dealt()
    assert refused(deal, "P") == ("turn_up_due", "R2.4")
    assert refused(deal, "KS") == ("turn_up_due", "R2.4")
    assert all(said.startswith("E") for said in legal(deal))


def test_r2_4_the_turn_up_is_shown_once() -> None:
    with pytest.raises(IllegalAction) as caught:
        turn_up(begun(""))
    assert caught.value.reason == "decision_due"


@pytest.mark.parametrize(
    ("turned", "scored"), [("KD", (0, 1)), ("QD", (0, 0)), ("AD", (0, 0)), ("KC", (0, 1))]
)
@pytest.mark.parametrize("seat", [HOUSE, CHALLENGER])
def test_r2_5_a_king_turned_up_scores(turned: str, scored: tuple[int, int], seat: int) -> None:
    assert points(begun("", "7S 8S 9S", "7H 8H 9H", turned, seat=seat)) == scored


def test_r2_5_a_king_turned_up_can_end_the_game() -> None:
    deal = begun("", "7S", "7H", "KD", score="4-4")
    assert (score(deal), deal.phase, legal(deal)) == ((4, 5), OVER, set())
    assert refused(deal, "S") == ("game_over", "R7.1")
    with pytest.raises(IllegalAction) as caught:
        turn_up(deal)
    assert caught.value.reason == "game_over"


def test_r2_5_no_deal_is_begun_after_the_game() -> None:
    with pytest.raises(IllegalAction) as caught:
        begin_deal(Game(Laws(), HOUSE, (5, 0)), PACK)
    assert (caught.value.reason, caught.value.article) == ("game_over", "R7.1")


def test_r2_5_a_deal_begins_at_the_score_of_the_game() -> None:
    deal = turn_up(begin_deal(Game(Laws(), HOUSE, (2, 3)), PACK))
    assert (deal.score_before, deal.dealer) == ((2, 3), HOUSE)
