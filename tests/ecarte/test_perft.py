"""Complete lines of play counted: the rules must find the numbers of an independent count."""

from __future__ import annotations

from itertools import permutations

import pytest

from casino import ecarte
from casino.ecarte import CHALLENGER, HOUSE, Deal, Laws
from tests.ecarte.board import say

# The elder's hand, the dealer's, the turn-up, the lines under strict and under ordinary play.
COUNTS = [
    ("KS QS JS AS TS", "KH QH 9S 8S 7S", "7D", 1440, 1440),
    ("KS QS JS AS TS", "KH QH JH AH TH", "7D", 14400, 14400),
    ("KS QS JS AS TS", "KH QH JH AH TH", "7H", 14400, 14400),
    ("KS 7S 9S 8S TS", "QS JS AS 8H TH", "7H", 2880, 6912),
    ("7H KC QC JC 7S", "AH 9D 8D 7D TC", "8H", 828, 2592),
    ("KD 7D AH QC 8D", "JC 8C TD 7C KS", "8H", 1968, 2232),
    ("7H TD QS TC 9S", "AS AH 7C 7S TH", "QD", 806, 1210),
    ("8S JD 7S KS 7D", "7C 9H KH 9S TH", "AC", 1944, 5040),
    ("TS 7C AD 9C 8H", "8C JC KS KC 8S", "8D", 1222, 2436),
    ("JH AC 9S QH 7C", "8S QD 9D TD JC", "9C", 648, 2880),
]

# A pack of six, the target, the law of play, the leaves of all its 720 orders.
TINY = [
    ("KS QS JS KH QH JH", 1, "strict", 24048),
    ("KS QS JS KH QH JH", 1, "ordinary", 24432),
    ("KS QS JS KH QH JH", 2, "strict", 48576),
    ("KS QS JS KH QH JH", 2, "ordinary", 49344),
    ("KS QS KH QH KD QD", 1, "strict", 17928),
    ("KS QS KH QH KD QD", 1, "ordinary", 20232),
    ("KS QS KH QH KD QD", 2, "strict", 43776),
    ("KS QS KH QH KD QD", 2, "ordinary", 50688),
    ("KS QS JS AS 9S KH", 2, "strict", 52032),
    ("KS QS JS AS 9S KH", 2, "ordinary", 56256),
]


def lines(deal: Deal) -> int:
    """How many ways there are to play a deal out, card by card to the last trick."""
    if deal.phase == ecarte.OVER:
        return 1
    return sum(
        lines(ecarte.apply(deal, one)) for one in ecarte.legal_actions(deal) if 0 <= one < 32
    )


@pytest.mark.parametrize(("elder", "dealer", "turned", "strict", "ordinary"), COUNTS)
@pytest.mark.parametrize("seat", [HOUSE, CHALLENGER])
def test_lines_of_play_of_a_deal(
    elder: str, dealer: str, turned: str, strict: int, ordinary: int, seat: int
) -> None:
    for play, number in [("strict", strict), ("ordinary", ordinary)]:
        laws = Laws(play=play)
        deal = say(
            ecarte.set_up(elder, dealer, turned, seat=seat, laws=laws).deal(ecarte.PACK), "S"
        )
        assert lines(deal) == number


def leaves(deal: Deal) -> int:
    legal = ecarte.legal_actions(deal)
    return sum(leaves(ecarte.apply(deal, action)) for action in legal) if legal else 1


@pytest.mark.parametrize(("pack", "target", "play", "number"), TINY)
def test_a_tiny_game_to_its_last_leaf(pack: str, target: int, play: str, number: int) -> None:
    laws = Laws(target=target, play=play, packets=(1, 1))
    orders = permutations(ecarte.cards(pack))
    assert sum(leaves(ecarte.new_deal(laws, HOUSE, order)) for order in orders) == number


@pytest.mark.parametrize("seat", [HOUSE, CHALLENGER])
def test_a_tiny_game_with_two_cards_to_draw(seat: int) -> None:
    laws = Laws(target=2, packets=(1, 1))
    first, *pack = ecarte.cards("KS QS JS KH QH JH KD")
    decks = ((first, *order) for order in permutations(pack))
    assert sum(leaves(ecarte.new_deal(laws, seat, deck)) for deck in decks) == 79_320
