"""R6 the score, R7 the game and its stakes."""

from __future__ import annotations

import pytest

from casino.ecarte import (
    ANNULLED,
    CHALLENGER,
    HOUSE,
    LEADING,
    OVER,
    Deal,
    Game,
    Laws,
    after_deal,
    multiplier,
    score_after,
    stake,
    trick_points,
    winner,
)
from tests.ecarte.board import begun, legal, points, refused, say, score, tricks

STRONG, WEAK = "KS QS JS AS TS", "9S 8S 7S 9H 8H"
VOLE = "KS 9S QS 8S JS 7S AS 8H TS 9H"
"""Five tricks for the elder who holds the strong hand."""

# The vulnerable seat, whether there was an exchange, the tricks of the winner, law, points.
SCORES = [
    ("nobody", True, 3, 1, 1),
    ("nobody", True, 4, 1, 1),
    ("nobody", True, 5, 1, 2),
    ("nobody", True, 5, 2, 2),
    ("loser", False, 3, 1, 2),
    ("loser", False, 4, 1, 2),
    ("loser", False, 5, 1, 2),
    ("loser", False, 5, 2, 2),
    ("winner", False, 3, 1, 1),
    ("winner", False, 4, 2, 1),
    ("winner", False, 5, 1, 1),
    ("winner", False, 5, 2, 2),
]


@pytest.mark.parametrize(("vulnerable", "exchanged", "taken", "law", "scored"), SCORES)
def test_r6_1_to_r6_3_the_points_for_tricks(
    vulnerable: str, exchanged: bool, taken: int, law: int, scored: int
) -> None:
    assert trick_points(taken, 5, vulnerable == "loser", exchanged, law) == scored


@pytest.mark.parametrize("taken", [0, 1, 2])
def test_r6_1_two_tricks_score_nothing(taken: int) -> None:
    assert {trick_points(taken, 5, v, e, 2) for v in (True, False) for e in (True, False)} == {0}


def test_r6_1_three_tricks_are_the_point() -> None:
    deal = begun("P A XTS X9H S KS 9S QS 8S JS 7S", STRONG, "9S 8S 7S 9H KH", "7D", "7H 8C")
    deal = say(deal, "7H KH 8C AS")
    assert (tricks(deal), points(deal)) == ((3, 2), (1, 0))


def test_r6_1_four_tricks_are_the_point() -> None:
    deal = begun("P A XTS X9H S KS 9S QS 8S JS 7S AS 8C 7H KH", STRONG, "9S 8S 7S 9H KH", "7D",
                 "7H 8C")  # fmt: skip
    assert (tricks(deal), points(deal)) == ((4, 1), (1, 0))


def test_r6_1_five_tricks_after_an_exchange_are_the_vole() -> None:
    deal = begun("P A XTS X9H S", STRONG, WEAK, "7D", "TH 7H")
    deal = say(deal, "KS 9S QS 8S JS 7S AS 7H TH 8H")
    assert (tricks(deal), points(deal)) == ((5, 0), (2, 0))


@pytest.mark.parametrize(
    ("tokens", "elder", "dealer", "scored"),
    [
        (f"P R {VOLE}", STRONG, WEAK, (2, 0)),
        ("S TS KS QS 9S JS 7S AS 9H 8S 8H", "TS 9H 8H 7S 9S", "KS QS JS AS 8S", (0, 2)),
        ("P R TS KS QS 9S JS 7S AS 9H 8S 8H", "TS 9H 8H 7S 9S", "KS QS JS AS 8S", (0, 1)),
        (f"S {VOLE}", STRONG, WEAK, (1, 0)),
    ],
)
def test_r6_2_the_vulnerable_player_loses_two(
    tokens: str, elder: str, dealer: str, scored: tuple[int, int]
) -> None:
    assert points(begun(tokens, elder, dealer)) == scored


@pytest.mark.parametrize(("law", "scored"), [(1, 1), (2, 2)])
@pytest.mark.parametrize("seat", [HOUSE, CHALLENGER])
def test_r6_3_a_vole_without_exchange(law: int, scored: int, seat: int) -> None:
    deal = begun(f"S {VOLE}", STRONG, WEAK, seat=seat, vole_unexchanged=law)
    assert (tricks(deal), points(deal)) == ((5, 0), (scored, 0))


def test_r6_4_the_turned_king_counts_first() -> None:
    deal = begun("", "QD JD AD TD 9D", WEAK, "KD", score="4-4")
    assert score(deal) == (4, 5)


def test_r6_4_the_announced_king_counts_before_the_tricks() -> None:
    deal = begun("S AD K", "AD QS JS AS TS", "KD 9S 8S 7S 9H", "7D", score="4-4")
    assert (score(deal), tricks(deal), deal.phase) == ((4, 5), (0, 0), OVER)


def test_r6_4_king_and_tricks_add_up() -> None:
    deal = begun("P A XTS X8H S K KD 8C QS 9S JS 8S AS 7S TC 9H", "KD QS JS AS TS", WEAK, "7D",
                 "TC 8C")  # fmt: skip
    assert points(deal) == (3, 0)


@pytest.mark.parametrize(
    ("before", "scored", "target", "after"),
    [(4, 2, 5, 5), (3, 2, 5, 5), (0, 1, 5, 1), (6, 2, 7, 7), (10, 2, 11, 11), (4, 2, 7, 6)],
)
def test_r7_1_points_beyond_the_target_do_not_count(
    before: int, scored: int, target: int, after: int
) -> None:
    assert score_after(before, scored, target) == after


def test_r7_1_a_vole_at_four_scores_one() -> None:
    deal = begun(f"P R {VOLE}", STRONG, WEAK, score="4-0")
    assert (score(deal), points(deal), legal(deal)) == ((5, 0), (1, 0), set())
    assert refused(deal, "P") == ("game_over", "R7.1")


def test_r7_1_a_deal_that_is_over_takes_no_more() -> None:
    deal = begun(f"S {VOLE}", STRONG, WEAK)
    for said in ("P", "A", "S", "C", "KS", "K", "N", "O", "W", "X9S"):
        assert refused(deal, said) == ("deal_over", "R7.1")


def ended(scores: tuple[int, int], target: int = 5) -> Game:
    return Game(Laws(target=target), HOUSE, scores)


@pytest.mark.parametrize(
    ("scores", "target", "won", "paid"),
    [
        ((5, 4), 5, HOUSE, 1),
        ((5, 3), 5, HOUSE, 1),
        ((2, 5), 5, CHALLENGER, 2),
        ((1, 5), 5, CHALLENGER, 2),
        ((0, 5), 5, CHALLENGER, 3),
        ((5, 0), 5, HOUSE, 3),
        ((7, 6), 7, HOUSE, 1),
        ((7, 2), 7, HOUSE, 2),
        ((11, 10), 11, HOUSE, 1),
        ((0, 11), 11, CHALLENGER, 3),
    ],
)
def test_r7_2_single_double_triple(
    scores: tuple[int, int], target: int, won: int, paid: int
) -> None:
    game = ended(scores, target)
    assert (game.over, winner(game), stake(game)) == (True, won, paid)


@pytest.mark.parametrize("scores", [(0, 0), (4, 4), (4, 0)])
def test_r7_2_a_game_that_goes_on_has_no_winner(scores: tuple[int, int]) -> None:
    game = ended(scores)
    assert (game.over, winner(game), stake(game)) == (False, None, None)


def test_r7_3_the_losers_king_counts() -> None:
    assert multiplier(2) == 2
    deal = begun("S", "KD QS 9H 8H 7H", "KH QH KS JS AS", "7D", score="2-3")
    assert deal.phase == LEADING
    deal = say(deal, "K C")
    game = after_deal(Game(deal.laws, HOUSE, deal.score_before), deal)
    assert (game.score, winner(game), stake(game)) == ((5, 3), HOUSE, 1)


def test_r7_2_after_deal_counts_the_deals_and_carries_the_score() -> None:
    game = Game(Laws(), HOUSE, (1, 2), 3)
    deal: Deal = begun("S C", score="2-1")
    assert after_deal(game, deal) == Game(Laws(), CHALLENGER, (3, 2), 4)
    annulled = deal._replace(
        phase=ANNULLED, standing=deal.standing._replace(score=deal.score_before)
    )
    assert after_deal(game, annulled) == Game(Laws(), HOUSE, (1, 2), 4)
